//! How long frames took: the last ones, and what is usual and what is rare among them.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

/// How many frames are remembered.
pub const FRAMES_MAX: usize = 1 << 14;

/// The times of the last frames, in nanoseconds.
///
/// # Complexity
///
/// Adding is O(1); a percentile is O(n log n) of the frames that are remembered.
///
/// # Memory
///
/// Two blocks of 128 KiB, taken when it is made: percentiles are found in a frame, too, which must
/// not allocate.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_engine::FrameTimes;
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("times", &pages);
/// let mut times = FrameTimes::try_new(&heap)?;
/// (1..=100).for_each(|ms| times.add(ms * 1_000_000));
/// assert_eq!((times.len(), times.percentile(50), times.percentile(99)), (100, 50_000_000, 99_000_000));
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
pub struct FrameTimes<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    /// A ring.
    times: Array<'a, u64, A>,
    next: usize,
    sorted: Array<'a, u64, A>,
}

impl<'a> FrameTimes<'a> {
    /// Returns one without frames.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> FrameTimes<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(memory: &'a A) -> Result<Self, GrowError> {
        let times = Array::try_with_capacity_in(FRAMES_MAX, memory)?;
        let sorted = Array::try_with_capacity_in(FRAMES_MAX, memory)?;
        Ok(Self { times, next: 0, sorted })
    }

    /// Adds a frame; of more than [`FRAMES_MAX`] the oldest is forgotten.
    pub fn add(&mut self, ns: u64) {
        match self.times.get_mut(self.next) {
            Some(oldest) => *oldest = ns,
            None => self.times.push(ns),
        }
        self.next = (self.next + 1) % FRAMES_MAX;
    }

    /// Returns how many frames are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Returns `true` if there was no frame.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Returns the time that `percent` percent of the frames do not exceed; 0 without frames.
    pub fn percentile(&mut self, percent: u8) -> u64 {
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.times);
        self.sorted.sort_unstable();
        let rank = (self.sorted.len() * usize::from(percent.min(100))).div_ceil(100).max(1);
        self.sorted.get(rank - 1).copied().unwrap_or_default()
    }

    /// Returns the longest; 0 without frames.
    #[must_use]
    pub fn longest(&self) -> u64 {
        self.times.iter().copied().max().unwrap_or_default()
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for FrameTimes<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameTimes").field("len", &self.len()).finish_non_exhaustive()
    }
}
