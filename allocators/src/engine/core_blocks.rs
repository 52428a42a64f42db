//! The core of a region: two-level segregated fit over granules, blocks of any size.
//!
//! After Masmano, Ripoll, Crespo, Real, "TLSF: a new dynamic memory allocator for real-time systems"
//! (2004). Changes: sizes and links are granule numbers of 4 bytes, whether a neighbour is free is
//! read from the region's `starts` bits instead of from flags in headers, a free block may be as
//! small as one granule, and the first block of the request's own bin is tried before the size is
//! rounded up to the next bin.
//!
//! ```text
//!        header 8 bytes            next header
//!  ... | size prev check | payload of 16 n - 8 bytes | ...
//!                          ^ granule of the block; a free block keeps its two links here
//! ```
//!
//! Every operation touches at most: its own header, both neighbours' headers, two heads of bins and
//! four linked blocks. There is no loop over blocks.

use super::region::{KIND_CORE, NIL, Region};
use crate::size_classes::{GRANULE, PAGE_GRANULES};

/// Why the core could not do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// No free block is large enough.
    NoRoom,
    /// The header or link of this granule was overwritten.
    Damaged(u32),
}

/// Size of a block and of the one before it, in granules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) size: u32,
    pub(super) prev: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Links {
    next: u32,
    prev: u32,
}

const SIZE_BITS: u32 = 28;
const SIZE_MASK: u64 = (1 << SIZE_BITS) - 1;

/// The bin of free blocks of `size` granules: 32 a doubling, exact below 64 granules.
pub(super) const fn bin_of(size: u32) -> u32 {
    if size < 32 {
        size
    } else {
        let log = size.ilog2();
        (log - 4) * 32 + ((size >> (log - 5)) & 31)
    }
}

/// The least size whose bin holds only blocks of at least `size` granules.
const fn round_up_to_bin(size: u32) -> u32 {
    if size < 64 {
        size
    } else {
        size + (1 << (size.ilog2() - 5)) - 1
    }
}

impl Region {
    /// Makes the whole region one free block.
    pub(super) fn open_core(&mut self) {
        for level in 0..self.levels {
            self.set_level_bins(level, 0);
        }
        self.level_bits = 0;
        self.reach(0);
        self.write_header(
            0,
            Header {
                size: self.granules,
                prev: 0,
            },
        );
        self.insert_free(0, self.granules);
    }

    /// Whether no block of the region is out.
    pub(super) fn is_unused(&self) -> bool {
        self.kind(0) == KIND_CORE
            && !self.is_start(0)
            && self.read_header(0).is_some_and(|h| h.size == self.granules)
    }

    /// Takes a block of `size` granules. Its start bit is set.
    pub(super) fn take_block(&mut self, size: u32) -> Result<u32, Fault> {
        let (block, total) = self.find_free(size)?;
        self.unlink(block, total)?;
        self.carve(block, total, block, size)?;
        self.set_start(block);
        Ok(block)
    }

    /// Takes a block of `size` granules whose address is a multiple of `align` bytes.
    pub(super) fn take_aligned(&mut self, size: u32, align: usize) -> Result<u32, Fault> {
        let slack = u32::try_from(align / GRANULE).map_err(|_| Fault::NoRoom)? - 1;
        let (block, total) = self.find_free(size.checked_add(slack).ok_or(Fault::NoRoom)?)?;
        let address = self.address(block).addr();
        let skip = address.next_multiple_of(align) - address;
        let at = block + (skip / GRANULE) as u32;
        self.unlink(block, total)?;
        self.carve(block, total, at, size)?;
        self.set_start(at);
        Ok(at)
    }

    /// Takes a page that starts at a page boundary, as a block of 256 granules whose start bit is
    /// clear: its kind says that it is in use. With `fresh` false only memory that was used before.
    pub(super) fn take_page(&mut self, fresh: bool) -> Result<u32, Fault> {
        let (block, total) = self.find_page()?;
        let at = block.next_multiple_of(PAGE_GRANULES);
        if !fresh && at + PAGE_GRANULES > self.frontier {
            return Err(Fault::NoRoom);
        }
        self.unlink(block, total)?;
        self.carve(block, total, at, PAGE_GRANULES)?;
        Ok(at / PAGE_GRANULES)
    }

    /// Gives a block back; its start bit must be clear and its page's kind core.
    pub(super) fn give_block(&mut self, block: u32) -> Result<(), Fault> {
        let header = self.header(block)?;
        let next = block + header.size;
        let mut free = Header {
            size: header.size,
            prev: header.prev,
        };
        let mut start = block;
        if next < self.granules && !self.is_live(next) {
            let size = self.header(next)?.size;
            self.unlink(next, size)?;
            free.size += size;
        }
        if block != 0 && !self.is_live(block - header.prev) {
            start = block - header.prev;
            let before = self.header(start)?;
            self.unlink(start, before.size)?;
            free = Header {
                size: free.size + before.size,
                prev: before.prev,
            };
        }
        self.write_header(start, free);
        self.insert_free(start, free.size);
        if start != block || free.size != header.size {
            self.set_prev(start + free.size, free.size)?;
        }
        Ok(())
    }

    /// Changes the size of a live block where it lies.
    pub(super) fn resize_block(&mut self, block: u32, size: u32) -> Result<(), Fault> {
        let header = self.header(block)?;
        if size == header.size {
            return Ok(());
        }
        let next = block + header.size;
        let next_free = next < self.granules && !self.is_live(next);
        let room = if next_free {
            self.header(next)?.size
        } else {
            0
        };
        if header.size + room < size {
            return Err(Fault::NoRoom);
        }
        if next_free {
            self.unlink(next, room)?;
        }
        self.carve(block, header.size + room, block, size)
    }

    /// The granules of a live block.
    pub(super) fn block_size(&self, block: u32) -> Result<u32, Fault> {
        self.header(block).map(|h| h.size)
    }

    /// Whether a block that starts at the granule is in use.
    pub(super) fn is_live(&self, block: u32) -> bool {
        let page = block / PAGE_GRANULES;
        if block.is_multiple_of(PAGE_GRANULES) && self.kind(page) != KIND_CORE {
            return true;
        }
        self.is_start(block)
    }

    /// The header of a block if its check and its sizes hold.
    pub(super) fn read_header(&self, block: u32) -> Option<Header> {
        // SAFETY: the 8 bytes before a granule of the region belong to it, before granule 0 to the
        // padding that `plan` leaves; callers pass granules of blocks, whose headers are written.
        let word = unsafe { self.header_at(block).read() };
        let header = Header {
            size: (word & SIZE_MASK) as u32,
            prev: (word >> SIZE_BITS & SIZE_MASK) as u32,
        };
        let sound = word >> 56 == check(header, block)
            && header.size != 0
            && header.size <= self.granules - block
            && header.prev <= block;
        sound.then_some(header)
    }

    fn header(&self, block: u32) -> Result<Header, Fault> {
        self.read_header(block).ok_or(Fault::Damaged(block))
    }

    fn header_at(&self, block: u32) -> *mut u64 {
        self.address(block).wrapping_sub(8).cast()
    }

    fn write_header(&self, block: u32, header: Header) {
        let word = u64::from(header.size)
            | u64::from(header.prev) << SIZE_BITS
            | check(header, block) << 56;
        // SAFETY: as in `read_header`; the 8 bytes belong to no payload.
        unsafe { self.header_at(block).write(word) };
    }

    fn set_prev(&self, block: u32, prev: u32) -> Result<(), Fault> {
        if block < self.granules {
            let header = self.header(block)?;
            self.write_header(block, Header { prev, ..header });
        }
        Ok(())
    }

    /// Cuts `size` granules at `at` out of a free block that is in no list; the rest goes back.
    fn carve(&mut self, block: u32, total: u32, at: u32, size: u32) -> Result<(), Fault> {
        self.reach(at + size);
        let mut prev = self.header(block)?.prev;
        if at > block {
            self.write_header(
                block,
                Header {
                    size: at - block,
                    prev,
                },
            );
            self.insert_free(block, at - block);
            prev = at - block;
        }
        self.write_header(at, Header { size, prev });
        let end = at + size;
        let rest = block + total - end;
        if rest == 0 {
            return self.set_prev(end, size);
        }
        self.write_header(
            end,
            Header {
                size: rest,
                prev: size,
            },
        );
        self.insert_free(end, rest);
        self.set_prev(end + rest, rest)
    }

    /// A free block of at least `size` granules and its size. O(1).
    fn find_free(&self, size: u32) -> Result<(u32, u32), Fault> {
        if size > self.granules {
            return Err(Fault::NoRoom);
        }
        let own = bin_of(size);
        if self.level_bins(own / 32) >> (own % 32) & 1 != 0 {
            let block = self.head(own);
            let total = self.header(block)?.size;
            if total >= size {
                return Ok((block, total));
            }
        }
        self.first_of_bin(bin_of(round_up_to_bin(size)))
    }

    /// A free block that holds a page at a page boundary. O(1): two candidates are looked at.
    fn find_page(&self) -> Result<(u32, u32), Fault> {
        let (block, total) = self.first_of_bin(bin_of(PAGE_GRANULES))?;
        let skip = block.next_multiple_of(PAGE_GRANULES) - block;
        if skip + PAGE_GRANULES <= total {
            return Ok((block, total));
        }
        self.find_free(2 * PAGE_GRANULES - 1)
    }

    /// The head of the first bin from `bin` on that is not empty.
    fn first_of_bin(&self, bin: u32) -> Result<(u32, u32), Fault> {
        let level = bin / 32;
        if level >= self.levels {
            return Err(Fault::NoRoom);
        }
        let mut found = level;
        let mut bins = self.level_bins(level) & (u32::MAX << (bin % 32));
        if bins == 0 {
            let above = self.level_bits & (u32::MAX << level << 1);
            if above == 0 {
                return Err(Fault::NoRoom);
            }
            found = above.trailing_zeros();
            bins = self.level_bins(found);
        }
        let block = self.head(found * 32 + bins.trailing_zeros());
        Ok((block, self.header(block)?.size))
    }

    fn insert_free(&mut self, block: u32, size: u32) {
        let bin = bin_of(size);
        let bins = self.level_bins(bin / 32);
        let mut next = NIL;
        if bins >> (bin % 32) & 1 != 0 {
            next = self.head(bin);
            let after = self.links(next);
            self.set_links(
                next,
                Links {
                    prev: block,
                    ..after
                },
            );
        }
        self.set_links(block, Links { next, prev: NIL });
        self.set_head(bin, block);
        self.set_level_bins(bin / 32, bins | 1 << (bin % 32));
        self.level_bits |= 1 << (bin / 32);
    }

    /// Takes a free block out of its list, after its links have been found to agree with their
    /// neighbours: a write into freed memory ends here and goes no further.
    fn unlink(&mut self, block: u32, size: u32) -> Result<(), Fault> {
        let bin = bin_of(size);
        let links = self.links(block);
        let next_agrees = links.next == NIL
            || (links.next < self.granules && self.links(links.next).prev == block);
        let prev_agrees = if links.prev == NIL {
            self.level_bins(bin / 32) >> (bin % 32) & 1 != 0 && self.head(bin) == block
        } else {
            links.prev < self.granules && self.links(links.prev).next == block
        };
        if !next_agrees || !prev_agrees {
            return Err(Fault::Damaged(block));
        }
        if links.next != NIL {
            let after = self.links(links.next);
            self.set_links(
                links.next,
                Links {
                    prev: links.prev,
                    ..after
                },
            );
        }
        if links.prev != NIL {
            let before = self.links(links.prev);
            self.set_links(
                links.prev,
                Links {
                    next: links.next,
                    ..before
                },
            );
            return Ok(());
        }
        if links.next != NIL {
            self.set_head(bin, links.next);
            return Ok(());
        }
        let bins = self.level_bins(bin / 32) & !(1 << (bin % 32));
        self.set_level_bins(bin / 32, bins);
        if bins == 0 {
            self.level_bits &= !(1 << (bin / 32));
        }
        Ok(())
    }

    fn links(&self, block: u32) -> Links {
        // SAFETY: callers pass granules inside the region; whatever lies there, its bytes are
        // memory of the region that was written when the block was freed, or user data of no type.
        unsafe { self.address(block).cast::<Links>().read() }
    }

    fn set_links(&self, block: u32, links: Links) {
        // SAFETY: callers pass free blocks, whose first 8 bytes are the core's.
        unsafe { self.address(block).cast::<Links>().write(links) };
    }

    fn head(&self, bin: u32) -> u32 {
        // SAFETY: there are 32 heads a level, and callers asked the level's bits first.
        unsafe { self.bins.wrapping_add(bin as usize).read() }
    }

    fn set_head(&self, bin: u32, block: u32) {
        debug_assert!(
            bin < self.levels * 32,
            "bin {bin} of {} levels",
            self.levels
        );
        // SAFETY: there are 32 heads a level.
        unsafe { self.bins.wrapping_add(bin as usize).write(block) };
    }

    /// A bit for each bin of the level that is not empty.
    fn level_bins(&self, level: u32) -> u32 {
        // SAFETY: a word a level lies behind the heads; callers pass levels of the region.
        unsafe {
            self.bins
                .wrapping_add((self.levels * 32 + level) as usize)
                .read()
        }
    }

    fn set_level_bins(&self, level: u32, bits: u32) {
        // SAFETY: as in `level_bins`.
        unsafe {
            self.bins
                .wrapping_add((self.levels * 32 + level) as usize)
                .write(bits)
        };
    }

    /// Walks every block of the region and every list and compares them. O(blocks).
    pub(super) fn check_core(&self) -> Result<(), (&'static str, u32)> {
        let (mut at, mut prev, mut prev_free, mut free) = (0, 0, false, 0_usize);
        while at < self.granules {
            let header = self
                .read_header(at)
                .ok_or(("a block's header is damaged", at))?;
            if header.prev != prev {
                return Err(("a header disagrees with the block before it", at));
            }
            let is_free = !self.is_live(at);
            if is_free && prev_free {
                return Err(("two free neighbours were not merged", at));
            }
            free += usize::from(is_free);
            prev_free = is_free;
            prev = header.size;
            at += header.size;
        }
        self.check_bins(free)
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
                let header = self
                    .read_header(block)
                    .ok_or(("a free block is damaged", block))?;
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
        if listed == free {
            Ok(())
        } else {
            Err(("a free block is in no list", 0))
        }
    }
}

/// Eight bits over sizes and place, so that a header that was written over is noticed.
const fn check(header: Header, block: u32) -> u64 {
    let mixed = (header.size as u64 ^ (header.prev as u64) << 32 ^ (block as u64) << 16)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed >> 56
}
