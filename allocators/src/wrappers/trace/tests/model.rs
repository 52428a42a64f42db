//! Random programs against a naive model, recorded, and replayed from the recording.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::println;
use std::vec::Vec;

use super::layout;
use super::recording::{Records, records};
use crate::contract::allocator::{Allocator, Block};
use crate::testing::test_backing::{Random, TestBacking};
use crate::wrappers::trace::array::Array;
use crate::wrappers::trace::{TraceAllocator, WriteSink};

/// The live blocks by address: layout and number.
type Model = BTreeMap<usize, (NonNull<u8>, Layout, u64)>;

fn draw(random: &mut Random) -> Layout {
    layout(random.below(300), 1 << random.below(7))
}

fn step(trace: &TraceAllocator<'_>, random: &mut Random, model: &mut Model, made: &mut u64) {
    let request = draw(random);
    let nth = random.below(model.len() + 1);
    let drawn = model.keys().nth(nth).copied();
    let way = random.below(7);
    let (Some(key), 4..) = (drawn, way) else {
        let block = if way == 0 { trace.allocate_zeroed(request) } else { trace.allocate(request) };
        let block = block.expect("nothing is refused").cast::<u8>();
        *made += 1;
        model.insert(block.addr().get(), (block, request, *made));
        return;
    };
    let (block, old, number) = model.remove(&key).expect("the key was just read");
    // SAFETY: the block is live and has this layout.
    unsafe {
        match way {
            4 => trace.deallocate(block),
            5 => trace.deallocate_sized(block, old),
            _ => {
                let moved = trace.reallocate(block, old, request).expect("nothing is refused");
                let moved = moved.cast::<u8>();
                model.insert(moved.addr().get(), (moved, request, number));
            }
        }
    }
}

fn compare(trace: &TraceAllocator<'_>, model: &Model) {
    trace.verify().expect("sound");
    let stats = trace.stats();
    let bytes: usize = model.values().map(|(_, layout, _)| layout.size()).sum();
    assert_eq!((stats.live, stats.requested), (model.len(), bytes));
    let mut shown = 0;
    trace.walk(&mut |block: Block| {
        let (_, layout, number) = model[&block.address.addr().get()];
        assert_eq!(block.bytes, layout.size());
        assert_eq!(trace.allocation_number(block.address), Some(number));
        shown += 1;
    });
    assert_eq!(shown, model.len());
}

/// Replays a recording without an allocator; returns the blocks live at its end, sizes and
/// alignments sorted. Applies the rules of the format.
fn replay(records: &Records) -> Vec<(u64, u8)> {
    let mut slots: BTreeMap<u32, (u64, u8)> = BTreeMap::new();
    let mut freed: Vec<u32> = Vec::new();
    for &(op, align, slot, bytes) in records {
        match op {
            1 | 4 => {
                assert!(bytes >= 1 && align <= 20);
                let expected = freed.pop().unwrap_or(slots.len() as u32);
                assert_eq!(slot, expected, "the slot freed last, or the first new one");
                assert_eq!(slots.insert(slot, (bytes, align)), None, "slot {slot} is alive");
            }
            2 => {
                assert_eq!(bytes, 0);
                let (_, was) = slots.remove(&slot).expect("the slot is alive");
                assert_eq!(align, was);
                freed.push(slot);
            }
            3 => {
                let (size, was) = slots.get_mut(&slot).expect("the slot is alive");
                assert_eq!(align, *was);
                *size = bytes;
            }
            other => panic!("there is no operation {other}"),
        }
    }
    let mut live: Vec<(u64, u8)> = slots.into_values().collect();
    live.sort_unstable();
    live
}

#[test]
fn random_programs_agree_with_a_model_and_their_recording() {
    for seed in 0..30 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let sink = WriteSink::new(Vec::new());
        let (backing, books) = (TestBacking::new(), TestBacking::new());
        let trace: TraceAllocator<'_> = TraceAllocator::new_in("model", &backing, &books);
        let (mut model, mut made) = (Model::new(), 0);
        let starts = random.below(500);
        for number in 0..1500 {
            if number == starts {
                trace.start_recording(&sink).expect("the books have room");
            }
            step(&trace, &mut random, &mut model, &mut made);
            if number % 16 == 0 {
                compare(&trace, &model);
            }
        }
        compare(&trace, &model);
        assert_eq!(trace.stats().allocations_total, made);
        trace.finish_recording().expect("a vector takes everything");
        for &(block, _, _) in model.values() {
            // SAFETY: the block is live.
            unsafe { trace.deallocate(block) };
        }
        drop(trace);
        let as_record =
            |layout: Layout| (layout.size().max(1) as u64, layout.align().ilog2() as u8);
        let mut live: Vec<_> = model.values().map(|&(_, layout, _)| as_record(layout)).collect();
        live.sort_unstable();
        assert_eq!(replay(&records(&sink.into_inner())), live);
    }
}

#[test]
fn an_array_agrees_with_a_vector() {
    for seed in 0..20 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let books = TestBacking::new();
        let array = Array::<u64>::new();
        let mut model: Vec<u64> = Vec::new();
        for step in 0..500 {
            match random.below(8) {
                0..4 => {
                    let refuse = random.below(4) == 0;
                    if refuse {
                        books.refuse_nth(0);
                    }
                    let room = array.reserve(model.len() + 1, &books);
                    books.refuse_none();
                    assert!(room.is_ok() || refuse, "step {step}: refused without reason");
                    if room.is_ok() {
                        array.push(step);
                        model.push(step);
                    }
                }
                4 | 5 => assert_eq!(array.pop(), model.pop(), "step {step}"),
                6 if !model.is_empty() => {
                    let at = random.below(model.len());
                    array.update(at, |item| *item ^= 1);
                    model[at] ^= 1;
                }
                _ => {
                    array.sort_by_key(|&item| u64::MAX - item);
                    model.sort_by_key(|&item| u64::MAX - item);
                }
            }
            let items: Vec<u64> = (0..array.len()).map(|at| array.get(at)).collect();
            assert_eq!(items, model, "step {step}");
            assert_eq!(array.bytes(), books.stats().granted, "step {step}");
            array.validate().unwrap_or_else(|what| panic!("step {step}: {what}"));
        }
        array.release(&books);
        assert_eq!((array.len(), books.stats().live), (0, 0));
    }
}
