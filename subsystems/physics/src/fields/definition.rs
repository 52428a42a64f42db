//! What a field is: a copy of its resource.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_expressions::{Expression, ImageError};
use loligo_ids::{IdString32, IdString64};

use crate::field::{
    FIELD_PARAMETERS_MAX, Field, FieldRegion, VARIABLES, VARIABLES_BEFORE, bytecode, symbols,
};

/// What a field is.
pub(super) struct Definition<'m, A: Allocator + ?Sized> {
    pub(super) name: IdString64,
    pub(super) region: FieldRegion,
    pub(super) seconds: f32,
    /// Names and defaults.
    pub(super) parameters: [(u32, f32); FIELD_PARAMETERS_MAX],
    pub(super) parameter_count: usize,
    /// The strength along each axis.
    pub(super) formulas: [Expression<'m, A>; 3],
    /// Whether a formula reads the speed or the mass.
    pub(super) needs_motion: bool,
}

impl<'m, A: Allocator + ?Sized> Definition<'m, A> {
    pub(super) fn try_new(
        name: IdString64,
        field: &Field<'_>,
        memory: &'m A,
    ) -> Result<Self, GrowError> {
        let mut parameters = [(0, 0.0); FIELD_PARAMETERS_MAX];
        for (place, parameter) in parameters.iter_mut().zip(field.parameters) {
            *place = (parameter.name.hash(), parameter.default);
        }
        let [x, y, z] = field.formulas;
        let formulas = [copied(x, memory)?, copied(y, memory)?, copied(z, memory)?];
        let motion = VARIABLES_BEFORE + FIELD_PARAMETERS_MAX;
        let needs_motion = formulas.iter().any(|code| code.bytecode().variables() > motion);
        Ok(Self {
            name,
            region: field.region,
            seconds: field.seconds,
            parameters,
            parameter_count: field.parameters.len(),
            formulas,
            needs_motion,
        })
    }

    /// Returns the place of a parameter.
    pub(super) fn parameter(&self, name: IdString32) -> Option<usize> {
        let parameters = &self.parameters[..self.parameter_count];
        parameters.iter().position(|(hash, _)| *hash == name.hash())
    }
}

/// Copies bytecode, which outlives the resource then. Words that the opened field had verified are right.
fn copied<'m, A: Allocator + ?Sized>(
    words: &[u32],
    memory: &'m A,
) -> Result<Expression<'m, A>, GrowError> {
    let mut bytes = Array::new_in(memory);
    if let Ok(code) = bytecode(words) {
        code.try_save(&symbols(), &mut bytes)?;
    }
    match Expression::try_load_in(&bytes, &symbols(), memory) {
        Ok(expression) => Ok(expression),
        Err(ImageError::Memory(error)) => Err(error),
        Err(error) => unreachable!("{} variables: {error}", VARIABLES.len()),
    }
}
