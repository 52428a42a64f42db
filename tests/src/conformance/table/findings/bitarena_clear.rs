//! An index of bitarena from before a clearing names what comes after it.

pub(super) fn main() {
    let mut arena = bitarena::Arena::new();
    let old = arena.insert("before");
    arena.clear();
    arena.insert("after");
    assert_eq!(arena.get(old), None, "a cleared object's index names another object");
}
