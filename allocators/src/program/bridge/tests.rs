//! Containers of both versions of allocator-api2 over our allocators.

#![cfg(all(feature = "std", any(unix, windows), not(loom)))]

use core::alloc::Layout;
use std::alloc::System;

use super::Bridge;
use crate::contract::allocator::tests::Noting;
use crate::contract::allocator::{Allocator, SharedRef};
use crate::heaps::system::SystemAllocator;
use crate::heaps::thread_heap::ThreadHeap;
use crate::pages::page::PageAllocator;
use crate::program::from_global::FromGlobal;
use crate::threads::locked::Locked;

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("the tests use valid layouts")
}

/// Runs `suite` over each kind of bridge and checks that no block is left.
macro_rules! over_each_bridge {
    ($suite:ident) => {
        let pages = PageAllocator::new("pages");
        $suite(&pages);
        let locked = Locked::new(PageAllocator::new("locked"));
        $suite(&locked);
        let erased: &dyn Allocator = &pages;
        $suite(erased);
        let shared: SharedRef<'_> = &locked;
        $suite(shared);
        $suite(Bridge(&pages));
        $suite(Bridge(erased));
        let system = SystemAllocator::new("system", &pages);
        $suite(&system);
        let from_global = FromGlobal::new("from-global", &System);
        $suite(&from_global);
        let threads = ThreadHeap::new("threads", &pages);
        $suite(&threads);
        for allocator in [&system as &dyn Allocator, &from_global, &threads] {
            assert_eq!(allocator.stats().live, 0, "all blocks came back");
            assert!(allocator.stats().allocations_total > 0, "it was used");
        }
        drop((system, threads));
        for allocator in [erased, &locked] {
            assert_eq!(allocator.stats().live, 0, "all blocks came back");
            assert!(allocator.stats().allocations_total > 0, "it was used");
            assert_eq!(allocator.verify(), Ok(()), "whole");
        }
    };
}

macro_rules! tests_of_a_line {
    ($module:ident, $feature:literal, $library:ident) => {
        #[cfg(feature = $feature)]
        mod $module {
            use core::cell::Cell;
            use core::ptr::NonNull;

            use super::*;
            use $library::alloc::Allocator as TheirAllocator;
            use $library::boxed::Box;
            use $library::vec::Vec;

            #[test]
            fn vectors() {
                fn suite<A: TheirAllocator + Copy>(allocator: A) {
                    let mut numbers = Vec::new_in(allocator);
                    numbers.extend(0..50_000_u32);
                    assert!(numbers.iter().copied().eq(0..50_000), "kept while it grew");
                    numbers.truncate(10);
                    numbers.shrink_to_fit();
                    assert!(numbers.iter().copied().eq(0..10), "kept while it shrank");
                    let copy = numbers.clone();
                    numbers.clear();
                    numbers.shrink_to_fit();
                    assert_eq!((numbers.capacity(), copy.len()), (0, 10), "shrunk to nothing");
                    assert!(numbers.try_reserve(1 << 60).is_err(), "refused");
                    let mut empty: Vec<(), A> = Vec::new_in(allocator);
                    empty.extend([(); 100]);
                    assert_eq!(empty.len(), 100, "types without size");
                }
                over_each_bridge!(suite);
            }

            #[test]
            fn boxes() {
                struct Dropped<'a>(&'a Cell<u32>, [u64; 100]);
                impl Drop for Dropped<'_> {
                    fn drop(&mut self) {
                        self.0.set(self.0.get() + 1);
                    }
                }
                #[repr(align(8192))]
                struct Aligned(u8);
                fn suite<A: TheirAllocator + Copy>(allocator: A) {
                    let count = Cell::new(0);
                    let one = Box::new_in(Dropped(&count, [7; 100]), allocator);
                    assert_eq!(one.1[99], 7, "kept");
                    drop(one);
                    assert_eq!(count.get(), 1, "dropped once");
                    let aligned = Box::new_in(Aligned(3), allocator);
                    assert_eq!(core::ptr::from_ref(&*aligned).addr() % 8192, 0, "aligned");
                    assert_eq!(Box::into_inner(aligned).0, 3, "moved out");
                    // These free a pointer that they never allocated.
                    drop(Box::new_in((), allocator));
                    Box::into_inner(Box::new_in((), allocator));
                    let mut slice = Vec::new_in(allocator);
                    slice.extend([1_u8, 2, 3]);
                    let slice = slice.into_boxed_slice();
                    assert_eq!(*slice, [1, 2, 3], "a boxed slice");
                }
                over_each_bridge!(suite);
            }

            #[test]
            fn blocks() {
                fn suite<A: TheirAllocator + Copy>(allocator: A) {
                    let (none, some, more) = (layout(0, 64), layout(10, 64), layout(9000, 64));
                    // SAFETY: each block is live and given with its layout.
                    unsafe {
                        let nothing = allocator.allocate(none).unwrap();
                        assert_eq!(nothing.len(), 0, "of no size");
                        assert_eq!(nothing.addr().get() % 64, 0, "aligned");
                        assert_eq!(allocator.allocate_zeroed(none).unwrap().len(), 0, "nor this");
                        let block = allocator.grow(nothing.cast(), none, some).unwrap();
                        block.cast::<u8>().write_bytes(5, block.len());
                        let grown = allocator.grow_zeroed(block.cast(), some, more).unwrap();
                        let bytes = core::slice::from_raw_parts(grown.cast::<u8>().as_ptr(), 9000);
                        assert!(bytes[..10].iter().all(|&b| b == 5), "kept");
                        assert!(bytes[10..].iter().all(|&b| b == 0), "zero beyond");
                        let start: NonNull<u8> = grown.cast();
                        assert!(
                            allocator.grow(start, more, layout(1 << 60, 64)).is_err(),
                            "refused"
                        );
                        let shrunk = allocator.shrink(start, more, some).unwrap();
                        assert_eq!(shrunk.cast::<u8>().read(), 5, "kept");
                        let nothing = allocator.shrink(shrunk.cast(), some, none).unwrap();
                        let zeroed = allocator.grow_zeroed(nothing.cast(), none, more).unwrap();
                        let bytes = core::slice::from_raw_parts(zeroed.cast::<u8>().as_ptr(), 9000);
                        assert!(bytes.iter().all(|&b| b == 0), "zero");
                        allocator.deallocate(zeroed.cast(), more);
                        let byte = layout(1, 64);
                        let block = allocator.allocate(byte).unwrap();
                        block.cast::<u8>().write(6);
                        let grown = allocator.grow_zeroed(block.cast(), byte, some).unwrap();
                        let bytes = grown.cast::<[u8; 10]>().read();
                        assert_eq!(bytes, [6, 0, 0, 0, 0, 0, 0, 0, 0, 0], "a byte is a block");
                        allocator.deallocate(grown.cast(), some);
                        allocator.deallocate(none_at(64), none);
                        assert!(allocator.allocate_zeroed(layout(1 << 60, 1)).is_err(), "refused");
                    }
                }
                fn none_at(align: usize) -> NonNull<u8> {
                    layout(0, align).dangling_ptr()
                }
                over_each_bridge!(suite);
            }
        }
    };
}

tests_of_a_line!(line_02, "allocator-api2-02", allocator_api2_02);
tests_of_a_line!(line_03, "allocator-api2-03", allocator_api2_03);
tests_of_a_line!(line_04, "allocator-api2-04", allocator_api2_04);

#[test]
fn what_grows_from_nothing_comes_zeroed_from_the_allocator() {
    let noting = Noting::new();
    let (none, some) = (layout(0, 8), layout(10, 8));
    // SAFETY: a block of size zero need not come from the allocator.
    let block = unsafe { super::grow_zeroed(&noting, none.dangling_ptr(), none, some) };
    let block = block.expect("there is memory");
    assert_eq!(noting.calls(), ["allocate_zeroed"], "fresh memory may be zero already");
    // SAFETY: the block is live, of this layout, and not used again.
    unsafe { super::deallocate(&noting, block.cast(), some) };
    assert_eq!(noting.calls(), ["deallocate_sized"], "back where it came from");
}

#[cfg(feature = "allocator-api2-02")]
#[test]
fn hash_maps() {
    use allocator_api2_02::alloc::Allocator as TheirAllocator;

    fn suite<A: TheirAllocator + Copy>(allocator: A) {
        let mut squares = hashbrown::HashMap::new_in(allocator);
        for n in 0..5000_u64 {
            squares.insert(n, n * n);
        }
        squares.retain(|n, _| n % 5 == 0);
        squares.shrink_to_fit();
        assert_eq!(squares.len(), 1000, "a fifth stays");
        assert!(squares.iter().all(|(n, square)| n * n == *square), "kept");
        let copy = squares.clone();
        squares.clear();
        assert_eq!(copy.get(&4995), Some(&(4995 * 4995)), "kept in the copy");
        assert!(squares.try_reserve(1 << 58).is_err(), "refused");
    }
    over_each_bridge!(suite);
}

#[cfg(all(feature = "allocator-api2-02", feature = "allocator-api2-04"))]
#[test]
fn both_lines_side_by_side() {
    let pages = PageAllocator::new("pages");
    let mut old = allocator_api2_02::vec::Vec::new_in(&pages);
    let mut new = allocator_api2_04::vec::Vec::new_in(&pages);
    old.extend(0..3000_u32);
    new.extend(old.iter().copied());
    assert_eq!(old.as_slice(), new.as_slice(), "one allocator serves both");
    assert_eq!(pages.stats().live, 2, "a block each");
    drop((old, new));
    assert_eq!(pages.stats().live, 0, "all came back");
}
