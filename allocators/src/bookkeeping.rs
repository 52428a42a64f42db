//! Bookkeeping outside blocks: tables by address, counters, call sites, marks for memory checkers,
//! names that are cut.

pub(crate) mod address_table;
pub(crate) mod block_table;
pub(crate) mod char_boundary;
pub(crate) mod counters;
pub(crate) mod left;
pub(crate) mod mark;
pub(crate) mod sites;
pub(crate) mod source_allocator;
pub(crate) mod table_memory;
