//! From bytecode back to a source.
//!
//! The words are made a tree, without folding anything, and the tree is written from left to right.
//! What is still to be written waits on a stack in memory; nothing recurses.

use loligo_allocators::Allocator;
use loligo_containers::text::{self, FormatError};
use loligo_containers::{Array, GrowError};

use crate::bytecode::{Bytecode, name};
use crate::limits::NODES_MAX;
use crate::operation::{
    BINARY, BINARY_FLOAT, BINARY_NAMES, BINARY_VARIABLE, CALL, END, FLOAT, TERNARY, TERNARY_NAMES,
    UNARY, UNARY_NAMES, VARIABLE, binary, ternary, unary,
};
use crate::parser::{binding, binding_of};
use crate::symbols::{Symbols, is_name};
use crate::tree::{Operation, Tree, TreeFull};
use crate::word::split;

/// What remains to be written; the last comes first.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// A subtree, in parentheses if it binds less than that.
    Subtree(usize, u8),
    Text(&'static str),
}

/// Writes `bytecode` as a source.
pub(crate) fn print<'a, A: Allocator + ?Sized>(
    bytecode: Bytecode<'_>,
    symbols: &Symbols<'_>,
    memory: &'a A,
) -> Result<Array<'a, u8, A>, GrowError> {
    let tree = tree_of(bytecode, memory)?;
    let mut source = Array::new_in(memory);
    let mut tasks = Array::new_in(memory);
    tasks.try_push(Task::Subtree(tree.root(), 0))?;
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(piece) => text::try_append(&mut source, piece)?,
            Task::Subtree(at, least) => {
                if binding_of_node(tree.node(at).operation) < least {
                    text::try_append(&mut source, "(")?;
                    tasks.try_push(Task::Text(")"))?;
                }
                begin(tree.node(at).operation, symbols, &mut source)?;
                plan(&tree, at, &mut tasks)?;
            }
        }
    }
    Ok(source)
}

/// Makes a tree of words that were verified.
fn tree_of<'a, A: Allocator + ?Sized>(
    bytecode: Bytecode<'_>,
    memory: &'a A,
) -> Result<Tree<'a, A>, GrowError> {
    let mut tree = Tree::new_in(memory);
    let mut push = |operation| {
        tree.push_plain(operation).map_err(|full| match full {
            TreeFull::Memory(error) => error,
            TreeFull::Long | TreeFull::Deep => {
                GrowError::Length { wanted: NODES_MAX as u64 + 1, limit: NODES_MAX as u64 }
            }
        })
    };
    let mut words = bytecode.words().iter();
    while let Some(&word) = words.next() {
        let (operation, data) = split(word);
        let mut float =
            || Operation::Float(f32::from_bits(words.next().copied().unwrap_or_default()));
        match operation {
            END => break,
            FLOAT => push(float())?,
            VARIABLE => push(Operation::Variable(data))?,
            CALL => {
                let function = bytecode.functions().get(data as usize);
                let arguments = function.map_or(0, |function| function.arguments()) as u8;
                push(Operation::Call { function: data, arguments })?;
            }
            UNARY..TERNARY => push(Operation::Unary(operation - UNARY))?,
            TERNARY..BINARY => push(Operation::Ternary(operation - TERNARY))?,
            BINARY..BINARY_VARIABLE => push(Operation::Binary(operation - BINARY))?,
            BINARY_VARIABLE..BINARY_FLOAT => {
                push(Operation::Variable(data))?;
                push(Operation::Binary(operation - BINARY_VARIABLE))?;
            }
            BINARY_FLOAT.. => {
                push(float())?;
                push(Operation::Binary(operation - BINARY_FLOAT))?;
            }
            _ => break,
        }
    }
    Ok(tree)
}

/// Returns `true` if an operation takes its operands the other way about, and is written as its
/// twin.
const fn is_turned(code: u8) -> bool {
    let is_comparison = matches!(code, binary::LESS..=binary::AT_LEAST);
    code >= binary::SUBTRACT && code % 2 == 1 && !is_comparison
}

const fn straight(code: u8) -> u8 {
    if is_turned(code) { code - 1 } else { code }
}

fn binding_of_node(operation: Operation) -> u8 {
    match operation {
        Operation::Float(value) if value.is_finite() && value.is_sign_negative() => binding::SIGN,
        Operation::Unary(unary::NEGATE | unary::NOT) => binding::SIGN,
        Operation::Unary(unary::SQUARE..) => binding::POWER,
        Operation::Binary(code) if !is_name(name(BINARY_NAMES, code)) => binding_of(straight(code)),
        Operation::Ternary(ternary::CHOOSE) => binding::CHOICE,
        _ => binding::VALUE,
    }
}

/// Writes what is before the first operand.
fn begin<A: Allocator + ?Sized>(
    operation: Operation,
    symbols: &Symbols<'_>,
    source: &mut Array<'_, u8, A>,
) -> Result<(), GrowError> {
    let known = match operation {
        Operation::Float(value) => return float(value, source),
        Operation::Variable(index) => symbols.variables.get(index as usize).copied().unwrap_or("?"),
        Operation::Unary(unary::SQUARE..) | Operation::Ternary(ternary::CHOOSE) => return Ok(()),
        Operation::Unary(code) => name(UNARY_NAMES, code),
        Operation::Binary(code) => name(BINARY_NAMES, code),
        Operation::Ternary(code) => name(TERNARY_NAMES, code),
        Operation::Call { function, .. } => {
            symbols.functions.get(function as usize).map_or("?", |function| function.name())
        }
    };
    match operation {
        Operation::Binary(_) if !is_name(known) => Ok(()),
        Operation::Variable(_) | Operation::Unary(unary::NEGATE | unary::NOT) => {
            text::try_append(source, known)
        }
        _ => {
            text::try_append(source, known)?;
            text::try_append(source, "(")
        }
    }
}

/// Writes a float so that it is read as the same one.
fn float<A: Allocator + ?Sized>(
    value: f32,
    source: &mut Array<'_, u8, A>,
) -> Result<(), GrowError> {
    if value.is_nan() {
        return text::try_append(source, "(0 / 0)");
    }
    if value.is_infinite() {
        return text::try_append(source, if value > 0.0 { "(1 / 0)" } else { "(-1 / 0)" });
    }
    let is_handy = value == 0.0 || (1e-5..1e9).contains(&value.abs());
    let written = if is_handy {
        text::try_format(source, format_args!("{value}"))
    } else {
        text::try_format(source, format_args!("{value:e}"))
    };
    match written {
        Err(FormatError::Memory(error)) => Err(error),
        _ => Ok(()),
    }
}

/// Puts what follows on the stack, the last first.
fn plan<A: Allocator + ?Sized>(
    tree: &Tree<'_, A>,
    at: usize,
    tasks: &mut Array<'_, Task, A>,
) -> Result<(), GrowError> {
    let (operands, count) = tree.operands(at);
    let operands = &operands[..count];
    match (tree.node(at).operation, operands) {
        (Operation::Unary(unary::NEGATE | unary::NOT), &[a]) => {
            tasks.try_push(Task::Subtree(a, binding::SIGN))
        }
        (Operation::Unary(code @ unary::SQUARE..), &[a]) => {
            tasks.try_push(Task::Text(name(UNARY_NAMES, code)))?;
            tasks.try_push(Task::Text(" "))?;
            tasks.try_push(Task::Subtree(a, binding::VALUE))
        }
        (Operation::Binary(code), &[first, second]) => {
            let (a, b) = if is_turned(code) { (second, first) } else { (first, second) };
            let symbol = name(BINARY_NAMES, code);
            if is_name(symbol) {
                return plan_list(&[a, b], tasks);
            }
            let own = binding_of(straight(code));
            let (left, right) = match own {
                binding::POWER => (binding::VALUE, binding::SIGN),
                binding::COMPARISON => (own + 1, own + 1),
                _ => (own, own + 1),
            };
            tasks.try_push(Task::Subtree(b, right))?;
            for piece in [" ", symbol, " "] {
                tasks.try_push(Task::Text(piece))?;
            }
            tasks.try_push(Task::Subtree(a, left))
        }
        (Operation::Ternary(ternary::CHOOSE), &[condition, yes, no]) => {
            tasks.try_push(Task::Subtree(no, binding::CHOICE))?;
            tasks.try_push(Task::Text(" : "))?;
            tasks.try_push(Task::Subtree(yes, binding::CHOICE))?;
            tasks.try_push(Task::Text(" ? "))?;
            tasks.try_push(Task::Subtree(condition, binding::CHOICE + 1))
        }
        (Operation::Float(_) | Operation::Variable(_), _) => Ok(()),
        _ => plan_list(operands, tasks),
    }
}

/// Plans arguments and the parenthesis after them.
fn plan_list<A: Allocator + ?Sized>(
    operands: &[usize],
    tasks: &mut Array<'_, Task, A>,
) -> Result<(), GrowError> {
    tasks.try_push(Task::Text(")"))?;
    for (index, operand) in operands.iter().enumerate().rev() {
        tasks.try_push(Task::Subtree(*operand, 0))?;
        if index > 0 {
            tasks.try_push(Task::Text(", "))?;
        }
    }
    Ok(())
}
