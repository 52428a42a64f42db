//! The proof that words are bytecode.

use core::error::Error;
use core::fmt;

use crate::limits::{DEPTH_MAX, NODES_MAX, WORDS_MAX};
use crate::operation::{
    BINARY, BINARY_FLOAT, BINARY_NAMES, BINARY_VARIABLE, CALL, END, FLOAT, TERNARY, TERNARY_NAMES,
    UNARY, UNARY_NAMES, VARIABLE,
};
use crate::symbols::Symbols;
use crate::word::split;

/// Words were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BytecodeError {
    /// The index of the word.
    pub word: usize,
    /// What is wrong with it.
    pub kind: BytecodeErrorKind,
}

/// What is wrong with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BytecodeErrorKind {
    /// No operation is written so.
    Operation(u32),
    /// The float that should follow is missing.
    FloatMissing,
    /// No variable has that index.
    Variable {
        /// The index.
        index: u32,
        /// How many variables there are.
        known: usize,
    },
    /// No function has that index.
    Function {
        /// The index.
        index: u32,
        /// How many functions there are.
        known: usize,
    },
    /// There are fewer values on the stack than the operation takes.
    Underflow {
        /// How many there are.
        found: usize,
        /// How many it takes.
        expected: usize,
    },
    /// There would be more than [`DEPTH_MAX`] values on the stack.
    Deep,
    /// There are more than [`WORDS_MAX`] words, or more operations and operands than a source may
    /// have.
    Long,
    /// The number of values on the stack at the end, which is not one.
    Left(usize),
    /// The words go on past the end.
    BehindEnd,
    /// There is no end.
    NoEnd,
}

impl fmt::Display for BytecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "word {} of the bytecode: ", self.word)?;
        match self.kind {
            BytecodeErrorKind::Operation(word) => write!(f, "{word:#010x} is no operation"),
            BytecodeErrorKind::FloatMissing => write!(f, "the float that should follow is missing"),
            BytecodeErrorKind::Variable { index, known } => {
                write!(f, "variable {index} of {known}")
            }
            BytecodeErrorKind::Function { index, known } => {
                write!(f, "function {index} of {known}")
            }
            BytecodeErrorKind::Underflow { found, expected } => {
                write!(f, "takes {expected} values where {found} are on the stack")
            }
            BytecodeErrorKind::Deep => write!(f, "more than {DEPTH_MAX} values on the stack"),
            BytecodeErrorKind::Long => {
                write!(f, "more than {WORDS_MAX} words, or {NODES_MAX} operations and operands")
            }
            BytecodeErrorKind::Left(values) => {
                write!(f, "{values} values at the end in place of one")
            }
            BytecodeErrorKind::BehindEnd => write!(f, "there are words past the end"),
            BytecodeErrorKind::NoEnd => write!(f, "the end is missing"),
        }?;
        write!(f, "; compile the source again")
    }
}

impl Error for BytecodeError {}

/// What bytecode needs to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// The values on the stack.
    pub(crate) depth: u32,
    /// The values of variables.
    pub(crate) variables: u32,
}

/// What an operation does to the stack, and what follows its word.
struct Effect {
    pops: usize,
    /// Operations and operands that a source would have for it.
    nodes: usize,
    has_float: bool,
}

pub(crate) fn verify(words: &[u32], symbols: &Symbols<'_>) -> Result<Needs, BytecodeError> {
    let mut needs = Needs { depth: 0, variables: 0 };
    let (mut height, mut nodes, mut at) = (0_usize, 0_usize, 0_usize);
    if words.len() > WORDS_MAX {
        return Err(BytecodeError { word: WORDS_MAX, kind: BytecodeErrorKind::Long });
    }
    while let Some(&word) = words.get(at) {
        let refused = |kind| BytecodeError { word: at, kind };
        if word == 0 {
            return match (height, words.len() - at) {
                (1, 1) => Ok(needs),
                (1, _) => Err(BytecodeError { word: at + 1, kind: BytecodeErrorKind::BehindEnd }),
                _ => Err(refused(BytecodeErrorKind::Left(height))),
            };
        }
        let effect = effect(word, symbols, &mut needs.variables).map_err(refused)?;
        nodes += effect.nodes;
        if nodes > NODES_MAX {
            return Err(refused(BytecodeErrorKind::Long));
        }
        if height < effect.pops {
            let kind = BytecodeErrorKind::Underflow { found: height, expected: effect.pops };
            return Err(refused(kind));
        }
        height = height - effect.pops + 1;
        if height > DEPTH_MAX {
            return Err(refused(BytecodeErrorKind::Deep));
        }
        needs.depth = needs.depth.max(height as u32);
        if effect.has_float && at + 1 == words.len() {
            return Err(refused(BytecodeErrorKind::FloatMissing));
        }
        at += 1 + usize::from(effect.has_float);
    }
    Err(BytecodeError { word: at, kind: BytecodeErrorKind::NoEnd })
}

fn effect(
    word: u32,
    symbols: &Symbols<'_>,
    variables: &mut u32,
) -> Result<Effect, BytecodeErrorKind> {
    let (operation, data) = split(word);
    let unknown = Err(BytecodeErrorKind::Operation(word));
    let known = |names: &[&str], first: u8| usize::from(operation - first) < names.len();
    let mut variable = || {
        let known = symbols.variables.len();
        if data as usize >= known {
            return Err(BytecodeErrorKind::Variable { index: data, known });
        }
        *variables = (*variables).max(data + 1);
        Ok(())
    };
    match operation {
        VARIABLE => {
            variable()?;
            Ok(Effect { pops: 0, nodes: 1, has_float: false })
        }
        CALL => match symbols.functions.get(data as usize) {
            Some(function) => Ok(Effect { pops: function.arguments(), nodes: 1, has_float: false }),
            None => {
                Err(BytecodeErrorKind::Function { index: data, known: symbols.functions.len() })
            }
        },
        BINARY_VARIABLE..BINARY_FLOAT if known(BINARY_NAMES, BINARY_VARIABLE) => {
            variable()?;
            Ok(Effect { pops: 1, nodes: 2, has_float: false })
        }
        // From here on there is no data.
        _ if data != 0 => unknown,
        FLOAT => Ok(Effect { pops: 0, nodes: 1, has_float: true }),
        UNARY..TERNARY if known(UNARY_NAMES, UNARY) => {
            Ok(Effect { pops: 1, nodes: 1, has_float: false })
        }
        TERNARY..BINARY if known(TERNARY_NAMES, TERNARY) => {
            Ok(Effect { pops: 3, nodes: 1, has_float: false })
        }
        BINARY..BINARY_VARIABLE if known(BINARY_NAMES, BINARY) => {
            Ok(Effect { pops: 2, nodes: 1, has_float: false })
        }
        BINARY_FLOAT.. if known(BINARY_NAMES, BINARY_FLOAT) => {
            Ok(Effect { pops: 1, nodes: 2, has_float: true })
        }
        END.. => unknown,
    }
}
