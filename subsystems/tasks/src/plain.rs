//! Numbers that one thread at a time writes, by a rule that is stated where they are.
//!
//! They are atomic only so that reading one at the wrong time gives an old number in place of
//! undefined behaviour. Nothing is handed on by them: that is done by what states their rule, a
//! lock, a ring or a count of open work. So the model checker does not watch them.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// A byte.
pub(crate) struct Plain8(AtomicU8);

/// 32 bits.
pub(crate) struct Plain32(AtomicU32);

/// 64 bits.
pub(crate) struct Plain64(AtomicU64);

impl Plain8 {
    pub(crate) const fn new(value: u8) -> Self {
        Self(AtomicU8::new(value))
    }

    #[inline]
    pub(crate) fn get(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, value: u8) {
        self.0.store(value, Ordering::Relaxed);
    }
}

impl Plain32 {
    pub(crate) const fn new(value: u32) -> Self {
        Self(AtomicU32::new(value))
    }

    #[inline]
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, value: u32) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Sets it and returns what it was.
    #[inline]
    pub(crate) fn replace(&self, value: u32) -> u32 {
        let before = self.get();
        self.set(value);
        before
    }
}

impl Plain64 {
    pub(crate) const fn new(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }

    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}
