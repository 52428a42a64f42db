//! What a query computes with.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_expressions::BatchStack;

use crate::field::FIELD_DEPTH_MAX;

/// How many places are computed at once.
pub const FIELD_BLOCK: usize = 512;

/// What a query computes with: each thread has its own, and uses it again and again.
///
/// # Memory
///
/// 26 KiB of columns and 8 KiB of stack, in two blocks.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`.
pub struct FieldScratch<'m, A: Allocator + ?Sized = dyn Allocator + 'm> {
    pub(super) columns: Array<'m, Columns, A>,
    pub(super) results: Array<'m, [[f32; FIELD_BLOCK]; 3], A>,
    pub(super) stack: BatchStack<'m, A>,
}

/// The places of a block that a field reaches, a column for each variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    /// Which places of the block they are.
    pub(super) indices: [u32; FIELD_BLOCK],
    pub(super) x: [f32; FIELD_BLOCK],
    pub(super) y: [f32; FIELD_BLOCK],
    pub(super) z: [f32; FIELD_BLOCK],
    pub(super) distance: [f32; FIELD_BLOCK],
    pub(super) vx: [f32; FIELD_BLOCK],
    pub(super) vy: [f32; FIELD_BLOCK],
    pub(super) vz: [f32; FIELD_BLOCK],
    pub(super) mass: [f32; FIELD_BLOCK],
}

impl<'m> FieldScratch<'m> {
    /// Returns a scratch for any fields.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for it.
    pub fn try_new(memory: &'m (dyn Allocator + 'm)) -> Result<Self, GrowError> {
        Self::try_new_in(memory)
    }
}

impl<'m, A: Allocator + ?Sized> FieldScratch<'m, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(memory: &'m A) -> Result<Self, GrowError> {
        let none = [0.0; FIELD_BLOCK];
        let columns = Columns {
            indices: [0; FIELD_BLOCK],
            x: none,
            y: none,
            z: none,
            distance: none,
            vx: none,
            vy: none,
            vz: none,
            mass: none,
        };
        let stack = BatchStack::try_new_in(FIELD_DEPTH_MAX, memory)?;
        Ok(Self {
            columns: Array::try_from_slice_in(&[columns], memory)?,
            results: Array::try_from_slice_in(&[[none; 3]], memory)?,
            stack,
        })
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for FieldScratch<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldScratch").finish_non_exhaustive()
    }
}
