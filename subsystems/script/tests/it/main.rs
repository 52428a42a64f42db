//! Scripts from outside: both routes compared, errors, memory that runs out, the collector,
//! reloading, compiling.

mod collecting;
mod compiling;
mod errors;
mod inspecting;
mod memory;
mod modules;
mod recursing;
mod refusals;
mod routes;
mod stopping;
mod texts;
mod world;
