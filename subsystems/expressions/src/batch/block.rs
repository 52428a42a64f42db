//! Several vectors in registers: what one operation computes at once.
#![expect(unsafe_code, reason = "vectors are read from and written to memory that was checked")]

use core::marker::PhantomData;

use super::vector::Vector;
use crate::operands::Operand;

/// `VECTORS` vectors, in memory an array of [`LANES`](Self::LANES) floats.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Block<V, const VECTORS: usize>([V; VECTORS]);

impl<V: Vector, const VECTORS: usize> Block<V, VECTORS> {
    /// Floats of a block.
    pub(super) const LANES: usize = V::LANES * VECTORS;

    /// Writes the block to the first floats.
    ///
    /// # Panics
    ///
    /// If there are fewer than a block has.
    #[inline(always)]
    pub(super) fn store(self, to: &mut [f32]) {
        let to = to[..Self::LANES].as_mut_ptr();
        for (at, vector) in self.0.into_iter().enumerate() {
            // SAFETY: the vector is within the block, whose floats were just counted.
            let to = unsafe { to.add(at * V::LANES) };
            // SAFETY: as above.
            unsafe { vector.store(to) };
        }
    }

    /// Returns the floats, in memory.
    #[inline(always)]
    pub(super) fn floats(&mut self) -> &mut [f32] {
        let first = self.0.as_mut_ptr().cast::<f32>();
        // SAFETY: by the contract of `Vector` each of the vectors is `V::LANES` floats, so the array
        // of them is this many; the reference to the block is exclusive as long as the slice lives.
        unsafe { core::slice::from_raw_parts_mut(first, Self::LANES) }
    }

    /// Returns a block of an operand's vectors.
    #[inline(always)]
    pub(super) fn of(operand: impl Operand<V>) -> Self {
        let mut block = Self([operand.vector(0); VECTORS]);
        for (at, vector) in block.0.iter_mut().enumerate().skip(1) {
            *vector = operand.vector(at);
        }
        block
    }

    /// Returns the first vector.
    #[inline(always)]
    pub(super) const fn first(self) -> V {
        self.0[0]
    }

    /// Returns `true` if one of the floats is NaN.
    #[inline(always)]
    pub(super) fn has_nan(self) -> bool {
        // Two vectors in a comparison.
        let half = VECTORS / 2;
        let mut found = self.0[0].is_nan_or(self.0[half]);
        for at in 1..half {
            found = found | self.0[at].is_nan_or(self.0[half + at]);
        }
        V::any(found)
    }

    #[inline(always)]
    pub(super) fn map(mut self, operation: impl Fn(V) -> V) -> Self {
        for vector in &mut self.0 {
            *vector = operation(*vector);
        }
        self
    }

    #[inline(always)]
    pub(super) fn zip<T>(
        mut self,
        operand: impl Operand<T>,
        operation: impl Fn(V, T) -> V,
    ) -> Self {
        for (at, vector) in self.0.iter_mut().enumerate() {
            *vector = operation(*vector, operand.vector(at));
        }
        self
    }
}

impl<V: Vector, const VECTORS: usize> Operand<V> for Block<V, VECTORS> {
    #[inline(always)]
    fn vector(&self, at: usize) -> V {
        self.0[at]
    }
}

/// A vector that is the same at all places.
#[derive(Clone, Copy)]
pub(super) struct Same<V>(pub(super) V);

impl<V: Vector> Operand<V> for Same<V> {
    #[inline(always)]
    fn vector(&self, _at: usize) -> V {
        self.0
    }
}

/// A block in memory.
///
/// # Invariants
///
/// 1. The processor has the instructions of `V`.
/// 2. A block can be read there, as long as an operation takes.
#[derive(Clone, Copy)]
pub(super) struct InMemory<V, const VECTORS: usize> {
    from: *const f32,
    vectors: PhantomData<[V; VECTORS]>,
}

impl<V: Vector, const VECTORS: usize> InMemory<V, VECTORS> {
    /// Returns the block that begins there.
    ///
    /// # Safety
    ///
    /// The processor has the instructions of `V`, and a block can be read from `from` on, as long
    /// as this is used.
    #[inline(always)]
    pub(super) const unsafe fn new(from: *const f32) -> Self {
        Self { from, vectors: PhantomData }
    }
}

impl<V: Vector, const VECTORS: usize> Operand<V> for InMemory<V, VECTORS> {
    #[inline(always)]
    fn vector(&self, at: usize) -> V {
        debug_assert!(at < VECTORS, "vector {at} of {VECTORS}");
        // SAFETY: the vector is within the block, by invariant 2, as only vectors of a block are
        // asked for.
        let from = unsafe { self.from.add(at * V::LANES) };
        // SAFETY: as above; the processor has the instructions, by invariant 1.
        unsafe { V::load(from) }
    }
}
