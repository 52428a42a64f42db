//! Tests of the growable array: its exact capacity, and damage that `validate` finds.

use super::Array;
use crate::contract::allocator::AllocError;
use crate::testing::test_backing::{TestBacking, panic_of};

impl<T: Copy> Array<T> {
    /// Sets a false capacity, and returns the true one, which must be restored.
    pub(crate) fn claim_capacity(&self, capacity: usize) -> usize {
        self.capacity.replace(capacity)
    }

    /// Sets a false length, and returns the true one, which must be restored.
    pub(crate) fn claim_len(&self, len: usize) -> usize {
        self.len.replace(len)
    }
}

/// The error of an array whose capacity is less than its length.
pub(crate) const TOO_LONG: &str = "an array is longer than its memory";
/// The error of an array that has memory and a capacity of zero.
pub(crate) const NO_ROOM: &str = "an array has memory without room, or room without memory";

#[test]
fn it_starts_with_16_items_and_doubles() {
    let books = TestBacking::new();
    let array = Array::<u64>::new();
    assert_eq!((array.bytes(), array.len()), (0, 0), "it begins without memory");
    let (mut capacity, mut requests) = (0, 0);
    for count in 1..=200 {
        if count > capacity {
            capacity = if capacity == 0 { 16 } else { 2 * capacity };
            requests += 1;
        }
        array.reserve(count, &books).expect("the books have room");
        array.push(count as u64);
        assert_eq!(array.bytes(), 8 * capacity, "with {count} items");
        assert_eq!(books.requests(), requests, "with {count} items");
        array.validate().expect("sound");
    }
    // A request for more than twice the capacity.
    for (asked, capacity) in [(256, 256), (1000, 1000), (1000, 1000), (1001, 2000), (2000, 2000)] {
        array.reserve(asked, &books).expect("the books have room");
        assert_eq!(array.bytes(), 8 * capacity, "room for {asked}");
    }
    let requests = books.requests();
    books.refuse_from(0);
    assert_eq!(array.reserve(2000, &books), Ok(()), "there is room");
    assert_eq!(array.reserve(2001, &books), Err(AllocError), "there is none");
    assert_eq!((array.bytes(), books.requests()), (16_000, requests + 1), "as it was");
    assert!((0..200).all(|at| array.get(at) == at as u64 + 1), "the items are kept");
    array.release(&books);
    assert_eq!((array.bytes(), array.len()), (0, 0), "it ends without memory");
}

#[test]
fn items_lie_one_after_the_other() {
    let books = TestBacking::new();
    let array = Array::<u32>::new();
    array.reserve(20, &books).expect("the books have room");
    for at in 0..20 {
        array.push(7);
        let (place, first) = (array.place(at), array.items.get());
        assert!(!first.is_null(), "there is memory");
        assert_eq!(place, first.wrapping_add(at), "item {at}");
    }
    assert_eq!(panic_of(|| _ = array.get(20)), "item 20 is within the array");
    assert_eq!(panic_of(|| array.push(1)), "room is reserved before pushing");
    array.release(&books);
}

#[test]
fn what_is_broken_is_told() {
    let books = TestBacking::new();
    let array = Array::<u64>::new();
    array.claim_capacity(1);
    assert_eq!(array.validate(), Err(NO_ROOM), "room without memory");
    array.claim_capacity(0);
    array.claim_len(1);
    assert_eq!(array.validate(), Err(TOO_LONG), "an item without memory");
    array.claim_len(0);
    array.reserve(16, &books).expect("the books have room");
    (0..16).for_each(|item| array.push(item));
    array.validate().expect("it may be full");
    let capacity = array.claim_capacity(0);
    assert_eq!(array.validate(), Err(NO_ROOM), "memory without room");
    array.claim_capacity(15);
    assert_eq!(array.validate(), Err(TOO_LONG), "one item too many");
    array.claim_capacity(capacity);
    array.validate().expect("mended");
    array.release(&books);
}
