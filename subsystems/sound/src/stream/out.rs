//! The end of a stream that a mixer reads.

use core::fmt;

use super::{ENDLESS, Shared};
use crate::pipe::sync::{AtomicU32, Ordering};

/// The end of a [`Stream`](super::Stream) that is played: see [`Wave::streamed`](crate::Wave::streamed).
pub struct StreamOut<'p> {
    shared: Shared<'p>,
    /// 1: a voice plays it or has. One thread uses it, which need not be that which made it.
    claimed: AtomicU32,
}

/// How much of what is needed is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Supply {
    /// All, and what comes after it.
    Enough,
    /// All, but not what comes after it.
    Last,
    /// Not all.
    None,
}

impl<'p> StreamOut<'p> {
    pub(super) fn new(shared: Shared<'p>) -> Self {
        Self { shared, claimed: AtomicU32::new(0) }
    }

    /// The number of channels.
    #[must_use]
    pub fn channels(&self) -> u32 {
        self.shared.parts().channels
    }

    pub(super) fn is_of(&self, shared: &Shared<'_>) -> bool {
        core::ptr::eq(self.shared.parts().counts, shared.parts().counts)
    }

    pub(super) fn rewind(&mut self) {
        self.claimed.store(0, Ordering::Relaxed);
    }

    pub(crate) fn claim(&self) {
        self.claimed.store(1, Ordering::Relaxed);
    }

    pub(crate) fn is_claimed(&self) -> bool {
        self.claimed.load(Ordering::Relaxed) == 1
    }

    /// The frames that it has in all, as soon as it is known.
    pub(crate) fn frames(&self) -> u32 {
        // Whether there are more is read before how many there are: after the end there are no more.
        if self.shared.parts().counts.pushed.noted.load(Ordering::Acquire) == 0 {
            return ENDLESS;
        }
        self.pushed()
    }

    fn pushed(&self) -> u32 {
        self.shared.parts().counts.pushed.frames.load(Ordering::Acquire)
    }

    /// Returns whether the frames up to one are there, and as many more.
    pub(crate) fn supply(&self, until: u64, more: u64) -> Supply {
        let (all, pushed) = (self.frames(), self.pushed());
        match u64::from(pushed) {
            _ if all == pushed => Supply::Enough,
            there if there >= until + more => Supply::Enough,
            there if there >= until => Supply::Last,
            _ => Supply::None,
        }
    }

    /// Writes samples of a channel from a frame on; what is not there is silence.
    pub(crate) fn read(&self, channel: u32, from: i64, out: &mut [f32]) {
        const SCALE: f32 = 1.0 / 32_768.0;
        let pushed = i64::from(self.pushed());
        let frames = self.shared.parts().frames;
        let mask = frames.len().wrapping_sub(1);
        let shift = 16 * channel.min(1);
        for (out, at) in out.iter_mut().zip(from..) {
            *out = if (0..pushed).contains(&at) {
                let frame = frames[at as usize & mask].load(Ordering::Relaxed);
                f32::from((frame >> shift) as i16) * SCALE
            } else {
                0.0
            };
        }
    }

    /// Hands back the room of the frames before one, which are not read again.
    pub(crate) fn release(&self, frame: u64) {
        let parts = self.shared.parts();
        let released = &parts.counts.released.frames;
        let frame = frame.min(u64::from(self.pushed())) as u32;
        // Only this end writes it. Pairs with the acquiring load in `StreamIn::room`: what is read was read
        // before its room is used again.
        if frame > released.load(Ordering::Relaxed) {
            released.store(frame, Ordering::Release);
        }
    }

    pub(crate) fn note_underrun(&self) {
        let parts = self.shared.parts();
        let noted = &parts.counts.released.noted;
        noted.store(noted.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

impl fmt::Debug for StreamOut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamOut").field("frames", &self.frames()).finish_non_exhaustive()
    }
}
