//! Tests of the frame: order of freeing, records, scopes, and a naive model.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

mod edges;
mod growth;
mod spans;

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::vec::Vec;
use std::{format, println, vec};

use super::FrameAllocator;
use super::record::Record;
use crate::bookkeeping::sites::NoSites;
use crate::contract::allocator::{AllocError, Allocator, Block};
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn memory(bytes: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::new(7); bytes]
}

fn take(frame: &dyn Allocator, size: usize, align: usize) -> NonNull<u8> {
    let block = frame.allocate(layout(size, align)).expect("there is memory");
    assert_eq!(block.len(), size.max(1));
    assert_eq!(block.cast::<u8>().addr().get() % align, 0);
    block.cast()
}

fn free(frame: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the tests that call this pass live blocks, or wrong ones that the frame reports.
    unsafe { frame.deallocate(block) };
}

fn blocks_of(frame: &dyn Allocator) -> Vec<Block> {
    let mut blocks = Vec::new();
    frame.walk(&mut |block| blocks.push(block));
    blocks
}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<FrameAllocator<'static, dyn Allocator + Sync>>();
    assert_send::<FrameAllocator<'static, TestBacking>>();
    assert!(usize::BITS < 64 || size_of::<FrameAllocator<'static>>() <= 200, "as the docs state");
};

#[test]
fn equal_blocks_share_a_record() {
    let mut memory = memory(10_000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    for _ in 0..100 {
        take(&frame, 32, 8);
    }
    assert_eq!(frame.chunk.records(), 1);
    take(&frame, 31, 1);
    take(&frame, 32, 8);
    take(&frame, 32, 1);
    assert_eq!(frame.chunk.records(), 3);
    frame.verify().expect("sound");
    assert_eq!(frame.stats().requested, 102 * 32 + 31);
    assert_eq!(blocks_of(&frame).len(), 103);
}

#[test]
fn freeing_in_reverse_gives_everything_back() {
    let mut memory = memory(4000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let room = frame.remaining();
    let requests = [(1, 1), (0, 1), (40, 8), (40, 8), (7, 256), (7, 32), (100, 64), (100, 4)];
    let blocks: Vec<NonNull<u8>> = requests.map(|(size, align)| take(&frame, size, align)).into();
    frame.verify().expect("sound");
    let peak = frame.stats().granted;
    assert_eq!(peak, 1 + 1 + 40 + 40 + 7 + 7 + 100 + 100);
    for (block, (size, align)) in blocks.into_iter().zip(requests).rev() {
        // SAFETY: the block is live and has this layout.
        unsafe {
            assert_eq!(frame.allocated_size(block), size.max(1));
            frame.deallocate_sized(block, layout(size, align));
        }
        frame.verify().expect("sound");
    }
    assert_eq!(frame.remaining(), room);
    assert_eq!((frame.stats().live, frame.stats().granted), (0, 0));
    assert_eq!(frame.stats().peak_granted, peak);
    assert_eq!(frame.stats().allocations_total, 8);
}

#[test]
fn blocks_freed_out_of_order_come_back_with_those_behind_them() {
    let mut memory = memory(4000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let room = frame.remaining();
    let blocks: Vec<NonNull<u8>> = [8, 8, 24, 24, 24, 8].map(|size| take(&frame, size, 8)).into();
    let full = frame.remaining();
    for &at in &[0, 2, 4, 1, 3] {
        free(&frame, blocks[at]);
        frame.verify().expect("sound");
        assert_eq!(frame.remaining(), full);
    }
    assert_eq!(frame.stats().live, 1);
    assert_eq!(frame.stats().granted, 8);
    assert_eq!(blocks_of(&frame).len(), 1);
    free(&frame, blocks[5]);
    frame.verify().expect("sound");
    assert_eq!(frame.remaining(), room);
}

#[test]
fn the_last_block_resizes_in_place_and_others_move() {
    let mut memory = memory(1000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let [a, b] = [24, 24].map(|size| take(&frame, size, 8));
    // SAFETY: the blocks are live and `old` is their layout, in each call.
    unsafe {
        let old = layout(24, 8);
        assert_eq!(frame.resize_in_place(a, old, layout(25, 8)), Err(AllocError));
        assert_eq!(frame.resize_in_place(a, old, layout(8, 8)), Err(AllocError));
        assert!(frame.resize_in_place(a, old, layout(24, 1)).is_ok());
        let grown = frame.resize_in_place(b, old, layout(500, 8)).expect("there is room");
        assert_eq!((grown.cast(), grown.len()), (b, 500));
        assert_eq!(frame.stats().requested, 524);
        frame.verify().expect("sound");
        let shrunk = frame.resize_in_place(b, layout(500, 8), layout(3, 8)).expect("it shrinks");
        assert_eq!((shrunk.cast(), shrunk.len()), (b, 3));
        assert_eq!(frame.stats().requested, 27);
        assert_eq!(frame.stats().peak_requested, 524);
        assert_eq!(frame.stats().requested_total, 524);
        assert_eq!(frame.stats().allocations_total, 2);
        assert_eq!(frame.resize_in_place(b, layout(3, 8), layout(5000, 8)), Err(AllocError));
        assert_eq!(frame.allocated_size(b), 3);
        a.write_bytes(0xab, 24);
        let moved = frame.reallocate(a, old, layout(48, 8)).expect("there is room");
        assert_ne!(moved.cast(), a);
        assert_eq!(core::slice::from_raw_parts(moved.cast::<u8>().as_ptr(), 24), [0xab; 24]);
        frame.verify().expect("sound");
        frame.deallocate_sized(moved.cast(), layout(48, 8));
        frame.deallocate_sized(b, layout(3, 8));
    }
    frame.assert_empty();
}

#[test]
fn a_full_frame_refuses_and_stays_as_it_was() {
    for bytes in (0..200).chain([1000, 4096]) {
        for skip in [0, 3] {
            let mut memory = memory(bytes + skip + 9);
            let frame = FrameAllocator::from_region("frame", &mut memory[skip..skip + bytes]);
            let mut taken = 0;
            for size in [16, 8, 1].into_iter().cycle().take(600) {
                let before = (frame.stats(), frame.remaining());
                match frame.allocate(layout(size, 1)) {
                    Ok(block) => {
                        // SAFETY: the block is live and this long.
                        unsafe { block.cast::<u8>().write_bytes(9, block.len()) };
                        taken += 1;
                    }
                    Err(AllocError) => assert_eq!((frame.stats(), frame.remaining()), before),
                }
            }
            frame.verify().expect("sound");
            assert!(bytes < 100 || taken * 32 > bytes, "{taken} blocks in {bytes}");
            for wrong in [
                layout(bytes + 1, 1),
                layout(1, 1 << (usize::BITS - 2)),
                layout(isize::MAX as usize, 1),
            ] {
                assert_eq!(frame.allocate(wrong), Err(AllocError));
            }
            assert_eq!(frame.stats().reserved, bytes);
            drop(frame);
            for byte in memory[..skip].iter().chain(&memory[skip + bytes..]) {
                // SAFETY: the bytes were initialised above.
                assert_eq!(unsafe { byte.assume_init() }, 7, "outside of the region");
            }
        }
    }
}

#[test]
fn zeroed_blocks_are_zero() {
    let mut memory = memory(1000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let block = frame.allocate_zeroed(layout(100, 1)).expect("there is memory");
    // SAFETY: the block is live and this long, and its bytes were written.
    assert_eq!(unsafe { block.as_ref() }, [0; 100]);
}

#[test]
fn wrong_frees_are_found_and_change_nothing() {
    let mut memory = memory(4000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let blocks: Vec<NonNull<u8>> = [40, 40, 40, 16, 16].map(|size| take(&frame, size, 8)).into();
    let aligned = take(&frame, 8, 512);
    free(&frame, blocks[1]);
    let twice = misuse_of(|| free(&frame, blocks[1]));
    assert!(twice.contains("double free") && twice.contains("`frame`"), "{twice}");
    assert!(twice.contains("frame/tests.rs"), "the report names the caller: {twice}");
    for offset in [1, 8, 39] {
        // SAFETY: the offset is within the block.
        let inside = unsafe { blocks[2].add(offset) };
        assert!(misuse_of(|| free(&frame, inside)).contains("interior free"));
    }
    // SAFETY: the gap before the aligned block is in the same region.
    let gap = unsafe { aligned.sub(8) };
    assert!(misuse_of(|| free(&frame, gap)).contains("foreign free"));
    let mut outside = 0_u8;
    let outside = NonNull::from(&mut outside);
    assert!(misuse_of(|| free(&frame, outside)).contains("foreign free"));
    let record = NonNull::new(frame.chunk.table.get().cast::<u8>()).expect("it is in the region");
    assert!(misuse_of(|| free(&frame, record)).contains("foreign free"));
    for block in [blocks[2], aligned] {
        // SAFETY: the size is wrong on purpose; the frame reports it and changes nothing.
        let size = misuse_of(|| unsafe { frame.deallocate_sized(block, layout(48, 8)) });
        assert!(size.contains("wrong size") && size.contains("48 bytes"), "{size}");
    }
    frame.verify().expect("reports change nothing");
    free(&frame, aligned);
    assert!(misuse_of(|| free(&frame, aligned)).contains("double free"));
    for &at in &[4, 3, 2, 0] {
        free(&frame, blocks[at]);
        assert!(misuse_of(|| free(&frame, blocks[at])).contains("double free"));
    }
    frame.assert_empty();
    frame.verify().expect("sound");
}

#[test]
fn resetting_frees_all_and_keeps_the_totals() {
    let mut memory = memory(4000);
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    let room = frame.remaining();
    for round in 1..10 {
        let blocks: Vec<NonNull<u8>> = [8, 16, 16, 16].map(|size| take(&frame, size, 8)).into();
        take(&frame, 8, 64);
        free(&frame, blocks[2]);
        frame.verify().expect("sound");
        frame.reset();
        frame.verify().expect("sound");
        assert_eq!(frame.remaining(), room);
        let stats = frame.stats();
        assert_eq!((stats.live, stats.granted, stats.peak_granted), (0, 0, 64));
        assert_eq!((stats.allocations_total, stats.granted_total), (5 * round, 64 * round));
    }
}

#[test]
fn scopes_and_marks_go_back_to_where_they_began() {
    let mut memory = memory(4000);
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    let outer = take(&frame, 16, 8);
    let room = frame.remaining();
    {
        let mut scope = frame.scope();
        let inside = [16, 16, 8, 30].map(|size| take(&*scope, size, 8));
        take(&*scope, 8, 128);
        free(&*scope, inside[1]);
        {
            let inner = scope.scope();
            take(&*inner, 8, 8);
            assert_eq!(inner.stats().live, 6);
        }
        scope.verify().expect("sound");
        assert_eq!(scope.stats().live, 5);
        scope.reset();
        assert_eq!(scope.remaining(), room);
        take(&*scope, 100, 8);
    }
    frame.verify().expect("sound");
    assert_eq!((frame.remaining(), frame.stats().live), (room, 1));
    // SAFETY: the mark is used once, with this frame, and what came after it is not used again.
    unsafe {
        let mark = frame.mark();
        take(&frame, 16, 8);
        take(&frame, 24, 8);
        frame.rewind(mark);
    }
    frame.verify().expect("sound");
    assert_eq!(frame.remaining(), room);
    free(&frame, outer);
}

#[test]
fn a_scope_survives_that_older_blocks_are_freed_in_it() {
    let mut memory = memory(4000);
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    let [old, older] = [16, 16].map(|size| take(&frame, size, 8));
    {
        let scope = frame.scope();
        free(&*scope, older);
        free(&*scope, old);
        take(&*scope, 24, 8);
        take(&*scope, 24, 8);
        take(&*scope, 8, 256);
    }
    frame.verify().expect("sound");
    assert_eq!(frame.stats().live, 2, "a block that starts before the mark stays");
    frame.reset();
    frame.assert_empty();
}

#[test]
fn the_backing_gets_its_block_back() {
    let backing = TestBacking::new();
    {
        let frame = FrameAllocator::new_in("frame", 1000, &backing).expect("there is memory");
        assert_eq!(backing.stats().granted, 1000);
        assert!(frame.backing().is_some_and(|backing| backing.name() == "test backing"));
        let block = take(&frame, 100, 8);
        assert!(frame.owns(block.as_ptr()) && !frame.owns(core::ptr::null()));
        let report = panic_of(|| frame.assert_empty());
        assert!(report.contains("`frame`") && report.contains(&format!("{block:p}, 100 bytes")));
    }
    assert_eq!(backing.stats().live, 0);
    backing.refuse_nth(0);
    assert_eq!(FrameAllocator::new_in("frame", 1000, &backing).err(), Some(AllocError));
    assert_eq!(FrameAllocator::new_in("frame", usize::MAX, &backing).err(), Some(AllocError));
}

#[test]
fn each_kind_of_damage_is_told_with_its_place() {
    // A damaged frame may mark memory of others for these tools.
    if cfg!(any(loligo_asan, feature = "valgrind")) {
        return;
    }
    // Two runs: blocks of 16 bytes at 0 and 16, blocks of 8 at 32 and 40; 48 is the end.
    let told = |plant: &dyn Fn(&FrameAllocator<'_>, [NonNull<u8>; 4])| {
        let mut memory = memory(1000);
        let frame = FrameAllocator::from_region("frame", &mut memory);
        let blocks = [16, 16, 8, 8].map(|size| take(&frame, size, 8));
        frame.verify().expect("sound");
        plant(&frame, blocks);
        let damage = frame.verify().expect_err("damage was planted");
        (damage.what, damage.address.addr().wrapping_sub(frame.chunk.memory.get().addr().get()))
    };
    let record = |frame: &FrameAllocator<'_>, offset: usize, bytes| {
        Record::new(frame.chunk.at(offset), bytes)
    };
    let set_record = |frame: &FrameAllocator<'_>, n: usize, record| {
        // SAFETY: this many records are before the ground.
        let place = unsafe { frame.chunk.ground.get().sub(n + 1) };
        // SAFETY: as above.
        unsafe { place.write(record) };
    };
    // SAFETY: the ground is the frame's.
    let said = told(&|frame, _| unsafe { frame.chunk.ground.get().write(record(frame, 8, 1)) });
    assert_eq!(said, ("the end of the table is overwritten", 0), "the ground");
    let said = told(&|frame, _| set_record(frame, 0, record(frame, 8, 16)));
    assert_eq!(said, ("a record does not start where the one before it ends", 0), "the first");
    for offset in [0, 56] {
        let said = told(&|frame, _| set_record(frame, 1, record(frame, offset, 8)));
        assert_eq!(said, ("a record is out of order", 0), "the second starts at {offset}");
    }
    let said = told(&|frame, _| set_record(frame, 1, record(frame, 40, 8)));
    assert_eq!(said, ("a run ends within a block", 0), "16 bytes do not divide 40");
    let no_end = "the cursor is not the end of the last live block";
    let said = told(&|frame, blocks| frame.chunk.dead.set(frame.chunk.offset_of(blocks[3])));
    assert_eq!(said, (no_end, 48), "the last block is dead");
    let said = told(&|frame, _| set_record(frame, 1, record(frame, 32, 0)));
    assert_eq!(said, (no_end, 48), "the last is a gap");
    let said = told(&|frame, _| frame.chunk.table.set(frame.chunk.ground.get()));
    assert_eq!(said, (no_end, 48), "there are no records");
    let dead = "the dead bits and the count of dead blocks differ";
    let said = told(&|frame, blocks| frame.chunk.dead.set(frame.chunk.offset_of(blocks[0])));
    assert_eq!(said, (dead, 0), "a bit too many");
    let said = told(&|frame, _| frame.chunk.odd.set(1));
    assert_eq!(said, (dead, 0), "a count too high");
    let said = told(&|frame, _| frame.quick.set(frame.quick.get() + 8));
    assert_eq!(said, ("the mark below which frees are quick is wrong", 0), "it is too high");
    let counts = "the records and the counts differ";
    let said = told(&|frame, _| frame.allocations_total.set(5));
    assert_eq!(said, (counts, 0), "a block too many");
    let said = told(&|frame, _| frame.allocated_total.set(frame.allocated_total.get() + 1));
    assert_eq!(said, (counts, 0), "a byte too many");
}

#[test]
fn it_tells_what_is_left_and_what_is_its_own() {
    let mut memory = memory(1000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let before = frame.remaining();
    assert!((900..1000).contains(&before), "all but the ground: {before}");
    take(&frame, 100, 8);
    let left = frame.remaining();
    assert!(left < before - 100 && left > before - 130, "a block and its record: {left}");
    let start = frame.chunk.memory.get().as_ptr();
    let end = frame.chunk.ground.get().addr() - frame.chunk.memory.get().addr().get();
    let owned = [0, end - 1, end].map(|offset| frame.owns(start.wrapping_add(offset)));
    assert_eq!(owned, [true, true, false], "up to the ground");
    assert!(!frame.owns(start.wrapping_sub(1)), "nothing before the start");
    // Eight of its bytes are for the record.
    assert_eq!(frame.allocate(layout(left - 7, 8)), Err(AllocError), "more than is left");
    let rest = take(&frame, left - 8, 8);
    assert_eq!((frame.remaining(), frame.stats().live), (0, 2), "all that was left");
    free(&frame, rest);
}

/// A naive frame: the live blocks in address order, and their contents.
#[derive(Default)]
struct Model {
    live: BTreeMap<usize, (NonNull<u8>, Layout, u8)>,
    bytes: usize,
    peak: usize,
    allocations_total: u64,
    granted_total: u64,
}

impl Model {
    fn insert(&mut self, block: NonNull<[u8]>, asked: Layout, fill: u8) {
        let start = block.cast::<u8>();
        let address = start.addr().get();
        let below = self.live.range(..address).next_back();
        assert!(below.is_none_or(|(&at, (_, layout, _))| at + layout.size() <= address), "overlap");
        let above = self.live.range(address..).next();
        assert!(above.is_none_or(|(&at, _)| address + block.len() <= at), "overlap");
        // SAFETY: the block is live and this long.
        unsafe { start.write_bytes(fill, block.len()) };
        self.live.insert(address, (start, asked, fill));
        self.bytes += block.len();
        self.peak = self.peak.max(self.bytes);
    }

    fn remove(&mut self, address: usize) -> (NonNull<u8>, Layout) {
        let (start, asked, fill) = self.live.remove(&address).expect("a live block");
        // SAFETY: the block is live, this long, and was filled.
        let bytes = unsafe { core::slice::from_raw_parts(start.as_ptr(), asked.size().max(1)) };
        assert!(bytes.iter().all(|&byte| byte == fill), "a block has changed");
        self.bytes -= bytes.len();
        (start, asked)
    }

    /// Draws a block; later ones more often.
    fn draw(&self, random: &mut Random) -> Option<usize> {
        let back = random.below(self.live.len().max(1)).min(random.below(8) * random.below(8));
        self.live.keys().rev().nth(back).copied()
    }

    fn check(&self, frame: &dyn Allocator) {
        frame.verify().expect("sound");
        let stats = frame.stats();
        assert_eq!(
            (stats.live, stats.requested, stats.granted),
            (self.live.len(), self.bytes, self.bytes)
        );
        assert_eq!((stats.peak_requested, stats.peak_granted), (self.peak, self.peak));
        assert_eq!(stats.allocations_total, self.allocations_total);
        assert_eq!(
            (stats.requested_total, stats.granted_total),
            (self.granted_total, self.granted_total)
        );
        let mut listed = blocks_of(frame);
        // By chunk.
        listed.sort_by_key(|block| block.address);
        assert!(
            listed.iter().map(|block| block.address.addr().get()).eq(self.live.keys().copied())
        );
        for block in listed {
            // SAFETY: the block is live.
            assert_eq!(unsafe { frame.allocated_size(block.address) }, block.bytes);
        }
    }

    fn allocate(&mut self, frame: &dyn Allocator, random: &mut Random) {
        let most = if random.below(4) == 0 { 8 } else { 4 };
        let align = 1 << random.below(most);
        let size = if random.below(2) == 0 { 24 } else { random.below(200) };
        if let Ok(block) = frame.allocate(layout(size, align)) {
            assert_eq!(block.len(), size.max(1));
            assert_eq!(block.cast::<u8>().addr().get() % align, 0);
            self.insert(block, layout(size, align), random.next() as u8);
            self.allocations_total += 1;
            self.granted_total += block.len() as u64;
        }
    }

    fn free(&mut self, frame: &dyn Allocator, random: &mut Random) {
        let Some(address) = self.draw(random) else {
            return;
        };
        let (block, asked) = self.remove(address);
        // SAFETY: the block is live and has this layout.
        unsafe {
            if random.below(2) == 0 {
                frame.deallocate(block);
            } else {
                frame.deallocate_sized(block, asked);
            }
        }
    }

    fn resize(&mut self, frame: &dyn Allocator, random: &mut Random) {
        let Some(address) = self.draw(random) else {
            return;
        };
        let &(block, old, fill) = self.live.get(&address).expect("a live block");
        let new = layout(random.below(200), old.align());
        // SAFETY: the block is live and has the old layout.
        if let Ok(resized) = unsafe { frame.resize_in_place(block, old, new) } {
            assert_eq!(resized.cast(), block);
            let kept = old.size().min(new.size());
            // SAFETY: the block is live and at least this long.
            let bytes = unsafe { core::slice::from_raw_parts(block.as_ptr(), kept) };
            assert!(bytes.iter().all(|&byte| byte == fill), "resizing keeps the contents");
            self.granted_total += new.size().max(1).saturating_sub(old.size().max(1)) as u64;
            self.bytes -= old.size().max(1);
            self.live.remove(&address);
            self.insert(resized, new, fill);
        }
    }
}

/// Runs a random program, whose state is compared with a model at each step.
fn run_program<B: Allocator + ?Sized, const MIN_ALIGN: usize>(
    frame: &mut FrameAllocator<'_, B, NoSites, MIN_ALIGN>,
    random: &mut Random,
) {
    let mut model = Model::default();
    for _ in 0..600 {
        match random.below(100) {
            0 => {
                frame.reset();
                model.live.clear();
                model.bytes = 0;
            }
            1..3 => {
                let before: Vec<usize> = model.live.keys().copied().collect();
                let scope = frame.scope();
                for _ in 0..random.below(30) {
                    model.allocate(&*scope, random);
                }
                model.check(&*scope);
                model.live.retain(|address, _| before.contains(address));
                model.bytes = model.live.values().map(|(_, asked, _)| asked.size().max(1)).sum();
            }
            3..50 => model.allocate(frame, random),
            50..60 => model.resize(frame, random),
            _ => model.free(frame, random),
        }
        model.check(frame);
    }
    while !model.live.is_empty() {
        model.free(frame, random);
        model.check(frame);
    }
    frame.assert_empty();
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..80 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut memory = memory(500 + random.below(20_000));
        run_program(&mut FrameAllocator::from_region("model", &mut memory), &mut random);
    }
}

/// Under Valgrind the check reads a record that was poisoned together with the block's bytes.
#[test]
fn a_record_may_take_bytes_that_a_block_gave_up() {
    let mut full = 0;
    for bytes in 64..200 {
        let mut memory = memory(bytes);
        let frame = FrameAllocator::from_region("frame", &mut memory);
        let Ok(first) = frame.allocate(layout(32, 8)).map(NonNull::cast) else { continue };
        let Ok(last) = frame.allocate(layout(32, 8)).map(NonNull::cast) else {
            free(&frame, first);
            continue;
        };
        full += u32::from(frame.allocate(layout(1, 1)).is_err());
        if frame.stats().live > 2 {
            break;
        }
        let (old, new) = (layout(32, 8), layout(8, 8));
        // SAFETY: the block is live and was allocated by that layout.
        let resized = unsafe { frame.resize_in_place(last, old, new) };
        assert!(resized.is_ok(), "it is the last, and leaves room for a record: {bytes} bytes");
        frame.verify().expect("sound");
        free(&frame, last);
        free(&frame, first);
    }
    assert!(full > 0, "in one of these sizes two blocks and a record fill the frame");
}

#[test]
fn a_bit_covers_eight_bytes_and_a_word_sixty_four() {
    use super::record::DeadBits;

    for (bytes, words) in [(0, 0), (1, 1), (512, 1), (513, 2), (64 * 512, 64), (65 * 512, 65)] {
        assert_eq!(DeadBits::words_for(bytes), words, "{bytes} bytes");
    }
}

#[test]
fn what_was_dead_before_a_rewind_is_alive_when_it_is_given_out_again() {
    let mut memory = memory(10_000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let first = take(&frame, 16, 8);
    // SAFETY: the frame is rewound to it while the first block is live, and is not reset before.
    let mark = unsafe { frame.mark() };
    for _ in 0..3 {
        let blocks = [(); 3].map(|()| take(&frame, 16, 8));
        // From the middle, so that it stays in place, dead.
        free(&frame, blocks[1]);
        assert_eq!(frame.stats().live, 3, "the first and two more");
        // SAFETY: no block after the mark is used again.
        unsafe { frame.rewind(mark) };
        assert_eq!((frame.stats().live, blocks_of(&frame).len()), (1, 1), "the first is left");
        frame.verify().expect("sound");
    }
    // SAFETY: the address is in the frame, and there is no block.
    let bytes = unsafe { frame.allocated_size(first.add(16)) };
    assert_eq!(bytes, 0, "an address that is not a block has no bytes");
    free(&frame, first);
}
