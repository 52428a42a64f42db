//! The memory of an arena: borrowed, or allocated from a backing and freed at the end.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::buddy::error::BuddyError;
use crate::blocks::buddy::meta::{Books, Front, Head, MAGIC, Seal, VERSION};
use crate::blocks::buddy::shape::{Placed, Shape};
use crate::blocks::buddy::tree::{Parts, Tree};
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::NoSites;
use crate::contract::allocator::Allocator;

/// Bytes with one owner.
///
/// # Invariants
///
/// 1. `bytes` bytes from `start` are valid for reads and writes until this is dropped, and no other
///    code reaches them.
/// 2. If there is a backing, they are a live block of it with the layout stored with it.
#[derive(Debug)]
pub(crate) struct Memory<'a, B: Allocator + ?Sized> {
    start: NonNull<u8>,
    bytes: usize,
    backing: Option<(&'a B, Layout)>,
    lent: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

impl<'a, B: Allocator + ?Sized> Memory<'a, B> {
    pub(crate) fn of_region(region: &'a mut [MaybeUninit<u8>]) -> Self {
        Self {
            bytes: region.len(),
            start: NonNull::from(region).cast(),
            backing: None,
            lent: PhantomData,
        }
    }

    /// Allocates `bytes` bytes from `backing`.
    pub(crate) fn of_backing(
        bytes: usize,
        align: usize,
        backing: &'a B,
    ) -> Result<Self, BuddyError> {
        let layout = Layout::from_size_align(bytes, align).map_err(|_| BuddyError::NoMemory)?;
        let block = backing.allocate(layout).map_err(|_| BuddyError::NoMemory)?;
        Ok(Self {
            start: block.cast(),
            bytes: block.len(),
            backing: Some((backing, layout)),
            lent: PhantomData,
        })
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(crate) fn region(&self) -> NonNull<[MaybeUninit<u8>]> {
        NonNull::slice_from_raw_parts(self.start.cast(), self.bytes)
    }

    pub(crate) fn backing(&self) -> Option<&dyn Allocator> {
        self.backing.as_ref().map(|(backing, _)| backing as &dyn Allocator)
    }
}

impl<B: Allocator + ?Sized> Drop for Memory<'_, B> {
    fn drop(&mut self) {
        // Defined, as all bytes are: an arena may have been left in them.
        mark::defined(self.start, self.bytes);
        if let Some((backing, layout)) = self.backing {
            // SAFETY: invariant 2; the owner is dropped, so the block is not used afterwards.
            unsafe { backing.deallocate_sized(self.start, layout) };
        }
    }
}

/// Creates an arena in `memory`.
pub(crate) fn make<'a, B: Allocator + ?Sized>(
    name: &'a str,
    memory: Memory<'a, B>,
    leaf_bytes: usize,
) -> Result<BuddyAllocator<'a, B>, BuddyError> {
    let placed = Placed::at(memory.start.addr().get(), memory.bytes, leaf_bytes)?;
    // SAFETY: the header is in the memory, at a multiple of 16, and the metadata ends before the
    // first leaf, which is in the memory too: `Placed::at` promises both.
    let head = unsafe { memory.start.add(placed.header) };
    // SAFETY: as above, and no other code reaches the memory.
    unsafe { write_meta(head, &placed.shape, placed.home, placed.data as u64) };
    // SAFETY: the metadata was just written where the shape has it; the leaves follow it.
    let buddy = unsafe { assemble(name, memory, placed) };
    buddy.tree.plant();
    Ok(buddy)
}

/// Creates an allocator over existing metadata.
///
/// # Safety
///
/// `placed` is in `memory`, and the metadata of its shape is initialised.
pub(crate) unsafe fn assemble<'a, B: Allocator + ?Sized>(
    name: &'a str,
    memory: Memory<'a, B>,
    placed: Placed,
) -> BuddyAllocator<'a, B> {
    // SAFETY: the header is in the memory by the caller's promise.
    let head = unsafe { memory.start.add(placed.header) };
    // SAFETY: the first leaf is in the memory by the caller's promise.
    let data = unsafe { head.add(placed.data) };
    let parts = Parts {
        head,
        links: data,
        link_shift: placed.shape.leaf_shift,
        origin: data.as_ptr(),
        home: placed.home,
    };
    // SAFETY: the metadata is initialised and is in memory that the allocator alone reaches. A
    // leaf has at least 16 bytes and is at a multiple of 16, so each can hold a link.
    let tree = unsafe { Tree::over(name, placed.shape, parts) };
    BuddyAllocator { tree, data, memory, sites: NoSites }
}

/// Writes a header, empty fronts and lists, and clear bits.
///
/// # Safety
///
/// `head` is aligned to 16 and valid for writes of `shape.meta_bytes()` bytes.
pub(crate) unsafe fn write_meta(head: NonNull<u8>, shape: &Shape, home: u64, data: u64) {
    let mut seal = Seal {
        magic: MAGIC,
        version: VERSION,
        leaf_shift: shape.leaf_shift,
        top: shape.top,
        first: shape.first,
        end: shape.end,
        fronts: shape.fronts(),
        bytes: data + (u64::from(shape.leaves()) << shape.leaf_shift),
        data,
        home,
        sum: 0,
    };
    seal.sum = seal.mixed();
    // SAFETY: the caller's promise. Zero is an initialised value of every part but the fronts.
    unsafe { head.write_bytes(0, shape.meta_bytes()) };
    let header = Head { seal: seal.into(), books: Books::new() };
    // SAFETY: the header starts the metadata and is aligned as `head` is.
    unsafe { head.cast::<Head>().write(header) };
    for at in 0..shape.fronts() as usize {
        let from_head = shape.fronts_at() + at * size_of::<Front>();
        // SAFETY: the fronts are in the metadata where the shape has them.
        let front = unsafe { head.add(from_head) };
        // SAFETY: as above; the place is a multiple of 16.
        unsafe { front.cast::<Front>().write(Front::new()) };
    }
}
