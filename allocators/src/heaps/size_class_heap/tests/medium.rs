//! Slabs of middle sizes: when they open and dissolve, their slots, wrong frees, planted damage.

use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec::Vec;

use super::fast::{add, layout, memory};
use crate::contract::misuse::Misuse;
use crate::heaps::heap::tests::Random;
use crate::heaps::size_class_heap::check::WalkState;
use crate::heaps::size_class_heap::region::KIND_CORE;
use crate::heaps::size_class_heap::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::{
    ALL_CLASSES, CLASSES_MAX, ClassTable, HeapClasses, Shape, SizeClasses,
};

type Default = SizeClassHeap<HeapClasses>;

const REGION: usize = 8 << 20;

fn class_of(bytes: usize) -> usize {
    HeapClasses::TABLE.class_of(bytes)
}

/// A size-class heap in a region that is large enough for slabs.
struct World {
    inner: Default,
    live: Vec<NonNull<u8>>,
    _memory: Vec<MaybeUninit<u8>>,
}

impl World {
    fn new(bytes: usize) -> Self {
        let mut memory = memory(bytes);
        let mut inner = Default::new();
        assert!(add(&mut inner, &mut memory), "the memory holds pages");
        Self { inner, live: Vec::new(), _memory: memory }
    }

    /// A world in which blocks of a size are live, and the class has a slab with one live slot.
    fn with_slab(bytes: usize) -> Self {
        let mut world = Self::new(REGION);
        let slots = world.slots(bytes);
        for _ in 0..8 * slots + slots {
            world.allocate(bytes);
        }
        for block in world.live.split_off(8 * slots as usize) {
            world.inner.deallocate(block, bytes).expect("it is live");
        }
        assert_eq!(world.slabs(bytes), 0, "nothing was allocated since");
        world.allocate(bytes);
        assert_eq!(world.slabs(bytes), 1, "the class is busy");
        world.check();
        world
    }

    fn allocate(&mut self, bytes: usize) -> NonNull<u8> {
        let inner = &mut self.inner;
        let class = Default::front_class(layout(bytes, 8));
        let block = class.and_then(|class| inner.allocate_front(class, bytes));
        let block = block.or_else(|| inner.allocate_hot_core(bytes));
        let block =
            block.unwrap_or_else(|| inner.allocate(layout(bytes, 8)).expect("there is room"));
        // SAFETY: the block is ours and has at least these bytes.
        unsafe { block.cast::<u8>().write_bytes(self.live.len() as u8, bytes) };
        self.live.push(block.cast());
        block.cast()
    }

    fn free(&mut self, block: NonNull<u8>, bytes: usize) {
        self.live.retain(|&other| other != block);
        let freed = self.inner.deallocate_hot(block, bytes);
        assert!(freed, "it is live in the cached region");
    }

    fn slots(&self, bytes: usize) -> u32 {
        self.shape(bytes).slots
    }

    fn shape(&self, bytes: usize) -> Shape {
        self.inner.medium.of(class_of(bytes)).shape
    }

    fn slabs(&self, bytes: usize) -> u32 {
        self.inner.medium.of(class_of(bytes)).slabs
    }

    fn check(&self) {
        self.inner.verify().expect("sound");
        let mut state = WalkState::default();
        let seen: Vec<_> = core::iter::from_fn(|| self.inner.walk_next(&mut state))
            .inspect(|block| {
                let bytes = self.inner.allocated_size(block.address);
                assert_eq!(bytes, Ok(block.bytes), "at {:?}", block.address);
            })
            .map(|block| block.address)
            .collect();
        let mut live = self.live.clone();
        live.sort();
        assert_eq!(seen, live, "all are walked, in the order of their addresses");
    }

    /// Frees all and looks whether the region is one free block then.
    fn end(mut self) {
        for block in core::mem::take(&mut self.live) {
            self.inner.deallocate(block, 0).expect("it is live");
        }
        self.check();
        self.inner.drain().expect("sound");
        assert!(self.inner.regions[0].is_unused(), "everything is one free block");
        assert_eq!((self.inner.medium.granules, self.inner.medium.idle), (0, 0), "no slabs");
        assert_eq!(self.inner.stats().granted, 0, "nothing is live");
    }
}

#[test]
fn a_class_opens_a_slab_when_it_is_busy_and_has_freed() {
    for bytes in [497, 1000, 4096, 8192] {
        let mut world = World::new(REGION);
        let slots = world.slots(bytes) as usize;
        for _ in 0..4 * slots - 1 {
            world.allocate(bytes);
        }
        let free_and_allocate = |world: &mut World| {
            let last = *world.live.last().expect("some are live");
            world.free(last, bytes);
            world.allocate(bytes);
        };
        for _ in 0..2 * slots {
            free_and_allocate(&mut world);
        }
        assert_eq!(world.slabs(bytes), 0, "{bytes} bytes: one block less than four slabs");
        world.allocate(bytes);
        world.allocate(bytes);
        for _ in 0..slots - 1 {
            free_and_allocate(&mut world);
        }
        assert_eq!(world.slabs(bytes), 0, "{bytes} bytes: one free less than a slab has slots");
        free_and_allocate(&mut world);
        assert_eq!(world.slabs(bytes), 1, "{bytes} bytes: four slabs are live after the free");
        world.check();
        world.end();
    }
}

#[test]
fn a_class_that_frees_nothing_opens_no_slab() {
    let mut world = World::new(REGION);
    for _ in 0..4000 {
        world.allocate(1000);
    }
    assert_eq!(world.slabs(1000), 0, "no block was freed");
    world.end();
}

#[test]
fn small_regions_have_no_slabs() {
    let mut world = World::new(4 << 20);
    for _ in 0..1000 {
        world.allocate(1000);
    }
    for _ in 0..100 {
        let last = *world.live.last().expect("some are live");
        world.free(last, 1000);
        world.allocate(1000);
    }
    assert_eq!(world.slabs(1000), 0, "less than 4 MiB for pages");
    world.end();
}

#[test]
fn slots_fill_a_slab_from_its_start_and_a_freed_one_is_next() {
    for bytes in [497, 1000, 4096, 8192] {
        let mut world = World::with_slab(bytes);
        let slots = world.slots(bytes) as usize;
        let class = class_of(bytes);
        let first = *world.live.last().expect("the slot");
        let stride = (bytes + 8).next_multiple_of(16);
        let least = first.addr().get();
        for nth in 1..slots {
            let slot = world.allocate(bytes).addr().get();
            assert!(slot - least >= nth * stride, "{bytes} bytes: slot {nth}");
            assert_eq!((slot - least) % (nth * 16), 0, "{bytes} bytes: slots are evenly apart");
        }
        assert_eq!(world.inner.medium.of(class).partial, super::super::NIL, "it is full");
        world.check();
        let slot = world.live[world.live.len() - slots / 2];
        world.free(slot, bytes);
        world.check();
        assert_eq!(world.allocate(bytes), slot, "{bytes} bytes: the one that is free");
        world.end();
    }
}

#[test]
fn an_empty_slab_goes_back_and_a_block_of_it_is_no_longer_live() {
    let mut world = World::with_slab(1000);
    let slot = *world.live.last().expect("the slot");
    let page = (slot.addr().get() - world.inner.regions[0].base.addr()) / 4096;
    let class = class_of(1000);
    let first = world.inner.regions[0].slab_of(page as u32);
    assert_eq!(first, Some(page as u32), "the first page");
    assert_eq!(world.inner.regions[0].medium_class(page as u32), Some(class), "of its class");
    world.free(slot, 1000);
    world.check();
    assert_eq!(world.slabs(1000), 1, "the slot is in the front");
    world.inner.drain_front(class).expect("sound");
    assert_eq!(world.slabs(1000), 0, "it was empty");
    assert_eq!(world.inner.regions[0].kind(page as u32), KIND_CORE, "its pages are the core's");
    world.check();
    let wrong = Err(Refusal::Wrong(Misuse::DoubleFree, slot.as_ptr().cast_const()));
    assert_eq!(world.inner.deallocate(slot, 0), wrong, "it is not live");
    world.end();
}

#[test]
fn wrong_frees_of_slots_are_refused_and_change_nothing() {
    for bytes in [497, 1000, 4096, 8192] {
        let mut world = World::with_slab(bytes);
        let slot = world.allocate(bytes);
        let at =
            |offset: usize| NonNull::new(slot.as_ptr().wrapping_add(offset)).expect("not null");
        let refused = |inner: &mut Default, address: NonNull<u8>, bytes, misuse| {
            assert!(!inner.deallocate_hot(address, bytes), "{misuse:?} by the quick way");
            let wrong = Err(Refusal::Wrong(misuse, address.as_ptr().cast_const()));
            assert_eq!(inner.deallocate(address, bytes), wrong, "{misuse:?}");
        };
        for inside in [1, 8, 16, 32, bytes - 1] {
            refused(&mut world.inner, at(inside), 0, Misuse::InteriorFree);
        }
        let granted = world.inner.allocated_size(slot).expect("it is live");
        refused(&mut world.inner, slot, granted + 1, Misuse::WrongSize);
        world.check();
        world.free(slot, bytes);
        refused(&mut world.inner, slot, bytes, Misuse::DoubleFree);
        refused(&mut world.inner, at(16), 0, Misuse::DoubleFree);
        refused(&mut world.inner, at(8), 0, Misuse::ForeignFree);
        world.check();
        world.end();
    }
}

#[test]
fn a_slab_dissolves_with_any_of_its_slots_live() {
    for bytes in [1000, 8192] {
        let slots = World::new(REGION).slots(bytes);
        let patterns = (0..1 << slots.min(5)).chain([(1 << slots) - 2, 1 << (slots - 1)]);
        // A slab without a live slot has gone back to the core.
        for pattern in patterns.filter(|&pattern| pattern != 0) {
            let mut world = World::with_slab(bytes);
            for _ in 1..slots {
                world.allocate(bytes);
            }
            let slab = world.live.len() - slots as usize;
            let freed: Vec<_> = (0..slots as usize)
                .filter(|slot| pattern >> slot & 1 == 0)
                .map(|slot| world.live[slab + slot])
                .collect();
            for &slot in &freed {
                world.free(slot, bytes);
            }
            world.inner.drain().expect("sound");
            world.inner.dissolve_exhaustive().expect("sound");
            assert_eq!(world.slabs(bytes), 0, "{pattern:#b}: it was dissolved");
            world.check();
            world.end();
        }
    }
}

#[test]
fn a_sparse_slab_dissolves_when_new_memory_is_taken() {
    let mut world = World::with_slab(1000);
    assert!(world.inner.medium_is_idle(), "one slot of many is live");
    world.allocate(100_000);
    assert_eq!(world.slabs(1000), 0, "the block was new memory");
    world.check();
    let mut world = World::with_slab(1000);
    while world.inner.medium_is_idle() {
        world.allocate(1000);
    }
    world.allocate(100_000);
    assert_eq!(world.slabs(1000), 1, "three quarters of the slab are live");
    world.end();
}

#[test]
fn a_slab_that_is_more_than_half_used_stays_until_a_request_would_be_refused() {
    let mut world = World::with_slab(1000);
    for _ in 1..world.slots(1000) / 2 + 1 {
        world.allocate(1000);
    }
    assert!(world.inner.medium_is_idle(), "more than a quarter is free");
    assert_eq!(world.inner.dissolve_if_idle(), Ok(false), "more than half is used");
    assert_eq!(world.slabs(1000), 1, "it stays");
    let most = layout(REGION, 8);
    assert_eq!(world.inner.allocate_exhaustive(most), Err(Refusal::NoRoom), "more than there is");
    assert_eq!(world.slabs(1000), 0, "before the request was refused");
    world.check();
    world.end();
}

#[test]
fn no_slab_takes_new_memory_while_much_is_free_below() {
    let bytes = 1000;
    let mut world = World::new(REGION);
    let slots = world.slots(bytes);
    for _ in 0..16 * slots {
        world.allocate(bytes);
    }
    // Every second one: no hole holds a slab.
    let blocks = world.live.clone();
    for pair in blocks.chunks(2).take(8 * slots as usize) {
        world.free(pair[0], bytes);
    }
    assert!(world.inner.medium.wants_slab(class_of(bytes)), "it is busy");
    world.allocate(bytes);
    assert_eq!(world.slabs(bytes), 0, "half of the memory that was used is free");
    world.end();
}

#[test]
fn busy_classes_agree_with_a_model() {
    for seed in 1..=12 {
        let mut random = Random::new(seed);
        let mut world = World::new(3 * REGION);
        let mut live: Vec<(NonNull<u8>, usize, u8)> = Vec::new();
        let mut slabs = 0;
        for phase in 0..6 {
            let sizes: Vec<_> = (0..3).map(|_| 480 + random.below(8000)).collect();
            for step in 0..3000 {
                let most = if step < 1500 { 700 } else { 60 };
                if live.len() < most && random.below(8) != 0 {
                    let bytes = match random.below(16) {
                        0 => random.size(14),
                        n => sizes[n % 3],
                    };
                    let block = world.inner.allocate(layout(bytes, 8)).expect("there is room");
                    let print = random.below(256) as u8;
                    // SAFETY: the block is ours and has these bytes.
                    unsafe { block.cast::<u8>().write_bytes(print, block.len()) };
                    live.push((block.cast(), block.len(), print));
                } else if !live.is_empty() {
                    let (block, bytes, print) = live.swap_remove(random.below(live.len()));
                    // SAFETY: it is live and was written over its length.
                    let held = unsafe { NonNull::slice_from_raw_parts(block, bytes).as_ref() };
                    assert!(held.iter().all(|&byte| byte == print), "phase {phase}: overwritten");
                    world.inner.deallocate(block, bytes).expect("it is live");
                }
                slabs = slabs
                    .max((CLASSES_MAX..ALL_CLASSES).map(|c| world.inner.medium.of(c).slabs).sum());
                if step % 500 == 0 {
                    world.live = live.iter().map(|&(block, ..)| block).collect();
                    world.check();
                }
            }
        }
        assert!(slabs > 4, "at most {slabs} slabs at a time");
        world.live = live.iter().map(|&(block, ..)| block).collect();
        world.end();
    }
}

/// What a verification says of a world with a slab in which damage was planted.
fn said(plant: impl FnOnce(&mut Default, u32)) -> &'static str {
    let mut world = World::with_slab(1000);
    let slot = *world.live.last().expect("the slot");
    let page = (slot.addr().get() - world.inner.regions[0].base.addr()) / 4096;
    plant(&mut world.inner, page as u32);
    world.inner.verify().expect_err("damage was planted").what
}

#[test]
fn verify_finds_each_kind_of_damage() {
    let class = class_of(1000);
    let tables = "a slab's tables are damaged";
    assert_eq!(said(|inner, page| inner.edit_desc(page, |desc| desc.id ^= 1)), tables);
    let kind = |inner: &mut Default, page, class: usize| {
        inner.regions[0].set_kind(page, class as u8 + 1);
    };
    assert_eq!(said(|inner, page| kind(inner, page, ALL_CLASSES - 1)), tables, "other slots");
    assert_eq!(said(|inner, page| kind(inner, page + 1, class + 1)), tables, "a page of another");
    assert_eq!(said(|inner, page| inner.regions[0].set_distance(page + 1, 2)), tables);
    let shape = World::new(REGION).shape(1000);
    let all = shape.all();
    let slot_at = |page: u32, slot: u32| page * 256 + slot * shape.granules;
    // Makes these slots the free and the live ones of the slab, whose first slot is live.
    let write = |inner: &mut Default, page: u32, live: u32, free: u32| {
        let region = &inner.regions[0];
        for slot in 0..shape.slots {
            let granule = slot_at(page, slot);
            if live >> slot & 1 != 0 {
                region.set_start(granule)
            } else {
                region.clear_start(granule)
            }
        }
        // SAFETY: the first page of a slab has them.
        unsafe { region.free_slots(page).write(free) };
    };
    assert_eq!(said(|inner, page| inner.regions[0].set_start(page * 256 + 1)), tables, "no slot");
    assert_eq!(said(|inner, page| write(inner, page, 1, all)), tables, "live and free");
    assert_eq!(said(|inner, page| write(inner, page, 1, all + 1)), tables, "more than there are");
    assert_eq!(said(|inner, page| write(inner, page, 0, all)), tables, "all are free");
    let counts = "a class of middle sizes counts other blocks than there are";
    assert_eq!(said(|inner, page| write(inner, page, 3, all - 3)), counts);
    assert_eq!(said(|inner, page| write(inner, page, 0, all - 1)), counts);
    assert_eq!(said(|inner, _| inner.medium.of_mut(class).out += 1), counts);
    assert_eq!(said(|inner, _| inner.medium.count_block(class)), counts);
    let unmark = |inner: &mut Default, _| {
        inner.medium.of_mut(class).free = core::ptr::null_mut();
    };
    assert_eq!(said(unmark), counts);
    let waiting = |inner: &mut Default, page: u32, live: u32, free: u32| {
        let slot = NonNull::new(inner.regions[0].address(page * 256)).expect("not null");
        assert!(inner.deallocate_hot(slot, 0), "it is live");
        write(inner, page, live, free);
    };
    let front = "a front holds what is not free";
    assert_eq!(said(|inner, page| waiting(inner, page, 1, all - 1)), front, "it is live");
    assert_eq!(said(|inner, page| waiting(inner, page, 2, all - 2)), counts, "free in its slab");
    let list = "a list of slabs of middle sizes is damaged";
    assert_eq!(said(|inner, _| inner.medium.of_mut(class).slabs = 0), list);
    let memory = "the memory of slabs of middle sizes is counted wrong";
    assert_eq!(said(|inner, _| inner.medium.idle += 1), memory);
    assert_eq!(said(|inner, _| inner.medium.granules += 1), memory);
}

/// The classes of a program with buffers.
#[derive(Debug)]
struct Buffers;

impl SizeClasses for Buffers {
    const TABLE: &'static ClassTable = &ClassTable::new(&[32, 480, 5000, 32_768]);
}

#[test]
fn classes_of_the_users_have_slabs_of_their_own() {
    let mut memory = memory(64 << 20);
    let mut inner = SizeClassHeap::<Buffers>::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let mut live: Vec<(NonNull<u8>, usize)> = Vec::new();
    let mut random = Random::new(7);
    let mut slabs = [0; 2];
    for step in 0..20_000 {
        if live.len() < 600 && random.below(3) != 0 {
            let bytes = [20, 300, 481 + random.below(4520), 32_000 + random.below(768)][step % 4];
            let block = inner.allocate(layout(bytes, 8)).expect("there is room");
            // SAFETY: the block is ours and has these bytes.
            unsafe { block.cast::<u8>().write_bytes(1, block.len()) };
            live.push((block.cast(), bytes));
        } else if !live.is_empty() {
            let (block, bytes) = live.swap_remove(random.below(live.len()));
            inner.deallocate(block, bytes).expect("it is live");
        }
        for (most, class) in slabs.iter_mut().zip([CLASSES_MAX, CLASSES_MAX + 1]) {
            *most = inner.medium.of(class).slabs.max(*most);
        }
        if step % 1000 == 0 {
            inner.verify().expect("sound");
        }
    }
    assert!(slabs.iter().all(|&slabs| slabs > 1), "at most {slabs:?} slabs");
    for (block, bytes) in live {
        inner.deallocate(block, bytes).expect("it is live");
    }
    inner.drain().expect("sound");
    assert!(inner.regions[0].is_unused(), "everything is one free block");
    inner.verify().expect("sound");
}
