//! Runs over many inputs: a block of them runs from the first word to the last before the next one
//! is looked at.
//!
//! After Niklas Frykholm, "A Tiny Expression Language" (2011), whose machine runs one input at a
//! time. Here the top of the stack is a block of inputs, one to each lane of eight vector registers,
//! and an operation is eight instructions. The machine is compiled for several sets of
//! instructions; the processor that runs it decides which of them is used, and all give the same
//! bits.

mod block;
mod job;
mod long;
mod machine;
mod path;
mod vector;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::bytecode::Bytecode;
use crate::input::Input;

use job::Job;

/// The most inputs that a user's function is called with at once, and the floats of a slot of a
/// [`BatchStack`].
pub const LANES: usize = 128;

/// The stack on which a batch computes. One serves any number of expressions and runs, one after
/// the other.
///
/// # Memory
///
/// 512 bytes for each value on the stack of the deepest expression, in one block. Most expressions
/// are 1 to 3 deep.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`. Each thread has its own.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_expressions::{BatchStack, Expression, Input, Symbols};
///
/// static MEMORY: StaticHeap<32768> = StaticHeap::new("doc");
/// let symbols = Symbols { variables: &["age", "wind"], ..Symbols::default() };
/// let drift = Expression::try_compile("wind * age ^ 2", &symbols, &MEMORY).expect("it is right");
/// let mut stack = BatchStack::try_new(drift.bytecode().depth(), &MEMORY)?;
/// let mut drifts = [0.0; 3];
/// let inputs = [Input::Column(&[0.0, 1.0, 2.0]), Input::Same(0.5)];
/// drift.run_batch(&inputs, &mut drifts, &mut stack);
/// assert_eq!(drifts, [0.0, 0.5, 2.0]);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
#[derive(Debug)]
pub struct BatchStack<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    /// One for each value, the top included: a user's function reads that from memory, too.
    slots: Array<'a, Slot, A>,
}

impl<'a> BatchStack<'a> {
    /// Returns a stack for expressions of at most that [`depth`](Bytecode::depth).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for it.
    pub fn try_new(depth: usize, memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_new_in(depth, memory)
    }
}

impl<'a, A: Allocator + ?Sized> BatchStack<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(depth: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut slots = Array::try_with_capacity_in(depth, memory)?;
        slots.try_resize(depth, Slot([0.0; LANES]))?;
        Ok(Self { slots })
    }

    /// Returns the depth up to which expressions run on it.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.slots.len()
    }
}

impl Bytecode<'_> {
    /// Runs the expression for as many inputs as there are `results`: for each the same, to the
    /// bit, as [`run`](Self::run) gives.
    ///
    /// # Complexity
    ///
    /// O(words x results); blocks of 4 to [`LANES`] inputs run at once, after the instructions that
    /// the processor has. Nothing is allocated.
    ///
    /// # Panics
    ///
    /// If there are fewer inputs than [`variables`](Self::variables), a column is shorter than
    /// `results`, or the stack is less deep than the expression.
    pub fn run_batch<B: Allocator + ?Sized>(
        &self,
        inputs: &[Input<'_>],
        results: &mut [f32],
        stack: &mut BatchStack<'_, B>,
    ) {
        path::run_widest(&mut Job::new(self, inputs, results, &mut stack.slots));
    }
}

/// The floats of a value on the stack, at the start of a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Slot([f32; LANES]);

#[cfg(test)]
mod tests;
