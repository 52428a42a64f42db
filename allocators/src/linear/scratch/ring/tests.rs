//! The ring entry by entry: kinds of addresses, reported damage, and the edges of its memory.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec::Vec;

use super::{Entry, GRAIN, Ring};
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::Misuse;

/// Memory of a ring of 160 bytes, aligned to its grain.
#[repr(align(16))]
struct Memory {
    _bytes: [MaybeUninit<u8>; 208],
}

impl Memory {
    const UNSET: Self = Self { _bytes: [MaybeUninit::uninit(); 208] };
}

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("a valid layout")
}

/// Shows a ring of ten grains.
fn with_ring(act: impl FnOnce(&Ring<'_>)) {
    let mut memory = Memory::UNSET;
    let start = NonNull::from(&mut memory).cast();
    // SAFETY: the memory has more than 200 bytes and outlives the ring.
    let ring = unsafe { Ring::over("ring", start, 200) };
    assert_eq!(ring.capacity, 160, "ten grains of 16 bytes and 4 of an entry");
    act(&ring);
}

fn take(ring: &Ring<'_>, bytes: usize) -> NonNull<u8> {
    ring.allocate(layout(bytes, 1)).expect("there is room").cast()
}

fn free(ring: &Ring<'_>, block: NonNull<u8>) {
    // SAFETY: the tests pass live blocks, which are not used again.
    unsafe { ring.deallocate(block) };
}

fn resize(ring: &Ring<'_>, block: NonNull<u8>, old: usize, new: usize) -> bool {
    // SAFETY: the block is live and was asked so.
    unsafe { ring.resize_in_place(block, layout(old, 1), layout(new, 1)) }.is_ok()
}

/// Six grains, of which the first three are freed, then one more around the end: the ring wraps.
fn wrap(ring: &Ring<'_>) -> [NonNull<u8>; 3] {
    let blocks = [48, 48, 48].map(|bytes| take(ring, bytes));
    free(ring, blocks[0]);
    // One grain is left at the end, so this block is at the start.
    let around = take(ring, 32);
    assert_eq!((ring.head.get(), ring.tail.get()), (32, 48), "it wraps");
    [around, blocks[1], blocks[2]]
}

#[test]
fn a_ring_without_room_stays_where_it_is() {
    let mut memory = Memory::UNSET;
    for (skip, bytes) in [(0, 0), (1, 0), (1, 14), (1, 34), (8, 27)] {
        let start = NonNull::from(&mut memory).cast::<u8>();
        let start = NonNull::new(start.as_ptr().wrapping_add(skip)).expect("not null");
        // SAFETY: this many bytes are left after the start, and they outlive the ring.
        let ring = unsafe { Ring::over("none", start, bytes) };
        assert_eq!((ring.capacity, ring.memory), (0, start), "{bytes} bytes at {skip}");
        assert_eq!(ring.allocate(layout(1, 1)), Err(AllocError), "{bytes} bytes at {skip}");
    }
    let start = NonNull::from(&mut memory).cast::<u8>();
    let start = NonNull::new(start.as_ptr().wrapping_add(1)).expect("not null");
    // SAFETY: as above.
    let ring = unsafe { Ring::over("one", start, 15 + 20) };
    assert_eq!((ring.capacity, ring.memory.addr().get() % GRAIN), (16, 0), "one grain");
}

#[test]
fn an_empty_ring_is_sound_and_shows_nothing() {
    with_ring(|ring| {
        assert_eq!(ring.validate(), Ok(()), "nothing is there");
        ring.walk(&mut |block| panic!("{block:?} is not there"));
        let all = take(ring, 160);
        assert_eq!(ring.allocate(layout(1, 1)), Err(AllocError), "it is full");
        assert_eq!(ring.validate(), Ok(()), "a full one");
        free(ring, all);
        assert_eq!((ring.head.get(), ring.tail.get()), (0, 0), "it starts over");
    });
}

#[test]
fn an_address_is_judged_by_where_it_lies() {
    with_ring(|ring| {
        let blocks = [48, 48, 32].map(|bytes| take(ring, bytes));
        free(ring, blocks[1]);
        // Live to 48, freed to 96, live to 128, then free.
        let judged = |offset| ring.judge(offset);
        for offset in [1, 16, 32, 47, 97, 112, 127] {
            assert_eq!(judged(offset), Misuse::InteriorFree, "{offset} in a block");
        }
        for offset in [48, 49, 64, 95, 128, 129, 144, 159] {
            assert_eq!(judged(offset), Misuse::DoubleFree, "{offset} is free");
        }
        for offset in [160, 161, 176, usize::MAX] {
            assert_eq!(judged(offset), Misuse::ForeignFree, "{offset} is outside");
        }
        let end = NonNull::new(ring.memory.as_ptr().wrapping_add(160)).expect("not null");
        assert_eq!(ring.find(end), Err(Misuse::ForeignFree), "no entry is looked at");
        assert!(!ring.owns(end.as_ptr()), "it is past the end");
        assert!(ring.owns(end.as_ptr().wrapping_sub(1)), "the last byte");
        // SAFETY: only asked.
        let bytes = [blocks[0], end].map(|address| unsafe { ring.allocated_size(address) });
        assert_eq!(bytes, [48, 0], "an address that is not a block has no bytes");
    });
    with_ring(|ring| {
        wrap(ring);
        // Live to 32, free to 48, live to 96 and to 144, skipped to the end.
        for offset in [1, 16, 31, 48, 49, 64, 95, 97, 143] {
            assert_eq!(ring.judge(offset), Misuse::InteriorFree, "{offset} in a block");
        }
        for offset in [32, 33, 47, 144, 145, 159] {
            assert_eq!(ring.judge(offset), Misuse::DoubleFree, "{offset} is free");
        }
    });
}

#[test]
fn the_youngest_block_grows_up_to_what_limits_it() {
    with_ring(|ring| {
        let block = take(ring, 10);
        assert!(resize(ring, block, 10, 160), "all is free after it");
        assert!(!resize(ring, block, 160, 161), "the memory ends there");
        assert!(resize(ring, block, 160, 20), "it shrinks");
        assert_eq!((ring.head.get(), ring.occupied.get()), (32, 32), "what it takes now");
        assert_eq!(ring.validate(), Ok(()), "sound");
    });
    with_ring(|ring| {
        let [around, ..] = wrap(ring);
        assert!(!resize(ring, around, 32, 49), "the tail is in the way");
        assert!(resize(ring, around, 32, 48), "up to the tail");
        assert_eq!((ring.head.get(), ring.validate()), (48, Ok(())), "it is full");
        assert!(resize(ring, around, 48, 1), "it shrinks");
        assert_eq!((ring.head.get(), ring.validate()), (16, Ok(())), "what it takes now");
    });
}

#[test]
fn each_kind_of_damage_is_told_with_its_place() {
    with_ring(|ring| {
        let blocks = [48, 32].map(|bytes| take(ring, bytes));
        let sound = ring.get(0);
        let damaged = |change: &dyn Fn()| {
            assert_eq!(ring.validate(), Ok(()), "sound before");
            change();
            let told = ring.validate();
            ring.set(0, sound);
            ring.set(48, Entry::live(32));
            ring.set(80, Entry::NONE);
            told
        };
        let broken = |at| Err(("an entry of the ring is broken", at));
        assert_eq!(damaged(&|| ring.set(48, Entry::NONE)), broken(48), "nothing starts there");
        assert_eq!(damaged(&|| ring.set(0, Entry::live(161))), broken(0), "it is too long");
        assert_eq!(damaged(&|| ring.set(48, Entry::live(113))), broken(48), "it is too long");
        let told = damaged(&|| ring.set(48, Entry::live(112)));
        let fill = Err(("the blocks do not fill the ring from tail to head", 0));
        assert_eq!(told, fill, "up to the end, which is more than to the head");
        let told = damaged(&|| ring.set(80, Entry::live(1)));
        assert_eq!(told, Err(("an entry is where nothing starts", 0)), "after the head");
        let told = damaged(&|| ring.set(0, Entry::freed(48)));
        assert_eq!(told, Err(("no live block starts at the tail", 0)), "it waits for itself");
        let told = damaged(&|| ring.set(48, Entry::live(31)));
        assert_eq!(told, Err(("the blocks and their counts differ", 0)), "a byte less");
        // A walk ends at an entry that it cannot interpret.
        ring.set(48, Entry::NONE);
        let mut walked = Vec::new();
        ring.walk(&mut |block| walked.push((block.address, block.bytes)));
        assert_eq!(walked, [(blocks[0], 48)], "up to the damage");
        ring.set(48, Entry::live(32));
    });
}
