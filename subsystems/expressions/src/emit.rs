//! From a tree to words.
//!
//! A leaf on either side of an operation on two values becomes part of the operation; of two
//! subtrees the deeper comes first, so that fewer values wait. Both need operations that take their
//! operands the other way about.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::operation::{
    BINARY, BINARY_FLOAT, BINARY_VARIABLE, CALL, END, FLOAT, TERNARY, UNARY, VARIABLE, binary,
    turned, unary,
};
use crate::tree::{Operation, Tree};
use crate::word::word;

/// What remains to be written; the last comes first.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// The words of a subtree.
    Subtree(usize),
    /// A word.
    Word(u32),
    /// A word, followed by a float.
    WithFloat(u32, f32),
}

/// Writes the words of `tree`.
pub(crate) fn emit<'a, A: Allocator + ?Sized>(
    tree: &Tree<'_, A>,
    memory: &'a A,
) -> Result<Array<'a, u32, A>, GrowError> {
    let mut words = Array::new_in(memory);
    let mut tasks = Array::new_in(memory);
    tasks.try_push(Task::Word(word(END, 0)))?;
    tasks.try_push(Task::Subtree(tree.root()))?;
    while let Some(task) = tasks.pop() {
        match task {
            Task::Word(word) => words.try_push(word)?,
            Task::WithFloat(word, float) => {
                words.try_extend_from_slice(&[word, float.to_bits()])?
            }
            Task::Subtree(at) => plan(tree, at, &mut tasks)?,
        }
    }
    words.try_shrink_to_fit()?;
    Ok(words)
}

/// Takes a subtree apart.
fn plan<A: Allocator + ?Sized>(
    tree: &Tree<'_, A>,
    at: usize,
    tasks: &mut Array<'_, Task, A>,
) -> Result<(), GrowError> {
    let (operands, count) = tree.operands(at);
    let operands = &operands[..count];
    let own = match tree.node(at).operation {
        Operation::Float(value) => Task::WithFloat(word(FLOAT, 0), value),
        Operation::Variable(index) => Task::Word(word(VARIABLE, index)),
        Operation::Unary(code) => Task::Word(word(UNARY + code, 0)),
        Operation::Call { function, .. } => Task::Word(word(CALL, function)),
        Operation::Ternary(code) => Task::Word(word(TERNARY + code, 0)),
        Operation::Binary(code) => return plan_binary(tree, code, operands, tasks),
    };
    tasks.try_push(own)?;
    operands.iter().rev().try_for_each(|operand| tasks.try_push(Task::Subtree(*operand)))
}

fn plan_binary<A: Allocator + ?Sized>(
    tree: &Tree<'_, A>,
    code: u8,
    operands: &[usize],
    tasks: &mut Array<'_, Task, A>,
) -> Result<(), GrowError> {
    let &[left, right] = operands else { return Ok(()) };
    let is_leaf = |at: usize| tree.node(at).operation.is_leaf();
    if is_leaf(right) {
        let (base, exponent) = (tree.node(left).operation, tree.node(right).operation);
        if code == binary::POWER && base.is_leaf() && exponent == Operation::Float(-1.0) {
            // As of the source that is printed for it: 1 divided by the base.
            tasks.try_push(with_leaf(binary::DIVIDE, base))?;
            return tasks.try_push(Task::WithFloat(word(FLOAT, 0), 1.0));
        }
        tasks
            .try_push(special_power(code, exponent).unwrap_or_else(|| with_leaf(code, exponent)))?;
        return tasks.try_push(Task::Subtree(left));
    }
    if is_leaf(left) {
        tasks.try_push(with_leaf(turned(code), tree.node(left).operation))?;
        return tasks.try_push(Task::Subtree(right));
    }
    let is_right_first = tree.node(left).depth < tree.node(right).depth;
    let (code, first, second) =
        if is_right_first { (turned(code), right, left) } else { (code, left, right) };
    tasks.try_push(Task::Word(word(BINARY + code, 0)))?;
    tasks.try_push(Task::Subtree(second))?;
    tasks.try_push(Task::Subtree(first))
}

/// Returns an operation whose second operand is a leaf.
fn with_leaf(code: u8, leaf: Operation) -> Task {
    match leaf {
        Operation::Float(value) => Task::WithFloat(word(BINARY_FLOAT + code, 0), value),
        Operation::Variable(index) => Task::Word(word(BINARY_VARIABLE + code, index)),
        _ => unreachable!("only floats and variables are leaves"),
    }
}

/// Returns the operation on the base that does what `math::pow` does for that exponent. An exponent
/// of 1 is not in the tree.
fn special_power(code: u8, exponent: Operation) -> Option<Task> {
    let (binary::POWER, Operation::Float(exponent)) = (code, exponent) else { return None };
    let by = |code| Some(Task::Word(word(UNARY + code, 0)));
    match exponent {
        2.0 => by(unary::SQUARE),
        3.0 => by(unary::CUBE),
        4.0 => by(unary::FOURTH),
        0.5 => by(unary::SQRT),
        -1.0 => Some(Task::WithFloat(word(BINARY_FLOAT + binary::DIVIDE_TURNED, 0), 1.0)),
        _ => None,
    }
}
