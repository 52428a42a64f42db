//! What both ends of a stream share.

#[cfg(feature = "std")]
use std::sync::Arc;

#[cfg(feature = "std")]
use loligo_allocators::Allocator;
#[cfg(feature = "std")]
use loligo_containers::{Array, GrowError};

use crate::pipe::sync::{AtomicU32, Ordering};

/// A ring: elsewhere, or one that goes with the last of its ends.
#[derive(Clone)]
pub(super) enum Shared<'p> {
    Lent(Parts<'p>),
    #[cfg(feature = "std")]
    Own(Arc<Ring<'p>>),
}

/// The parts of a ring.
#[derive(Clone, Copy)]
pub(super) struct Parts<'p> {
    pub(super) frames: &'p [AtomicU32],
    pub(super) channels: u32,
    pub(super) counts: &'p Counts,
}

/// What both ends count.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) pushed: Count,
    pub(super) released: Count,
}

/// Counts that one thread writes, in their own cache line.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Count {
    pub(super) frames: AtomicU32,
    /// Of the end that pushes: 1 if there are no more to come. Of the other: the times that frames were late.
    pub(super) noted: AtomicU32,
}

/// A ring that its ends own.
#[cfg(feature = "std")]
pub(super) struct Ring<'m> {
    frames: Array<'m, AtomicU32, dyn Allocator + Sync + 'm>,
    channels: u32,
    counts: Counts,
}

#[cfg(feature = "std")]
impl<'m> Ring<'m> {
    /// Returns one without memory for frames.
    pub(super) fn new(memory: &'m (dyn Allocator + Sync + 'm)) -> Arc<Self> {
        Arc::new(Self { frames: Array::new_in(memory), channels: 1, counts: Counts::default() })
    }
}

impl Shared<'_> {
    #[inline]
    pub(super) fn parts(&self) -> Parts<'_> {
        match self {
            Self::Lent(parts) => *parts,
            #[cfg(feature = "std")]
            Self::Own(ring) => {
                let Ring { frames, channels, counts } = &**ring;
                Parts { frames, channels: *channels, counts }
            }
        }
    }

    /// Has a ring that its ends own begin again, with at least a number of frames, a power of two. Returns `false` if
    /// another end is there.
    #[cfg(feature = "std")]
    pub(super) fn begin(&mut self, frames: u32, channels: u32) -> Result<bool, GrowError> {
        let Self::Own(ring) = self else { return Ok(false) };
        // The thread that has dropped the other end is done with it: this sees all that it did.
        let Some(ring) = Arc::get_mut(ring) else { return Ok(false) };
        if ring.frames.len() < frames as usize {
            let more = frames as usize - ring.frames.len();
            ring.frames.try_extend_with(more, |_| AtomicU32::new(0))?;
        }
        ring.channels = channels;
        self.parts().rewind();
        Ok(true)
    }
}

impl Parts<'_> {
    /// Has the stream begin again. There is no other thread that uses it now.
    pub(super) fn rewind(&self) {
        for count in [&self.counts.pushed, &self.counts.released] {
            count.frames.store(0, Ordering::Relaxed);
            count.noted.store(0, Ordering::Relaxed);
        }
    }
}
