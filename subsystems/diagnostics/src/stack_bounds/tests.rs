//! Tests of the bounds of a thread's stack.

use std::boxed::Box;
use std::thread;

use super::StackBounds;

fn bounds() -> StackBounds {
    StackBounds::of_this_thread().expect("Linux reports the bounds of a stack")
}

#[test]
fn what_lies_in_a_frame_is_held_and_nothing_else() {
    static STILL: u64 = 7;
    let local = core::hint::black_box(7_u64);
    let boxed = Box::new(7_u64);
    let check = |bounds: StackBounds| {
        assert!(bounds.hold(&raw const local), "{bounds:x?} and a local at {:p}", &raw const local);
        assert!(!bounds.hold(&raw const *boxed), "{bounds:x?} and a box at {boxed:p}");
        assert!(!bounds.hold(&raw const STILL), "{bounds:x?} and a static");
        assert!(!bounds.hold(core::ptr::null::<u8>()), "{bounds:x?} and null");
        assert!(!bounds.hold(core::ptr::without_provenance::<u64>(bounds.end - 7)), "half outside");
        assert!(bounds.hold(core::ptr::without_provenance::<u64>(bounds.end - 8)), "just inside");
        assert!(
            !bounds.hold(core::ptr::without_provenance::<u8>(bounds.inner)),
            "below all frames"
        );
    };
    check(bounds());
    let of_another = thread::spawn(bounds).join().expect("the thread runs");
    assert!(!of_another.hold(&raw const local), "{of_another:x?} and a local of another thread");
}
