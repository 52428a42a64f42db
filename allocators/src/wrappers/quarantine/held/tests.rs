//! Tests of the ring: the addresses of its slots.

use super::{Held, Ring};
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::TestBacking;

#[test]
fn slots_lie_one_behind_the_other_in_the_books() {
    let books = TestBacking::new();
    let ring = Ring::new(3, &books).expect("there is memory");
    let mut memory = None;
    books.walk(&mut |block| memory = Some(block));
    let memory = memory.expect("the slots are the only block").address.cast::<Held>().as_ptr();
    for slot in 0..3 {
        assert_eq!(ring.place(slot), memory.wrapping_add(slot), "slot {slot}");
    }
    ring.release(&books);
}
