//! The compilers of all types that the subsystems bring.

use loligo_compiler::Compilers;

/// Returns the compilers of all types.
pub(crate) fn compilers() -> Compilers {
    let mut compilers = Compilers::built_in();
    loligo_entities::compile::register(&mut compilers, loligo_entities::compile::standard());
    loligo_render::compile::register(&mut compilers);
    compilers
}
