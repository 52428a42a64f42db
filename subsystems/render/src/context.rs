//! The stream of packages that one job fills.
//!
//! After "Parallel rendering" on the BitSquid blog (2009): jobs walk over what is visible and queue
//! draws and other work, each into a separate stream, so that none waits for another. Changes: a
//! package has a key of 64 bits that is stored apart from it, so sorting moves 16 bytes whatever
//! the package holds; and a context does no work itself.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::draw::Draw;
use crate::sort_item::SortItem;

/// What a package begins with.
const DRAW: u32 = 0;
const JOB: u32 = 1;

/// Words of a draw, and of what precedes the data of another job.
const DRAW_WORDS: usize = 1 + size_of::<Draw>() / 4;
const JOB_WORDS: usize = 3;

/// What one job has to draw: packages in the order in which they were added, and a sort key for
/// each.
///
/// ```text
/// items     | key: u64 | package: u32 | context: u32 | ..                       16 bytes each
/// packages  | 0 | state | 5 words of arguments | 1 | kind | bytes | data .. | ..    words
/// ```
///
/// Any number of contexts is filled at the same time, each by one thread;
/// [`ItemSorter::try_merge`](crate::ItemSorter::try_merge) makes one order of all. Cleared, it
/// keeps its memory: a frame that is no larger than one before allocates nothing.
///
/// # Complexity
///
/// Adding is O(1) amortised, O(packages) where a block must move.
///
/// # Memory
///
/// Nothing while empty. 44 bytes a draw; 28 bytes and its data for another job, rounded up to 4.
/// Two blocks, which double when they are full.
///
/// # Threads
///
/// `Send` where the allocator is `Sync` (`A = dyn Allocator + Sync`, for instance).
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_render::{Draw, Package, RenderContext};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut context: RenderContext = RenderContext::new(&MEMORY);
/// context.try_draw(20, Draw { state: 3, ..Draw::default() })?;
/// context.try_job(10, 0xC0FFEE, b"copy the depth")?;
/// assert_eq!(context.len(), 2);
/// assert!(matches!(context.packages().next(), Some((20, Package::Draw(draw))) if draw.state == 3));
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. The package of each item begins at its word and ends where the next one's begins, the last
///    one with the words.
/// 2. It begins with `DRAW` and is `DRAW_WORDS` long, or with `JOB`, and is as long as its bytes
///    need.
pub struct RenderContext<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    items: Array<'a, SortItem, A>,
    packages: Array<'a, u32, A>,
}

/// What a context holds for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package<'c> {
    /// Triangles are to be drawn.
    Draw(Draw),
    /// Anything else is to be done.
    Job(Job<'c>),
}

/// Work that is not a draw, such as a copy, a compute shader or a mark for a profiler: a kind that
/// the back end knows, and plain data for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job<'c> {
    /// What is to be done: a number that the program and its back end agree on, such as the hash of
    /// a name.
    pub kind: u32,
    /// What it needs to know, aligned to 4 bytes.
    pub data: &'c [u8],
}

impl<'a> RenderContext<'a> {
    /// Returns an empty context, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> RenderContext<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { items: Array::new_in(memory), packages: Array::new_in(memory) }
    }

    /// Adds a draw.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    #[inline]
    pub fn try_draw(&mut self, key: u64, draw: Draw) -> Result<(), GrowError> {
        let mut words = [DRAW; DRAW_WORDS];
        words[1..].copy_from_slice(&bytemuck::cast::<Draw, [u32; DRAW_WORDS - 1]>(draw));
        self.items.try_reserve(1)?;
        let package = self.packages.len() as u32;
        self.packages.try_extend_from_slice(&words)?;
        self.items.try_push(SortItem { key, package, context: 0 })
    }

    /// Adds a draw for which there is room: after [`try_reserve`](Self::try_reserve).
    #[inline]
    pub(crate) fn push_draw(&mut self, key: u64, draw: Draw) {
        let mut words = [DRAW; DRAW_WORDS];
        words[1..].copy_from_slice(&bytemuck::cast::<Draw, [u32; DRAW_WORDS - 1]>(draw));
        let package = self.packages.len() as u32;
        self.packages.extend_from_slice(&words);
        self.items.push(SortItem { key, package, context: 0 });
    }

    /// Adds other work.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory, or the data are 4 GiB or more; nothing has changed.
    pub fn try_job(&mut self, key: u64, kind: u32, data: &[u8]) -> Result<(), GrowError> {
        let (wanted, limit) = (data.len() as u64, u64::from(u32::MAX));
        let bytes = u32::try_from(wanted).map_err(|_| GrowError::Length { wanted, limit })?;
        self.items.try_reserve(1)?;
        self.packages.try_reserve(JOB_WORDS + data.len().div_ceil(4))?;
        let package = self.packages.len() as u32;
        self.packages.try_extend_from_slice(&[JOB, kind, bytes])?;
        let room = self.packages.try_extend_zeroed(data.len().div_ceil(4))?;
        bytemuck::cast_slice_mut(room)[..data.len()].copy_from_slice(data);
        self.items.try_push(SortItem { key, package, context: 0 })
    }

    /// Reserves space for `draws` more draws. Growing past that happens one by one.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_reserve(&mut self, draws: usize) -> Result<(), GrowError> {
        self.items.try_reserve(draws)?;
        self.packages.try_reserve(draws.saturating_mul(DRAW_WORDS))
    }

    /// Removes all packages and keeps the memory. O(1).
    pub fn clear(&mut self) {
        self.items.clear();
        self.packages.clear();
    }

    /// Returns how many packages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns `true` if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns how many bytes there is room for.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<SortItem>() + self.packages.capacity() * 4
    }

    /// Returns all packages with their keys, in the order in which they were added.
    pub fn packages(&self) -> impl Iterator<Item = (u64, Package<'_>)> {
        self.items.iter().filter_map(|item| Some((item.key, self.package_at(item.package)?)))
    }

    /// Checks the context's own structure.
    ///
    /// # Complexity
    ///
    /// O(packages).
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        let mut at = 0;
        for item in &*self.items {
            if item.package as usize != at {
                return Err("a package does not begin where the one before it ends");
            }
            at += match self.package_at(item.package) {
                Some(Package::Draw(_)) => DRAW_WORDS,
                Some(Package::Job(job)) => JOB_WORDS + job.data.len().div_ceil(4),
                None => return Err("a package is none"),
            };
        }
        if at == self.packages.len() { Ok(()) } else { Err("words follow the last package") }
    }

    pub(crate) fn items(&self) -> &[SortItem] {
        &self.items
    }

    /// Returns the package that begins at a word.
    #[inline]
    pub(crate) fn package_at(&self, word: u32) -> Option<Package<'_>> {
        let words = self.packages.get(word as usize..)?;
        match *words.first()? {
            DRAW => {
                let draw: [u32; DRAW_WORDS - 1] = *words[1..].first_chunk()?;
                Some(Package::Draw(bytemuck::cast(draw)))
            }
            _ => {
                let ([_, kind, bytes], rest) = words.split_first_chunk::<JOB_WORDS>()?;
                let data = bytemuck::cast_slice(rest).get(..*bytes as usize)?;
                Some(Package::Job(Job { kind: *kind, data }))
            }
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for RenderContext<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.packages()).finish()
    }
}
