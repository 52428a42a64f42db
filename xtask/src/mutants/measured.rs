//! A test, and what is measured of it.

/// A test.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Test {
    /// The program it is in.
    pub(super) program: usize,
    /// Its name there.
    pub(super) name: String,
    /// How long it computed, alone and without a mutant.
    pub(super) seconds: f64,
}

/// A test, and the mutants it reaches unless it fails without any.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) test: Test,
    pub(super) reached: Option<Vec<u32>>,
}
