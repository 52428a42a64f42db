//! A handle of handy names another object after 32 767 uses of its slot.

pub(super) fn main() {
    let mut map = handy::HandleMap::new();
    let old = map.insert(0);
    map.remove(old);
    for life in 1..70_000 {
        let new = map.insert(life);
        assert_eq!(map.get(old), None, "a removed object's handle names another object");
        map.remove(new);
    }
}
