//! The groups of live blocks: one for each call site, or for each call site and stack.
//!
//! # Memory
//!
//! ```text
//! index   | 0 = none, or 1 + group |  hashed by site and frames, at most half full
//! groups  | site, hash, blocks, bytes, total, oldest |  48 bytes each
//! stacks  | 16 return addresses |  128 bytes each, where stacks are kept
//! ```
//!
//! A group stays when its last block is freed, so the memory is bounded by the sites of the program
//! (and by the stacks that lead to them), not by its allocations.

use core::cell::Cell;
use core::panic::Location;

use crate::contract::allocator::{AllocError, Allocator};
use crate::wrappers::trace::array::Array;
use crate::wrappers::trace::stack::Stack;

#[cfg(test)]
pub(super) mod tests;

/// Slots of the first index.
const SLOTS_MIN: usize = 64;

/// The live blocks of one site.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) site: &'static Location<'static>,
    hash: u64,
    pub(super) blocks: usize,
    pub(super) bytes: usize,
    /// The number of allocations so far.
    pub(super) total: u64,
    /// The number of the oldest live allocation, from the last count.
    pub(super) oldest: u64,
}

/// The groups by number, and an index by site and stack.
///
/// # Invariants
///
/// 1. `index` has zero or a power of two of slots; each group is in it once, as 1 + its number,
///    with no empty slot between its hash's first slot and its own. Nothing else is in it.
/// 2. The index is at most half full.
/// 3. `stacks` is as long as `groups` if stacks are kept, else empty. If they are kept from some
///    group on, the groups before it have stacks without frames.
/// 4. `last` is the last requested site without a stack, with the number of its group.
pub(super) struct Groups {
    index: Array<u32>,
    groups: Array<Group>,
    stacks: Array<Stack>,
    last: Cell<Option<(&'static Location<'static>, u32)>>,
}

impl Groups {
    pub(super) const fn new() -> Self {
        Self {
            index: Array::new(),
            groups: Array::new(),
            stacks: Array::new(),
            last: Cell::new(None),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Returns the size of its memory.
    pub(super) fn bytes(&self) -> usize {
        self.index.bytes() + self.groups.bytes() + self.stacks.bytes()
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Group {
        self.groups.get(number as usize)
    }

    #[inline]
    pub(super) fn update(&self, number: u32, change: impl FnOnce(&mut Group)) {
        self.groups.update(number as usize, change);
    }

    /// Returns the frames of a group; `None` if stacks are not kept.
    pub(super) fn stack(&self, number: u32) -> Option<Stack> {
        let number = number as usize;
        (number < self.stacks.len()).then(|| self.stacks.get(number))
    }

    /// Returns the group of a site and stack, creating it if needed.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if it is new and `books` refuses; nothing observable has changed.
    #[inline]
    pub(super) fn of<K: Allocator + ?Sized>(
        &self,
        site: &'static Location<'static>,
        stack: Option<&Stack>,
        books: &K,
    ) -> Result<u32, AllocError> {
        if let Some((last, number)) = self.last.get()
            && core::ptr::eq(last, site)
            && stack.is_none()
        {
            return Ok(number);
        }
        let number = self.of_any(site, stack, books)?;
        if stack.is_none() {
            self.last.set(Some((site, number)));
        }
        Ok(number)
    }

    /// As [`of`](Self::of), through the index.
    #[inline(never)]
    fn of_any<K: Allocator + ?Sized>(
        &self,
        site: &'static Location<'static>,
        stack: Option<&Stack>,
        books: &K,
    ) -> Result<u32, AllocError> {
        let hash = hash_of(site, stack);
        if self.index.len() != 0
            && let Some(number) = self.find(hash, site, stack)
        {
            return Ok(number);
        }
        self.add(hash, site, stack, books)
    }

    /// Frees the memory.
    pub(super) fn release<K: Allocator + ?Sized>(&self, books: &K) {
        self.last.set(None);
        self.index.release(books);
        self.groups.release(books);
        self.stacks.release(books);
    }

    /// Checks the invariants. O(groups).
    ///
    /// # Errors
    ///
    /// The broken invariant, in words.
    pub(super) fn validate(&self) -> Result<(), &'static str> {
        self.index.validate()?;
        self.groups.validate()?;
        self.stacks.validate()?;
        if 2 * self.len() > self.index.len() {
            return Err("the index of sites is too full");
        }
        let kept = self.stacks.len();
        if kept != 0 && kept != self.len() {
            return Err("some stacks of sites are missing");
        }
        let used = (0..self.index.len()).filter(|&at| self.index.get(at) != 0).count();
        let found = (0..self.len() as u32).all(|number| {
            let group = self.get(number);
            self.find(group.hash, group.site, self.stack(number).as_ref()) == Some(number)
        });
        if found && used == self.len() {
            Ok(())
        } else {
            Err("a site cannot be found in its index")
        }
    }

    #[inline]
    fn find(
        &self,
        hash: u64,
        site: &'static Location<'static>,
        stack: Option<&Stack>,
    ) -> Option<u32> {
        let mask = self.index.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let number = self.index.get(at).checked_sub(1)?;
            let group = self.get(number);
            if group.hash == hash && self.is(number, group.site, site, stack) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Returns `true` if a group is the one of this site and stack. A source line can have several
    /// locations in memory, one for each codegen unit that it was compiled into.
    #[inline]
    fn is(
        &self,
        number: u32,
        its: &'static Location<'static>,
        site: &'static Location<'static>,
        stack: Option<&Stack>,
    ) -> bool {
        (core::ptr::eq(its, site) || *its == *site)
            && stack.is_none_or(|stack| *stack == self.stack(number).unwrap_or(Stack::NONE))
    }

    #[cold]
    #[inline(never)]
    fn add<K: Allocator + ?Sized>(
        &self,
        hash: u64,
        site: &'static Location<'static>,
        stack: Option<&Stack>,
        books: &K,
    ) -> Result<u32, AllocError> {
        let number = u32::try_from(self.len()).map_err(|_| AllocError)?;
        let count = self.len() + 1;
        if count > (u32::MAX / 4) as usize {
            return Err(AllocError);
        }
        self.groups.reserve(count, books)?;
        if stack.is_some() {
            self.stacks.reserve(count, books)?;
        }
        if 2 * count > self.index.len() {
            self.grow_index(books)?;
        }
        self.groups.push(Group { site, hash, blocks: 0, bytes: 0, total: 0, oldest: 0 });
        if let Some(stack) = stack {
            // Groups from before stacks were kept have none.
            while self.stacks.len() + 1 < count {
                self.stacks.push(Stack::NONE);
            }
            self.stacks.push(*stack);
        }
        self.enter(hash, number);
        Ok(number)
    }

    /// Allocates an index twice as large and inserts every group again.
    fn grow_index<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        let slots = (2 * self.index.len()).max(SLOTS_MIN);
        self.index.reserve(slots, books)?;
        self.index.clear();
        for _ in 0..slots {
            self.index.push(0);
        }
        for number in 0..self.len() as u32 {
            self.enter(self.get(number).hash, number);
        }
        Ok(())
    }

    fn enter(&self, hash: u64, number: u32) {
        let mask = self.index.len() - 1;
        let mut at = hash as usize & mask;
        while self.index.get(at) != 0 {
            at = (at + 1) & mask;
        }
        self.index.update(at, |slot| *slot = number + 1);
    }
}

/// Hashes the contents of a location instead of its address, as one line may have several.
#[inline]
fn hash_of(site: &'static Location<'static>, stack: Option<&Stack>) -> u64 {
    let place = u64::from(site.line()) << 32 | u64::from(site.column()) << 16;
    let mut hash = mix(place ^ site.file().len() as u64);
    if let Some(stack) = stack {
        for frame in stack.frames() {
            hash = mix(hash ^ frame.addr() as u64);
        }
    }
    hash
}

/// A product with 2^64 / phi, its upper half xored into its lower.
#[inline]
fn mix(word: u64) -> u64 {
    let product = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}
