//! Tests of owners: what is dropped and freed and how often, memory that runs out, destructors and
//! closures that panic, trait objects, threads.

use core::alloc::Layout;
use core::any::Any;
use core::cell::Cell;
use core::fmt::{self, Display};
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::string::String;
use std::vec::Vec;
use std::{format, thread, vec};

use super::Own;
use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::contract::make::Make;
use crate::heaps::heap::HeapAllocator;
use crate::heaps::slab::SlabAllocator;
use crate::linear::frame::FrameAllocator;
use crate::linear::scratch::ScratchAllocator;
use crate::own_dyn;
use crate::testing::test_backing::{TestBacking, panic_of};

/// Counts its drops.
struct Counted<'c>(&'c Cell<usize>);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        Counted(self.0)
    }
}

/// Panics when it is dropped.
struct Fails;

impl Drop for Fails {
    fn drop(&mut self) {
        panic!("a destructor fails");
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(256))]
struct Wide(u8);

/// Runs a check over allocators of each kind; all must be empty afterwards.
fn over_each(check: impl Fn(&dyn Allocator)) {
    let backing = TestBacking::new();
    let mut region = vec![MaybeUninit::uninit(); 64 << 10];
    let layout = Layout::new::<[Wide; 4]>();
    let heap = HeapAllocator::new_in("heap", &backing);
    let frame = FrameAllocator::from_region("frame", &mut region);
    let buddy = BuddyAllocator::new_in("buddy", 64 << 10, 64, &backing).expect("memory");
    let all: [&dyn Allocator; 7] = [
        &TestBacking::new(),
        &HeapAllocator::new_in("heap", &backing),
        &SlabAllocator::new_in("slab", &heap),
        &buddy,
        &PoolAllocator::new_in("pool", layout, &backing),
        &ScratchAllocator::new_in("scratch", 4096, &backing).expect("memory"),
        &frame,
    ];
    for memory in all {
        let live = memory.stats().live;
        check(memory);
        assert_eq!(memory.stats().live, live, "`{}` has the blocks of before", memory.name());
        memory.verify().expect("sound");
    }
}

const fn assert_send<T: Send>() {}
const fn assert_sync<T: Sync>() {}
const _: () = {
    assert_send::<Own<'static, u32, dyn Allocator + Sync>>();
    assert_sync::<Own<'static, u32, dyn Allocator + Sync>>();
    assert_send::<Own<'static, Cell<u32>, TestBacking>>();
    assert_send::<Own<'static, [u32], TestBacking>>();
    assert_sync::<Own<'static, dyn Display + Sync, TestBacking>>();
};

/// This function's name is ambiguous if the type is `Send`.
trait NotSend<A> {
    fn is_not_send() {}
}
impl<T> NotSend<()> for T {}
impl<T: Send> NotSend<u8> for T {}
const _: [fn(); 4] = [
    // The default type says nothing of threads.
    <Own<'static, u32> as NotSend<_>>::is_not_send,
    <Own<'static, u32, HeapAllocator<'static>> as NotSend<_>>::is_not_send,
    <Own<'static, Rc<u32>, TestBacking> as NotSend<_>>::is_not_send,
    <Own<'static, dyn Display, TestBacking> as NotSend<_>>::is_not_send,
];

/// This function's name is ambiguous if the type is `Sync`.
trait NotSync<A> {
    fn is_not_sync() {}
}
impl<T> NotSync<()> for T {}
impl<T: Sync> NotSync<u8> for T {}
const _: [fn(); 3] = [
    <Own<'static, u32> as NotSync<_>>::is_not_sync,
    <Own<'static, Cell<u32>, TestBacking> as NotSync<_>>::is_not_sync,
    <Own<'static, u32, HeapAllocator<'static>> as NotSync<_>>::is_not_sync,
];

const _: () = {
    let word = size_of::<usize>();
    assert!(size_of::<Own<'static, u8>>() == 3 * word, "as the docs state");
    assert!(size_of::<Own<'static, u8, TestBacking>>() == 2 * word, "as the docs state");
    assert!(size_of::<Option<Own<'static, u8>>>() == 3 * word, "as the docs state");
};

/// An owner with longer borrows is one with shorter borrows.
fn shorten<'short>(own: Own<'static, &'static str>) -> Own<'short, &'short str> {
    own
}

#[test]
fn a_value_is_dropped_and_freed_once() {
    over_each(|memory| {
        let drops = Cell::new(0);
        let own = Own::new(Counted(&drops), memory).expect("memory");
        assert_eq!((drops.get(), Own::allocator(&own).name()), (0, memory.name()));
        drop(own);
        assert_eq!(drops.get(), 1, "with its owner");

        let value = Own::into_inner(Own::new(Counted(&drops), memory).expect("memory"));
        assert_eq!(drops.get(), 1, "moved out");
        drop(value);
        assert_eq!(drops.get(), 2, "by the caller");

        let raw = Own::into_raw(Own::new(Counted(&drops), memory).expect("memory"));
        assert_eq!(drops.get(), 2, "given up");
        // SAFETY: the value was given up by its owner just now.
        drop(unsafe { Own::from_raw(raw, memory) });
        assert_eq!(drops.get(), 3, "by the second owner");
    });
}

#[test]
fn make_and_owners_exchange_values() {
    over_each(|memory| {
        let drops = Cell::new(0);
        let created = memory.create((Counted(&drops), Wide(1))).expect("memory");
        // SAFETY: the value was just created, and is used by no other code.
        let own = unsafe { Own::from_raw(created, memory) };
        assert_eq!(own.1, Wide(1), "as created");
        // SAFETY: the owner has given it up, and its block is this allocator's.
        unsafe { memory.destroy(Own::into_raw(own)) };
        let empty = Own::new((), memory).expect("memory");
        // SAFETY: as above.
        unsafe { memory.destroy(Own::into_raw(empty)) };
        assert_eq!(drops.get(), 1, "once");
    });
}

#[test]
fn slices_and_texts() {
    over_each(|memory| {
        let drops = Cell::new(0);
        let copied = Own::new_slice_copy(&[Wide(1), Wide(2)], memory).expect("memory");
        assert!(copied.as_ptr().addr().is_multiple_of(256), "aligned");
        assert_eq!(*copied, [Wide(1), Wide(2)]);
        drop(copied);
        let values = [Counted(&drops), Counted(&drops)];
        let cloned = Own::new_slice_clone(&values, memory).expect("memory");
        let filled = Own::new_slice_fill_with(3, |_| Counted(&drops), memory).expect("memory");
        assert_eq!((cloned.len(), filled.len(), drops.get()), (2, 3, 0));
        drop((cloned, filled));
        assert_eq!(drops.get(), 5, "each element");
        let mut listed =
            Own::new_slice_fill_iter((0..99).filter(|n| n % 9 == 0), memory).expect("memory");
        for number in &mut listed {
            *number += 1;
        }
        assert_eq!((&listed).into_iter().sum::<i32>(), 9 * 55 + 11);
        let text = Own::new_str("text", memory).expect("memory");
        let mut formatted = Own::format(format_args!("{text:>7}!"), memory).expect("memory");
        formatted.make_ascii_uppercase();
        assert_eq!((&*text, &*formatted), ("text", "   TEXT!"));
        assert_eq!(text.len() + memory.name().len(), format!("{text}{}", memory.name()).len());
    });
}

#[test]
fn a_value_without_a_size_has_a_block() {
    over_each(|memory| {
        let live = memory.stats().live;
        let unit = Own::new((), memory).expect("memory");
        let units = Own::new_slice_copy(&[(); 1000], memory).expect("memory");
        let empty = Own::<[Wide]>::new_slice_copy(&[], memory);
        let none = Own::new_slice_fill_iter((0..9).filter(|n| *n > 9), memory).expect("memory");
        let text = Own::new_str("", memory).expect("memory");
        assert_eq!(memory.stats().live - live, 4 + usize::from(empty.is_ok()), "a block each");
        assert_eq!((*unit, units.len(), none.len(), &*text), ((), 1000, 0, ""));
        let empty = empty.expect("memory");
        assert!(empty.as_ptr().addr().is_multiple_of(256), "aligned");
    });
}

#[test]
fn a_refusal_drops_the_value_and_frees_what_was_begun() {
    let drops = Cell::new(0);
    let mut made = 0;
    for nth in 0.. {
        let backing = TestBacking::new();
        backing.refuse_from(nth);
        drops.set(0);
        made = 0;
        let mut count = || {
            made += 1;
            Counted(&drops)
        };
        let result = (|| {
            let one = Own::new(count(), &backing)?;
            let four = Own::new_slice_fill_with(4, |_| count(), &backing)?;
            let listed = (0..100).filter(|_| true).map(|_| count());
            let many = Own::new_slice_fill_iter(listed, &backing)?;
            let text = Own::format(format_args!("{:90}{:90}", 1, 2), &backing)?;
            Ok::<_, AllocError>((one, four, many, text))
        })();
        let finished = result.is_ok();
        drop(result);
        assert_eq!(drops.get(), made, "refusal {nth}: each value is dropped once");
        assert_eq!(backing.stats().live, 0, "refusal {nth}: nothing is left");
        if finished {
            // References of half the size need one growth less.
            let requests = if size_of::<usize>() == 8 { 12 } else { 11 };
            assert_eq!(nth, requests, "each request was the first to be refused");
            break;
        }
    }
    assert_eq!(made, 105, "without a refusal, all are made");
}

#[test]
fn a_destructor_that_panics_frees_the_block() {
    over_each(|memory| {
        let drops = Cell::new(0);
        let report = panic_of(|| drop(Own::new((Fails, Counted(&drops)), memory)));
        assert_eq!((report.as_str(), drops.get()), ("a destructor fails", 1));
        let elements = |index| (Counted(&drops), (index == 1).then(|| Fails));
        let report = panic_of(|| drop(Own::new_slice_fill_with(3, elements, memory)));
        assert_eq!((report.as_str(), drops.get()), ("a destructor fails", 4));
    });
}

#[test]
fn a_closure_that_panics_leaves_nothing() {
    over_each(|memory| {
        let drops = Cell::new(0);
        let fails = |index: usize| {
            assert!(index != 3, "element {index}");
            Counted(&drops)
        };
        assert_eq!(panic_of(|| drop(Own::new_slice_fill_with(9, fails, memory))), "element 3");
        assert_eq!(drops.get(), 3, "the elements before it");
        let listed = (0..9).map(fails);
        assert_eq!(panic_of(|| drop(Own::new_slice_fill_iter(listed, memory))), "element 3");
        assert_eq!(drops.get(), 6, "the elements before it");

        /// Panics at the third clone.
        struct Clones<'c>(&'c Cell<usize>, Counted<'c>);
        impl Clone for Clones<'_> {
            fn clone(&self) -> Self {
                self.0.set(self.0.get() + 1);
                assert!(self.0.get() != 3, "clone {}", self.0.get());
                Self(self.0, self.1.clone())
            }
        }
        let clones = Cell::new(0);
        let values = [0; 4].map(|_| Clones(&clones, Counted(&drops)));
        assert_eq!(panic_of(|| drop(Own::new_slice_clone(&values, memory))), "clone 3");
        assert_eq!(drops.get(), 8, "the two clones");
    });
}

#[test]
fn trait_objects_are_dropped_as_their_type() {
    trait Named {
        fn name(&self) -> &'static str;
    }
    impl Named for Counted<'_> {
        fn name(&self) -> &'static str {
            "counted"
        }
    }
    impl Named for Wide {
        fn name(&self) -> &'static str {
            "wide"
        }
    }
    over_each(|memory| {
        let drops = Cell::new(0);
        let counted = Own::new(Counted(&drops), memory).expect("memory");
        let address = Own::allocator(&counted).stats().live;
        let objects: [Own<'_, dyn Named>; 2] = [
            own_dyn!(counted => dyn Named),
            own_dyn!(Own::new(Wide(1), memory).expect("memory") => dyn Named),
        ];
        assert_eq!(memory.stats().live, address + 1, "only the second value is new");
        assert_eq!(objects.each_ref().map(|object| object.name()), ["counted", "wide"]);
        drop(objects);
        assert_eq!(drops.get(), 1, "by its own destructor");

        let array = Own::new([3, 1, 2], memory).expect("memory");
        let mut slice: Own<'_, [i32]> = own_dyn!(array => [i32]);
        slice.sort_unstable();
        assert_eq!(*slice, [1, 2, 3]);
        drop(slice);
        let any = own_dyn!(Own::new(7_u32, memory).expect("memory") => dyn Any);
        assert_eq!(any.downcast_ref::<u32>(), Some(&7));
    });
}

#[test]
fn a_pool_refuses_values_of_another_size() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", Layout::new::<u64>(), &backing);
    let small = Own::new(1_u8, &pool).expect("a smaller value fits");
    assert_eq!(Own::new([0_u64; 2], &pool).err(), Some(AllocError));
    assert_eq!((*small, pool.stats().live), (1, 1));
}

#[test]
fn a_leaked_value_lives_as_long_as_the_borrow() {
    let drops = Cell::new(0);
    let mut memory = [MaybeUninit::uninit(); 512];
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    let leaked = Own::leak(Own::new((Counted(&drops), 7), &frame).expect("memory"));
    leaked.1 += 1;
    assert_eq!((leaked.1, frame.stats().live), (8, 1));
    frame.reset();
    assert_eq!((drops.get(), frame.stats().live), (0, 0), "freed, and never dropped");
}

#[test]
fn scopes_end_after_their_owners() {
    let drops = Cell::new(0);
    let mut memory = [MaybeUninit::uninit(); 512];
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    {
        let scope = frame.scope();
        let first = Own::new(Counted(&drops), &*scope).expect("memory");
        let second = Own::new_in([1_u8; 30], &*scope).expect("memory");
        drop(first);
        assert_eq!((second[29], scope.stats().live), (1, 1), "freed out of order");
        core::mem::forget(Own::new(Counted(&drops), &*scope));
    }
    assert_eq!((drops.get(), frame.stats().live), (1, 0), "a forgotten owner drops nothing");
}

#[test]
fn owners_move_between_threads() {
    let backing = TestBacking::new();
    let shared: SharedRef<'_> = &backing;
    let sent: Own<'_, [u32], dyn Allocator + Sync> =
        Own::new_slice_fill_with_in(10, |index| index as u32, shared).expect("memory");
    let back = thread::scope(|scope| {
        let other = scope.spawn(move || {
            let sum = sent.iter().sum::<u32>();
            drop(sent);
            let text = Own::format_in(format_args!("the sum is {sum}"), shared);
            text.expect("memory")
        });
        other.join().expect("no panic")
    });
    assert_eq!((&*back, backing.stats().live), ("the sum is 45", 1));
}

#[test]
fn owners_compare_and_show_as_their_values() {
    let (left, right) = (TestBacking::new(), TestBacking::new());
    let new = |text| Own::new_str(text, &left).expect("memory");
    let typed = Own::new_str_in("b", &right).expect("memory");
    assert!(new("b") == typed && new("a") < typed && new("a") != typed, "by value");
    assert_eq!(format!("{typed} {typed:?}"), "b \"b\"");
    let value = NonNull::from(&*typed);
    assert_eq!(format!("{typed:p}"), format!("{value:p}"), "the address of the value");
    let set: BTreeSet<_> = ["c", "a", "b"].map(new).into();
    assert!(set.iter().map(|text| &**text).eq(["a", "b", "c"]), "in order");
    assert!(set.contains("b") && !set.contains("d"), "found by a borrowed text");
    let map: HashMap<_, _> = set.into_iter().zip(0..).collect();
    assert_eq!(map.get("c"), Some(&2), "the hash is that of the text");
    let mut owned = Own::new(String::from("x"), &left).expect("memory");
    owned.as_mut().push('y');
    assert_eq!(owned.as_ref(), "xy");
}

#[test]
fn an_error_keeps_its_source() {
    #[derive(Debug)]
    struct Outer(fmt::Error);
    impl Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the outer error")
        }
    }
    impl core::error::Error for Outer {
        fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let backing = TestBacking::new();
    let own = Own::new(Outer(fmt::Error), &backing).expect("memory");
    let own = own_dyn!(own => dyn core::error::Error);
    assert_eq!(format!("{own}"), "the outer error");
    let source = core::error::Error::source(&own).expect("kept");
    assert!(source.is::<fmt::Error>(), "the value's own");
}

#[test]
fn a_list_of_owners_is_dropped_from_its_head() {
    struct Node<'m> {
        number: usize,
        next: Option<Own<'m, Node<'m>>>,
    }
    let backing = TestBacking::new();
    let heap = HeapAllocator::new_in("heap", &backing);
    let mut list = None;
    for number in 0..500 {
        list = Some(Own::new(Node { number, next: list }, &heap).expect("memory"));
    }
    assert_eq!(heap.stats().live, 500);
    let head = Own::into_inner(list.expect("the last node"));
    assert_eq!((head.number, heap.stats().live), (499, 499), "the head is moved out");
    let next = head.next.as_ref().expect("a second node");
    assert_eq!(next.number, 498);
    drop(head);
    assert_eq!(heap.stats().live, 0);
}

#[cfg(not(loom))]
#[test]
fn values_of_static_allocators_are_pinned() {
    use crate::heaps::static_heap::StaticHeap;
    use core::marker::PhantomPinned;
    static HEAP: StaticHeap<{ 64 << 10 }> = StaticHeap::new("static");
    let own = Own::new((7, PhantomPinned), &HEAP).expect("memory");
    let address = core::ptr::from_ref(&*own);
    let pinned = vec![Own::into_pin(own)];
    assert_eq!(core::ptr::from_ref(pinned[0].as_ref().get_ref()), address, "it has not moved");
    assert_eq!(*shorten(Own::new("text", &HEAP).expect("memory")), "text");
    drop(pinned);
    assert_eq!(HEAP.stats().live, 0);
}

#[test]
fn elements_are_dropped_in_order() {
    struct Noted<'n>(usize, &'n Cell<Vec<usize>>);
    impl Drop for Noted<'_> {
        fn drop(&mut self) {
            let mut order = self.1.take();
            order.push(self.0);
            self.1.set(order);
        }
    }
    let backing = TestBacking::new();
    let order = Cell::new(Vec::new());
    let listed = (0..70).filter(|_| true).map(|index| Noted(index, &order));
    drop(Own::new_slice_fill_iter(listed, &backing).expect("memory"));
    assert!(order.take().into_iter().eq(0..70), "as those of a `Box`");
}
