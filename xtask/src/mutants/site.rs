//! What is found in a source: mutants, and the places in its text where they are spliced in.

use core::ops::Range;

/// One change to one place of the code, which a test should notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mutant {
    /// The file, from the root.
    pub(crate) file: String,
    /// The line, which may change while the mutant stays the same.
    pub(crate) line: usize,
    /// The function, with the type it belongs to.
    pub(crate) function: String,
    /// The hash of the text of the function, comments and white space aside.
    pub(crate) hash: u32,
    /// What is changed, unlike any other of the function.
    pub(crate) mutation: String,
    /// Whether the function may run while the program is compiled.
    pub(crate) is_const: bool,
    /// Whether it changes only the marks for memory checkers.
    pub(super) is_mark: bool,
    /// The place of the function among those of its file.
    pub(super) owner: usize,
}

/// How a place offers its mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An expression: `(if m(1) { other } else { EXPRESSION })`.
    Choose,
    /// A condition: `(m(1) || !m(2) && (CONDITION))`; the texts are `true` and `false`.
    Condition,
    /// A statement: `if !m(1) { STATEMENT }`.
    Delete,
    /// The begin of a body: `if m(1) { return other; }`.
    Return,
    /// The end of the pattern of a match arm: ` if !m(1)`.
    Never,
}

/// A place in the text and the mutants it offers, each with the text it puts there.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Its bytes; none where something is only put in.
    pub(super) range: Range<usize>,
    /// How.
    pub(super) shape: Shape,
    /// The mutants by their place among those of the file.
    pub(super) offers: Vec<(usize, String)>,
}

/// All that was found in a file.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The mutants, in the order of the text.
    pub(super) mutants: Vec<Mutant>,
    /// The places; one that encloses another comes first.
    pub(super) places: Vec<Place>,
    /// The bytes of each function.
    pub(super) functions: Vec<Range<usize>>,
}
