//! The fields of an operation on an allocator, whichever it is.

use super::AllocatorOp;

/// Matches every variant that has a field, and gives the field.
macro_rules! field {
    ($op:expr, $field:ident in $($variant:ident),*) => {
        match $op {
            $(AllocatorOp::$variant { $field, .. } => Some($field),)*
            _ => None,
        }
    };
}

impl AllocatorOp {
    /// Returns the slot, if it has one.
    #[must_use]
    pub fn slot(mut self) -> Option<u32> {
        self.slot_mut().copied()
    }

    /// Returns the size that it asks for, if it does.
    #[must_use]
    pub fn size(mut self) -> Option<usize> {
        self.size_mut().copied()
    }

    /// Returns the alignment that it asks for, if it does.
    #[must_use]
    pub fn align(mut self) -> Option<usize> {
        self.align_mut().copied()
    }

    /// Returns the share of the slack that is passed as the old size, if it has one.
    #[must_use]
    pub fn share(mut self) -> Option<u8> {
        self.share_mut().copied()
    }

    /// Returns it with another slot, if it has one.
    #[must_use]
    pub fn with_slot(mut self, slot: u32) -> Self {
        self.slot_mut().into_iter().for_each(|field| *field = slot);
        self
    }

    /// Returns it with another size, if it has one.
    #[must_use]
    pub fn with_size(mut self, size: usize) -> Self {
        self.size_mut().into_iter().for_each(|field| *field = size);
        self
    }

    /// Returns it with another alignment, if it has one.
    #[must_use]
    pub fn with_align(mut self, align: usize) -> Self {
        self.align_mut().into_iter().for_each(|field| *field = align);
        self
    }

    /// Returns it with another share, if it has one.
    #[must_use]
    pub fn with_share(mut self, share: u8) -> Self {
        self.share_mut().into_iter().for_each(|field| *field = share);
        self
    }

    fn slot_mut(&mut self) -> Option<&mut u32> {
        field!(self, slot in Allocate, AllocateZeroed, Free, FreeSized, Resize, Reallocate)
    }

    fn size_mut(&mut self) -> Option<&mut usize> {
        field!(self, size in Allocate, AllocateZeroed, Resize, Reallocate)
    }

    fn align_mut(&mut self) -> Option<&mut usize> {
        field!(self, align in Allocate, AllocateZeroed, Reallocate)
    }

    fn share_mut(&mut self) -> Option<&mut u8> {
        field!(self, share in FreeSized, Resize, Reallocate)
    }
}
