//! Compiling settings, collision shapes, fields and tables: for tools, enabled by the feature `compile`.
//!
//! A game is built without the feature and reads what these have made: [`Settings`](crate::Settings)
//! and others.

mod collision;
mod compilers;
mod components;
mod field;
mod impacts;
mod names;
mod ragdoll;
mod settings;
mod vehicle;

pub use collision::CollisionCompiler;
pub use compilers::register;
pub use components::{JointCompiler, components};
pub use field::{FieldCompiler, compile_field};
pub use impacts::{ImpactsCompiler, compile_impacts};
pub use ragdoll::RagdollCompiler;
pub use settings::{SettingsCompiler, compile_settings};
pub use vehicle::VehicleCompiler;
