//! The addresses returned last, to distinguish a late double free from a foreign one.

use core::cell::Cell;
use core::ptr::NonNull;

/// How many addresses are remembered.
const REMEMBERED: usize = 64;

/// A short history. An address that is allocated again is found live before the history is
/// searched.
pub(crate) struct Left {
    addresses: [Cell<usize>; REMEMBERED],
    next: Cell<usize>,
}

impl Left {
    pub(crate) const fn new() -> Self {
        Self { addresses: [const { Cell::new(0) }; REMEMBERED], next: Cell::new(0) }
    }

    pub(crate) fn remember(&self, block: NonNull<u8>) {
        let at = self.next.get();
        self.addresses[at].set(block.addr().get());
        self.next.set((at + 1) % REMEMBERED);
    }

    pub(crate) fn knows(&self, block: NonNull<u8>) -> bool {
        self.addresses.iter().any(|address| address.get() == block.addr().get())
    }
}
