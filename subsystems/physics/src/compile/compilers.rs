//! Where the compilers of all types are registered.

use loligo_compiler::Compilers;

use super::collision::CollisionCompiler;
use super::field::FieldCompiler;
use super::impacts::ImpactsCompiler;
use super::ragdoll::RagdollCompiler;
use super::settings::SettingsCompiler;
use crate::collision::COLLISION_TYPE;
use crate::field::FIELD_TYPE;
use crate::impacts::IMPACTS_TYPE;
use crate::ragdoll::RAGDOLL_TYPE;
use crate::settings::SETTINGS_TYPE;

/// Registers all compilers of this crate.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
///
/// let mut compilers = Compilers::built_in();
/// loligo_physics::compile::register(&mut compilers);
/// assert!(compilers.get("physics").is_some());
/// ```
pub fn register(compilers: &mut Compilers) {
    compilers.register(COLLISION_TYPE, CollisionCompiler);
    compilers.register(FIELD_TYPE, FieldCompiler);
    compilers.register(IMPACTS_TYPE, ImpactsCompiler);
    compilers.register(RAGDOLL_TYPE, RagdollCompiler);
    compilers.register(SETTINGS_TYPE, SettingsCompiler);
}
