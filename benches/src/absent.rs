//! Which peers are not compiled in.

/// Returns `names`, the peers that need the feature `peers-all`, where they are not compiled in.
pub(crate) fn absent(names: &[&'static str]) -> Vec<&'static str> {
    if cfg!(feature = "peers-all") { Vec::new() } else { names.to_vec() }
}
