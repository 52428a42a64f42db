//! Paths of names as keys.

use loligo_ids::{IdString32, murmur2_32};

/// Returns the key of a path of names: of `health` in the object `stats`, say.
///
/// Each name is hashed on its own, and the hashes are hashed together, so a name may hold a dot and
/// is still another than a path of two. The key of a path of one name is that name's
/// [`IdString32`], that of no name the empty name's.
///
/// # Complexity
///
/// O(bytes) at run time, nothing in a constant.
///
/// # Examples
///
/// ```
/// use loligo_containers::{child_key, path_key};
/// use loligo_ids::{IdString32, id32};
///
/// const HEALTH: IdString32 = path_key(&["stats", "health"]);
/// assert_eq!(HEALTH, child_key(id32!("stats"), "health"));
/// assert_ne!(HEALTH, id32!("stats.health"));
/// ```
#[must_use]
pub const fn path_key(names: &[&str]) -> IdString32 {
    let Some((first, mut rest)) = names.split_first() else {
        return IdString32::from_hash(0);
    };
    let mut key = IdString32::new(first);
    while let Some((name, after)) = rest.split_first() {
        key = child_key(key, name);
        rest = after;
    }
    key
}

/// Returns the key of a name in the object whose own key is `parent`.
///
/// # Complexity
///
/// O(bytes) at run time, nothing in a constant.
#[must_use]
pub const fn child_key(parent: IdString32, name: &str) -> IdString32 {
    let [a, b, c, d] = parent.hash().to_le_bytes();
    let [e, f, g, h] = murmur2_32(name, 0).to_le_bytes();
    IdString32::from_hash(murmur2_32(&[a, b, c, d, e, f, g, h], 0))
}
