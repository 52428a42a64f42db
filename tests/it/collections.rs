//! A hashbrown map, an allocator-api2 vector and a box on every allocator that can serve them.

use core::alloc::Layout;
use core::cell::Cell;

use allocator_api2_02::boxed::Box as Box02;
use allocator_api2_02::vec::Vec as Vec02;
use allocator_api2_04::boxed::Box as Box04;
use allocator_api2_04::vec::Vec as Vec04;
use hashbrown::HashMap;
use loligo_allocators::{Allocator, Bridge, FrameAllocator, HeapAllocator, Make, PoolAllocator};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::{Limits, Region, conformance};

use crate::buddy::BUDDY;
use crate::heap::{HEAP, HEAP_IN_REGION};
use crate::locked::LOCKED;
use crate::page::PAGE;
use crate::static_heap::STATIC_HEAP;
use crate::subject::Subject;

/// The allocators that serve blocks of any size.
const GENERAL: [Subject; 6] = [BUDDY, HEAP, HEAP_IN_REGION, LOCKED, PAGE, STATIC_HEAP];

/// Does with a map, vectors and boxes what a program does; everything is freed in the end.
fn use_collections(allocator: &dyn Allocator) {
    let mut map: HashMap<u32, Box02<[u16], &dyn Allocator>, _, _> = HashMap::new_in(allocator);
    for number in 0..500_u32 {
        let mut text = Vec02::new_in(allocator);
        text.extend((0..number % 17).map(|index| (index * number) as u16));
        map.insert(number * 7919 % 1009, text.into_boxed_slice());
    }
    map.retain(|key, _| key % 3 != 0);
    for (key, text) in &map {
        assert!(text.len() < 17, "{key} has {} entries", text.len());
    }
    let mut grown: Vec04<u64, &dyn Allocator> = Vec04::new_in(allocator);
    grown.extend(0..2000);
    grown.truncate(300);
    grown.shrink_to_fit();
    assert!(grown.iter().copied().eq(0..300), "the vector has kept its numbers");
    let boxed = Box04::new_in([7_u8; 100], allocator);
    assert!(boxed.iter().all(|&byte| byte == 7), "the box has kept its bytes");
    let unit = Box04::new_in((), allocator);
    drop(unit);
    assert!(allocator.stats().live > 200, "all of it lives in the allocator");
}

#[test]
fn work_on_every_general_allocator() {
    for subject in GENERAL {
        (subject.make)(&mut |allocator| {
            use_collections(allocator);
            assert_eq!(allocator.stats().live, 0, "{}", subject.name);
        });
    }
    let mut region = Region::new(4 << 20, 64);
    let mut frame = FrameAllocator::from_region("frame", region.memory());
    use_collections(&frame);
    frame.reset();
    frame.assert_empty();
}

/// An object that counts its end.
struct Counted<'a>(&'a Cell<u32>, u64);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn objects_are_made_and_deleted_with_their_destructors() {
    for subject in GENERAL {
        (subject.make)(&mut |allocator| {
            let dropped = Cell::new(0);
            let objects: Vec<_> = (0..100)
                .map(|number| allocator.create(Counted(&dropped, number)).expect("room"))
                .collect();
            assert_eq!((allocator.stats().live, dropped.get()), (100, 0), "{}", subject.name);
            for (number, object) in (0..).zip(objects) {
                // SAFETY: the object was made above and is not deleted yet.
                assert_eq!(unsafe { object.as_ref() }.1, number, "{}", subject.name);
                // SAFETY: as above; it is not used again.
                unsafe { allocator.destroy(object) };
            }
            assert_eq!((allocator.stats().live, dropped.get()), (0, 100), "{}", subject.name);
        });
    }
}

#[test]
fn a_pool_serves_boxes() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let pool = PoolAllocator::new_in("nodes", Layout::new::<[u64; 4]>(), &memory);
    let boxes: Vec<_> =
        (0..1000_u64).map(|number| Box04::new_in([number; 4], Bridge(&pool))).collect();
    assert_eq!(pool.stats().live, 1000);
    for (number, node) in (0..).zip(&boxes) {
        assert_eq!(**node, [number; 4]);
    }
    drop(boxes);
    assert_eq!(pool.stats().live, 0);
    assert!(Box04::try_new_in([0_u64; 5], Bridge(&pool)).is_err(), "a pool serves its size alone");
}

#[test]
fn the_bridges_conform() {
    let limits = Limits::region(256 << 10);
    conformance::allocator_api2_02(&limits, |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        let heap = HeapAllocator::from_region("heap", region.memory());
        let heap: &dyn Allocator = &heap;
        test(&heap);
    });
    conformance::allocator_api2_04(&limits, |test| {
        let mut region = Region::new(256 << 10, 256 << 10);
        let heap = HeapAllocator::from_region("heap", region.memory());
        test(&Bridge(&heap));
    });
}
