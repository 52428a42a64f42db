//! What the audio thread shares with others.

use crate::pipe::sync::{AtomicU32, AtomicU64, Ordering};

/// Ends the audio thread, and has what it counts.
#[derive(Debug, Default)]
pub struct DeviceSwitch {
    over: AtomicU32,
    frames: AtomicU64,
    late: AtomicU32,
    opened: AtomicU32,
    rate: AtomicU32,
    warnings: AtomicU32,
}

/// What an audio thread has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceStats {
    /// The frames that were rendered.
    pub frames: u64,
    /// The frames that a device asked for and that were not there.
    pub late: u32,
    /// How often a device was opened.
    pub opened: u32,
    /// The frames that the device takes a second; 0: there is none.
    pub rate: u32,
    /// How often it was warned that there is none.
    pub warnings: u32,
}

impl DeviceSwitch {
    /// Returns one that is on.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Has the audio thread end soon.
    pub fn turn_off(&self) {
        self.over.store(1, Ordering::Relaxed);
    }

    /// Returns whether the audio thread is to end.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.over.load(Ordering::Relaxed) != 0
    }

    /// Returns what was counted.
    #[must_use]
    pub fn stats(&self) -> DeviceStats {
        DeviceStats {
            frames: self.frames.load(Ordering::Relaxed),
            late: self.late.load(Ordering::Relaxed),
            opened: self.opened.load(Ordering::Relaxed),
            rate: self.rate.load(Ordering::Relaxed),
            warnings: self.warnings.load(Ordering::Relaxed),
        }
    }

    /// Notes what was counted. Only the audio thread does.
    pub(super) fn note(&self, stats: &DeviceStats) {
        self.frames.store(stats.frames, Ordering::Relaxed);
        self.late.store(stats.late, Ordering::Relaxed);
        self.opened.store(stats.opened, Ordering::Relaxed);
        self.rate.store(stats.rate, Ordering::Relaxed);
        self.warnings.store(stats.warnings, Ordering::Relaxed);
    }
}
