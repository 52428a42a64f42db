//! Which record an address belongs to: two levels over the MiB of the address.

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};

use super::record::Record;
use super::shared::Shared;
use crate::contract::allocator::{AllocError, Allocator};

/// What regions and huge blocks are aligned to, so that a MiB has at most one.
pub(super) const GRAIN: usize = 1 << 20;

/// Bits of an address that lead to memory: no system hands out more without being asked.
const ADDRESS_BITS: u32 = if usize::BITS == 64 { 48 } else { usize::BITS };
/// Bits of a MiB's number that choose the entry of a leaf.
const LEAF_BITS: u32 = if usize::BITS == 64 { 14 } else { ADDRESS_BITS - GRAIN.ilog2() };
const LEAF_ENTRIES: usize = 1 << LEAF_BITS;
const ROOT_ENTRIES: usize = 1 << (ADDRESS_BITS - GRAIN.ilog2() - LEAF_BITS);

/// 16 GiB of addresses: a record for each MiB.
#[repr(transparent)]
struct Leaf([AtomicPtr<Record>; LEAF_ENTRIES]);

/// The records by address. All zeros is an empty one.
///
/// # Invariants
///
/// 1. An entry of the root is null or leads to a leaf, which stays until the directory ends.
/// 2. An entry of a leaf is null or leads to a record, which is never unmapped before that.
#[repr(C)]
pub(super) struct Directory {
    root: [AtomicPtr<Leaf>; ROOT_ENTRIES],
    /// Leaves for the next entries, so that those of a block that has moved cannot fail.
    spare: [AtomicPtr<Leaf>; 2],
}

/// Bytes that have at most as many leaves as there are spare ones.
pub(super) const SPARE_BYTES: usize = (LEAF_ENTRIES - 1) * GRAIN;

impl Directory {
    /// The record of the MiB that an address is in.
    #[inline]
    pub(super) fn find(&self, address: *const u8) -> Option<&Record> {
        let number = address.addr() / GRAIN;
        // Acquire pairs with the Release in `enter`.
        let leaf = self.root.get(number / LEAF_ENTRIES)?.load(Ordering::Acquire);
        // SAFETY: invariant 1.
        let leaf = unsafe { leaf.as_ref() }?;
        // Acquire pairs with the Release in `set`: who finds a record sees what is in it.
        let record = leaf.0[number % LEAF_ENTRIES].load(Ordering::Acquire);
        // SAFETY: invariant 2.
        unsafe { record.as_ref() }
    }

    /// Enters a record for `bytes` bytes from a multiple of [`GRAIN`] on. Under the lock.
    ///
    /// # Errors
    ///
    /// If there is no memory for a leaf, or the address is too high; nothing is entered then.
    pub(super) fn enter(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        record: &Record,
        shared: &Shared,
    ) -> Result<(), AllocError> {
        let first = start.addr().get() / GRAIN;
        let end = first + bytes.div_ceil(GRAIN);
        for root in first / LEAF_ENTRIES..=(end - 1) / LEAF_ENTRIES {
            let entry = self.root.get(root).ok_or(AllocError)?;
            if entry.load(Ordering::Relaxed).is_null() {
                let leaf = self.take_leaf(shared)?;
                // Release pairs with the Acquire in `find`: the leaf's zeros are seen.
                entry.store(leaf, Ordering::Release);
            }
        }
        self.set(first..end, ptr::from_ref(record).cast_mut());
        Ok(())
    }

    fn take_leaf(&self, shared: &Shared) -> Result<*mut Leaf, AllocError> {
        for spare in &self.spare {
            let leaf = spare.swap(ptr::null_mut(), Ordering::Relaxed);
            if !leaf.is_null() {
                return Ok(leaf);
            }
        }
        Ok(shared.take_table(Layout::new::<Leaf>())?.cast().as_ptr())
    }

    /// Sees to it that the next [`enter`](Self::enter) of at most [`SPARE_BYTES`] cannot fail for
    /// want of memory. Under the lock.
    pub(super) fn fill_spare(&self, shared: &Shared) -> Result<(), AllocError> {
        for spare in &self.spare {
            if spare.load(Ordering::Relaxed).is_null() {
                let leaf = shared.take_table(Layout::new::<Leaf>())?;
                spare.store(leaf.cast().as_ptr(), Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Takes out what [`enter`](Self::enter) entered. Under the lock.
    pub(super) fn leave(&self, start: NonNull<u8>, bytes: usize) {
        let first = start.addr().get() / GRAIN;
        self.set(first..first + bytes.div_ceil(GRAIN), ptr::null_mut());
    }

    /// Gives the leaves back.
    ///
    /// # Safety
    ///
    /// No other thread uses the directory, which was entered with this backing.
    pub(super) unsafe fn give_leaves(&self, backing: &dyn Allocator) {
        for entry in self.root.iter().chain(&self.spare) {
            let leaf = entry.swap(ptr::null_mut(), Ordering::Relaxed);
            if let Some(leaf) = NonNull::new(leaf) {
                // SAFETY: the caller's promise: the leaf came from there and is not used again.
                unsafe { backing.deallocate_sized(leaf.cast(), Layout::new::<Leaf>()) };
            }
        }
    }

    fn set(&self, numbers: core::ops::Range<usize>, record: *mut Record) {
        for number in numbers {
            let leaf = self.root[number / LEAF_ENTRIES].load(Ordering::Relaxed);
            // SAFETY: invariant 1.
            if let Some(leaf) = unsafe { leaf.as_ref() } {
                // Release pairs with the Acquire in `find`.
                leaf.0[number % LEAF_ENTRIES].store(record, Ordering::Release);
            }
        }
    }
}
