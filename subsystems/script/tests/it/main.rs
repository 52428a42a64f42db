//! Scripts from outside: both routes compared, errors, memory that runs out, the collector, reloading, compiling.

mod errors;
mod memory;
mod modules;
mod routes;
mod world;
