//! A chunk of a pool: blocks, and after them their metadata.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

use super::group::Group;

/// The largest window, except for blocks that are larger themselves.
pub(super) const WINDOW_MAX: usize = 16 << 10;

/// The head of a chunk's metadata.
///
/// ```text
/// memory                                        first + blocks * size, rounded up
/// | block 0 | block 1 | .. | block n-1 | padding | Chunk | Group 0 | Group 1 | .. |
/// ```
///
/// # Invariants
///
/// 1. `groups` points to `group_count` groups; group `g` has the blocks that start in window
///    `first_window + g`, of which there is at least one.
/// 2. All of it is in one block of the backing, `memory` with `layout`, or in the pool's region.
///
/// Aligned as a group is on any target, so that groups follow without padding.
#[repr(align(8))]
pub(super) struct Chunk {
    pub(super) first: *mut u8,
    pub(super) blocks: usize,
    pub(super) groups: *const Group,
    pub(super) group_count: usize,
    pub(super) first_window: usize,
    /// The backing's block; none for a region.
    pub(super) memory: Option<(NonNull<u8>, Layout)>,
    /// The chunk that was allocated next.
    pub(super) younger: Cell<*const Chunk>,
    /// Whether its blocks, all free, are used only when no other is free.
    pub(super) parked: Cell<bool>,
    /// The next parked chunk.
    pub(super) next_parked: Cell<*const Chunk>,
}

/// The request for a chunk of some number of blocks.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) block_bytes: usize,
    pub(super) block_align: usize,
    pub(super) window_shift: u32,
}

impl Shape {
    /// Returns the offset of the metadata after `blocks` blocks.
    fn chunk_offset(self, blocks: usize) -> Option<usize> {
        let bytes = blocks.checked_mul(self.block_bytes)?;
        bytes.checked_next_multiple_of(align_of::<Chunk>())
    }

    /// Returns the most groups that `blocks` blocks at any address can fall into.
    pub(super) fn groups_at_most(self, blocks: usize) -> usize {
        (blocks.saturating_mul(self.block_bytes) >> self.window_shift).saturating_add(2)
    }

    /// Returns the layout of a chunk; if `windowed`, it starts at the start of a window, so that no
    /// two chunks share one.
    pub(super) fn layout(self, blocks: usize, windowed: bool) -> Option<Layout> {
        let groups = self.groups_at_most(blocks).checked_mul(size_of::<Group>())?;
        let bytes = self.chunk_offset(blocks)?;
        let bytes = bytes.checked_add(size_of::<Chunk>())?.checked_add(groups)?;
        let mut align = self.least_align();
        if windowed {
            align = align.max(WINDOW_MAX.min(1 << self.window_shift));
        }
        Layout::from_size_align(bytes, align).ok()
    }

    /// Returns the minimum alignment of a chunk.
    pub(super) fn least_align(self) -> usize {
        self.block_align.max(align_of::<Chunk>())
    }

    /// Writes the metadata of a chunk of `blocks` blocks (at least one) at `first`.
    ///
    /// # Safety
    ///
    /// `first` is aligned to [`least_align`](Self::least_align) and valid for writes of
    /// [`layout`](Self::layout)`(blocks, _)` bytes that no other code uses.
    pub(super) unsafe fn write(
        self,
        first: *mut u8,
        blocks: usize,
        memory: Option<(NonNull<u8>, Layout)>,
    ) -> NonNull<Chunk> {
        let offset = blocks * self.block_bytes;
        let offset = offset.next_multiple_of(align_of::<Chunk>());
        // SAFETY: the offset is within the memory by the caller's promise, as `layout` counted it.
        let chunk = unsafe { first.add(offset) }.cast::<Chunk>();
        // SAFETY: the groups follow the chunk, within what `layout` counted.
        let groups = unsafe { chunk.add(1) }.cast::<Group>();
        let first_window = first.addr() >> self.window_shift;
        let last_block = first.addr() + (blocks - 1) * self.block_bytes;
        let group_count = (last_block >> self.window_shift) - first_window + 1;
        let head = Chunk {
            first,
            blocks,
            groups,
            group_count,
            first_window,
            memory,
            younger: Cell::new(ptr::null()),
            parked: Cell::new(false),
            next_parked: Cell::new(ptr::null()),
        };
        for g in 0..group_count {
            let block = head.first_index(g, self);
            // SAFETY: the block's index is below `blocks`, so it is within the memory.
            let start = unsafe { first.add(block * self.block_bytes) };
            // SAFETY: `g` is below the count of groups, which `groups_at_most` covers.
            let slot = unsafe { groups.add(g) };
            // SAFETY: as above; `Group` has no stricter alignment than `Chunk`.
            unsafe { slot.write(Group::new(start)) };
        }
        // SAFETY: `layout` counted the chunk at this offset, which is a multiple of its alignment.
        unsafe { chunk.write(head) };
        // SAFETY: the pointer is within an allocation, so it is not null.
        unsafe { NonNull::new_unchecked(chunk) }
    }
}

impl Chunk {
    /// Returns the index in the chunk of the first block of group `g`; of the end for the last + 1.
    pub(super) fn first_index(&self, g: usize, shape: Shape) -> usize {
        if g == 0 {
            return 0;
        }
        if g == self.group_count {
            return self.blocks;
        }
        let window = (self.first_window + g) << shape.window_shift;
        (window - self.first.addr()).div_ceil(shape.block_bytes)
    }

    /// Returns the groups.
    pub(super) fn groups(&self) -> &[Group] {
        // SAFETY: invariant 1; groups are changed only through cells while the chunk exists.
        unsafe { core::slice::from_raw_parts(self.groups, self.group_count) }
    }

    /// Returns `true` if `address` is among the blocks.
    pub(super) fn contains(&self, address: usize, shape: Shape) -> bool {
        address.wrapping_sub(self.first.addr()) < self.blocks * shape.block_bytes
    }

    /// Returns `true` if no block is live.
    pub(super) fn is_empty(&self) -> bool {
        let mut groups = self.groups().iter();
        groups.all(|group| group.idle.get() == u64::MAX)
    }

    /// Returns how many blocks have their bit set and were allocated at least once.
    pub(super) fn marked(&self) -> u64 {
        self.groups().iter().map(|group| u64::from(group.free().count_ones())).sum()
    }

    /// Returns how many blocks were allocated at least once.
    pub(super) fn carved(&self) -> usize {
        self.groups().iter().map(|group| group.carved()).sum()
    }
}

/// Returns the base-2 logarithm of the window's bytes: at most 64 blocks start in a window, and at
/// least one in each window within a chunk.
pub(super) const fn window_shift(bytes: usize, blocks_per_chunk: usize) -> u32 {
    if bytes > WINDOW_MAX {
        return bytes.next_power_of_two().trailing_zeros();
    }
    let blocks = if blocks_per_chunk == 0 || blocks_per_chunk > 64 { 64 } else { blocks_per_chunk };
    let window = (blocks * bytes).ilog2();
    let most = WINDOW_MAX.ilog2();
    let least = bytes.next_power_of_two().trailing_zeros();
    let window = if window < most { window } else { most };
    if window > least { window } else { least }
}

const _: () = assert!(
    align_of::<Group>() <= align_of::<Chunk>()
        && size_of::<Chunk>().is_multiple_of(align_of::<Group>()),
    "groups follow a chunk without padding"
);
