//! Scripts from outside: both routes compared, errors, memory that runs out, the collector,
//! reloading, compiling.

mod batches;
mod calls;
mod collecting;
mod compiling;
mod errors;
mod inspecting;
#[expect(dead_code, reason = "the tests of other subsystems use more of it")]
#[path = "../../../expressions/tests/it/memory.rs"]
mod memory;
mod modules;
mod recursing;
mod refusals;
mod routes;
mod stopping;
mod texts;
mod world;
