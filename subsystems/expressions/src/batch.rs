//! The machine that runs many inputs: each operation runs over a column of them before the next one
//! is looked at.
//!
//! After Niklas Frykholm, "A Tiny Expression Language" (2011), whose machine runs one input at a
//! time. Here a slot of the stack is a column of [`LANES`] floats, small enough that several stay
//! in the nearest cache, and an operation is a loop that the compiler makes vector instructions of.
//! Pushing a variable copies nothing: the slot remembers whose it is until an operation has read
//! it. The lowest slot is the column of results itself.

mod kernel;
mod lanes;
mod pair;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::bytecode::Bytecode;

use lanes::{Lanes, Slot};

/// The inputs that an operation runs over at once.
pub const LANES: usize = 256;

/// The values of a variable.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// One for each input.
    Column(&'a [f32]),
    /// The same for all.
    Same(f32),
}

/// The columns in which a batch computes. One serves any number of expressions and runs, one after
/// the other.
///
/// # Memory
///
/// 1 032 bytes for each value on the stack of the deepest expression, in two blocks. Most
/// expressions are 1 to 3 deep.
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
    /// All slots but the lowest, and one more for the results of a user's function.
    columns: Array<'a, f32, A>,
    /// Where the values of each slot are.
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
        let mut columns = Array::try_with_capacity_in(depth * LANES, memory)?;
        columns.try_resize(depth * LANES, 0.0)?;
        let mut slots = Array::try_with_capacity_in(depth, memory)?;
        slots.try_resize(depth, Slot::Column)?;
        Ok(Self { columns, slots })
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
    /// O(words x results), and O(words) for each [`LANES`] of them. Nothing is allocated.
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
        assert!(
            inputs.len() >= self.variables(),
            "{} inputs were given for {} variables",
            inputs.len(),
            self.variables()
        );
        assert!(
            stack.depth() >= self.depth(),
            "the stack is {} deep, the expression {}",
            stack.depth(),
            self.depth()
        );
        for input in &inputs[..self.variables()] {
            let Input::Column(column) = input else { continue };
            let (has, needs) = (column.len(), results.len());
            assert!(has >= needs, "a column has {has} values for {needs} results");
        }
        let mut first = 0;
        for results in results.chunks_mut(LANES) {
            let count = results.len();
            let (columns, slots) = (&mut stack.columns, &mut stack.slots);
            run_lanes(Lanes::new(inputs, first, results, columns, slots), self);
            first += count;
        }
    }
}

/// Runs one block of inputs, with the widest vectors that this machine has and that pay.
fn run_lanes(lanes: Lanes<'_>, bytecode: &Bytecode<'_>) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine was just asked whether it has these instructions.
        #[expect(unsafe_code, reason = "vectors of eight in place of four: half of the time")]
        return unsafe { run_lanes_avx2(lanes, bytecode) };
    }
    lanes.run(bytecode);
}

/// The same loops, compiled for vectors of eight. Nothing is fused, so the results are the same to
/// the bit.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2")]
fn run_lanes_avx2(lanes: Lanes<'_>, bytecode: &Bytecode<'_>) {
    lanes.run(bytecode);
}
