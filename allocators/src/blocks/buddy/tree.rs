//! The tree itself: used bits, free lists, splitting and merging. It keeps no counters and reports
//! only damage; `calls` builds the allocator's calls from it.

use core::cell::Cell;
use core::ops::Deref;
use core::ptr::NonNull;

use crate::blocks::buddy::meta::{Front, Head, NIL};
use crate::blocks::buddy::node::Node;
use crate::blocks::buddy::shape::Shape;
use crate::bookkeeping::mark;
use crate::contract::misuse::{Misuse, Report, misuse};

/// The neighbours of a free block in its list, by their first leaves.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Link {
    pub(crate) next: Cell<u32>,
    pub(crate) prev: Cell<u32>,
}

/// A link that is unpoisoned while this exists, if it is in a free block that the tools watch.
pub(crate) struct OpenLink<'t> {
    link: &'t Link,
    watch: &'t mark::Watch,
}

impl Deref for OpenLink<'_> {
    type Target = Link;

    #[inline(always)]
    fn deref(&self) -> &Link {
        self.link
    }
}

impl Drop for OpenLink<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.watch.is_on() {
            mark::no_access(NonNull::from(self.link).cast(), size_of::<Link>());
        }
    }
}

/// The places of a tree's parts. The links of the free blocks are in the blocks themselves or in a
/// separate array; `link_shift` distinguishes the two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    /// The header.
    pub(crate) head: NonNull<u8>,
    /// The link of the first present leaf.
    pub(crate) links: NonNull<u8>,
    /// log2 of the bytes from the link of a leaf to that of the next.
    pub(crate) link_shift: u32,
    /// The address that reports show for the first present leaf.
    pub(crate) origin: *const u8,
    /// The address that leaf 0 has, as a number.
    pub(crate) home: u64,
}

/// A buddy tree over metadata and links that are stored elsewhere.
///
/// # Invariants
///
/// 1. `head`, `lists`, `fronts` and `bits` are valid for reads and writes, initialised, aligned, as
///    long as `shape` requires, and reached only through this tree while it exists.
/// 2. For each leaf in `first..end`, `links + ((leaf - first) << link_shift)` is valid for a `Link`
///    and aligned while a free block starts at that leaf.
/// 3. A block that is present and in use, whole or in part, has its bit set, and so has each block
///    that is missing in whole or in part. A free block and every block inside a free or an
///    allocated one has its bit clear. A split block has a half whose bit is set.
/// 4. The list of height h holds exactly the free blocks of that height, each linked both ways, and
///    bit h of `heights` is set exactly while the list holds any.
/// 5. The front of height h has freed blocks of that height; their bits are those of allocated
///    blocks, each is in it once, and none of them is live.
/// 6. No two free halves of one block exist: they would have been merged.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    head: NonNull<Head>,
    lists: NonNull<[Cell<u32>]>,
    fronts: NonNull<[Front]>,
    bits: NonNull<[Cell<u64>]>,
    links: NonNull<u8>,
    link_shift: u32,
    /// The number whose bit is bit 0 of the first word.
    bits_from: u32,
    pub(crate) shape: Shape,
    /// The largest power of two that leaf 0 is aligned to.
    pub(crate) grid: u64,
    pub(crate) home: u64,
    pub(crate) origin: *const u8,
    pub(crate) name: &'a str,
    /// Set if the links are in the blocks: then the free ones are poisoned except for short
    /// moments.
    pub(crate) watch: mark::Watch,
}

impl<'a> Tree<'a> {
    /// Creates a tree over its parts.
    ///
    /// # Safety
    ///
    /// `parts.head` is aligned to 16, valid for `shape.meta_bytes()` bytes, which are initialised
    /// and reached only through the tree while it exists; invariant 2 holds for `parts.links`.
    pub(crate) unsafe fn over(name: &'a str, shape: Shape, parts: Parts) -> Self {
        let head = parts.head;
        // SAFETY: the metadata reaches to `meta_bytes`, and the lists start after the header.
        let lists = unsafe { head.add(size_of::<Head>()) };
        // SAFETY: as above; the fronts start where the shape says.
        let fronts = unsafe { head.add(shape.fronts_at()) };
        // SAFETY: as above; the bits end the metadata.
        let bits = unsafe { head.add(shape.bits_at()) };
        Self {
            head: head.cast(),
            lists: NonNull::slice_from_raw_parts(lists.cast(), shape.top as usize + 1),
            fronts: NonNull::slice_from_raw_parts(fronts.cast(), shape.fronts() as usize),
            bits: NonNull::slice_from_raw_parts(bits.cast(), shape.words()),
            links: parts.links,
            link_shift: parts.link_shift,
            bits_from: shape.bits_from(),
            shape,
            grid: 1 << parts.home.trailing_zeros().min(63),
            home: parts.home,
            origin: parts.origin,
            name,
            watch: mark::Watch::new(parts.links.as_ptr().cast_const() == parts.origin),
        }
    }

    /// Initialises the tree in fresh metadata: everything present is free.
    pub(crate) fn plant(&self) {
        for list in self.lists() {
            list.set(NIL);
        }
        let Shape { first, end, top, .. } = self.shape;
        let from = self.bits_from;
        for number in from..=(first << 1) {
            self.set(Node(number));
        }
        // The last number is 2^32 - 1, so the end is computed in 64 bits.
        let to = u64::from(from) + 64 * self.bits().len() as u64;
        for number in u64::from(end) << 1..to {
            self.set(Node(number as u32));
        }
        // Partly present blocks, if they have bits.
        for height in 1..=top {
            for edge in [first, end] {
                let node = Node::around(edge, height);
                if edge >> height << height != edge {
                    self.set(node);
                }
            }
        }
        self.close(first, end - first);
        // Backwards, so that the lists start with the lowest addresses.
        let mut to = end;
        while to > first {
            let height = to.trailing_zeros().min((to - first).ilog2());
            to -= 1 << height;
            self.push_free(to, height);
        }
    }

    #[inline]
    pub(crate) fn head(&self) -> &Head {
        // SAFETY: invariant 1.
        unsafe { self.head.as_ref() }
    }

    #[inline]
    pub(crate) fn lists(&self) -> &[Cell<u32>] {
        // SAFETY: invariant 1.
        unsafe { self.lists.as_ref() }
    }

    #[inline]
    pub(crate) fn fronts(&self) -> &[Front] {
        // SAFETY: invariant 1.
        unsafe { self.fronts.as_ref() }
    }

    #[inline]
    pub(crate) fn bits(&self) -> &[Cell<u64>] {
        // SAFETY: invariant 1.
        unsafe { self.bits.as_ref() }
    }

    /// Returns the place of a block's bit, if it has one.
    #[inline]
    fn index(&self, node: Node) -> Option<(&Cell<u64>, u64)> {
        let at = node.0.wrapping_sub(self.bits_from);
        let word = self.bits().get((at >> 6) as usize)?;
        Some((word, 1 << (at & 63)))
    }

    /// Returns `true` if a block is used, whole or in part. Blocks outside the window are.
    #[inline]
    pub(crate) fn used(&self, node: Node) -> bool {
        match self.index(node) {
            Some((word, bit)) => word.get() & bit != 0,
            None => true,
        }
    }

    #[inline]
    pub(crate) fn set(&self, node: Node) {
        if let Some((word, bit)) = self.index(node) {
            word.set(word.get() | bit);
        }
    }

    #[inline]
    pub(crate) fn unset(&self, node: Node) {
        if let Some((word, bit)) = self.index(node) {
            word.set(word.get() & !bit);
        }
    }

    /// Returns `true` if a block is allocated or in a front: used, with no half used.
    #[inline]
    pub(crate) fn is_whole(&self, node: Node, height: u32) -> bool {
        if height == 0 {
            return self.used(node);
        }
        self.used(node) & !self.used(node.left(height)) & !self.used(node.right(height))
    }

    /// Returns the link of a free block, if the leaf is present.
    #[inline]
    pub(crate) fn link(&self, leaf: u32) -> Option<OpenLink<'_>> {
        let at = leaf.wrapping_sub(self.shape.first);
        if at >= self.shape.leaves() {
            return None;
        }
        // SAFETY: invariant 2: the leaf is present, so its link is in the same allocation.
        let link = unsafe { self.links.add((at as usize) << self.link_shift) };
        if self.watch.is_on() {
            mark::defined(link, size_of::<Link>());
        }
        // SAFETY: invariant 2: it is valid and aligned. Any bytes are a `Link`; its values are
        // checked before they are followed.
        let link = unsafe { link.cast::<Link>().as_ref() };
        Some(OpenLink { link, watch: &self.watch })
    }

    /// Poisons `leaves` leaves from `leaf` on for the tools.
    #[inline(always)]
    pub(crate) fn close(&self, leaf: u32, leaves: u32) {
        if self.watch.is_on() {
            mark::no_access_at(self.place(leaf), (leaves as usize) << self.link_shift);
        }
    }

    /// Unpoisons `leaves` leaves from `leaf` on for the tools, their contents undefined.
    #[inline(always)]
    pub(crate) fn open(&self, leaf: u32, leaves: u32) {
        if self.watch.is_on() {
            mark::undefined_at(self.place(leaf), (leaves as usize) << self.link_shift);
        }
    }

    /// As [`open`](Self::open), for leaves whose contents another owner may have written.
    pub(crate) fn open_as_it_is(&self, leaf: u32, leaves: u32) {
        if self.watch.is_on() {
            mark::defined_at(self.place(leaf), (leaves as usize) << self.link_shift);
        }
    }

    /// Makes everything addressable for readers of the arena's bytes, permanently.
    pub(crate) fn open_for_good(&self) {
        if self.watch.is_on() {
            let bytes = (self.shape.leaves() as usize) << self.link_shift;
            mark::defined(self.links, bytes);
            self.watch.stop();
        }
    }

    /// Returns the address of a leaf, if the tree is watched: its links are then in the leaves.
    #[inline(always)]
    fn place(&self, leaf: u32) -> *mut u8 {
        let at = leaf.wrapping_sub(self.shape.first) as usize;
        self.links.as_ptr().wrapping_add(at << self.link_shift)
    }

    /// Returns the link of a leaf that another link named; damage if it does not exist.
    #[inline]
    fn link_or_damage(&self, leaf: u32) -> OpenLink<'_> {
        match self.link(leaf) {
            Some(link) => link,
            None => self.damage(leaf),
        }
    }

    /// Inserts a block whose bit is clear into its list.
    pub(crate) fn push_free(&self, leaf: u32, height: u32) {
        let list = &self.lists()[height as usize];
        let next = list.replace(leaf);
        let link = self.link_or_damage(leaf);
        link.next.set(next);
        link.prev.set(NIL);
        if next == NIL {
            let heights = &self.head().books.heights;
            heights.set(heights.get() | (1 << height));
        } else {
            self.link_or_damage(next).prev.set(leaf);
        }
    }

    /// Removes a block from its list. Its bit stays clear.
    pub(crate) fn unlink(&self, leaf: u32, height: u32) {
        let link = self.link_or_damage(leaf);
        let (next, prev) = (link.next.get(), link.prev.get());
        let list = &self.lists()[height as usize];
        // Links are in free memory, which a write after a free may have changed: both neighbours
        // must agree before anything is changed.
        let after = (next != NIL).then(|| self.link_or_damage(next));
        if after.as_ref().is_some_and(|after| after.prev.get() != leaf) {
            self.damage(leaf);
        }
        if prev == NIL {
            if list.get() != leaf {
                self.damage(leaf);
            }
            list.set(next);
            if next == NIL {
                let heights = &self.head().books.heights;
                heights.set(heights.get() & !(1 << height));
            }
        } else {
            let before = self.link_or_damage(prev);
            if before.next.get() != leaf {
                self.damage(leaf);
            }
            before.next.set(next);
        }
        if let Some(after) = after {
            after.prev.set(prev);
        }
    }

    /// Takes a block of `height` from the smallest free one that contains it, keeping the lowest
    /// part.
    pub(crate) fn take(&self, height: u32) -> Option<u32> {
        let fitting = self.head().books.heights.get() & (u32::MAX << height);
        if fitting == 0 {
            return None;
        }
        let found = fitting.trailing_zeros();
        let leaf = self.lists()[found as usize].get();
        self.unlink(leaf, found);
        self.split(leaf, found, leaf, height);
        Some(leaf)
    }

    /// Marks the block of `height` at `leaf` as used, splitting the unlisted free block of `from`
    /// at `start` that contains it.
    pub(crate) fn split(&self, start: u32, from: u32, leaf: u32, height: u32) {
        let (mut start, mut at) = (start, from);
        self.set(Node::new(start, at));
        while at > height {
            at -= 1;
            let right = start + (1 << at);
            if leaf >= right {
                self.push_free(start, at);
                start = right;
            } else {
                self.push_free(right, at);
            }
            self.set(Node::new(start, at));
        }
    }

    /// Frees a used block and merges it with its buddy repeatedly.
    pub(crate) fn release(&self, leaf: u32, height: u32) {
        let (mut node, mut height) = (Node::new(leaf, height), height);
        while height < self.shape.top {
            let buddy = node.buddy(height);
            if self.used(buddy) {
                break;
            }
            self.unlink(buddy.start(), height);
            self.unset(node);
            node = node.parent(height);
            height += 1;
        }
        self.unset(node);
        self.push_free(node.start(), height);
    }

    /// Adds a freed block to its front, if it has one; the oldest of a full one are merged.
    #[inline]
    pub(crate) fn give(&self, leaf: u32, height: u32) {
        match self.fronts().get(height as usize) {
            Some(front) if front.push(leaf) => {}
            Some(front) => self.overflow(front, leaf, height),
            None => self.release(leaf, height),
        }
    }

    /// Merges the older half of a full front.
    #[cold]
    #[inline(never)]
    fn overflow(&self, front: &Front, leaf: u32, height: u32) {
        for old in front.drop_older() {
            self.release(old, height);
        }
        let pushed = front.push(leaf);
        debug_assert!(pushed, "half of the front was just emptied");
    }

    /// Returns `true` if a block that looks allocated is in a front.
    #[inline]
    pub(crate) fn is_held(&self, leaf: u32, height: u32) -> bool {
        self.fronts().get(height as usize).is_some_and(|front| front.holds(leaf))
    }

    /// Merges the blocks in the fronts; returns whether there were any.
    pub(crate) fn settle(&self) -> bool {
        let mut any = false;
        for (height, front) in self.fronts().iter().enumerate() {
            while let Some(leaf) = front.pop() {
                self.release(leaf, height as u32);
                any = true;
            }
        }
        any
    }

    /// Merges the blocks in the fronts among the leaves `from..to`; returns whether there were any.
    pub(crate) fn settle_within(&self, from: u32, to: u32) -> bool {
        let mut any = false;
        for (height, front) in self.fronts().iter().enumerate() {
            let mut at = 0;
            while at < front.count() {
                let leaf = front.get(at);
                if (from..to).contains(&leaf) {
                    front.remove(at);
                    self.release(leaf, height as u32);
                    any = true;
                } else {
                    at += 1;
                }
            }
        }
        any
    }

    /// Finds the free or allocated block that contains a present leaf.
    pub(crate) fn block_around(&self, leaf: u32) -> (Node, bool) {
        let mut node = Node::new(leaf, 0);
        if self.used(node) {
            return (node, true);
        }
        for height in 0..self.shape.top {
            let parent = node.parent(height);
            if self.used(parent) {
                // A split block has a used half, which is then the other one; an allocated one has
                // none.
                return if self.used(node.buddy(height)) { (node, false) } else { (parent, true) };
            }
            node = parent;
        }
        (node, false)
    }

    /// Returns the address that reports show for a leaf.
    pub(crate) fn address(&self, leaf: u32) -> *const u8 {
        let at = u64::from(leaf.wrapping_sub(self.shape.first)) << self.shape.leaf_shift;
        self.origin.wrapping_add(at as usize)
    }

    #[cold]
    #[inline(never)]
    fn damage(&self, leaf: u32) -> ! {
        misuse(&Report::new(Misuse::Damaged, self.name, self.address(leaf)))
    }
}
