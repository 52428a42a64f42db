//! The core of a region: two-level segregated fit over granules, blocks of any size.
//!
//! After Masmano, Ripoll, Crespo, Real, "TLSF: a new dynamic memory allocator for real-time
//! systems" (2004). Changes: sizes and links are granule numbers of 4 bytes, whether a neighbour is
//! free is read from the region's `starts` bits instead of from flags in headers, a free block may
//! be as small as one granule, and the first block of the request's own bin is tried before the
//! size is rounded up to the next bin.
//!
//! ```text
//!        header 8 bytes  next header
//!  ... | size | prev | payload of 16 n - 8 bytes | ...
//!                      ^ granule of the block; a free block keeps its two links here
//! ```
//!
//! Size and prev are separate words, so that a neighbour's word is written without reading its
//! line.
//!
//! Every operation touches at most: its own header, both neighbours' headers, two heads of bins and
//! four linked blocks. There is no loop over blocks.

pub(super) use self::header::Header;
pub(super) use self::header::size_of_word;
use self::header::{prev_of_word, word_of_prev, word_of_size};
use super::block_size::bin_of;
use super::region::{KIND_CORE, NIL, Region};
use super::table_word::write_number;
use crate::bookkeeping::mark;
use crate::heaps::size_classes::{GRANULE, PAGE_GRANULES};

mod header;
#[cfg(test)]
mod tests;

/// Why the core could not do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// No free block is large enough.
    NoRoom,
    /// The header or link of this granule was overwritten.
    Damaged(u32),
}

/// A free block that is the first of its bin, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    block: u32,
    total: u32,
    bin: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Links {
    next: u32,
    prev: u32,
}

impl Region {
    /// Makes the whole region one free block.
    pub(super) fn open_core(&mut self) {
        for level in 0..self.levels {
            self.set_level_bins(level, 0);
        }
        self.reach_further(0);
        self.set_size(0, self.granules);
        self.set_prev(0, 0);
        self.insert_free(0, self.granules);
    }

    /// Whether no block of the region is out.
    pub(super) fn is_unused(&self) -> bool {
        self.kind(0) == KIND_CORE
            && !self.is_start(0)
            && self.size_at(0).is_ok_and(|size| size == self.granules)
    }

    /// Takes a block of `size` granules. Its start bit is set.
    #[inline(always)]
    pub(super) fn take_block(&mut self, size: u32) -> Result<u32, Fault> {
        let found = self.find_free(size)?;
        self.unlink_head(found)?;
        let Found { block, total, .. } = found;
        self.reach(block + size);
        if total != size {
            self.split(block, total, size);
        }
        self.taken += size;
        self.set_start(block);
        Ok(block)
    }

    /// Takes a block of `size` granules whose address is a multiple of `align` bytes. Two free
    /// blocks are looked at: one that holds it wherever it begins and, where there is none, one
    /// that is large enough and may happen to be aligned, as the place of such a block is that was
    /// freed.
    pub(super) fn take_aligned(&mut self, size: u32, align: usize) -> Result<u32, Fault> {
        let slack = u32::try_from(align / GRANULE).map_err(|_| Fault::NoRoom)? - 1;
        let anywhere = size.checked_add(slack).ok_or(Fault::NoRoom)?;
        let found = match self.find_free(anywhere) {
            Err(Fault::NoRoom) => self.find_free(size)?,
            found => found?,
        };
        let Found { block, total, .. } = found;
        // Without a sum: the next multiple may be the end of the address space.
        let below = self.address(block).addr().wrapping_neg();
        let skip = ((below & (align - 1)) / GRANULE) as u32;
        if skip + size > total {
            return Err(Fault::NoRoom);
        }
        let at = block + skip;
        self.take_within(found, at, size)?;
        self.set_start(at);
        Ok(at)
    }

    /// Takes pages from a page boundary on, as a block whose start bit is clear: the kind of its
    /// first page says that it is in use. With `fresh` false only memory that was used before.
    pub(super) fn take_pages(&mut self, pages: u32, fresh: bool) -> Result<u32, Fault> {
        let granules = pages * PAGE_GRANULES;
        let found = self.find_pages(granules)?;
        let at = found.block.next_multiple_of(PAGE_GRANULES);
        if !fresh && at + granules > self.frontier {
            return Err(Fault::NoRoom);
        }
        self.take_within(found, at, granules)?;
        Ok(at / PAGE_GRANULES)
    }

    /// Takes `size` granules at `at` out of a listed free block; what is left on both sides goes
    /// back.
    fn take_within(&mut self, found: Found, at: u32, size: u32) -> Result<(), Fault> {
        self.unlink_head(found)?;
        let Found { block, total, .. } = found;
        self.taken += size;
        self.reach(at + size);
        let skipped = at - block;
        let left = total - skipped;
        if skipped > 0 {
            self.set_size(block, skipped);
            self.insert_free(block, skipped);
            self.set_prev(at, skipped);
            self.set_size(at, left);
            self.set_prev(at + left, left);
        }
        if left != size {
            self.split(at, left, size);
        }
        Ok(())
    }

    /// Gives a block back; its start bit must be clear and its page's kind core. Returns whether
    /// the region is empty now.
    #[inline(always)]
    pub(super) fn give_block(&mut self, block: u32, header: Header) -> Result<bool, Fault> {
        let (mut start, mut size) = (block, header.size);
        self.taken -= size;
        self.note_freed(block, size);
        let next = block + size;
        if next < self.granules && !self.is_live(next) {
            let more = self.size_at(next)?;
            self.unlink(next, more)?;
            size += more;
        }
        if block != 0 && !self.is_live(block - header.prev) {
            start = block - header.prev;
            if self.size_at(start)? != header.prev {
                return Err(Fault::Damaged(start));
            }
            self.unlink(start, header.prev)?;
            size += header.prev;
        }
        if size != header.size {
            self.set_prev(start + size, size);
            self.set_size(start, size);
        }
        self.insert_free(start, size);
        Ok(size == self.granules)
    }

    /// Changes the size of a live block in place.
    pub(super) fn resize_block(&mut self, block: u32, size: u32) -> Result<(), Fault> {
        let had = self.size_at(block)?;
        let mut total = had;
        let next = block + total;
        if next < self.granules && size != total && !self.is_live(next) {
            let more = self.size_at(next)?;
            if total + more < size {
                return Err(Fault::NoRoom);
            }
            self.unlink(next, more)?;
            total += more;
            self.set_size(block, total);
            self.set_prev(block + total, total);
        }
        if total < size {
            return Err(Fault::NoRoom);
        }
        self.taken = self.taken + size - had;
        if size < had {
            self.note_freed(block + size, had - size);
        }
        self.reach(block + size);
        if total != size {
            self.split(block, total, size);
        }
        Ok(())
    }

    /// Whether a block that starts at the granule is in use.
    #[inline]
    pub(super) fn is_live(&self, block: u32) -> bool {
        let page = block / PAGE_GRANULES;
        if block.is_multiple_of(PAGE_GRANULES) && self.kind(page) != KIND_CORE {
            return true;
        }
        self.is_start(block)
    }

    /// Both words of a block's header, if their places and their ranges hold.
    #[inline]
    pub(super) fn header(&self, block: u32) -> Result<Header, Fault> {
        let [size, prev] = self.opened_header(block, |header| {
            // SAFETY: as in `size_at`; the second word is the one after the size.
            unsafe { header.cast::<[u32; 2]>().read() }
        });
        let (size, prev) = (size_of_word(size, block), prev_of_word(prev, block));
        // A size of 0 is the largest here.
        if size.wrapping_sub(1) < self.granules - block && prev <= block {
            Ok(Header { size, prev })
        } else {
            Err(Fault::Damaged(block))
        }
    }

    /// The granules of a block, if their place and their range hold.
    #[inline]
    pub(super) fn size_at(&self, block: u32) -> Result<u32, Fault> {
        let word = self.opened_header(block, |header| {
            // SAFETY: the 8 bytes before a granule of the region belong to it, before granule 0 to
            // the padding that `plan` leaves; callers pass granules of blocks, whose headers are
            // written.
            unsafe { header.read() }
        });
        let size = size_of_word(word, block);
        if size.wrapping_sub(1) < self.granules - block {
            Ok(size)
        } else {
            Err(Fault::Damaged(block))
        }
    }

    /// Shows `act` the header of a block, which is closed to all others.
    #[inline]
    fn opened_header<R>(&self, block: u32, act: impl FnOnce(*mut u32) -> R) -> R {
        let header = self.address(block).wrapping_sub(8);
        mark::opened(header, 8, || act(header.cast()))
    }

    /// Shows `act` the links of a free block, which is closed to all others.
    #[inline]
    fn opened_links<R>(&self, block: u32, act: impl FnOnce(*mut u32) -> R) -> R {
        let links = self.address(block);
        mark::opened(links, size_of::<Links>(), || act(links.cast()))
    }

    #[inline]
    pub(super) fn set_size(&self, block: u32, size: u32) {
        let word = word_of_size(size, block);
        self.opened_header(block, |header| {
            // SAFETY: as in `size_at`; the word belongs to no payload, and the heap's owner alone
            // writes it.
            unsafe { write_number(header, word) };
        });
    }

    /// Writes the size of the block before a granule into the header of the block at it, if there
    /// is one.
    #[inline]
    pub(super) fn set_prev(&self, block: u32, prev: u32) {
        if block < self.granules {
            let word = word_of_prev(prev, block);
            self.opened_header(block, |header| {
                // SAFETY: as in `size_at`; the word after the size.
                unsafe { header.wrapping_add(1).write(word) };
            });
        }
    }

    /// Leaves `size` granules to a block of `total` that is in no list; frees the rest.
    #[inline(always)]
    fn split(&mut self, block: u32, total: u32, size: u32) {
        let (at, rest) = (block + size, total - size);
        self.set_size(block, size);
        self.set_size(at, rest);
        self.set_prev(at, size);
        self.set_prev(at + rest, rest);
        self.insert_free(at, rest);
    }

    /// A free block of at least `size` granules. O(1): the first of the size's own bin if it is
    /// large enough, else the first of the next bin that has any, in which all are.
    #[inline(always)]
    fn find_free(&self, size: u32) -> Result<Found, Fault> {
        if size > self.granules {
            return Err(Fault::NoRoom);
        }
        let own = bin_of(size);
        let level = own / 32;
        let mut bins = self.level_bins(level) & u32::MAX << (own % 32);
        if bins >> (own % 32) & 1 != 0 {
            let found = self.first_of(own)?;
            if found.total >= size {
                return Ok(found);
            }
            bins &= bins - 1;
        }
        if bins != 0 {
            return self.first_of(level * 32 + bins.trailing_zeros());
        }
        let above = self.level_bits & u32::MAX << level << 1;
        if above == 0 {
            return Err(Fault::NoRoom);
        }
        let level = above.trailing_zeros();
        self.first_of(level * 32 + self.level_bins(level).trailing_zeros())
    }

    /// A free block that holds `granules` from a page boundary on. O(1): two candidates are looked
    /// at.
    fn find_pages(&self, granules: u32) -> Result<Found, Fault> {
        let found = self.find_free(granules)?;
        let skip = found.block.next_multiple_of(PAGE_GRANULES) - found.block;
        if skip + granules <= found.total {
            return Ok(found);
        }
        self.find_free(granules + PAGE_GRANULES - 1)
    }

    /// The first block of a bin, or `NIL`.
    pub(super) fn first_in(&self, bin: u32) -> u32 {
        let is_empty = self.level_bins(bin / 32) >> (bin % 32) & 1 == 0;
        if is_empty { NIL } else { self.head(bin) }
    }

    /// The block after a free one in the list of its bin, or `NIL`.
    pub(super) fn next_in_bin(&self, block: u32) -> Result<u32, Fault> {
        let next = self.links(block).next;
        if self.follows(next, block) { Ok(next) } else { Err(Fault::Damaged(block)) }
    }

    /// The first block of a bin that is not empty.
    #[inline(always)]
    fn first_of(&self, bin: u32) -> Result<Found, Fault> {
        let block = self.head(bin);
        Ok(Found { block, total: self.size_at(block)?, bin })
    }

    #[inline(always)]
    fn insert_free(&mut self, block: u32, size: u32) {
        let bin = bin_of(size);
        let bins = self.level_bins(bin / 32);
        let mut next = NIL;
        if bins >> (bin % 32) & 1 != 0 {
            next = self.head(bin);
            self.set_prev_link(next, block);
        }
        self.set_links(block, Links { next, prev: NIL });
        self.set_head(bin, block);
        self.set_level_bins(bin / 32, bins | 1 << (bin % 32));
        self.level_bits |= 1 << (bin / 32);
    }

    /// Takes the first block of a bin out of it, after its links have been found to agree with the
    /// next one's.
    #[inline(always)]
    fn unlink_head(&mut self, found: Found) -> Result<(), Fault> {
        let Found { block, bin, .. } = found;
        let Links { next, prev } = self.links(block);
        if prev != NIL || !self.follows(next, block) {
            return Err(Fault::Damaged(block));
        }
        self.begin_bin(bin, next);
        Ok(())
    }

    /// Takes a free block out of its list, after its links have been found to agree with their
    /// neighbours: a write into freed memory ends here and goes no further.
    #[inline]
    fn unlink(&mut self, block: u32, size: u32) -> Result<(), Fault> {
        let Links { next, prev } = self.links(block);
        if !self.follows(next, block) {
            return Err(Fault::Damaged(block));
        }
        if prev == NIL {
            let bin = bin_of(size);
            if self.head(bin) != block {
                return Err(Fault::Damaged(block));
            }
            self.begin_bin(bin, next);
            return Ok(());
        }
        if prev >= self.granules || self.links(prev).next != block {
            return Err(Fault::Damaged(block));
        }
        self.set_next_link(prev, next);
        if next != NIL {
            self.set_prev_link(next, prev);
        }
        Ok(())
    }

    /// Whether a link leads to nothing, or to a block that says that it follows `block`.
    #[inline]
    fn follows(&self, next: u32, block: u32) -> bool {
        next == NIL || (next < self.granules && self.links(next).prev == block)
    }

    /// Makes `first`, which may be nothing, the first block of a bin.
    #[inline]
    fn begin_bin(&mut self, bin: u32, first: u32) {
        self.set_head(bin, first);
        if first != NIL {
            self.set_prev_link(first, NIL);
            return;
        }
        let bins = self.level_bins(bin / 32) & !(1 << (bin % 32));
        self.set_level_bins(bin / 32, bins);
        if bins == 0 {
            self.level_bits &= !(1 << (bin / 32));
        }
    }

    #[inline]
    fn links(&self, block: u32) -> Links {
        self.opened_links(block, |links| {
            // SAFETY: callers pass granules inside the region; whatever is there, its bytes are
            // memory of the region that was written when the block was freed, or user data of no
            // type.
            unsafe { links.cast::<Links>().read() }
        })
    }

    #[inline]
    fn set_links(&self, block: u32, links: Links) {
        self.opened_links(block, |place| {
            // SAFETY: callers pass free blocks, whose first 8 bytes are the core's.
            unsafe { place.cast::<Links>().write(links) };
        });
    }

    #[inline]
    fn set_next_link(&self, block: u32, next: u32) {
        self.opened_links(block, |links| {
            // SAFETY: as in `set_links`; `next` is the first half.
            unsafe { links.write(next) };
        });
    }

    #[inline]
    fn set_prev_link(&self, block: u32, prev: u32) {
        self.opened_links(block, |links| {
            // SAFETY: as in `set_links`; `prev` is the second half.
            unsafe { links.wrapping_add(1).write(prev) };
        });
    }

    #[inline]
    fn head(&self, bin: u32) -> u32 {
        // SAFETY: there are 32 heads a level, and callers asked the level's bits first.
        unsafe { self.bins.wrapping_add(bin as usize).read() }
    }

    #[inline]
    fn set_head(&self, bin: u32, block: u32) {
        debug_assert!(bin < self.levels * 32, "bin {bin} of {} levels", self.levels);
        // SAFETY: there are 32 heads a level.
        unsafe { self.bins.wrapping_add(bin as usize).write(block) };
    }

    /// A bit for each bin of the level that is not empty.
    #[inline]
    fn level_bins(&self, level: u32) -> u32 {
        // SAFETY: a word a level is before the heads; callers pass levels of the region.
        unsafe { self.bins.wrapping_sub(level as usize + 1).read() }
    }

    #[inline]
    fn set_level_bins(&self, level: u32, bits: u32) {
        // SAFETY: as in `level_bins`.
        unsafe { self.bins.wrapping_sub(level as usize + 1).write(bits) };
    }

    /// Walks every block of the region and every list and compares them. O(blocks).
    pub(super) fn check_core(&self) -> Result<(), (&'static str, u32)> {
        let (mut at, mut prev, mut prev_free, mut free) = (0, 0, false, 0_usize);
        let mut taken = 0;
        while at < self.granules {
            let header = self.header(at).map_err(|_| ("a block's header is damaged", at))?;
            if header.prev != prev {
                return Err(("a header disagrees with the block before it", at));
            }
            let is_free = !self.is_live(at);
            if is_free && prev_free {
                return Err(("two free neighbours were not merged", at));
            }
            free += usize::from(is_free);
            taken += if is_free { 0 } else { header.size };
            prev_free = is_free;
            prev = header.size;
            at += header.size;
        }
        self.check_bins(free)?;
        if taken == self.taken {
            Ok(())
        } else {
            Err(("the blocks taken have other sizes than were counted", 0))
        }
    }

    fn check_bins(&self, free: usize) -> Result<(), (&'static str, u32)> {
        let mut listed = 0;
        for bin in 0..self.levels * 32 {
            if self.level_bins(bin / 32) >> (bin % 32) & 1 == 0 {
                continue;
            }
            let (mut block, mut before) = (self.head(bin), NIL);
            while block != NIL {
                if block >= self.granules {
                    return Err(("a free list leaves the region", before));
                }
                let header = self.header(block).map_err(|_| ("a free block is damaged", block))?;
                let links = self.links(block);
                if bin_of(header.size) != bin || links.prev != before || self.is_live(block) {
                    return Err(("a free list is damaged", block));
                }
                listed += 1;
                if listed > free {
                    return Err(("a free list has a block twice", block));
                }
                (before, block) = (block, links.next);
            }
        }
        if listed == free { Ok(()) } else { Err(("a free block is in no list", 0)) }
    }
}
