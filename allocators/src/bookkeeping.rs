//! Bookkeeping outside blocks: tables by address, call sites, marks for memory checkers.

pub(crate) mod address_table;
pub(crate) mod mark;
pub(crate) mod sites;
