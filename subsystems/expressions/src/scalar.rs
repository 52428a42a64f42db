//! The machine that runs one input.
//!
//! The top of the stack is kept apart, in a register; what is below is in an array whose length is
//! a power of two, so that an index is masked instead of checked. Verified bytecode never leaves
//! the array anyway.

use crate::bytecode::{Bytecode, DEPTH_MAX, split};
use crate::math::canonical;
use crate::operation::{Machine, step};
use crate::symbols::{ARGUMENTS_MAX, Function};

/// Slots of the stack of most expressions: one more than the values, as what is in the register
/// before the first value is pushed, too.
const FEW: usize = 8;

/// Slots of the deepest stack.
const MANY: usize = 128;
const _: () = assert!(DEPTH_MAX < MANY, "the deepest stack has room");

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
        if self.depth() < FEW {
            run_on::<FEW>(self.words(), variables, self.functions())
        } else {
            run_on::<MANY>(self.words(), variables, self.functions())
        }
    }
}

#[cold]
#[inline(never)]
fn too_few(found: usize, expected: usize) -> ! {
    panic!("{found} values were given for {expected} variables")
}

fn run_on<const SLOTS: usize>(words: &[u32], variables: &[f32], functions: &[Function<'_>]) -> f32 {
    const { assert!(SLOTS.is_power_of_two(), "an index is masked") };
    let mut stack = [0.0; SLOTS];
    let words = words.iter();
    let mut scalar = Scalar { words, variables, functions, stack: &mut stack, height: 0 };
    let mut top = 0.0;
    while let Some(&word) = scalar.words.next() {
        let (operation, data) = split(word);
        match step(operation, data, top, &mut scalar) {
            Some(value) => top = value,
            None => break,
        }
    }
    canonical(top)
}

struct Scalar<'r, 'f, const SLOTS: usize> {
    words: core::slice::Iter<'r, u32>,
    variables: &'r [f32],
    functions: &'r [Function<'f>],
    /// A reference, so that all else here may be kept in registers.
    stack: &'r mut [f32; SLOTS],
    height: usize,
}

impl<const SLOTS: usize> Machine for Scalar<'_, '_, SLOTS> {
    #[inline(always)]
    fn below(&mut self) -> f32 {
        self.height = self.height.wrapping_sub(1);
        self.stack[self.height % SLOTS]
    }

    #[inline(always)]
    fn variable(&mut self, index: u32) -> f32 {
        self.variables.get(index as usize).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn float(&mut self) -> f32 {
        f32::from_bits(self.words.next().copied().unwrap_or_default())
    }

    #[inline(always)]
    fn push(&mut self, top: f32) {
        self.stack[self.height % SLOTS] = top;
        self.height = self.height.wrapping_add(1);
    }

    #[inline(always)]
    fn call(&mut self, function: u32, top: f32) -> f32 {
        let Some(function) = self.functions.get(function as usize) else { return f32::NAN };
        self.push(top);
        self.height = self.height.wrapping_sub(function.arguments());
        // Only the array is lent, so that all else stays in registers.
        call(function, self.stack, self.height)
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
