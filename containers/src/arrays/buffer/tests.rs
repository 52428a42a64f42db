//! Growth, what is granted, and refusals.

use loligo_allocators::{Allocator, BuddyAllocator, Refusals};

use super::Buffer;
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, asks_for_more, every_refusal, with_memory};

#[test]
fn takes_what_was_granted() {
    let mut region = std::vec![core::mem::MaybeUninit::uninit(); 1 << 16];
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut region).expect("the region is large");
    let mut buffer: Buffer<'_, [u8; 12], _> = Buffer::new(&buddy);
    buffer.grow_exact(0, 6).expect("the buddy has memory");
    assert_eq!(buffer.capacity(), 10, "128 bytes are ten elements of 12");
    buffer.grow(10, 1).expect("the buddy has memory");
    assert_eq!(buffer.capacity(), 21, "256 bytes are 21 elements of 12");
    buffer.shrink(2).expect("a shorter block");
    assert!(buffer.capacity() >= 2, "{} elements", buffer.capacity());
    buffer.shrink(0).expect("no block");
    assert_eq!(buddy.stats().live, 0);
}

#[test]
fn keeps_what_is_in_it_through_every_refusal() {
    every_refusal(|memory: &Memory| {
        let mut buffer: Buffer<'_, u32, _> = Buffer::new(memory);
        buffer.grow(0, 3)?;
        for index in 0..3 {
            // SAFETY: there is room for three.
            let place = unsafe { buffer.start().add(index) };
            // SAFETY: as above.
            unsafe { place.write(index as u32) };
        }
        let before = buffer.capacity();
        let grown = buffer.grow(before, 1);
        for index in 0..3 {
            // SAFETY: the elements were written, and are kept.
            let place = unsafe { buffer.start().add(index) };
            // SAFETY: as above.
            assert_eq!(unsafe { place.read() }, index as u32);
        }
        assert_eq!(grown.is_err(), buffer.capacity() == before);
        grown
    });
}

#[test]
fn counts_in_32_bits() {
    with_memory(|memory| {
        let mut buffer: Buffer<'_, u8, _> = Buffer::new(memory);
        let limit = u64::from(u32::MAX);
        let wanted = limit + 1;
        assert_eq!(buffer.grow(1, limit as usize), Err(GrowError::Length { wanted, limit }));
        let mut nothings: Buffer<'_, (), _> = Buffer::new(memory);
        assert_eq!(nothings.capacity(), u32::MAX);
        nothings.grow(7, 9).expect("nothing takes no memory");
        assert_eq!(memory.stats().live, 0);
    });
}

#[test]
fn where_twice_as_much_is_refused_what_is_needed_is_taken() {
    with_memory(|memory| {
        let mut buffer: Buffer<'_, u64, _> = Buffer::new(memory);
        buffer.grow_exact(0, 1000).expect("there is memory");
        let before = buffer.capacity();
        memory.refuse(Refusals::Nth(0));
        buffer.grow(before, 1).expect("so much is to be had");
        assert_eq!(memory.refused(), 1);
        assert!(buffer.capacity() > before, "{} elements", buffer.capacity());
    });
}

#[test]
fn every_request_is_as_long_as_said() {
    // What is needed, but eight at least, and twice as many as there are.
    for (first, more, wanted) in [(0, 1, 8), (0, 20, 20), (8, 1, 16), (8, 20, 28), (30, 30, 60)] {
        let act = |memory: &Memory<'_>, limit: &mut dyn FnMut()| {
            let mut buffer: Buffer<'_, u64, _> = Buffer::new(memory);
            buffer.grow_exact(0, first).expect("there is memory");
            assert_eq!(buffer.capacity() as usize, first, "just as many");
            assert_eq!(buffer.bytes(), 8 * first, "of eight bytes each");
            limit();
            let _ = buffer.grow(first as u32, more);
        };
        assert!(asks_for_more(8 * wanted - 1, act), "{first} and {more}: as many as {wanted}");
        assert!(!asks_for_more(8 * wanted, act), "{first} and {more}: no more than {wanted}");
    }
}

#[test]
fn nothing_is_asked_for_without_need() {
    with_memory(|memory| {
        let mut buffer: Buffer<'_, u64, _> = Buffer::new(memory);
        buffer.grow_exact(0, 30).expect("there is memory");
        assert_eq!(buffer.capacity(), 30, "just as many");
        let requests = memory.requests();
        assert_eq!(buffer.grow(29, 1), Ok(()), "there is room");
        assert_eq!(buffer.grow_exact(29, 1), Ok(()), "there is room");
        assert_eq!(buffer.shrink(30), Ok(()), "it is no longer");
        assert_eq!(memory.requests(), requests, "so nothing is asked for");
        buffer.shrink(8).expect("there is memory");
        assert_eq!((buffer.capacity(), memory.stats().granted), (8, 64), "just eight");
        buffer.shrink(0).expect("nothing is asked for");
        assert_eq!((buffer.capacity(), memory.stats().live), (0, 0), "given back at once");
        let mut nothings: Buffer<'_, (), _> = Buffer::new(memory);
        nothings.shrink(3).expect("there is nothing to shrink");
        assert_eq!((nothings.capacity(), nothings.bytes()), (u32::MAX, 0), "room for any number");
    });
}

#[test]
fn a_refusal_says_what_was_needed() {
    with_memory(|memory| {
        let mut buffer: Buffer<'_, u64, _> = Buffer::new(memory);
        memory.refuse(Refusals::From(0));
        let refused = |elements| Err(GrowError::Memory { elements, bytes: 8 * elements });
        assert_eq!(
            (buffer.grow(0, 3), memory.refused()),
            (refused(3), 2),
            "first eight, then three"
        );
        assert_eq!((buffer.grow(0, 8), memory.refused()), (refused(8), 3), "both are the same");
        assert_eq!((buffer.grow_exact(0, 3), memory.refused()), (refused(3), 4), "just three");
        let most = u64::from(u32::MAX);
        let refused = Err(GrowError::Memory { elements: most, bytes: 8 * most });
        assert_eq!(buffer.grow(1, u32::MAX as usize - 1), refused, "as many as can be counted");
        let length =
            Err(GrowError::Length { wanted: (usize::MAX as u64).saturating_add(7), limit: most });
        assert_eq!(buffer.grow(7, usize::MAX), length, "no sum overflows");
        memory.refuse(Refusals::None);
    });
}

#[test]
fn it_prints_where_it_begins_and_its_room() {
    with_memory(|memory| {
        let mut buffer: Buffer<'_, u64, _> = Buffer::new(memory);
        buffer.grow_exact(0, 30).expect("there is memory");
        let start = buffer.start();
        let said = std::format!("Buffer {{ start: {start:?}, capacity: 30, .. }}");
        assert_eq!(std::format!("{buffer:?}"), said, "its place and its room");
    });
}
