//! A backing with scripted results: exact totals, undone growth, and the calls that reach it.

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::ptr::NonNull;
use std::collections::{BTreeMap, VecDeque};
use std::vec::Vec;

use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::stats::Stats;
use crate::testing::test_backing::TestBacking;
use crate::wrappers::proxy::ProxyAllocator;
use crate::wrappers::shared_proxy::SharedProxy;
use crate::wrappers::shared_proxy::counters::Counters;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

/// Has blocks of 1000 bytes and reports the sizes that the test sets.
pub(super) struct Scripted {
    backing: TestBacking,
    /// The sizes of the next blocks, `None` to refuse. After these, blocks have their requested
    /// size.
    lens: RefCell<VecDeque<Option<usize>>>,
    /// The lengths of live blocks, by address.
    blocks: RefCell<BTreeMap<usize, usize>>,
    /// The calls since the test last read them.
    calls: RefCell<Vec<&'static str>>,
    /// The counters of the proxy above, and their live bytes at the last call.
    counters: Cell<Option<NonNull<Counters>>>,
    seen: Cell<usize>,
    /// The bytes that another thread takes through the proxy at each call.
    others: Cell<usize>,
}

// SAFETY: the tests that use it have one thread.
unsafe impl Sync for Scripted {}

impl Scripted {
    pub(super) fn new() -> Self {
        Self {
            backing: TestBacking::new(),
            lens: RefCell::default(),
            blocks: RefCell::default(),
            calls: RefCell::default(),
            counters: Cell::new(None),
            seen: Cell::new(0),
            others: Cell::new(0),
        }
    }

    pub(super) fn say(&self, lens: &[Option<usize>]) {
        self.lens.borrow_mut().extend(lens);
    }

    /// Returns the calls since the last read, and the live bytes at the last one.
    fn asked(&self) -> (Vec<&'static str>, usize) {
        (self.calls.take(), self.seen.get())
    }

    fn answer(&self, call: &'static str, layout: Layout) -> Result<usize, AllocError> {
        self.calls.borrow_mut().push(call);
        if let Some(counters) = self.counters.get() {
            // SAFETY: the tests do not move the proxy, and the backing outlives it.
            let counters = unsafe { counters.as_ref() };
            self.seen.set(counters.bytes());
            counters.raise_bytes(self.others.get());
        }
        let said = self.lens.borrow_mut().pop_front();
        said.unwrap_or(Some(layout.size().max(1))).ok_or(AllocError)
    }

    fn enter(&self, block: NonNull<u8>, len: usize) -> NonNull<[u8]> {
        self.blocks.borrow_mut().insert(block.addr().get(), len);
        NonNull::slice_from_raw_parts(block, len)
    }

    fn give(&self, layout: Layout, len: usize) -> Result<NonNull<[u8]>, AllocError> {
        let long = Layout::from_size_align(1000, layout.align()).expect("a valid layout");
        Ok(self.enter(self.backing.allocate(long)?.cast(), len))
    }
}

// SAFETY: blocks are the backing's, and made 1000 bytes long, which none of the tests goes above.
unsafe impl Allocator for Scripted {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.give(layout, self.answer("allocate", layout)?)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.give(layout, self.answer("allocate_zeroed", layout)?)?;
        // SAFETY: the block is live and has more bytes.
        unsafe { block.cast::<u8>().write_bytes(0, block.len()) };
        Ok(block)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.blocks.borrow_mut().remove(&block.addr().get());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate(block) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        _old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        Ok(self.enter(block, self.answer("resize_in_place", new)?))
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        Ok(self.enter(block, self.answer("reallocate", new)?))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.blocks.borrow()[&block.addr().get()]
    }

    fn stats(&self) -> Stats {
        self.backing.stats()
    }

    fn name(&self) -> &str {
        "scripted"
    }

    fn owns(&self, address: *const u8) -> bool {
        self.backing.owns(address)
    }

    fn walk(&self, _visit: &mut dyn FnMut(Block)) {}

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}

type Proxy<'a> = SharedProxy<'a, Scripted>;

fn take(proxy: &Proxy<'_>, size: usize) -> NonNull<u8> {
    proxy.allocate(layout(size, 8)).expect("there is memory").cast()
}

fn free(proxy: &Proxy<'_>, block: NonNull<u8>) {
    // SAFETY: the tests pass live blocks.
    unsafe { proxy.deallocate(block) };
    let stats = proxy.stats();
    assert_eq!((stats.live, stats.granted), (0, 0), "the only one");
}

/// Resizes a block, in place if `stays`, and returns its address and size.
fn resize(
    proxy: &Proxy<'_>,
    block: NonNull<u8>,
    [old, new]: [Layout; 2],
    stays: bool,
) -> Result<(NonNull<u8>, usize), AllocError> {
    let resized = if stays {
        // SAFETY: the tests pass live blocks and their layouts.
        unsafe { proxy.resize_in_place(block, old, new) }
    } else {
        // SAFETY: as above.
        unsafe { proxy.reallocate(block, old, new) }
    };
    resized.map(|block| (block.cast(), block.len()))
}

/// Returns the granted and the requested totals, and the peak of live bytes.
fn totals(proxy: &Proxy<'_>) -> (u64, u64, usize) {
    let stats = proxy.stats();
    (stats.granted_total, stats.requested_total, stats.peak_granted)
}

#[test]
fn growth_is_counted_in_the_totals_and_the_peak() {
    for budget in [usize::MAX, 1000] {
        let backing = Scripted::new();
        let proxy = Proxy::new_in("proxy", &backing).with_budget(budget);
        let block = take(&proxy, 40);
        assert_eq!(totals(&proxy), (40, 40, 40), "as asked");
        backing.say(&[Some(64), Some(64)]);
        let sizes = [layout(40, 8), layout(60, 8)];
        assert_eq!(resize(&proxy, block, sizes, true), Ok((block, 64)), "with rounding");
        assert_eq!(totals(&proxy), (64, 60, 64), "by what it grew");
        let sizes = [layout(60, 8), layout(62, 8)];
        assert_eq!(resize(&proxy, block, sizes, true), Ok((block, 64)), "within the rounding");
        assert_eq!(totals(&proxy), (64, 60, 64), "it has not grown");
        let refused = budget != usize::MAX;
        backing.say(if refused { &[None, Some(100)] } else { &[Some(100)] });
        let sizes = [layout(62, 8), layout(90, 8)];
        let (block, len) = resize(&proxy, block, sizes, false).expect("there is memory");
        assert_eq!((len, proxy.stats().granted), (100, 100), "with rounding");
        assert_eq!(totals(&proxy), (100, 88, 100), "by what it grew");
        let sizes = [layout(90, 8), layout(10, 8)];
        assert_eq!(resize(&proxy, block, sizes, false), Ok((block, 10)), "it shrinks");
        assert_eq!(proxy.stats().granted, 10, "by what it lost");
        free(&proxy, block);
        assert_eq!(totals(&proxy), (100, 88, 100), "nothing was counted again");
    }
}

#[test]
fn growth_past_the_budget_is_undone_or_counted() {
    // The requested size, the block's size then and when the growth is undone, and its final size.
    for (new, lens, end) in [
        (60, [Some(120), Some(40)], None),
        (60, [Some(120), Some(60)], None),
        (60, [Some(120), Some(61)], Some(61)),
        (60, [Some(120), Some(80)], Some(80)),
        (60, [Some(120), None], Some(120)),
        (30, [Some(120), Some(40)], None),
        (30, [Some(120), Some(30)], None),
        (30, [Some(120), Some(41)], Some(41)),
    ] {
        let backing = Scripted::new();
        let proxy = Proxy::new_in("proxy", &backing).with_budget(100);
        let block = take(&proxy, 40);
        backing.say(&lens);
        let resized = resize(&proxy, block, [layout(40, 8), layout(new, 8)], true);
        assert_eq!(resized, end.map(|len| (block, len)).ok_or(AllocError), "to {new}: {lens:?}");
        let is = backing.blocks.borrow()[&block.addr().get()];
        assert_eq!(proxy.stats().granted, is, "as long as it is now, to {new}: {lens:?}");
        free(&proxy, block);
        let (len, asked) = end.map_or((40, 40), |len| (len, new.max(40)));
        let counted = (len as u64, asked as u64, len);
        assert_eq!(totals(&proxy), counted, "to {new}: {lens:?}");
    }
}

#[test]
fn what_is_over_its_budget_may_still_shrink() {
    fn check(proxy: &dyn Allocator, backing: &Scripted, grows: &[Option<usize>]) {
        let block = proxy.allocate(layout(40, 8)).expect("there is memory").cast();
        backing.say(grows);
        // SAFETY: the block is live and has this layout; so below.
        let grown = unsafe { proxy.resize_in_place(block, layout(40, 8), layout(60, 8)) };
        assert_eq!(grown.map(NonNull::len), Ok(120), "{}: counted", proxy.name());
        assert_eq!(proxy.allocate(layout(1, 1)), Err(AllocError), "over the budget");
        // SAFETY: see above.
        let smaller = unsafe { proxy.resize_in_place(block, layout(60, 8), layout(50, 8)) };
        assert_eq!(smaller.map(NonNull::len), Ok(50), "it takes no byte more");
        assert_eq!(proxy.stats().granted, 50, "counted");
        // SAFETY: see above.
        unsafe { proxy.deallocate_sized(block, layout(50, 8)) };
        assert_eq!(proxy.stats().granted, 0, "the only one");
    }
    let backing = Scripted::new();
    // It grows beyond the budget, which cannot be undone, or undoing is not tried.
    check(&Proxy::new_in("shared", &backing).with_budget(100), &backing, &[Some(120), None]);
    check(&ProxyAllocator::new_in("proxy", &backing).with_budget(100), &backing, &[Some(120)]);
}

#[test]
fn a_move_that_is_refused_changes_nothing() {
    let backing = Scripted::new();
    let proxy = Proxy::new_in("proxy", &backing).with_budget(100);
    let block = take(&proxy, 40);
    let before = proxy.stats();
    // The backing refuses; then it returns more than the budget allows.
    for len in [None, Some(101), Some(200)] {
        for new in [30, 60] {
            backing.say(&[len]);
            let moved = resize(&proxy, block, [layout(40, 8), layout(new, 16)], false);
            assert_eq!(moved, Err(AllocError), "to {new}: {len:?}");
            assert_eq!(proxy.stats(), before, "to {new}: {len:?}");
            assert_eq!(backing.stats().live, 1, "no other block is left: {len:?}");
        }
    }
    free(&proxy, block);
}

#[test]
fn what_is_asked_is_passed_on_and_counted_before_only_under_a_budget() {
    for budget in [usize::MAX, 1000] {
        let backing = Scripted::new();
        let proxy = Proxy::new_in("proxy", &backing).with_budget(budget);
        let has = (budget != usize::MAX).then_some(budget);
        assert_eq!(Allocator::budget(&proxy), has, "as it was set");
        backing.counters.set(Some(NonNull::from(&proxy.counters)));
        // The counted bytes while the backing is called.
        let counted = |without: usize, with: usize| if has.is_some() { with } else { without };
        let block = take(&proxy, 40);
        assert_eq!(backing.asked(), (["allocate"].into(), counted(0, 40)), "a block");
        let zeroed = proxy.allocate_zeroed(layout(10, 8)).expect("there is memory");
        let asked = (["allocate_zeroed"].into(), counted(40, 50));
        assert_eq!(backing.asked(), asked, "a zeroed block");
        let sizes = [layout(40, 8), layout(60, 8)];
        assert_eq!(resize(&proxy, block, sizes, true), Ok((block, 60)), "it grows");
        assert_eq!(backing.asked(), (["resize_in_place"].into(), counted(50, 70)), "in place");
        let sizes = [layout(60, 8), layout(70, 8)];
        assert_eq!(resize(&proxy, block, sizes, false), Ok((block, 70)), "it grows");
        let call = if has.is_some() { "resize_in_place" } else { "reallocate" };
        assert_eq!(backing.asked(), ([call].into(), counted(70, 80)), "no need to move");
        let sizes = [layout(70, 8), layout(75, 16)];
        let (block, _) = resize(&proxy, block, sizes, false).expect("there is memory");
        let call = if has.is_some() { "allocate" } else { "reallocate" };
        assert_eq!(backing.asked(), ([call].into(), counted(80, 85)), "a greater alignment");
        // SAFETY: the block is live.
        unsafe { proxy.deallocate(zeroed.cast()) };
        free(&proxy, block);
    }
}

#[test]
fn what_is_reserved_is_given_whatever_others_do_meanwhile() {
    let backing = Scripted::new();
    let proxy = Proxy::new_in("proxy", &backing).with_budget(100);
    backing.counters.set(Some(NonNull::from(&proxy.counters)));
    // As if another thread's block had grown by more than can be undone.
    backing.others.set(1000);
    let block = take(&proxy, 40);
    proxy.counters.lower_bytes(1000);
    let sizes = [layout(40, 8), layout(60, 8)];
    assert_eq!(resize(&proxy, block, sizes, true), Ok((block, 60)), "in place");
    proxy.counters.lower_bytes(1000);
    let sizes = [layout(60, 8), layout(80, 16)];
    let moved = resize(&proxy, block, sizes, false);
    proxy.counters.lower_bytes(1000);
    let (block, len) = moved.expect("its bytes are counted already");
    assert_eq!((len, totals(&proxy)), (80, (80, 80, 80)), "what others did is not its own");
    free(&proxy, block);
}

#[test]
fn a_block_of_no_byte_is_a_byte_of_the_budget() {
    let backing = Scripted::new();
    let proxy = Proxy::new_in("proxy", &backing).with_budget(100);
    let block = take(&proxy, 100);
    assert_eq!(backing.asked().0, ["allocate"], "served");
    assert_eq!(proxy.allocate(layout(0, 1)), Err(AllocError), "nothing is left");
    assert_eq!(proxy.allocate_zeroed(layout(0, 1)), Err(AllocError), "nothing is left");
    assert!(backing.asked().0.is_empty(), "the backing is not called");
    free(&proxy, block);
}
