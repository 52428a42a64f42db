//! The compilers of all types that the engine knows.

use loligo_compiler::Compilers;

/// Returns the compilers of all types.
pub(crate) fn compilers() -> Compilers {
    let mut compilers = Compilers::built_in();
    loligo_render::compile::register(&mut compilers);
    loligo_engine::compile::register(&mut compilers);
    compilers.register("lua", loligo_script::LuaCompiler);
    compilers
}
