//! A region in which a frame allocates: its cursor, its records and its dead bits.

use core::cell::Cell;
use core::ptr::NonNull;

use super::record::{DeadBits, GRAIN, Record};
use crate::bookkeeping::mark;
use crate::contract::allocator::{Block, Damage};
use crate::contract::misuse::Misuse;

/// The record before all others, for frames whose region is too small for one.
static GROUND: Record = Record::GROUND;

/// A region and its state. A frame has that of the chunk in use in itself, and those of its older
/// chunks are in their headers.
///
/// # Invariants
///
/// Those of [`FrameAllocator`](super::FrameAllocator) numbered 1 to 4.
#[derive(Clone)]
pub(super) struct Chunk<const MIN_ALIGN: usize> {
    pub(super) memory: Cell<NonNull<u8>>,
    pub(super) cursor: Cell<NonNull<u8>>,
    pub(super) table: Cell<*mut Record>,
    pub(super) ground: Cell<*mut Record>,
    pub(super) dead: DeadBits,
    /// Dead blocks and gaps.
    pub(super) odd: Cell<usize>,
}

impl<const MIN_ALIGN: usize> Chunk<MIN_ALIGN> {
    /// Returns the distance between the starts of blocks of `bytes` bytes; zero for gaps and spans.
    #[inline]
    pub(super) const fn stride(bytes: usize) -> usize {
        // `bytes` is at most `isize::MAX`, as a layout's size is, or the ground's, of which no use
        // is made if it wraps.
        bytes.wrapping_add(MIN_ALIGN - 1) & !(MIN_ALIGN - 1)
    }

    /// # Safety
    ///
    /// `memory` is valid for `bytes` bytes for as long as the chunk is used, and used by no other
    /// code.
    pub(super) unsafe fn over(memory: NonNull<u8>, bytes: usize) -> Self {
        // Small, so that a size rounded up to it and to an alignment does not overflow.
        const {
            let is_valid = MIN_ALIGN.is_power_of_two() && MIN_ALIGN >= GRAIN && MIN_ALIGN <= 4096;
            assert!(is_valid, "the least alignment is a power of two from 8 to 4096");
        }
        let skipped = memory.addr().get().wrapping_neg() % MIN_ALIGN;
        let used = bytes.min(u32::MAX as usize).saturating_sub(skipped) / GRAIN * GRAIN;
        let behind = size_of::<u64>() * DeadBits::words_for(used) + size_of::<Record>();
        let (memory, ground, dead) = if behind <= used {
            // SAFETY: `skipped` is less than the length of the memory, or `used` would be zero.
            let memory = unsafe { memory.add(skipped) };
            // SAFETY: `used` bytes follow, and `behind` is at most as large.
            let ground = unsafe { memory.add(used - behind) }.cast::<Record>();
            // SAFETY: a record fits here, at a multiple of 8.
            unsafe { ground.write(Record::GROUND) };
            // SAFETY: the words follow the ground up to the end of the used bytes.
            let words = unsafe { ground.add(1) }.cast::<Cell<u64>>();
            // SAFETY: they are enough for every offset below `used`.
            (memory, ground, unsafe { DeadBits::new(words.as_ptr()) })
        } else {
            // Cursor and table at one address: no room for blocks.
            let ground = NonNull::from(&GROUND);
            (ground.cast(), ground, DeadBits::none())
        };
        mark::no_access(memory, ground.addr().get() - memory.addr().get());
        Self {
            memory: Cell::new(memory),
            cursor: Cell::new(memory),
            table: Cell::new(ground.as_ptr()),
            ground: Cell::new(ground.as_ptr()),
            dead,
            odd: Cell::new(0),
        }
    }

    /// Returns the bytes that a region needs in which a block of `bytes` bytes and this alignment
    /// fits, if it begins at a multiple of 8.
    pub(super) fn bytes_for(bytes: usize, align: usize) -> Option<usize> {
        // Padding, and records for the gap, the block and the ground.
        let blocks = Self::stride(bytes).checked_add(align.max(MIN_ALIGN) - GRAIN)?;
        let blocks = blocks.checked_add(3 * size_of::<Record>())?;
        // One word for each 64 grains: a 64th of all, rounded up.
        let used = blocks.checked_add(blocks / 63)?.checked_add(3 * GRAIN)?;
        (used <= u32::MAX as usize).then_some(used)
    }

    /// Returns whether the block fits after the cursor.
    pub(super) fn fits(&self, bytes: usize, align: usize) -> bool {
        let padding = self.cursor.get().addr().get().wrapping_neg() & (align - 1);
        // A size rounded up to its alignment is at most `isize::MAX`, so the sum does not overflow.
        padding + Self::stride(bytes) + 2 * size_of::<Record>() <= self.room()
    }

    /// Makes this the chunk `other`.
    pub(super) fn set_all(&self, other: &Self) {
        self.memory.set(other.memory.get());
        self.cursor.set(other.cursor.get());
        self.table.set(other.table.get());
        self.ground.set(other.ground.get());
        self.dead.set_all(&other.dead);
        self.odd.set(other.odd.get());
    }

    /// Returns the memory and its length, or no bytes if they are too few for a frame.
    pub(super) fn region(&self) -> (NonNull<u8>, usize) {
        if self.dead.is_none() {
            return (NonNull::dangling(), 0);
        }
        let bytes = self.end() - self.memory.get().addr().get() + size_of::<Record>();
        // The words, as many as cover their own bytes too.
        let mut words = 0;
        while words < DeadBits::words_for(bytes + words * size_of::<u64>()) {
            words += 1;
        }
        (self.memory.get(), bytes + words * size_of::<u64>())
    }

    /// Forgets all blocks.
    pub(super) fn clear(&self) {
        self.dead.clear_all();
        self.odd.set(0);
        self.table.set(self.ground.get());
        self.cursor.set(self.memory.get());
        mark::no_access(self.memory.get(), self.room());
    }

    /// Makes all bytes addressable, before they go back to their owner.
    pub(super) fn unmark(&self) {
        mark::undefined(self.memory.get(), self.end() - self.memory.get().addr().get());
    }

    /// Returns the address at which the records end.
    fn end(&self) -> usize {
        self.ground.get().addr()
    }

    /// Returns whether `address` is between the first block and the end of the records.
    pub(super) fn owns(&self, address: *const u8) -> bool {
        let memory = self.memory.get().addr().get();
        address.addr().wrapping_sub(memory) < self.end() - memory
    }

    #[inline]
    pub(super) fn room(&self) -> usize {
        // Invariant 2: the cursor is not past the table.
        self.table.get().addr() - self.cursor.get().addr().get()
    }

    /// Returns the newest record, or the ground.
    #[inline]
    pub(super) fn youngest(&self) -> Record {
        // SAFETY: invariant 1: a record or the ground.
        unsafe { self.table.get().read() }
    }

    #[inline]
    pub(super) fn offset_of(&self, block: NonNull<u8>) -> usize {
        block.addr().get().wrapping_sub(self.memory.get().addr().get())
    }

    /// Returns the bytes before the cursor.
    pub(super) fn used(&self) -> usize {
        self.offset_of(self.cursor.get())
    }

    #[inline]
    pub(super) fn at(&self, offset: usize) -> NonNull<u8> {
        // SAFETY: callers pass offsets up to the cursor's (invariant 2).
        unsafe { self.memory.get().add(offset) }
    }

    /// Returns the offset at which the run, gap or span of `record` starts.
    pub(super) fn start_of(&self, record: Record) -> usize {
        record.offset(self.memory.get())
    }

    /// Returns the number of records.
    pub(super) fn records(&self) -> usize {
        (self.end() - self.table.get().addr()) / size_of::<Record>()
    }

    /// Returns the `n`th oldest record.
    pub(super) fn record(&self, n: usize) -> Record {
        // SAFETY: callers pass numbers below `records`; that many records are below the ground.
        let place = unsafe { self.ground.get().sub(n + 1) };
        // SAFETY: as above.
        unsafe { place.read() }
    }

    /// Returns the offset at which the run, gap or span of record `n` ends.
    pub(super) fn end_of(&self, n: usize) -> usize {
        if n + 1 == self.records() { self.used() } else { self.start_of(self.record(n + 1)) }
    }

    /// Appends a record. There is room for it.
    #[inline]
    pub(super) fn push(&self, record: Record) {
        // SAFETY: the caller has found room for a record below the table.
        let table = unsafe { self.table.get().sub(1) };
        mark::undefined_at(table.cast(), size_of::<Record>());
        // SAFETY: as above, and the table is aligned.
        unsafe { table.write(record) };
        self.table.set(table);
    }

    /// Moves the cursor to the start of the last block; `only` if it is its run's only block.
    pub(super) fn cut_last(&self, block: NonNull<u8>, only: bool) {
        if only {
            mark::no_access_at(self.table.get().cast(), size_of::<Record>());
            // SAFETY: invariant 1: after a record comes another or the ground.
            self.table.set(unsafe { self.table.get().add(1) });
        }
        // Through the offset, as the pointer passed in may not have provenance beyond.
        self.cursor.set(self.at(self.offset_of(block)));
    }

    /// Removes gaps and dead blocks at the end.
    #[inline(never)]
    pub(super) fn cut_odd(&self) {
        while self.table.get() != self.ground.get() {
            let youngest = self.youngest();
            let first = self.at(self.start_of(youngest));
            if youngest.is_gap() {
                self.cut_last(first, true);
            } else {
                if youngest.is_span() {
                    return;
                }
                let last = self.used() - Self::stride(youngest.bytes());
                if !self.dead.get(last) {
                    return;
                }
                self.dead.clear(last);
                self.cut_last(self.at(last), last == self.start_of(youngest));
            }
            self.odd.set(self.odd.get() - 1);
        }
    }

    /// Returns the record of the live block at `block`, or the misuse that the address shows.
    ///
    /// # Complexity
    ///
    /// O(1) for the last block, O(log runs) for others.
    pub(super) fn find(&self, block: NonNull<u8>) -> Result<Record, Misuse> {
        let offset = self.offset_of(block);
        if offset >= self.table.get().addr() - self.memory.get().addr().get() {
            return Err(Misuse::ForeignFree);
        }
        let cursor = self.used();
        if offset >= cursor {
            // Free memory: a block was here, or can be here later.
            return Err(Misuse::DoubleFree);
        }
        // The cursor is not at the start, so there is a record, and the newest is not a gap.
        let youngest = self.youngest();
        if offset == cursor - Self::stride(youngest.bytes()) {
            return Ok(youngest);
        }
        // The last record that starts at or before the offset is at `at` or above, below `above`.
        let (mut at, mut above) = (0, self.records());
        while above - at > 1 {
            let middle = at + (above - at) / 2;
            if self.start_of(self.record(middle)) <= offset {
                at = middle;
            } else {
                above = middle;
            }
        }
        let found = self.record(at);
        if found.is_gap() || found.is_span() {
            return Err(Misuse::ForeignFree);
        }
        if !(offset - self.start_of(found)).is_multiple_of(Self::stride(found.bytes())) {
            return Err(Misuse::InteriorFree);
        }
        if self.dead.get(offset) {
            return Err(Misuse::DoubleFree);
        }
        Ok(found)
    }

    pub(super) fn walk(&self, visit: &mut dyn FnMut(Block)) {
        for n in 0..self.records() {
            let record = self.record(n);
            let (start, end) = (self.start_of(record), self.end_of(n));
            if record.is_gap() {
                continue;
            }
            if record.is_span() {
                visit(Block { address: self.at(start), bytes: end - start, site: None });
                continue;
            }
            for offset in (start..end).step_by(Self::stride(record.bytes())) {
                if !self.dead.get(offset) {
                    visit(Block { address: self.at(offset), bytes: record.bytes(), site: None });
                }
            }
        }
    }

    /// Checks the records; returns how many blocks are live and their bytes.
    pub(super) fn verify(&self) -> Result<(u64, u64), Damage> {
        let damage = |what, offset: usize| {
            let address = self.memory.get().as_ptr().wrapping_add(offset);
            Err(Damage { what, address })
        };
        // SAFETY: the ground is written when the chunk is created and stays as long as it does.
        if unsafe { self.ground.get().read() } != Record::GROUND {
            return damage("the end of the table is overwritten", 0);
        }
        let cursor = self.used();
        let (mut end, mut odd, mut live, mut live_bytes) = (0, 0, 0, 0);
        let mut last_is_dead = false;
        for n in 0..self.records() {
            let record = self.record(n);
            let start = self.start_of(record);
            if start != end {
                return damage("a record does not start where the one before it ends", end);
            }
            end = self.end_of(n);
            if end <= start || end > cursor {
                return damage("a record is out of order", start);
            }
            last_is_dead = record.is_gap();
            odd += usize::from(record.is_gap());
            if record.is_gap() {
                continue;
            }
            if record.is_span() {
                live += 1;
                live_bytes += (end - start) as u64;
                continue;
            }
            if !(end - start).is_multiple_of(Self::stride(record.bytes())) {
                return damage("a run ends within a block", start);
            }
            for offset in (start..end).step_by(Self::stride(record.bytes())) {
                last_is_dead = self.dead.get(offset);
                odd += usize::from(last_is_dead);
                live += u64::from(!last_is_dead);
                live_bytes += u64::from(!last_is_dead) * record.bytes() as u64;
            }
        }
        if end != cursor || last_is_dead {
            return damage("the cursor is not the end of the last live block", cursor);
        }
        if odd != self.odd.get() {
            return damage("the dead bits and the count of dead blocks differ", 0);
        }
        Ok((live, live_bytes))
    }
}
