//! The machine that runs one input.
//!
//! The top of the stack is kept apart, in a register; what is below is in an array whose length is
//! a power of two, so that an index is masked instead of checked. Verified bytecode never leaves
//! the array anyway. That it was verified is why words and variables are read without a check.
#![expect(unsafe_code, reason = "words and variables are read unchecked: a sixth of the time")]

use crate::bytecode::Bytecode;
use crate::input::Input;
use crate::limits::DEPTH_MAX;
use crate::math::canonical;
use crate::operands::Machine;
use crate::operation::{END, FLOAT, VARIABLE, step};
use crate::symbols::{ARGUMENTS_MAX, Function};
use crate::word::split;

/// Slots of the stack of most expressions.
const FEW: usize = 8;

/// Slots of the deepest stack.
const MANY: usize = 64;
const _: () = assert!(DEPTH_MAX <= MANY, "the deepest stack has room");

impl Bytecode<'_> {
    /// Runs the expression for one input: a value for each variable, in the order of the table that
    /// it was compiled with. More values than it needs may be given.
    ///
    /// # Complexity
    ///
    /// O(words). Nothing is allocated.
    ///
    /// # Panics
    ///
    /// If there are fewer values than [`variables`](Self::variables).
    #[inline]
    #[must_use]
    pub fn run(&self, variables: &[f32]) -> f32 {
        if variables.len() < self.variables() {
            too_few(variables.len(), self.variables());
        }
        // SAFETY: there is a value for each variable, as was just tested.
        unsafe { run_few_or_many(self, variables) }
    }
}

/// Runs the expression for one of the inputs of a batch.
///
/// # Safety
///
/// There is an input for each variable that the bytecode names, and a column among them has a value
/// in that row.
pub(crate) unsafe fn run_row(bytecode: &Bytecode<'_>, inputs: &[Input<'_>], row: usize) -> f32 {
    // SAFETY: the caller promises the same.
    unsafe { run_few_or_many(bytecode, Row { inputs, row }) }
}

#[cold]
#[inline(never)]
fn too_few(found: usize, expected: usize) -> ! {
    panic!("{found} values were given for {expected} variables")
}

/// Where the values of variables are.
trait Variables: Copy {
    /// Returns the value of a variable.
    ///
    /// # Safety
    ///
    /// There is one of that index.
    unsafe fn value(self, index: u32) -> f32;
}

impl Variables for &[f32] {
    #[inline(always)]
    unsafe fn value(self, index: u32) -> f32 {
        // SAFETY: the caller promises that it is there.
        unsafe { *self.get_unchecked(index as usize) }
    }
}

/// A row of columns.
#[derive(Clone, Copy)]
struct Row<'r> {
    inputs: &'r [Input<'r>],
    row: usize,
}

impl Variables for Row<'_> {
    #[inline(always)]
    unsafe fn value(self, index: u32) -> f32 {
        match self.inputs[index as usize] {
            Input::Same(value) => value,
            Input::Column(column) => column[self.row],
        }
    }
}

/// Runs the expression on a stack that has room for it.
///
/// # Safety
///
/// There is a value for each variable that the bytecode names.
#[inline(always)]
unsafe fn run_few_or_many(bytecode: &Bytecode<'_>, variables: impl Variables) -> f32 {
    if bytecode.depth() <= FEW {
        // SAFETY: the caller promises the same.
        unsafe { run_on::<FEW>(bytecode, variables) }
    } else {
        // SAFETY: the caller promises the same.
        unsafe { run_on::<MANY>(bytecode, variables) }
    }
}

/// Runs the expression.
///
/// # Safety
///
/// There is a value for each variable that the bytecode names.
unsafe fn run_on<const SLOTS: usize>(bytecode: &Bytecode<'_>, variables: impl Variables) -> f32 {
    const { assert!(SLOTS.is_power_of_two(), "an index is masked") };
    let mut stack = [0.0; SLOTS];
    let (word, functions) = (bytecode.words().as_ptr(), bytecode.functions());
    let mut scalar = Scalar { word, variables, functions, stack: &mut stack, height: 0 };
    // The first word pushes a value, and there is no top to be written.
    let mut top = match scalar.operation() {
        FLOAT => scalar.float(),
        VARIABLE => scalar.variable(),
        _ => scalar.call_function(),
    };
    loop {
        scalar.next();
        let operation = scalar.operation();
        if operation == END {
            return canonical(top);
        }
        top = step(operation, top, &mut scalar);
    }
}

/// The machine, at work.
///
/// # Invariants
///
/// 1. `word` is one of the bytecode's words, and before the end it is an operation. As the bytecode
///    was verified, it ends with the end, and a float follows where one should.
/// 2. There is a value for each variable that the bytecode names.
struct Scalar<'r, 'f, V, const SLOTS: usize> {
    word: *const u32,
    variables: V,
    functions: &'r [Function<'f>],
    /// A reference, so that all else here may be kept in registers.
    stack: &'r mut [f32; SLOTS],
    height: usize,
}

impl<V: Variables, const SLOTS: usize> Scalar<'_, '_, V, SLOTS> {
    /// Goes on to the next word, which is there, as this one is not the end.
    #[inline(always)]
    fn next(&mut self) {
        // SAFETY: by invariant 1 a word follows one that is not the end.
        self.word = unsafe { self.word.add(1) };
    }

    #[inline(always)]
    fn read(&self) -> u32 {
        // SAFETY: by invariant 1 a word is there.
        unsafe { self.word.read() }
    }

    #[inline(always)]
    fn operation(&self) -> u8 {
        split(self.read()).0
    }

    /// Calls the word's function with the topmost values of the stack.
    #[inline(always)]
    fn call_function(&mut self) -> f32 {
        let index = split(self.read()).1;
        let Some(function) = self.functions.get(index as usize) else { return f32::NAN };
        self.height = self.height.wrapping_sub(function.arguments());
        // Only the array is lent, so that all else stays in registers.
        call(function, self.stack, self.height)
    }
}

impl<V: Variables, const SLOTS: usize> Machine for Scalar<'_, '_, V, SLOTS> {
    #[inline(always)]
    fn below(&mut self) -> f32 {
        self.height = self.height.wrapping_sub(1);
        self.stack[self.height % SLOTS]
    }

    #[inline(always)]
    fn variable(&mut self) -> f32 {
        let index = split(self.read()).1;
        // SAFETY: the bytecode was verified, so the index is below its number of variables, and
        // there is a value for each, by invariant 2.
        unsafe { self.variables.value(index) }
    }

    #[inline(always)]
    fn float(&mut self) -> f32 {
        self.next();
        f32::from_bits(self.read())
    }

    #[inline(always)]
    fn push(&mut self, top: f32) {
        self.stack[self.height % SLOTS] = top;
        self.height = self.height.wrapping_add(1);
    }

    #[inline(always)]
    fn call(&mut self, top: f32) -> f32 {
        self.push(top);
        self.call_function()
    }
}

/// Calls a function whose arguments begin in that slot.
#[cold]
#[inline(never)]
fn call(function: &Function<'_>, stack: &[f32], first: usize) -> f32 {
    let mut arguments = [0.0; ARGUMENTS_MAX];
    let arguments = &mut arguments[..function.arguments()];
    for (index, argument) in arguments.iter_mut().enumerate() {
        *argument = stack[first.wrapping_add(index) % stack.len()];
    }
    function.call(arguments)
}
