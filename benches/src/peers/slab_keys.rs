//! The crate `slab`: values under keys instead of blocks at addresses.

use core::mem::MaybeUninit;

use crate::work::churn::OneSize;

/// A value as large as the blocks of the others, of which the first word is written.
struct Value {
    first: u64,
    _rest: MaybeUninit<[u64; 7]>,
}

/// A slab of values.
pub(crate) struct SlabKeys(slab::Slab<Value>);

impl SlabKeys {
    /// Makes an empty slab.
    pub(crate) fn new() -> Self {
        Self(slab::Slab::new())
    }
}

impl OneSize for SlabKeys {
    type Handle = usize;

    #[inline(always)]
    fn take(&mut self, word: u64) -> usize {
        self.0.insert(Value { first: word, _rest: MaybeUninit::uninit() })
    }

    #[inline(always)]
    unsafe fn give(&mut self, key: usize) {
        core::hint::black_box(self.0.remove(key).first);
    }
}
