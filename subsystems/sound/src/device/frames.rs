//! Frames from the thread that mixes to the callback of a device.

use core::fmt;
use std::boxed::Box;
use std::sync::Arc;

use crate::pipe::sync::{AtomicU32, AtomicU64, Ordering, handed_on};

/// The frames of a ring: a third of a second, of which only as many are filled as the device asks for at a time.
pub(super) const RING: usize = 16_384;

/// By how much the last frame fades in each frame that is missing.
const FADE_OUT: f32 = 0.96;

/// By how much frames fade in after that.
const FADE_IN: f32 = 1.0 / 64.0;

/// A ring of frames, as in a [`Pipe`](crate::Pipe). It is on the global heap, as all that a callback of the
/// system has: it must outlive its maker.
struct Ring {
    frames: Box<[AtomicU64]>,
    pushed: AtomicU32,
    taken: AtomicU32,
    /// The most frames that were asked for at a time.
    asked: AtomicU32,
    /// The frames that were not there.
    late: AtomicU32,
    /// 1: the device is gone.
    lost: AtomicU32,
}

/// The end into which frames are put.
pub(super) struct FramesIn {
    ring: Arc<Ring>,
    pushed: u32,
}

/// The end from which the callback of a device takes frames. What is not there in time fades out, is silence,
/// and fades in again.
pub struct FramesOut {
    ring: Arc<Ring>,
    taken: u32,
    last: [f32; 2],
    share: f32,
}

/// Returns both ends of a ring.
pub(super) fn frame_ring() -> (FramesIn, FramesOut) {
    let ring = Arc::new(Ring {
        frames: (0..RING).map(|_| AtomicU64::new(0)).collect(),
        pushed: AtomicU32::new(0),
        taken: AtomicU32::new(0),
        asked: AtomicU32::new(0),
        late: AtomicU32::new(0),
        lost: AtomicU32::new(0),
    });
    let taker = FramesOut { ring: Arc::clone(&ring), taken: 0, last: [0.0; 2], share: 0.0 };
    (FramesIn { ring, pushed: 0 }, taker)
}

impl FramesIn {
    /// How many frames wait.
    pub(super) fn waiting(&self) -> usize {
        // Pairs with the releasing store in `take`: what was taken was read before its place is used again.
        self.pushed.wrapping_sub(self.ring.taken.load(Ordering::Acquire)) as usize
    }

    /// The most frames that the device has asked for at a time.
    pub(super) fn asked(&self) -> usize {
        self.ring.asked.load(Ordering::Relaxed) as usize
    }

    /// The frames that were not there in time.
    pub(super) fn late(&self) -> u32 {
        self.ring.late.load(Ordering::Relaxed)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.ring.lost.load(Ordering::Relaxed) != 0
    }

    /// Puts frames in, for as many as there is room.
    pub(super) fn push(&mut self, frames: &[[f32; 2]]) {
        let room = RING - self.waiting();
        for frame in frames.iter().take(room) {
            let [left, right] = frame.map(|sample| u64::from(sample.to_bits()));
            let place = &self.ring.frames[self.pushed as usize % RING];
            place.store(left | right << 32, Ordering::Relaxed);
            self.pushed = self.pushed.wrapping_add(1);
        }
        // Pairs with the acquiring load in `take`: who sees the count sees the frames.
        self.ring.pushed.store(self.pushed, handed_on());
    }
}

impl FramesOut {
    /// Calls `each` with as many frames as a device asks for.
    ///
    /// # Complexity
    ///
    /// O(count). Allocates nothing, and waits for nobody.
    pub fn take(&mut self, count: usize, mut each: impl FnMut([f32; 2])) {
        let asked = &self.ring.asked;
        if count > asked.load(Ordering::Relaxed) as usize {
            asked.store(count as u32, Ordering::Relaxed);
        }
        let there = self.ring.pushed.load(Ordering::Acquire).wrapping_sub(self.taken) as usize;
        let there = there.min(count);
        for _ in 0..there {
            let word = self.ring.frames[self.taken as usize % RING].load(Ordering::Relaxed);
            self.taken = self.taken.wrapping_add(1);
            self.share = (self.share + FADE_IN).min(1.0);
            self.last =
                [word as u32, (word >> 32) as u32].map(|bits| f32::from_bits(bits) * self.share);
            each(self.last);
        }
        self.ring.taken.store(self.taken, Ordering::Release);
        for _ in there..count {
            self.share = 0.0;
            self.last = self.last.map(|sample| {
                let sample = sample * FADE_OUT;
                if sample.abs() < 1e-6 { 0.0 } else { sample }
            });
            each(self.last);
        }
        if there < count {
            let late = &self.ring.late;
            let missing = (count - there) as u32;
            // Only this end writes it.
            late.store(late.load(Ordering::Relaxed).wrapping_add(missing), Ordering::Relaxed);
        }
    }

    /// Returns what notes that the device is gone, for whichever thread learns of it.
    pub fn loss(&self) -> impl Fn() + Send + 'static {
        let ring = Arc::clone(&self.ring);
        move || ring.lost.store(1, Ordering::Relaxed)
    }
}

impl fmt::Debug for FramesOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FramesOut").field("taken", &self.taken).finish_non_exhaustive()
    }
}
