//! A key of slab names what was put into its slot last.

pub(super) fn main() {
    let mut slab = slab::Slab::new();
    let old = slab.insert("before");
    slab.remove(old);
    slab.insert("after");
    assert_eq!(slab.get(old), None, "a removed object's key names another object");
}
