//! An expression as a tree, in an array: each node comes after its operands, as in the article's
//! postfix notation.
//!
//! A node knows how many nodes are in its subtree, so its last operand ends right before it, the
//! one before that ends before the last one's subtree, and nothing is linked. What is constant
//! becomes one node as soon as its operator comes, as the operands are then the last nodes of all.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::limits::{DEPTH_MAX, NODES_MAX};
use crate::math::canonical;
use crate::operation::{apply_binary, apply_ternary, apply_unary, binary, ternary};
use crate::symbols::{ARGUMENTS_MAX, Function};

/// What a node computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operation {
    Float(f32),
    Variable(u32),
    Unary(u8),
    Binary(u8),
    Ternary(u8),
    Call { function: u32, arguments: u8 },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) operation: Operation,
    /// The nodes of its subtree, itself included.
    len: u16,
    /// The values that are on the stack at most while it is computed.
    pub(crate) depth: u16,
}

/// Why a node cannot be added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TreeFull {
    Long,
    Deep,
    Memory(GrowError),
}

/// Up to [`NODES_MAX`] nodes in postfix order.
#[derive(Debug)]
pub(crate) struct Tree<'a, A: Allocator + ?Sized> {
    nodes: Array<'a, Node, A>,
}

impl Operation {
    pub(crate) const fn operands(self) -> usize {
        match self {
            Self::Float(_) | Self::Variable(_) => 0,
            Self::Unary(_) => 1,
            Self::Binary(_) => 2,
            Self::Ternary(_) => 3,
            Self::Call { arguments, .. } => arguments as usize,
        }
    }

    pub(crate) const fn is_leaf(self) -> bool {
        matches!(self, Self::Float(_) | Self::Variable(_))
    }

    const fn float(self) -> Option<f32> {
        if let Self::Float(value) = self { Some(value) } else { None }
    }
}

impl<'a, A: Allocator + ?Sized> Tree<'a, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self { nodes: Array::new_in(memory) }
    }

    pub(crate) fn node(&self, at: usize) -> Node {
        self.nodes[at]
    }

    /// Returns the place of the root.
    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Returns the places of a node's operands in order, and their number; the other entries are
    /// zero.
    pub(crate) fn operands(&self, at: usize) -> ([usize; ARGUMENTS_MAX], usize) {
        let count = self.nodes[at].operation.operands();
        let mut places = [0; ARGUMENTS_MAX];
        let mut end = at;
        for place in places[..count].iter_mut().rev() {
            *place = end - 1;
            end -= usize::from(self.nodes[end - 1].len);
        }
        (places, count)
    }

    /// Adds a node whose operands are the last ones that were added, and folds what is constant.
    pub(crate) fn push(
        &mut self,
        operation: Operation,
        functions: &[Function<'_>],
    ) -> Result<(), TreeFull> {
        if let Some(value) = self.folded(operation, functions) {
            self.nodes.truncate(self.nodes.len() - operation.operands());
            return self.push_plain(Operation::Float(canonical(value)));
        }
        if operation == Operation::Binary(binary::POWER) && self.is_power_of_one() {
            self.nodes.pop();
            return Ok(());
        }
        if operation == Operation::Ternary(ternary::CHOOSE) && self.choose() {
            return Ok(());
        }
        if operation == Operation::Ternary(ternary::CLAMP) && self.ends_with_leaves() {
            return self.clamp(functions);
        }
        self.push_plain(operation)
    }

    /// Adds a node as it is.
    pub(crate) fn push_plain(&mut self, operation: Operation) -> Result<(), TreeFull> {
        if self.nodes.len() == NODES_MAX {
            return Err(TreeFull::Long);
        }
        let node = Node { operation, len: 1, depth: 1 };
        self.nodes.try_push(node).map_err(TreeFull::Memory)?;
        let at = self.root();
        let (operands, count) = self.operands(at);
        let operands = &operands[..count];
        let len: usize = operands.iter().map(|operand| usize::from(self.nodes[*operand].len)).sum();
        let depth = self.depth(operation, operands);
        self.nodes[at].len = len as u16 + 1;
        self.nodes[at].depth = depth;
        if usize::from(depth) > DEPTH_MAX { Err(TreeFull::Deep) } else { Ok(()) }
    }

    /// Returns the values on the stack while an operation and its operands are computed: the
    /// bytecode takes a leaf as an operand from where it is, and computes the deeper of two
    /// operands first.
    fn depth(&self, operation: Operation, operands: &[usize]) -> u16 {
        let depth = |operand: &usize| self.nodes[*operand].depth;
        let is_leaf = |operand: &usize| self.nodes[*operand].operation.is_leaf();
        match (operation, operands) {
            (Operation::Binary(_), [left, right]) if is_leaf(right) => depth(left),
            (Operation::Binary(_), [left, right]) if is_leaf(left) => depth(right),
            (Operation::Binary(_), [left, right]) if depth(left) == depth(right) => depth(left) + 1,
            (Operation::Binary(_), [left, right]) => depth(left).max(depth(right)),
            _ => {
                let waiting = operands.iter().enumerate();
                let depths = waiting.map(|(below, operand)| below as u16 + depth(operand));
                depths.max().unwrap_or(1)
            }
        }
    }

    /// Returns what the operation gives if the last nodes, its operands, are constant.
    fn folded(&self, operation: Operation, functions: &[Function<'_>]) -> Option<f32> {
        let count = operation.operands();
        let first = self.nodes.len().checked_sub(count)?;
        let mut values = [0.0; ARGUMENTS_MAX];
        for (value, node) in values.iter_mut().zip(&self.nodes[first..]) {
            *value = node.operation.float()?;
        }
        let [a, b, c, ..] = values;
        match operation {
            Operation::Float(_) | Operation::Variable(_) => None,
            Operation::Unary(code) => Some(apply_unary(code, a)),
            Operation::Binary(code) => Some(apply_binary(code, a, b)),
            Operation::Ternary(code) => Some(apply_ternary(code, a, b, c)),
            Operation::Call { function, .. } => {
                let function = functions.get(function as usize)?;
                (!function.is_varying()).then(|| function.call(&values[..count]))
            }
        }
    }

    /// Returns `true` if the exponent is 1, so that the power is its base.
    fn is_power_of_one(&self) -> bool {
        self.nodes.last().is_some_and(|exponent| exponent.operation.float() == Some(1.0))
    }

    fn ends_with_leaves(&self) -> bool {
        let [.., low, high] = self.nodes.as_slice() else { return false };
        low.operation.is_leaf() && high.operation.is_leaf()
    }

    /// Makes of a value and two leaves a maximum and a minimum, which take leaves from where they
    /// are.
    fn clamp(&mut self, functions: &[Function<'_>]) -> Result<(), TreeFull> {
        let (Some(high), Some(low)) = (self.nodes.pop(), self.nodes.pop()) else { return Ok(()) };
        self.push_plain(low.operation)?;
        self.push(Operation::Binary(binary::MAX), functions)?;
        self.push_plain(high.operation)?;
        self.push(Operation::Binary(binary::MIN), functions)
    }

    /// Leaves of a condition and two values the one that is chosen, if the condition is constant.
    fn choose(&mut self) -> bool {
        let len = self.nodes.len();
        let no = len - usize::from(self.nodes[len - 1].len);
        let yes = no - usize::from(self.nodes[no - 1].len);
        let Some(condition) = self.nodes[yes - 1].operation.float() else { return false };
        if condition != 0.0 {
            self.nodes.truncate(no);
            self.nodes.drain(yes - 1..yes);
        } else {
            self.nodes.drain(yes - 1..no);
        }
        true
    }
}
