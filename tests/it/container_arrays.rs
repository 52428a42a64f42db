//! Arrays, rings and sorted maps over allocators of every kind, and over memory that runs out.

use core::mem::MaybeUninit;
use std::collections::{BTreeMap, VecDeque};

use loligo_allocators::{
    Allocator, BuddyAllocator, CanaryAllocator, FailingAllocator, FillAllocator, FrameAllocator,
    HeapAllocator, Locked, PageAllocator, ProxyAllocator, Refusals, SlabAllocator, StaticHeap,
};
use loligo_containers::{Array, GrowError, Ring, SortedMap, SortedSet};

/// A number that is drawn by its place: the same for every allocator.
fn draw(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761).rotate_right(15)
}

/// Grows, changes and shrinks an array of elements of any size and compares it with a vector.
fn array_beside_a_vector<T: Clone + PartialEq + core::fmt::Debug>(
    memory: &dyn Allocator,
    make: impl Fn(u32) -> T,
) -> Result<(), GrowError> {
    let mut array: Array<T> = Array::new_in(memory);
    let mut model: Vec<T> = Vec::new();
    for number in 0..400 {
        array.try_push(make(number))?;
        model.push(make(number));
        if number % 7 == 0 {
            let at = draw(number) as usize % model.len();
            assert_eq!(array.swap_remove(at), model.swap_remove(at), "step {number}");
            array.try_insert(at, make(number))?;
            model.insert(at, make(number));
        }
        if number % 50 == 49 {
            let mut behind = array.try_split_off(model.len() / 2)?;
            array.drain(..10);
            model.drain(..10);
            array.try_append(&mut behind)?;
            drop(behind);
            array.try_shrink_to_fit()?;
        }
        assert_eq!(array, model, "step {number}");
    }
    let copy = array.try_clone_in(memory)?;
    assert!(copy.into_iter().eq(model), "the copy is another");
    Ok(())
}

/// Sends elements through a ring and a deque and compares them.
fn ring_beside_a_deque(memory: &dyn Allocator) -> Result<(), GrowError> {
    let mut ring: Ring<u32> = Ring::new_in(memory);
    let mut model = VecDeque::new();
    for number in 0..300 {
        let some: Vec<u32> = (0..draw(number) % 20).collect();
        ring.try_push_back_slice(&some)?;
        model.extend(&some);
        ring.try_push_front(number)?;
        model.push_front(number);
        let mut out = vec![0; draw(number + 1) as usize % 21];
        let count = ring.pop_front_slice(&mut out);
        assert!(model.drain(..count).eq(out[..count].iter().copied()), "step {number}");
        assert_eq!(ring.pop_back(), model.pop_back(), "step {number}");
        assert!(ring.iter().eq(&model), "step {number}");
    }
    ring.try_shrink_to_fit()?;
    assert!(ring.into_iter().eq(model), "at the end");
    Ok(())
}

/// Fills a sorted map in portions and compares it with a tree.
fn map_beside_a_tree(memory: &dyn Allocator) -> Result<(), GrowError> {
    let mut map: SortedMap<u32, String> = SortedMap::new_in(memory);
    let mut model = BTreeMap::new();
    for portion in 0..20 {
        for number in 0..30 {
            let key = draw(100 * portion + number) % 500;
            map.try_push(key, format!("{portion}"))?;
            model.insert(key, format!("{portion}"));
        }
        map.sort();
        map.retain(|key, _| key % 20 != portion);
        model.retain(|key, _| key % 20 != portion);
        map.try_insert(portion, String::new())?;
        model.insert(portion, String::new());
        assert!(map.iter().eq(&model), "portion {portion}");
        assert!(map.range(100..200).eq(model.range(100..200)), "portion {portion}");
        assert_eq!(map.validate(), Ok(()), "portion {portion}");
    }
    let mut keys: SortedSet<u32> = SortedSet::new_in(memory);
    keys.try_extend(map.keys().iter().rev().copied())?;
    keys.sort();
    assert_eq!(keys.as_slice(), map.keys(), "they were pushed backwards");
    Ok(())
}

/// What is done over an allocator; the first refusal ends it.
type Test = fn(&dyn Allocator) -> Result<(), GrowError>;

fn all(memory: &dyn Allocator) -> Result<(), GrowError> {
    array_beside_a_vector(memory, |number| number as u8)?;
    array_beside_a_vector(memory, |number| [number; 3])?;
    array_beside_a_vector(memory, |number| format!("{number}"))?;
    array_beside_a_vector(memory, |_| ())?;
    array_beside_a_vector(memory, Aligned)?;
    ring_beside_a_deque(memory)?;
    map_beside_a_tree(memory)
}

/// An element that fills a cache line.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
struct Aligned(u32);

static SMALL: StaticHeap<{ 1 << 20 }> = StaticHeap::new("static");

#[test]
fn every_kind_of_allocator_serves() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let slab = SlabAllocator::new_in("slab", &heap);
    let proxy = ProxyAllocator::new_in("proxy", &slab);
    let canary = CanaryAllocator::new_in("canary", &proxy);
    let filled = FillAllocator::new_in("fill", &heap);
    let locked = Locked::new(HeapAllocator::new_in("locked", &pages));
    let mut region = vec![MaybeUninit::uninit(); 1 << 20];
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut region).expect("the region is large");
    let allocators: [&dyn Allocator; 9] =
        [&pages, &heap, &slab, &proxy, &canary, &filled, &locked, &SMALL, &buddy];
    for memory in allocators {
        all(memory).unwrap_or_else(|refused| panic!("{}: {refused}", memory.name()));
        assert_eq!(memory.verify(), Ok(()), "{}", memory.name());
    }
    for memory in [&slab as &dyn Allocator, &proxy, &canary, &filled, &SMALL, &buddy] {
        assert_eq!(memory.stats().live, 0, "{} has blocks left", memory.name());
    }
}

#[test]
fn a_frame_serves_and_takes_all_back_at_once() {
    let mut region = vec![MaybeUninit::uninit(); 8 << 20];
    let mut frame = FrameAllocator::from_region("frame", &mut region);
    for _ in 0..3 {
        all(&frame).expect("the frame is large");
        frame.reset();
        assert_eq!(frame.stats().granted, 0);
    }
}

#[test]
fn memory_that_runs_out_at_any_request_loses_nothing() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let failing = FailingAllocator::new_in("failing", Refusals::None, &heap);
    let tests: [Test; 3] = [
        |memory| array_beside_a_vector(memory, |number| format!("{number}")),
        ring_beside_a_deque,
        map_beside_a_tree,
    ];
    for (index, test) in tests.into_iter().enumerate() {
        for number in 0.. {
            failing.refuse(Refusals::Nth(number));
            let before = failing.refused();
            let done = test(&failing);
            let refused = failing.refused() > before;
            assert_eq!(failing.stats().live, 0, "test {index}: leaked at refusal {number}");
            if !refused {
                assert_eq!(done, Ok(()), "test {index}");
                assert!(number > 3, "test {index} asked for memory {number} times alone");
                break;
            }
        }
    }
}

#[test]
fn what_the_allocator_grants_beyond_the_request_is_room() {
    let mut region = vec![MaybeUninit::uninit(); 1 << 16];
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut region).expect("the region is large");
    let mut array: Array<[u8; 24], _> =
        Array::try_with_capacity_in(33, &buddy).expect("there is memory");
    assert_eq!(array.capacity(), 42, "1 024 bytes are 42 elements of 24");
    array.extend_with(42, |index| [index as u8; 24]);
    assert_eq!(buddy.stats().live, 1);
    assert!(
        array.iter().enumerate().all(|(index, bytes)| *bytes == [index as u8; 24]),
        "{array:?}"
    );
}
