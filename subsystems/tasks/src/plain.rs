//! Numbers that one thread at a time writes, by a rule that is stated where they are.
//!
//! They are atomic only so that reading one at the wrong time gives an old number in place of
//! undefined behaviour. Nothing is handed on by them: that is done by what states their rule, a
//! lock, a ring or a count of open work. So the model checker does not watch them.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

macro_rules! plain {
    ($($name:ident: $number:ty, $atomic:ident)*) => {
        $(
            #[doc = concat!("A `", stringify!($number), "`.")]
            pub(crate) struct $name($atomic);

            impl $name {
                pub(crate) const fn new(value: $number) -> Self {
                    Self($atomic::new(value))
                }

                #[inline]
                pub(crate) fn get(&self) -> $number {
                    self.0.load(Ordering::Relaxed)
                }

                #[inline]
                pub(crate) fn set(&self, value: $number) {
                    self.0.store(value, Ordering::Relaxed);
                }
            }
        )*
    };
}

plain! {
    Plain8: u8, AtomicU8
    Plain32: u32, AtomicU32
    Plain64: u64, AtomicU64
}

impl Plain32 {
    /// Sets it and returns what it was.
    #[inline]
    pub(crate) fn replace(&self, value: u32) -> u32 {
        let before = self.get();
        self.set(value);
        before
    }
}
