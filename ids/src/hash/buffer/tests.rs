//! The buffer compared with a `Vec`, with memory that runs out.

use std::vec::Vec;

use super::*;
use crate::hash::random::Random;
use crate::hash::test_memory::{with_bytes, with_memory};

#[test]
fn nothing_is_taken_while_it_is_empty() {
    with_memory(|memory| {
        let mut buffer = Buffer::<u32, _>::new(memory);
        assert_eq!((buffer.len(), buffer.as_slice()), (0, [].as_slice()));
        assert!(buffer.as_mut_slice().is_empty(), "nothing to write");
        buffer.append(&[]);
        buffer.reserve(0).expect("nothing is asked for");
        buffer.refill(0, 7).expect("nothing is asked for");
        assert_eq!(memory.stats().live, 0);
        buffer.validate();
    });
}

/// Appends, refills and writes as a `Vec` does, in tight memory: a refusal changes nothing.
fn beside_a_vec<T: Copy + PartialEq + fmt::Debug>(seed: u64, make: fn(u64) -> T) {
    let mut refused = 0;
    for limit in [0, 300, 1000, 5000, 100_000] {
        with_bytes(limit, |memory| {
            let mut random = Random::new(seed);
            let mut model = Vec::new();
            let mut buffer = Buffer::new(memory);
            for step in 0..500 {
                let place = std::format!("seed {seed}, limit {limit}, step {step}");
                let values: Vec<T> = (0..random.below(40)).map(|_| make(random.next())).collect();
                match random.below(20) {
                    0 => {
                        let (len, value) = (random.below(2000), make(random.next()));
                        match buffer.refill(len, value) {
                            Ok(()) => {
                                model.clear();
                                model.resize(len, value);
                            }
                            Err(AllocError) => refused += 1,
                        }
                    }
                    1 if !model.is_empty() => {
                        let (at, value) = (random.below(model.len()), make(random.next()));
                        model[at] = value;
                        buffer.as_mut_slice()[at] = value;
                    }
                    _ => match buffer.reserve(values.len()) {
                        Ok(()) => {
                            buffer.append(&values);
                            model.extend_from_slice(&values);
                        }
                        Err(AllocError) => refused += 1,
                    },
                }
                assert_eq!(buffer.as_slice(), model, "{place}");
                buffer.validate();
            }
        });
    }
    assert!(refused > 100, "memory ran out {refused} times");
}

#[test]
fn it_holds_what_a_vec_holds() {
    for seed in 0..4 {
        beside_a_vec(seed, |bits| bits as u8);
        beside_a_vec(seed, |bits| bits as u32);
        beside_a_vec(seed, |bits| (bits, bits as u8, [bits as u16; 3]));
    }
}

#[test]
fn what_is_needed_is_tried_where_doubling_is_too_much() {
    with_bytes(2500, |memory| {
        let mut buffer = Buffer::<u8, _>::new(memory);
        buffer.refill(1500, 1).expect("1 500 of 2 500 bytes");
        // Twice as much is beyond the budget.
        buffer.reserve(500).expect("2 000 bytes are within it");
        assert!(memory.stats().requested < 3000, "it did not double");
        assert_eq!(buffer.as_slice(), [1; 1500]);
        buffer.reserve(4000).expect_err("more than there is");
        assert_eq!(buffer.as_slice(), [1; 1500]);
        buffer.validate();
    });
}

#[test]
fn it_grows_by_doubling_and_not_without_need() {
    with_memory(|memory| {
        let mut buffer = Buffer::<u32, _>::new(memory);
        let mut grown = 0;
        for value in 0..10_000 {
            let capacity = buffer.capacity;
            buffer.reserve(1).expect("40 000 bytes");
            buffer.append(&[value]);
            grown += usize::from(buffer.capacity != capacity);
        }
        assert_eq!(grown, 9, "from 64 values to 16 384");
        let granted = memory.stats().granted_total;
        buffer.refill(10_000, 7).expect("it is that long already");
        buffer.refill(3, 8).expect("it is longer");
        assert_eq!(memory.stats().granted_total, granted, "nothing more was needed");
        assert_eq!(buffer.as_slice(), [8; 3]);
    });
}

#[test]
fn sizes_that_are_none_are_refused() {
    with_memory(|memory| {
        let mut buffer = Buffer::<u64, _>::new(memory);
        buffer.refill(3, 9).expect("24 bytes");
        for more in [usize::MAX, usize::MAX / 8, isize::MAX as usize] {
            assert_eq!(buffer.reserve(more), Err(AllocError), "{more} more");
        }
        assert_eq!(buffer.refill(usize::MAX, 1), Err(AllocError));
        assert_eq!(buffer.as_slice(), [9; 3]);
    });
}

#[test]
#[should_panic(expected = "2 values are appended where 1 have room")]
fn appending_without_room_is_a_bug() {
    let mut bytes = 0;
    with_memory(|memory| {
        let mut buffer = Buffer::<[u64; 32], _>::new(memory);
        buffer.reserve(1).expect("256 bytes");
        bytes = memory.stats().requested;
        buffer.append(&[[0; 32]; 2]);
    });
}

#[test]
fn it_prints_how_full_it_is() {
    with_memory(|memory| {
        let mut buffer = Buffer::<u32, _>::new(memory);
        buffer.refill(3, 9).expect("256 bytes");
        let said = std::format!("{buffer:?}");
        assert_eq!(said, "Buffer { len: 3, capacity: 64, .. }", "not what is in it");
    });
}

/// Each first block is of 256 bytes, or of one value where that is more.
#[test]
fn the_first_block_has_a_least_size() {
    fn first<T: Copy + Default>() -> usize {
        let mut capacity = 0;
        with_memory(|memory| {
            let mut buffer = Buffer::<T, _>::new(memory);
            buffer.refill(1, T::default()).expect("enough memory");
            capacity = buffer.capacity;
        });
        capacity
    }
    assert_eq!(first::<u8>(), 256, "bytes");
    assert_eq!(first::<u64>(), 32, "words");
    assert_eq!(first::<[u64; 32]>(), 1, "as large as the block");
    assert_eq!(first::<([u64; 32], u8)>(), 1, "larger");
}

#[test]
fn it_crosses_threads_with_an_allocator_that_may() {
    fn assert_send_and_sync<T: Send + Sync>() {}
    assert_send_and_sync::<Buffer<'_, u32, loligo_allocators::StaticHeap<65536>>>();
    assert_send_and_sync::<Buffer<'_, u32, dyn Allocator + Sync>>();
}
