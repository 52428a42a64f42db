//! The peers that need more than a call by name: yardsticks of our own and other crates' types.

pub(crate) mod bare_list;
pub(crate) mod bare_mmap;
pub(crate) mod buddies;
pub(crate) mod id_tables;
pub(crate) mod raw_cursor;
pub(crate) mod slab_keys;
