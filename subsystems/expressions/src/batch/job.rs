//! What a batch runs: bytecode over inputs, into results.

use super::{Input, Slot};
use crate::bytecode::Bytecode;

/// What is run.
///
/// # Invariants
///
/// 1. There is an input for each variable that the bytecode names.
/// 2. Each of these that is a column has as many floats as there are results.
/// 3. There is a slot for each value on the stack.
pub(super) struct Job<'r> {
    bytecode: &'r Bytecode<'r>,
    inputs: &'r [Input<'r>],
    results: &'r mut [f32],
    slots: &'r mut [Slot],
}

impl<'r> Job<'r> {
    /// Returns the job.
    ///
    /// # Panics
    ///
    /// If there are too few inputs, slots, or floats in a column.
    #[inline(always)]
    pub(super) fn new(
        bytecode: &'r Bytecode<'r>,
        inputs: &'r [Input<'r>],
        results: &'r mut [f32],
        slots: &'r mut [Slot],
    ) -> Self {
        let variables = bytecode.variables();
        assert!(
            inputs.len() >= variables,
            "{} inputs were given for {variables} variables",
            inputs.len()
        );
        let (has, needs) = (slots.len(), bytecode.depth());
        assert!(has >= needs, "the stack is {has} deep, the expression {needs}");
        for input in &inputs[..variables] {
            let Input::Column(column) = input else { continue };
            let (has, needs) = (column.len(), results.len());
            assert!(has >= needs, "a column has {has} values for {needs} results");
        }
        Self { bytecode, inputs, results, slots }
    }

    #[inline(always)]
    pub(super) const fn bytecode(&self) -> &'r Bytecode<'r> {
        self.bytecode
    }

    #[inline(always)]
    pub(super) const fn inputs(&self) -> &'r [Input<'r>] {
        self.inputs
    }

    /// Returns how many results there are.
    #[inline(always)]
    pub(super) const fn count(&self) -> usize {
        self.results.len()
    }

    #[inline(always)]
    pub(super) const fn results_mut(&mut self) -> &mut [f32] {
        self.results
    }

    #[inline(always)]
    pub(super) const fn slots(&self) -> &[Slot] {
        self.slots
    }

    #[inline(always)]
    pub(super) const fn slots_mut(&mut self) -> &mut [Slot] {
        self.slots
    }
}
