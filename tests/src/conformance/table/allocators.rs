//! The allocators of the table.

use core::alloc::Layout;
use core::cell::RefCell;
use core::ptr::NonNull;

use loligo_replay::rows;
use loligo_replay::subject::Subject as Driven;
use talc::TalcCell;
use talc::source::GlobalAllocSource;

use crate::compose::{Base, Stack, Wrapper};
use crate::conformance::allocator::some_allocator_outcomes;
use crate::conformance::foreign::{Adapted, Foreign};
use crate::conformance::foreign_02::some_allocator_api2_02_outcomes;
use crate::conformance::global::Global;
use crate::limits::Limits;
use crate::models::{Fault, FaultyAllocator};

use super::findings::Strict;
use super::{Family, Subject, Whose};

/// The block of the pools.
const BLOCK: Layout = match Layout::from_size_align(72, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("72 bytes at 16 are a layout"),
};

/// Bytes of the region of the peers that live in one.
const REGION_BYTES: usize = 1 << 20;
/// The greatest block and alignment that peers which grow are asked for.
const SIZE_MAX: usize = 1 << 20;
const ALIGN_MAX: usize = 2 << 20;

/// Returns the allocators: each base, each wrapper on a heap or on what it needs, the peers of the
/// replay, bumpalo, and one with a planted fault.
pub(super) fn subjects() -> Vec<Subject> {
    let bases = Base::ALL.iter().map(|&base| Stack::of(base));
    let wrappers = Wrapper::ALL.iter().filter_map(|&wrapper| {
        let local = Stack::of(Base::HeapInRegion).under(wrapper);
        local.or_else(|_| Stack::of(Base::LockedHeap).under(wrapper)).ok()
    });
    let mut subjects: Vec<Subject> = bases.chain(wrappers).map(ours).collect();
    subjects.extend(rows::peers().iter().map(|row| peer(row.name())));
    subjects.push(bumpalo());
    subjects.push(talc_over_global_alloc());
    subjects.push(planted());
    subjects
}

fn ours(stack: Stack) -> Subject {
    Subject::new(Family::Allocators, stack.to_string(), Whose::Ours, None, move |wanted| {
        some_allocator_outcomes(&stack.limits(BLOCK), wanted, |test| stack.make(BLOCK, test))
    })
}

/// An allocator that the replay has, by name.
fn peer(name: &str) -> Subject {
    let name = name.to_owned();
    let package = match name.as_str() {
        "mimalloc" => Some(("mimalloc", "0")),
        "jemalloc" => Some(("tikv-jemallocator", "0")),
        "snmalloc" => Some(("snmalloc-rs", "0")),
        "dlmalloc" => Some(("dlmalloc", "0")),
        "talc" => Some(("talc", "5")),
        "rlsf" => Some(("rlsf", "0")),
        "buddy_system_allocator" => Some(("buddy_system_allocator", "0")),
        "linked_list_allocator" => Some(("linked_list_allocator", "0")),
        _ => None,
    };
    Subject::new(Family::Allocators, name.clone(), Whose::Peer, package, move |wanted| {
        let peers = rows::peers();
        let row = peers.iter().find(|row| row.name() == name);
        let row = row.expect("the name is that of a peer");
        let memory = row.lives_in_region().then_some(REGION_BYTES);
        let region = Limits::region(REGION_BYTES);
        let growing = Limits { size_max: SIZE_MAX, align_max: ALIGN_MAX, ..Limits::growing() };
        // The system chooses where the region is: alignments beyond a page may not be in it.
        let limits = if memory.is_some() { Limits { align_max: 4096, ..region } } else { growing };
        let limits = limits.foreign();
        some_allocator_outcomes(&limits, wanted, |test| {
            let driven = row.drive(REGION_BYTES, &mut |subject| {
                test(&Adapted::new(Replayed(RefCell::new(subject))));
            });
            driven.expect("the system has a region");
        })
    })
}

/// An allocator as the replay drives it, as a foreign one.
struct Replayed<'a>(RefCell<&'a mut dyn Driven>);

impl Foreign for Replayed<'_> {
    const SIZES_FIT: bool = false;
    const REALIGNS: bool = false;

    fn take(&self, layout: Layout, zeroed: bool) -> Option<NonNull<[u8]>> {
        let mut subject = self.0.borrow_mut();
        let block = if zeroed { subject.allocate_zeroed(layout) } else { subject.allocate(layout) };
        Some(NonNull::slice_from_raw_parts(NonNull::new(block)?, layout.size()))
    }

    unsafe fn give(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.borrow_mut().deallocate(block.as_ptr(), layout) }
    }

    unsafe fn change(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<[u8]>> {
        // SAFETY: the caller's promise, passed on; a new size of a foreign block is not 0.
        let moved = unsafe { self.0.borrow_mut().reallocate(block.as_ptr(), old, new.size()) };
        Some(NonNull::slice_from_raw_parts(NonNull::new(moved)?, new.size()))
    }
}

/// bumpalo through allocator-api2: its arena gives memory back when it goes, not with each free.
fn bumpalo() -> Subject {
    let package = Some(("bumpalo", "3"));
    Subject::new(Family::Allocators, "bumpalo", Whose::Peer, package, |wanted| {
        let limits = Limits {
            size_max: SIZE_MAX,
            align_max: ALIGN_MAX,
            reclaims: false,
            ..Limits::growing()
        };
        some_allocator_api2_02_outcomes(&limits, wanted, |test| test(&&bumpalo::Bump::new()))
    })
}

/// talc growing over another allocator, which aborts where it is asked for what no layout may be.
fn talc_over_global_alloc() -> Subject {
    let package = Some(("talc", "5"));
    Subject::new(Family::Allocators, "talc over GlobalAlloc", Whose::Peer, package, |wanted| {
        let limits = Limits { size_max: SIZE_MAX, align_max: ALIGN_MAX, ..Limits::growing() };
        some_allocator_outcomes(&limits.foreign(), wanted, |test| {
            let talc = TalcCell::new(GlobalAllocSource::new(Strict));
            test(&Adapted::new(Global(&talc)));
        })
    })
}

/// The reference allocator that aligns at 16 bytes, whatever is asked.
fn planted() -> Subject {
    Subject::new(Family::Allocators, "naive", Whose::Planted, None, |wanted| {
        some_allocator_outcomes(&Limits::region(16 << 10), wanted, |test| {
            test(&FaultyAllocator::new(Fault::AlignsTo16, 16 << 10));
        })
    })
}
