//! The machine that runs bytecode over blocks of inputs: the top of the stack is a block in
//! registers, what is below it is in memory.
//!
//! A block is run from the first word to the end before the next block is looked at. So a value
//! between two operations is neither written nor read, unless another value is computed meanwhile.
//! An operation is eight vector instructions after one jump; a column that it reads is an operand
//! of these.
#![expect(
    unsafe_code,
    reason = "columns and words are read unchecked, as the job and the bytecode were checked"
)]

use super::block::{Block, InMemory, Same};
use super::job::Job;
use super::long::{self, Second};
use super::vector::Vector;
use super::{Input, LANES, Slot};
use crate::math;
use crate::operands::{Operand, Wide, wide_variable};
use crate::operation::{
    BINARY, BINARY_FLOAT, BINARY_VARIABLE, FLOAT, UNARY, VARIABLE, run_wide, turned,
};
use crate::symbols::ARGUMENTS_MAX;
use crate::word::split;

/// What is in registers where there is no column to be kept there.
static ZEROS: Slot = Slot([0.0; LANES]);

/// Runs a job of at least as many inputs as a block has. With `KEEPS` the first column stays in
/// registers while a block is run, which pays where there are 32 of them.
///
/// # Safety
///
/// The processor has the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn run<V: Vector, const VECTORS: usize, const KEEPS: bool>(job: &mut Job<'_>) {
    let (lanes, count) = (Block::<V, VECTORS>::LANES, job.count());
    assert!(count >= lanes, "a block has {lanes} inputs, of {count}");
    let (column, kept_index) = if KEEPS { first_column(job) } else { (None, u32::MAX) };
    let mut first = 0;
    loop {
        // SAFETY: there are as many floats as results, by invariant 2 of the job, and the block of
        // results that begins there is within these.
        let kept_from = column.map(|column| unsafe { column.as_ptr().add(first) });
        let kept_from = kept_from.unwrap_or(ZEROS.0.as_ptr());
        let kept = if KEEPS {
            // SAFETY: the caller promises that the processor has the instructions. A block of the
            // column can be read, as above, and of a slot, which is no shorter.
            Block::of(unsafe { InMemory::<V, VECTORS>::new(kept_from) })
        } else {
            // SAFETY: the caller promises that the processor has the instructions.
            Block::of(Same(unsafe { V::splat(0.0) }))
        };
        let (bytecode, inputs) = (job.bytecode(), job.inputs());
        let mut machine = Machine::<V, VECTORS, KEEPS> {
            word: bytecode.words().as_ptr(),
            job,
            inputs,
            first,
            height: 0,
            kept,
            kept_from,
            kept_index,
        };
        let top = machine.run();
        top.store(&mut job.results_mut()[first..]);
        if first + lanes >= count {
            break;
        }
        // The last block ends where the inputs end, and may compute some of them again.
        first = (first + lanes - turn_back(job, first, lanes)).min(count - lanes);
    }
}

/// Returns by how many inputs the second block of many begins earlier, so that its results and those
/// of all after it begin with a cache line: writes across lines take twice as long.
#[inline(always)]
fn turn_back(job: &mut Job<'_>, first: usize, lanes: usize) -> usize {
    const LINE: usize = 64 / size_of::<f32>();
    if first > 0 || lanes < LINE || job.count() < 8 * lanes {
        return 0;
    }
    job.results_mut().as_ptr().addr() / size_of::<f32>() % LINE
}

/// Returns the first variable that is a column, and its index.
#[inline(always)]
fn first_column<'r>(job: &Job<'r>) -> (Option<&'r [f32]>, u32) {
    let mut words = job.bytecode().words().iter();
    while let Some(word) = words.next() {
        let (operation, data) = split(*word);
        if operation == VARIABLE || (BINARY_VARIABLE..BINARY_FLOAT).contains(&operation) {
            if let Some(Input::Column(column)) = job.inputs().get(data as usize) {
                return (Some(column), data);
            }
        } else if operation == FLOAT || operation >= BINARY_FLOAT {
            words.next();
        }
    }
    (None, u32::MAX)
}

/// The machine, at work on a block.
///
/// # Invariants
///
/// 1. The processor has the instructions of `V`.
/// 2. `word` is one of the bytecode's words, and before the end it is an operation. As the bytecode
///    was verified, it ends with the end, what an operation needs is there, and a float follows
///    where one should.
/// 3. The results have a block that begins at `first`, so each column that the bytecode names has
///    one there, by invariant 2 of the job.
/// 4. A block can be read at `kept_from`.
struct Machine<'m, 'r, V, const VECTORS: usize, const KEEPS: bool> {
    word: *const u32,
    job: &'m mut Job<'r>,
    inputs: &'r [Input<'r>],
    first: usize,
    /// The values below the top.
    height: usize,
    /// The column that stays in registers. Nothing of it lives on over a call: it would be kept in
    /// memory from the beginning.
    kept: Block<V, VECTORS>,
    kept_from: *const f32,
    kept_index: u32,
}

impl<'r, V: Vector, const VECTORS: usize, const KEEPS: bool> Machine<'_, 'r, V, VECTORS, KEEPS> {
    /// Floats of a block.
    const LANES: usize = {
        assert!(Block::<V, VECTORS>::LANES <= LANES, "a slot has room for a block");
        Block::<V, VECTORS>::LANES
    };

    #[inline(always)]
    fn run(&mut self) -> Block<V, VECTORS> {
        // The first word pushes a value, and there is no top to be written.
        let top = match self.operation() {
            FLOAT => Block::of(self.float()),
            VARIABLE => wide_variable(self),
            _ => self.call_function(),
        };
        let top = run_wide(top, self);
        if top.has_nan() { self.through_memory(top, canonicalise) } else { top }
    }

    /// Goes on to the next word, which is there, as this one is not the end.
    #[inline(always)]
    fn next(&mut self) {
        // SAFETY: by invariant 2 a word follows one that is not the end.
        self.word = unsafe { self.word.add(1) };
    }

    /// Returns the upper byte of the word.
    #[inline(always)]
    fn operation(&self) -> u8 {
        let bytes = self.word.cast::<[u8; 4]>();
        // SAFETY: by invariant 2 a word is there, which is four bytes.
        let bytes = unsafe { bytes.read() };
        // One byte is read.
        if cfg!(target_endian = "little") { bytes[3] } else { bytes[0] }
    }

    /// Returns the word.
    #[inline(always)]
    fn read(&self) -> u32 {
        // SAFETY: by invariant 2 a word is there.
        unsafe { self.word.read() }
    }

    #[inline(always)]
    fn next_float(&mut self) -> f32 {
        self.next();
        f32::from_bits(self.read())
    }

    #[inline(always)]
    fn input(&self) -> &'r Input<'r> {
        let index = split(self.read()).1 as usize;
        // SAFETY: the bytecode was verified, so the index is below its number of variables, and
        // there is an input for each, by invariant 1 of the job.
        unsafe { self.inputs.get_unchecked(index) }
    }

    #[inline(always)]
    fn splat(&self, value: f32) -> Same<V> {
        // SAFETY: the processor has the instructions, by invariant 1.
        Same(unsafe { V::splat(value) })
    }

    /// Reads the column that stays in registers after a call, which leaves none of them as it was.
    #[inline(always)]
    fn keep(&mut self) {
        if KEEPS {
            // SAFETY: invariants 1 and 4.
            self.kept = Block::of(unsafe { InMemory::<V, VECTORS>::new(self.kept_from) });
        }
    }

    /// Runs something over the floats of a block. They are a copy: a block whose address is known
    /// would be in memory from the beginning.
    #[inline(always)]
    fn through_memory(
        &mut self,
        block: Block<V, VECTORS>,
        run: impl FnOnce(&mut [f32]),
    ) -> Block<V, VECTORS> {
        let mut memory = Block::<V, VECTORS>::of(self.splat(0.0));
        block.store(memory.floats());
        run(memory.floats());
        self.keep();
        // SAFETY: the processor has the instructions, by invariant 1, and it is a block.
        Block::of(unsafe { InMemory::<V, VECTORS>::new(memory.floats().as_ptr()) })
    }

    /// Calls the word's function with the topmost slots.
    #[inline(always)]
    fn call_function(&mut self) -> Block<V, VECTORS> {
        let function = split(self.read()).1;
        let mut results = Block::<V, VECTORS>::of(self.splat(0.0));
        self.height = call(self.job, function, self.height, results.floats());
        self.keep();
        // SAFETY: the processor has the instructions, by invariant 1, and it is a block.
        Block::of(unsafe { InMemory::<V, VECTORS>::new(results.floats().as_ptr()) })
    }
}

impl<V: Vector, const VECTORS: usize, const KEEPS: bool> Wide
    for Machine<'_, '_, V, VECTORS, KEEPS>
{
    type Vector = V;
    type Block = Block<V, VECTORS>;
    type Memory = InMemory<V, VECTORS>;
    type Same = Same<V>;

    #[inline(always)]
    fn next_operation(&mut self) -> u8 {
        self.next();
        self.operation()
    }

    #[inline(always)]
    fn below(&mut self) -> Self::Memory {
        self.height -= 1;
        let slot = self.job.slots()[self.height].0.as_ptr();
        // SAFETY: the processor has the instructions, by invariant 1, and no block is longer than a
        // slot, which is written by the next push at the earliest.
        unsafe { InMemory::<V, VECTORS>::new(slot) }
    }

    #[inline(always)]
    fn kept(&self) -> Option<Self::Block> {
        (KEEPS && split(self.read()).1 == self.kept_index).then_some(self.kept)
    }

    #[inline(always)]
    fn column(&self) -> Option<Self::Memory> {
        let Input::Column(column) = self.input() else { return None };
        // SAFETY: by invariant 3 the column has a block at `first`.
        let from = unsafe { column.as_ptr().add(self.first) };
        // SAFETY: as above; the processor has the instructions, by invariant 1.
        Some(unsafe { InMemory::<V, VECTORS>::new(from) })
    }

    #[inline(always)]
    fn same(&self) -> Self::Same {
        let value = if let Input::Same(value) = self.input() { *value } else { 0.0 };
        self.splat(value)
    }

    #[inline(always)]
    fn float(&mut self) -> Self::Same {
        let float = self.next_float();
        self.splat(float)
    }

    #[inline(always)]
    fn push(&mut self, top: Self::Block) {
        top.store(&mut self.job.slots_mut()[self.height].0);
        self.height += 1;
    }

    #[inline(always)]
    fn call(&mut self, top: Self::Block) -> Self::Block {
        self.push(top);
        self.call_function()
    }

    #[inline(always)]
    fn long_unary(&mut self, operation: u8, top: Self::Block) -> Self::Block {
        let (vector, code) = (top.first(), operation - UNARY);
        self.through_memory(top, |floats| vector.run_long(code, floats, Second::None))
    }

    #[inline(always)]
    fn long_binary(&mut self, operation: u8, top: Self::Block) -> Self::Block {
        let vector = top.first();
        match operation {
            BINARY_FLOAT.. => {
                let (code, second) = (operation - BINARY_FLOAT, Second::Float(self.next_float()));
                self.through_memory(top, |floats| vector.run_long(code, floats, second))
            }
            BINARY_VARIABLE.. => {
                let second = match self.input() {
                    Input::Same(value) => Second::Float(*value),
                    Input::Column(column) => Second::Column(&column[self.first..][..Self::LANES]),
                };
                let code = operation - BINARY_VARIABLE;
                self.through_memory(top, |floats| vector.run_long(code, floats, second))
            }
            _ => {
                let mut second = Block::<V, VECTORS>::of(self.below());
                // The top is the second operand, so it is the twin that takes the slot as such.
                let (code, second) = (turned(operation - BINARY), Second::Column(second.floats()));
                self.through_memory(top, |floats| vector.run_long(code, floats, second))
            }
        }
    }

    #[inline(always)]
    fn block(operand: impl Operand<V>) -> Self::Block {
        Block::of(operand)
    }

    #[inline(always)]
    fn map(top: Self::Block, operation: impl Fn(V) -> V) -> Self::Block {
        top.map(operation)
    }

    #[inline(always)]
    fn zip<T>(
        top: Self::Block,
        operand: impl Operand<T>,
        operation: impl Fn(V, T) -> V,
    ) -> Self::Block {
        top.zip(operand, operation)
    }
}

/// Gives every NaN the same bits.
#[cold]
#[inline(never)]
fn canonicalise(floats: &mut [f32]) {
    for float in floats {
        *float = math::canonical(*float);
    }
}

/// Calls a user's function with the topmost slots, of as many floats as `results`; returns how many
/// values are left below the result.
#[inline(never)]
fn call(job: &mut Job<'_>, function: u32, height: usize, results: &mut [f32]) -> usize {
    let functions = job.bytecode().functions();
    let Some(function) = functions.get(function as usize) else { return height };
    let (count, lanes) = (function.arguments(), results.len());
    let height = height - count;
    let mut arguments: [&[f32]; ARGUMENTS_MAX] = [&[]; ARGUMENTS_MAX];
    for (argument, slot) in arguments[..count].iter_mut().zip(&job.slots()[height..]) {
        *argument = &slot.0[..lanes];
    }
    long::call(function, &arguments[..count], results);
    height
}
