//! Conditions, weights and speeds.

use loligo_expressions::{Bytecode, BytecodeError, Symbols};

use super::{STATE_VARIABLES, VARIABLES_MAX};

/// Names of variables: bytecode knows them by number, so their count is all that is verified.
const NAMES: [&str; VARIABLES_MAX + STATE_VARIABLES.len()] =
    [""; VARIABLES_MAX + STATE_VARIABLES.len()];

/// A formula that is ready to be run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Formula<'b> {
    /// The same whatever the variables are: nothing is run.
    Constant(f32),
    /// Verified bytecode.
    Code(Bytecode<'b>),
}

impl<'b> Formula<'b> {
    /// Verifies the words of a formula over the variables of a machine, and those of its states after
    /// them.
    pub(crate) fn verify(words: &'b [u32], variables: usize) -> Result<Self, BytecodeError> {
        let count = (variables + STATE_VARIABLES.len()).min(NAMES.len());
        let symbols = Symbols { variables: &NAMES[..count], ..Symbols::default() };
        let code = Bytecode::verify(words, &symbols)?;
        Ok(code.as_constant().map_or(Self::Code(code), Self::Constant))
    }

    /// Returns `true` if it names no variable past some, which are those of the machine.
    #[inline]
    pub(crate) const fn is_steady(&self, variables: usize) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Code(code) => code.variables() <= variables,
        }
    }

    /// Returns its value; 0 where that is not finite.
    #[inline]
    pub(crate) fn run(&self, variables: &[f32]) -> f32 {
        let value = match self {
            Self::Constant(value) => *value,
            Self::Code(code) => code.run(variables),
        };
        if value.is_finite() { value } else { 0.0 }
    }
}
