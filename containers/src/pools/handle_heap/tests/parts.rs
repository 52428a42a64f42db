//! Parts of the buffer: blocks that move between them, and numbers used again.

use std::vec::Vec;

use loligo_allocators::Refusals;

use crate::pools::handle_heap::HandleHeap;
use crate::testing::test_memory::{Memory, with_memory};

type Heap<'a> = HandleHeap<'a, Memory<'a>>;

#[test]
fn blocks_move_to_earlier_parts() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let ids = [0; 12].map(|_| heap.allocate(2000, 16));
        let parts = heap.space.parts().count();
        assert!(parts >= 3, "{parts} parts");
        for (id, byte) in ids.iter().zip(1_u8..) {
            heap.bytes_mut(*id).expect("it is live").fill(byte);
        }
        for id in &ids[..9] {
            assert_eq!(heap.free(*id), Ok(()), "it was live");
        }
        assert_eq!((heap.pin(ids[10]), heap.validate()), (Ok(1), Ok(())), "for the first time");
        let address = heap.pinned_address(ids[10]);
        while !heap.compact(4096).done {}
        assert_eq!((heap.pinned_address(ids[10]), heap.validate()), (address, Ok(())), "pinned");
        assert_eq!(heap.try_shrink_to_fit(), Ok(()), "there is memory");
        assert_eq!((heap.pinned_address(ids[10]), heap.validate()), (address, Ok(())), "pinned");
        assert_eq!(heap.unpin(ids[10]), Ok(0), "it was pinned once");
        while !heap.compact(4096).done {}
        assert_eq!(heap.try_shrink_to_fit(), Ok(()), "there is memory");
        let stats = heap.stats();
        assert!(stats.buffer_bytes < 3 * 2064 + 64 * 2, "{stats:?}: only the blocks are left");
        for (id, byte) in ids.iter().zip(1_u8..).skip(9) {
            let bytes = heap.bytes(*id).expect("it is live");
            assert!(bytes.len() == 2000 && bytes.iter().all(|other| *other == byte), "{byte}");
        }
        assert_eq!(heap.validate(), Ok(()), "whole");
    });
}

#[test]
fn a_part_that_went_is_used_again() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let first = heap.allocate(3000, 16);
        let second = heap.allocate(3000, 16);
        let third = heap.allocate(20_000, 16);
        let parts = heap.space.parts().count();
        assert_eq!((heap.free(second), heap.try_shrink_to_fit()), (Ok(()), Ok(())));
        assert_eq!((heap.space.parts().count(), heap.validate()), (parts, Ok(())), "a gap");
        let fourth = heap.allocate(60_000, 16);
        assert_eq!((heap.space.parts().count(), heap.validate()), (parts, Ok(())), "filled");
        for (id, len) in [(first, 3000), (third, 20_000), (fourth, 60_000)] {
            assert_eq!(heap.bytes(id).map(<[u8]>::len), Some(len));
        }
    });
}

/// A block that is longer than every hole grows the buffer although there are bytes enough; under
/// refusals it takes what it needs and no more.
#[test]
fn a_part_is_as_short_as_it_must_be_where_memory_is_short() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let _first = heap.allocate(100_000, 16);
        memory.refuse(Refusals::Larger(6000));
        let before = heap.stats().buffer_bytes;
        let id = heap.try_allocate(5000, 16).expect("as much as that is granted");
        let after = heap.stats().buffer_bytes;
        assert!((5016..6016).contains(&(after - before)), "{before}, then {after}");
        assert_eq!((heap.free(id), heap.validate()), (Ok(()), Ok(())));
        memory.refuse(Refusals::None);
    });
}

/// Growth after a shrink adds a part each time, and there may be 32: the next block was refused.
#[test]
fn parts_that_were_shortened_are_joined_before_there_are_too_many() {
    with_memory(|memory| {
        let mut heap = Heap::new_in(memory);
        let mut ids = Vec::new();
        let mut pinned = None;
        for round in 0..100_u8 {
            let align = 1 << (round % 7);
            let id = heap.try_allocate(70 + usize::from(round), align).expect("there is memory");
            heap.bytes_mut(id).expect("it is live").fill(round);
            ids.push(id);
            if round == 3 {
                assert_eq!(heap.pin(id), Ok(1), "for the first time");
                pinned = Some((id, heap.pinned_address(id)));
            }
            if round % 5 == 4 {
                assert_eq!(heap.free(ids[usize::from(round) - 2]), Ok(()), "it was live");
            }
            if round == 60 {
                // Without memory for the joined part all stays as it is.
                memory.refuse(Refusals::From(0));
                let _ = heap.try_shrink_to_fit();
                memory.refuse(Refusals::None);
                assert_eq!(heap.validate(), Ok(()), "whole");
            }
            assert_eq!((heap.try_shrink_to_fit(), heap.validate()), (Ok(()), Ok(())), "{round}");
            assert!(heap.space.parts().count() <= 17, "{round}");
        }
        let (held, address) = pinned.expect("it was pinned");
        assert_eq!(heap.pinned_address(held), address, "pinned");
        for (id, round) in ids.iter().zip(0_u8..) {
            let is_freed = round % 5 == 2;
            let bytes = heap.bytes(*id);
            assert_eq!(bytes.is_none(), is_freed, "{round}");
            assert!(bytes.is_none_or(|bytes| bytes.iter().all(|byte| *byte == round)), "{round}");
        }
    });
}
