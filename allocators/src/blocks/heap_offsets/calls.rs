//! Taking, giving back and resizing blocks.

use super::bins::Bins;
use super::nodes::NIL;
use super::{HeapOffsets, OffsetBlock};
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::{Misuse, Report, misuse};

/// Nodes of a bin that are looked at.
const LOOKS: u32 = 4;

impl<B: Allocator + ?Sized> HeapOffsets<'_, B> {
    pub(super) fn take(&self, len: u64, align: u64) -> Result<OffsetBlock, AllocError> {
        // A block before and one after what is taken.
        self.nodes.reserve(2)?;
        let (node, skip) = self.find(len, align).ok_or(AllocError)?;
        self.unlink(node);
        let of = self.nodes.at(node);
        let taken = if skip == 0 {
            node
        } else {
            let taken = self.nodes.take(of.offset.get() + skip, of.len.get() - skip);
            self.nodes.at(node).len.set(skip);
            self.put_after(taken, node);
            self.list(node);
            taken
        };
        self.cut(taken, len);
        let of = self.nodes.at(taken);
        of.life.set(of.life.get().wrapping_add(1));
        self.live.set(self.live.get() + 1);
        self.allocations_total.set(self.allocations_total.get() + 1);
        self.count_granted(len);
        Ok(OffsetBlock { offset: of.offset.get(), node: taken, life: of.life.get() })
    }

    /// A free block that holds `len` from a multiple of `align` on, and how far that is from its
    /// start.
    fn find(&self, len: u64, align: u64) -> Option<(u32, u64)> {
        let own = Bins::of(len);
        if align == 1
            && let Some(longer) = self.bins.next_after(own)
        {
            return Some((self.shorter(self.bins.head(own), self.bins.head(longer), len), 0));
        }
        if let Some(found) = self.find_in(own, len, align) {
            return Some(found);
        }
        // The first block of a longer bin is long enough, and may happen to be aligned. Where it is
        // not, one holds the block wherever it begins that has room for what is skipped at most.
        let longer = self.bins.head(self.bins.next_after(own)?);
        if let Some(skip) = self.skip_in(longer, len, align) {
            return Some((longer, skip));
        }
        let anywhere = Bins::of(len.checked_add(align - 1)?);
        if let Some(found) = self.find_in(anywhere, len, align) {
            return Some(found);
        }
        let node = self.bins.head(self.bins.next_after(anywhere)?);
        self.skip_in(node, len, align).map(|skip| (node, skip))
    }

    /// The first block of the bin of `len` if there is one and it is long enough, else `longer`. In a
    /// full range that is a matter of chance, so it is no branch.
    #[inline]
    fn shorter(&self, own: u32, longer: u32, len: u64) -> u32 {
        let nodes = self.nodes.all();
        let first = &nodes[(own as usize).min(nodes.len() - 1)];
        let fits = (own != NIL) & (first.len.get() >= len);
        [longer, own][usize::from(fits)]
    }

    /// One of the first blocks of a bin that holds `len` at a multiple of `align`.
    #[inline]
    fn find_in(&self, bin: u32, len: u64, align: u64) -> Option<(u32, u64)> {
        let mut node = self.bins.head(bin);
        for _ in 0..LOOKS {
            if node == NIL {
                return None;
            }
            if let Some(skip) = self.skip_in(node, len, align) {
                return Some((node, skip));
            }
            node = self.nodes.at(node).next.get();
        }
        None
    }

    /// How far from the start of a free block `len` fits at a multiple of `align`, if it does.
    #[inline]
    fn skip_in(&self, node: u32, len: u64, align: u64) -> Option<u64> {
        let of = self.nodes.at(node);
        let over = if align == 1 { 0 } else { of.offset.get() % align };
        let skip = if over == 0 { 0 } else { align - over };
        (skip <= of.len.get() && of.len.get() - skip >= len).then_some(skip)
    }

    pub(super) fn give(&self, node: u32) {
        let of = self.nodes.at(node);
        let len = of.len.get();
        of.life.set(of.life.get().wrapping_add(1));
        self.live.set(self.live.get() - 1);
        self.granted.set(self.granted.get() - len);
        let (before, after) = (of.before.get(), of.after.get());
        let mut start = node;
        if before != NIL && !self.nodes.at(before).is_live() {
            self.unlink(before);
            self.join(before, node);
            start = before;
        }
        if after != NIL && !self.nodes.at(after).is_live() {
            self.unlink(after);
            self.join(start, after);
        }
        self.list(start);
    }

    pub(super) fn resize(&self, node: u32, len: u64) -> Result<(), AllocError> {
        let had = self.nodes.at(node).len.get();
        let after = self.nodes.at(node).after.get();
        let is_free = after != NIL && !self.nodes.at(after).is_live();
        if len < had {
            if is_free {
                let more = had - len;
                self.unlink(after);
                self.nodes.at(node).len.set(len);
                self.move_start(after, 0, more);
                self.list(after);
            } else {
                self.nodes.reserve(1)?;
                self.cut(node, len);
            }
            self.granted.set(self.granted.get() - (had - len));
        } else if len > had {
            let more = len - had;
            let room = if is_free { self.nodes.at(after).len.get() } else { 0 };
            if room < more {
                return Err(AllocError);
            }
            self.unlink(after);
            if room == more {
                self.join(node, after);
            } else {
                self.nodes.at(node).len.set(len);
                self.move_start(after, more, 0);
                self.list(after);
            }
            self.count_granted(more);
        }
        Ok(())
    }

    pub(super) fn extend_by(&self, more: u64) -> Result<(), AllocError> {
        let last = self.last.get();
        if last != NIL && !self.nodes.at(last).is_live() {
            self.unlink(last);
            let of = self.nodes.at(last);
            of.len.set(of.len.get() + more);
            self.list(last);
        } else {
            self.nodes.reserve(1)?;
            let node = self.nodes.take(self.end.get(), more);
            self.put_after(node, last);
            self.list(node);
        }
        self.end.set(self.end.get() + more);
        Ok(())
    }

    /// Reports a block that is not live here.
    #[cold]
    #[track_caller]
    pub(super) fn wrong(&self, block: OffsetBlock) {
        let node = self.nodes.all().get(block.node as usize);
        let was_here = node.is_some_and(|node| {
            let later = node.life.get().wrapping_sub(block.life);
            block.life % 2 == 1 && (1..u32::MAX / 2).contains(&later)
        });
        let kind = if was_here { Misuse::DoubleFree } else { Misuse::ForeignFree };
        misuse(
            &Report::new(kind, self.name, core::ptr::null())
                .with_site(core::panic::Location::caller())
                .with_detail(format_args!("offset {}", block.offset)),
        );
    }

    /// Leaves `len` to a block that is in no list; the rest becomes a free block, for which a node
    /// was reserved.
    fn cut(&self, node: u32, len: u64) {
        let of = self.nodes.at(node);
        let rest = of.len.get() - len;
        if rest == 0 {
            return;
        }
        of.len.set(len);
        let after = self.nodes.take(self.nodes.at(node).offset.get() + len, rest);
        self.put_after(after, node);
        self.list(after);
    }

    /// Makes the block after another one part of it.
    fn join(&self, node: u32, after: u32) {
        let (of, other) = (self.nodes.at(node), self.nodes.at(after));
        of.len.set(of.len.get() + other.len.get());
        let next = other.after.get();
        of.after.set(next);
        if next == NIL {
            self.last.set(node);
        } else {
            self.nodes.at(next).before.set(node);
        }
        self.nodes.give(after);
    }

    /// Moves the start of a block in no list up or down.
    fn move_start(&self, node: u32, up: u64, down: u64) {
        let of = self.nodes.at(node);
        of.offset.set(of.offset.get() + up - down);
        of.len.set(of.len.get() + down - up);
    }

    /// Puts a new node after another one, or first if that is `NIL`.
    fn put_after(&self, node: u32, before: u32) {
        let of = self.nodes.at(node);
        of.before.set(before);
        let next = if before == NIL { NIL } else { self.nodes.at(before).after.replace(node) };
        of.after.set(next);
        if next == NIL {
            self.last.set(node);
        } else {
            self.nodes.at(next).before.set(node);
        }
    }

    /// Puts a free block into the list of its bin, as the first.
    fn list(&self, node: u32) {
        let of = self.nodes.at(node);
        let bin = Bins::of(of.len.get());
        let next = self.bins.head(bin);
        of.next.set(next);
        of.prev.set(NIL);
        if next != NIL {
            self.nodes.at(next).prev.set(node);
        }
        self.bins.set_head(bin, node);
    }

    /// Takes a free block out of the list of its bin.
    fn unlink(&self, node: u32) {
        let of = self.nodes.at(node);
        let (next, prev) = (of.next.get(), of.prev.get());
        if next != NIL {
            self.nodes.at(next).prev.set(prev);
        }
        if prev == NIL {
            self.bins.set_head(Bins::of(of.len.get()), next);
        } else {
            self.nodes.at(prev).next.set(next);
        }
    }

    fn count_granted(&self, len: u64) {
        let granted = self.granted.get() + len;
        self.granted.set(granted);
        self.peak_granted.set(self.peak_granted.get().max(granted));
        self.granted_total.set(self.granted_total.get().wrapping_add(len));
    }
}
