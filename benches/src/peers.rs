//! The peers that need more than a call by name: yardsticks of our own and other crates' types.

pub(crate) mod bare_list;
pub(crate) mod bare_mmap;
pub(crate) mod buddies;
pub(crate) mod id_tables;
pub(crate) mod raw_cursor;
pub(crate) mod slab_keys;

/// Returns `names`, the peers that need the feature `peers-all`, where they are not compiled in.
pub(crate) fn absent(names: &[&'static str]) -> Vec<&'static str> {
    if cfg!(feature = "peers-all") { Vec::new() } else { names.to_vec() }
}
