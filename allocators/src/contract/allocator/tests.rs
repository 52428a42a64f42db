//! Tests of the trait's default methods, and of the calls that a reference forwards.

mod wrong_old;

use core::alloc::Layout;
use core::cell::RefCell;
use core::panic::Location;
use core::ptr::NonNull;
use std::format;
use std::string::ToString;
use std::vec::Vec;

use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::stats::Stats;
use crate::testing::test_backing::TestBacking;

/// The system's memory in an allocator that records each call, and whose answers differ from the
/// trait's defaults.
pub(crate) struct Noting {
    memory: TestBacking,
    calls: RefCell<Vec<&'static str>>,
}

impl Noting {
    pub(crate) fn new() -> Self {
        Self { memory: TestBacking::new(), calls: RefCell::new(Vec::new()) }
    }

    fn note(&self, call: &'static str) {
        self.calls.borrow_mut().push(call);
    }

    /// Returns the calls since the last read.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        self.calls.take()
    }
}

/// The damage that [`Noting`] reports.
const NOTED: Damage = Damage { what: "noted", address: core::ptr::null() };

// SAFETY: the blocks are those of the memory below, except that a block resized in place to at most
// its size is unchanged there.
unsafe impl Allocator for Noting {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.note("allocate");
        self.memory.allocate(layout)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.note("allocate_zeroed");
        self.memory.allocate_zeroed(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.note("deallocate");
        // SAFETY: the caller's promise, passed on.
        unsafe { self.memory.deallocate(block) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, _layout: Layout) {
        self.note("deallocate_sized");
        // SAFETY: the caller's promise, of which the address is enough here.
        unsafe { self.memory.deallocate(block) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.note("resize_in_place");
        let fits = new.size() <= old.size();
        fits.then(|| NonNull::slice_from_raw_parts(block, new.size())).ok_or(AllocError)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.note("allocated_size");
        // SAFETY: the caller's promise, passed on.
        unsafe { self.memory.allocated_size(block) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        self.note("layout_below");
        Layout::array::<u8>(layout.size() + 7).expect("a layout")
    }

    fn stats(&self) -> Stats {
        self.note("stats");
        Stats { peak_granted: 77, ..Stats::default() }
    }

    fn name(&self) -> &str {
        self.note("name");
        "noting"
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.note("backing");
        Some(&self.memory)
    }

    fn identity(&self) -> *const () {
        self.note("identity");
        core::ptr::without_provenance(16)
    }

    fn backing_identity(&self) -> Option<*const ()> {
        self.note("backing_identity");
        Some(core::ptr::without_provenance(32))
    }

    fn budget(&self) -> Option<usize> {
        self.note("budget");
        Some(5000)
    }

    fn owns(&self, address: *const u8) -> bool {
        self.note("owns");
        self.memory.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.note("walk");
        self.memory.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.note("verify");
        Err(NOTED)
    }
}

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("the tests use valid layouts")
}

#[test]
fn a_reference_passes_every_call_on() {
    // By the type itself, so that the reference's own methods are called.
    fn through<A: Allocator>(by: A, noting: &Noting) {
        let block = by.allocate(layout(10, 1)).expect("there is memory").cast::<u8>();
        // SAFETY: the block is live.
        assert_eq!(unsafe { by.allocated_size(block) }, 10, "as asked");
        assert!(by.owns(block.as_ptr()), "the block is a live one");
        assert!(!by.owns(core::ptr::null()), "nothing is");
        let mut seen = Vec::new();
        by.walk(&mut |block| seen.push(block.bytes));
        assert_eq!(seen, [10], "one block");
        // SAFETY: the block is live and was asked so.
        let resized = unsafe { by.resize_in_place(block, layout(10, 1), layout(8, 1)) };
        assert_eq!(resized.expect("it shrinks").len(), 8, "as asked");
        // SAFETY: as above.
        let moved = unsafe { by.reallocate(block, layout(8, 1), layout(30, 1)) };
        // SAFETY: the block is live and not used again.
        unsafe { by.deallocate(moved.expect("it grows").cast()) };
        let zeroed = by.allocate_zeroed(layout(4, 1)).expect("there is memory");
        // SAFETY: the block is live, of this layout, and not used again.
        unsafe { by.deallocate_sized(zeroed.cast(), layout(4, 1)) };
        let calls = noting.calls();
        let expected = [
            "allocate",
            "allocated_size",
            "owns",
            "owns",
            "walk",
            "resize_in_place",
            "resize_in_place",
            "allocated_size",
            "allocate",
            "deallocate_sized",
            "deallocate",
            "allocate_zeroed",
            "deallocate_sized",
        ];
        assert_eq!(calls, expected, "each call once, and those of a move");

        assert_eq!(by.layout_below(layout(10, 1)), layout(17, 1), "its own answer");
        assert_eq!(by.stats().peak_granted, 77, "its own answer");
        assert_eq!(by.name(), "noting", "its own answer");
        assert_eq!(by.backing().map(Allocator::name), Some("test backing"), "its own answer");
        assert_eq!(by.identity().addr(), 16, "its own answer");
        assert_eq!(by.backing_identity().map(|identity| identity.addr()), Some(32), "its own");
        assert_eq!(by.budget(), Some(5000), "its own answer");
        assert_eq!(by.verify(), Err(NOTED), "its own answer");
        let expected = [
            "layout_below",
            "stats",
            "name",
            "backing",
            "identity",
            "backing_identity",
            "budget",
            "verify",
        ];
        assert_eq!(noting.calls(), expected, "each call once");
    }
    let noting = Noting::new();
    through(&noting, &noting);
    let erased: &dyn Allocator = &noting;
    through(erased, &noting);
    assert_eq!(noting.memory.stats().live, 0, "all came back");
}

#[test]
fn a_block_moves_only_where_it_cannot_stay() {
    let noting = Noting::new();
    let (old, less) = (layout(10, 8), layout(6, 8));
    let block = noting.allocate(old).expect("there is memory").cast::<u8>();
    // SAFETY: the block holds ten bytes.
    unsafe { block.write_bytes(3, 10) };
    noting.calls();
    // SAFETY: the block is live and of these layouts, one after the other.
    let same = unsafe { noting.reallocate(block, old, less) }.expect("it shrinks");
    assert_eq!((same.cast(), noting.calls()), (block, ["resize_in_place"].into()), "as aligned");
    let weaker = layout(6, 1);
    // SAFETY: as above.
    let same = unsafe { noting.reallocate(block, less, weaker) }.expect("it stays");
    assert_eq!((same.cast(), noting.calls()), (block, ["resize_in_place"].into()), "less aligned");
    let stronger = layout(6, 64);
    // SAFETY: as above.
    let moved = unsafe { noting.reallocate(block, less, stronger) }.expect("it moves").cast::<u8>();
    assert_eq!(noting.calls(), ["allocated_size", "allocate", "deallocate_sized"], "more aligned");
    assert_eq!(moved.addr().get() % 64, 0, "aligned");
    // SAFETY: six bytes were kept.
    let kept = unsafe { moved.cast::<[u8; 6]>().read() };
    assert_eq!(kept, [3; 6], "the contents moved");
    // SAFETY: the block is live and not used again.
    unsafe { noting.deallocate(moved) };
}

#[test]
fn what_an_allocator_leaves_to_the_trait() {
    // The test backing implements none of these itself.
    let plain = TestBacking::new();
    assert_eq!(plain.layout_below(layout(10, 4)), layout(10, 4), "it asks for no more");
    assert_eq!(plain.budget(), None, "no limit");
    assert!(plain.backing().is_none(), "nothing beneath");
    assert_eq!(plain.backing_identity(), None, "nothing beneath");
    assert_eq!(plain.identity(), core::ptr::from_ref(&plain).cast(), "its own address");
    let zeroed = plain.allocate_zeroed(layout(9, 1)).expect("there is memory");
    // SAFETY: the block holds nine bytes, which were written.
    assert_eq!(unsafe { zeroed.cast::<[u8; 9]>().read() }, [0; 9], "all of it is zero");
    // SAFETY: the block is live and of this layout.
    let resized = unsafe { plain.resize_in_place(zeroed.cast(), layout(9, 1), layout(8, 1)) };
    assert_eq!(resized, Err(AllocError), "it does not resize");
    // SAFETY: the block is live and not used again.
    unsafe { plain.deallocate(zeroed.cast()) };
}

#[test]
fn errors_name_what_is_wrong() {
    let text = AllocError.to_string();
    assert!(text.contains("has no memory left"), "{text}");
    assert!(text.contains("free blocks, or give it more"), "the remedy is missing: {text}");
    let damage = Damage { what: "a list is broken", address: core::ptr::without_provenance(64) };
    assert_eq!(damage.to_string(), "a list is broken at 0x40", "what and where");
    let here = Location::caller();
    let block = Block { address: NonNull::dangling(), bytes: 5, site: Some(here) };
    assert!(format!("{block:?}").contains("bytes: 5"), "{block:?}");
}
