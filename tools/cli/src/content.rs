//! The compilers of all types that the engine knows.

use loligo_compiler::Compilers;

mod trial;

/// Returns the compilers of all types, and of one that fails if that is to be tried.
pub(crate) fn compilers(has_trial: bool) -> Compilers {
    let mut compilers = Compilers::built_in();
    loligo_render::compile::register(&mut compilers);
    loligo_engine::compile::register(&mut compilers);
    compilers.register("lua", loligo_script::LuaCompiler);
    if has_trial {
        compilers.register("trial", trial::TrialCompiler);
    }
    compilers
}
