//! Lists in one array over every kind of memory: compared with vectors of vectors, settled while
//! they change, until there is no memory left.

use loligo_allocators::{
    Allocator, BuddyAllocator, DefaultClasses, FailingAllocator, FrameAllocator, HeapAllocator,
    PageAllocator, Refusals, SlabAllocator, StaticHeap,
};
use loligo_containers::{List, ListError, ListPool};
use loligo_tests::Region;

use crate::buddy::BUDDY;
use crate::heap::{HEAP, HEAP_IN_REGION};
use crate::locked::LOCKED;
use crate::page::PAGE;
use crate::static_heap::STATIC_HEAP;
use crate::subject::Subject;

const GENERAL: [Subject; 6] = [BUDDY, HEAP, HEAP_IN_REGION, LOCKED, PAGE, STATIC_HEAP];

/// Numbers without end, the same for a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// Drives a pool and vectors of vectors alike, for as long as there is memory. Returns how many
/// changes were refused.
fn drive<const K: usize>(memory: &dyn Allocator, seed: u64, steps: u64) -> u32 {
    let mut random = Random(seed);
    let mut pool: ListPool<'_, u64, dyn Allocator, K> = ListPool::new_in(memory);
    let mut model: Vec<(List<u64>, Vec<u64>)> = Vec::new();
    let mut refused = 0;
    for step in 0..steps {
        if random.below(12) == 0 || model.is_empty() {
            match pool.try_create() {
                Ok(list) => model.push((list, Vec::new())),
                Err(_) => refused += 1,
            }
            continue;
        }
        let which = random.below(model.len());
        let (list, items) = &mut model[which];
        let (list, at) = (*list, random.below(items.len() + 1));
        let done = match random.below(16) {
            0..4 => pool.try_push(list, step).map(|()| items.push(step)),
            4..6 => pool.try_insert(list, at, step).map(|()| items.insert(at, step)),
            6..8 => {
                let many: Vec<u64> = (step..step + at as u64 % 20).collect();
                pool.try_extend_from_slice(list, &many).map(|()| items.extend(&many))
            }
            8 => {
                let many: Vec<u64> = (step..step + random.below(30) as u64).collect();
                pool.try_replace(list, &many).map(|()| *items = many)
            }
            9..12 => {
                assert_eq!(
                    pool.swap_remove(list, at),
                    (at < items.len()).then(|| items.swap_remove(at)),
                    "item {at}"
                );
                Ok(())
            }
            12..14 => {
                let taken = (at < items.len()).then(|| items.remove(at));
                assert_eq!(pool.remove(list, at), taken, "item {at}");
                Ok(())
            }
            14 => {
                pool.retain(list, |item| *item % 3 != 0);
                items.retain(|item| *item % 3 != 0);
                Ok(())
            }
            _ => {
                assert!(pool.destroy(list), "seed {seed}, step {step}");
                model.swap_remove(which);
                Ok(())
            }
        };
        if let Err(error) = done {
            assert_ne!(error, ListError::Gone, "seed {seed}, step {step}");
            refused += 1;
        }
        assert!(pool.settle(2) <= 2, "seed {seed}, step {step}");
        if step % 64 == 0 || done.is_err() {
            assert_eq!(pool.validate(), Ok(()), "K {K}, seed {seed}, step {step}");
            let equal = model.iter().all(|(list, items)| pool.iter(*list).eq(items));
            assert!(equal, "K {K}, seed {seed}, step {step}: the lists are not those of the model");
        }
    }
    assert_eq!(pool.lists_len(), model.len(), "K {K}, seed {seed}");
    refused
}

#[test]
fn lists_live_on_every_general_allocator() {
    for subject in GENERAL {
        (subject.make)(&mut |memory| {
            drive::<1>(memory, 1, 600);
            drive::<4>(memory, 2, 600);
            drive::<8>(memory, 3, 600);
            assert_eq!(memory.stats().live, 0, "{}", subject.name);
        });
    }
}

#[test]
fn lists_live_in_a_region_until_it_is_full() {
    let mut region = Region::new(4 << 10, 64);
    let buddy = BuddyAllocator::from_region("buddy", 64, region.memory()).expect("it holds leaves");
    assert!(drive::<2>(&buddy, 4, 4000) > 0, "the region was never full");
    assert_eq!(buddy.stats().live, 0, "all blocks went back");
    drop(buddy);
    let mut frame = FrameAllocator::from_region("frame", region.memory());
    assert!(drive::<4>(&frame, 5, 4000) > 0, "the region was never full");
    frame.reset();
}

#[test]
fn lists_live_in_a_slab_over_pages() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let slab = SlabAllocator::<_, DefaultClasses>::new_in("slab", &heap);
    assert_eq!(drive::<4>(&slab, 6, 3000), 0, "pages do not run out");
    assert_eq!(slab.stats().live, 0, "all blocks went back");
}

#[test]
fn lists_survive_refusals_by_chance() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    for seed in 0..20 {
        let failing =
            FailingAllocator::new_in("failing", Refusals::Share { per_mille: 400, seed }, &heap);
        drive::<1>(&failing, seed, 700);
        drive::<4>(&failing, seed, 700);
        assert!(failing.refused() > 0, "seed {seed}: nothing was refused");
        assert_eq!(failing.stats().live, 0, "seed {seed}");
    }
}

#[test]
fn lists_live_in_a_static_heap() {
    static MEMORY: StaticHeap<65536> = StaticHeap::new("lists");
    drive::<4>(&MEMORY, 7, 2000);
    assert_eq!(MEMORY.stats().live, 0, "all blocks went back");
}
