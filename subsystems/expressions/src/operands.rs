//! Where operations find their operands: what the machines give to them.

use crate::float::Float;

/// Runs something that is compiled for each operation on one float by itself.
pub(crate) trait OnUnary {
    fn run(self, operation: impl Fn(f32) -> f32);
}

/// Runs something that is compiled for each operation on two floats by itself.
pub(crate) trait OnBinary {
    fn run(self, operation: impl Fn(f32, f32) -> f32);
}

/// What runs one input: where the operands are that an operation does not have in hand.
pub(crate) trait Machine {
    /// Pops the value below the top.
    fn below(&mut self) -> f32;
    /// Returns the word's variable.
    fn variable(&mut self) -> f32;
    /// Returns the float in the next word.
    fn float(&mut self) -> f32;
    /// Pushes the top, so that another value may take its place.
    fn push(&mut self, top: f32);
    /// Calls the word's function; what it returns is the new top.
    fn call(&mut self, top: f32) -> f32;
}

/// What runs blocks of inputs: where the operands are that an operation does not have in hand, and
/// how it is run over all vectors of a block.
pub(crate) trait Wide {
    type Vector: Float;
    type Block: Operand<Self::Vector> + Copy;
    /// A block that is not in registers.
    type Memory: Operand<Self::Vector>;
    /// A float for all inputs.
    type Same: Operand<Self::Vector>;

    /// Goes on to the next word, and returns its upper byte.
    fn next_operation(&mut self) -> u8;
    /// Pops the block below the top.
    fn below(&mut self) -> Self::Memory;
    /// Returns the values of the word's variable if they are in registers.
    fn kept(&self) -> Option<Self::Block>;
    /// Returns the values of the word's variable if it is a column.
    fn column(&self) -> Option<Self::Memory>;
    /// Returns the value of the word's variable if it is no column.
    fn same(&self) -> Self::Same;
    /// Returns the float in the next word.
    fn float(&mut self) -> Self::Same;
    /// Pushes the top, so that another block may take its place.
    fn push(&mut self, top: Self::Block);
    /// Calls the word's function; what it returns is the new top.
    fn call(&mut self, top: Self::Block) -> Self::Block;
    /// Runs a long operation on one float.
    fn long_unary(&mut self, operation: u8, top: Self::Block) -> Self::Block;
    /// Runs a long operation on two floats, wherever the second is.
    fn long_binary(&mut self, operation: u8, top: Self::Block) -> Self::Block;
    /// Returns a block of the operand's values.
    fn block(operand: impl Operand<Self::Vector>) -> Self::Block;
    fn map(top: Self::Block, f: impl Fn(Self::Vector) -> Self::Vector) -> Self::Block;
    fn zip<T>(
        top: Self::Block,
        operand: impl Operand<T>,
        f: impl Fn(Self::Vector, T) -> Self::Vector,
    ) -> Self::Block;
}

/// Where the vectors of an operand are: each is read when it is needed, as there are not registers
/// enough for all of them.
pub(crate) trait Operand<V> {
    fn vector(&self, at: usize) -> V;
}

/// Returns the values of the word's variable.
#[inline(always)]
pub(crate) fn wide_variable<W: Wide>(machine: &W) -> W::Block {
    if let Some(kept) = machine.kept() {
        W::block(kept)
    } else if let Some(column) = machine.column() {
        W::block(column)
    } else {
        W::block(machine.same())
    }
}

/// Two operands, vector by vector.
struct Two<A, B>(A, B);

impl<V, A: Operand<V>, B: Operand<V>> Operand<(V, V)> for Two<A, B> {
    #[inline(always)]
    fn vector(&self, at: usize) -> (V, V) {
        (self.0.vector(at), self.1.vector(at))
    }
}

/// Runs an operation on the values of two slots and the top.
#[inline(always)]
pub(crate) fn wide_ternary<W: Wide>(
    machine: &mut W,
    top: W::Block,
    f: impl Fn(W::Vector, W::Vector, W::Vector) -> W::Vector,
) -> W::Block {
    let second = machine.below();
    let first = machine.below();
    W::zip(
        top,
        Two(first, second),
        #[inline(always)]
        |c, (a, b)| f(a, b, c),
    )
}
