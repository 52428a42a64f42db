//! Bytecode that was verified: what can be run, batched, printed and saved.
//!
//! After Niklas Frykholm, "A Tiny Expression Language" (2011): words of 32 bits, the upper 8 the
//! operation, the lower 24 its data, a float in the next word. Changes: an operation on two values
//! takes the second from the stack, from a variable or from the next word, so that most pushes are
//! gone; and the depth of the stack is proven beforehand instead of tested at each push.

use core::fmt;

use crate::operation::{
    BINARY, BINARY_FLOAT, BINARY_NAMES, BINARY_VARIABLE, CALL, END, FLOAT, TERNARY, TERNARY_NAMES,
    UNARY, UNARY_NAMES, VARIABLE, binary, turned,
};
use crate::symbols::{Function, Symbols};
use crate::verify::{BytecodeError, verify};
use crate::word::{split, word};

/// Bytecode that was proven to be safe to run: the stack holds what every operation pops and never
/// more than [`depth`](Self::depth) values, every index is in its table, and the end is where it
/// should be.
///
/// A copy of it is a pointer or two: tasks on several threads may run the same words at once.
///
/// ```text
/// word | operation, 8 bits | data, 24 bits |
///
/// 00           end
/// 01           push the float in the next word
/// 02 data      push the variable of that index
/// 03 data      call the user's function of that index
/// 10 + code    compute with the top value          (sin, sqrt, -)
/// 30 + code    compute with the top three values   (? :, clamp, lerp, smoothstep)
/// 40 + code    compute with the top two values     (+, -, *, <, min, ..)
/// 80 + code    compute with the top value and the variable of that index in data
/// c0 + code    compute with the top value and the float in the next word
/// ```
///
/// # Memory
///
/// The words and the table of functions are the caller's; this is two slices and two numbers.
///
/// # Threads
///
/// `Send` and `Sync`.
///
/// # Invariants
///
/// 1. `verify` accepted the words with these functions, and returned `depth` and `variables`. The
///    machines read words and variables unchecked, as this is so.
#[derive(Clone, Copy, Debug)]
pub struct Bytecode<'a> {
    words: &'a [u32],
    functions: &'a [Function<'a>],
    depth: u32,
    variables: u32,
}

impl<'a> Bytecode<'a> {
    /// Verifies words that come from anywhere, against the names that they were compiled with.
    ///
    /// # Complexity
    ///
    /// O(words). Nothing is allocated.
    ///
    /// # Errors
    ///
    /// [`BytecodeError`], which names the word and what is wrong with it.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_expressions::{Bytecode, Symbols};
    ///
    /// let symbols = Symbols { variables: &["x"], ..Symbols::default() };
    /// // Push x; add the float 1.0; end.
    /// let words = [0x0200_0000, 0xc000_0000, 0x3f80_0000, 0];
    /// let bytecode = Bytecode::verify(&words, &symbols)?;
    /// assert_eq!(bytecode.run(&[2.0]), 3.0);
    /// assert!(Bytecode::verify(&words[1..], &symbols).is_err(), "there is nothing to add to");
    /// # Ok::<(), loligo_expressions::BytecodeError>(())
    /// ```
    pub fn verify(words: &'a [u32], symbols: &Symbols<'a>) -> Result<Self, BytecodeError> {
        let needs = verify(words, symbols)?;
        let functions = symbols.functions;
        Ok(Self { words, functions, depth: needs.depth, variables: needs.variables })
    }

    /// Joins words with what their verification found, which keeps invariant 1.
    pub(crate) const fn of(
        words: &'a [u32],
        functions: &'a [Function<'a>],
        depth: u32,
        variables: u32,
    ) -> Self {
        Self { words, functions, depth, variables }
    }

    /// Returns the words, the end included.
    #[must_use]
    pub const fn words(&self) -> &'a [u32] {
        self.words
    }

    /// Returns the most values that are on the stack at once, 1 to [`DEPTH_MAX`](crate::DEPTH_MAX).
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth as usize
    }

    /// Returns how many values of variables it needs: one more than the greatest index that it
    /// names.
    #[must_use]
    pub const fn variables(&self) -> usize {
        self.variables as usize
    }

    pub(crate) const fn functions(&self) -> &'a [Function<'a>] {
        self.functions
    }

    /// Returns the value of an expression that names no variable, so that it need not be run.
    ///
    /// The compiler folds whatever is constant: this is `None` only if the value depends on a
    /// variable or on a function that varies.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn as_constant(&self) -> Option<f32> {
        match self.words {
            [push, bits, end] if *push == word(FLOAT, 0) && *end == word(END, 0) => {
                Some(crate::math::canonical(f32::from_bits(*bits)))
            }
            _ => None,
        }
    }
}

/// Lists the operations, one a line.
impl fmt::Display for Bytecode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.words.iter();
        while let Some(&word) = words.next() {
            let (operation, data) = split(word);
            let mut float = || f32::from_bits(words.next().copied().unwrap_or_default());
            match operation {
                END => write!(f, "end")?,
                FLOAT => writeln!(f, "float {}", float())?,
                VARIABLE => writeln!(f, "variable {data}")?,
                CALL => writeln!(f, "function {data}")?,
                _ if operation >= BINARY_FLOAT => {
                    writeln!(f, "{} float {}", Infix(operation - BINARY_FLOAT), float())?;
                }
                _ if operation >= BINARY_VARIABLE => {
                    writeln!(f, "{} variable {data}", Infix(operation - BINARY_VARIABLE))?;
                }
                _ if operation >= BINARY => writeln!(f, "{}", Infix(operation - BINARY))?,
                _ if operation >= TERNARY => {
                    writeln!(f, "{}", name(TERNARY_NAMES, operation - TERNARY))?;
                }
                _ => writeln!(f, "{}", name(UNARY_NAMES, operation - UNARY))?,
            }
        }
        Ok(())
    }
}

pub(crate) fn name(names: &[&'static str], code: u8) -> &'static str {
    names.get(usize::from(code)).copied().unwrap_or_default()
}

/// The name of an operation on two values; one that takes them the other way about is marked.
struct Infix(u8);

impl fmt::Display for Infix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = name(BINARY_NAMES, self.0);
        let is_comparison = matches!(self.0, binary::LESS..=binary::AT_LEAST);
        let is_turned = turned(self.0) < self.0 && !is_comparison;
        write!(f, "{name}{}", if is_turned { " turned" } else { "" })
    }
}
