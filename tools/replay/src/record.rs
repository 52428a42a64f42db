//! Recording a program that was not made for it: what `loligo record` does.
//!
//! The program is run with our recorder preloaded. The recorder writes into a file in a private
//! folder; when the program has ended, that file is read and becomes a trace of version 2, with
//! slots in place of addresses and names in place of return addresses. Then the folder goes.
//!
//! ```no_run
//! use loligo_replay::record::{Program, Settings, run};
//!
//! let program = Program::find("sqlite3".as_ref())?;
//! let ran = run(&program, &["shop.db".into(), ".schema".into()], &Settings::default())?;
//! let summary = ran.write(std::fs::File::create("shop.altrace")?)?;
//! println!("{} events, ended with {}", summary.events, ran.status);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod after;
mod error;
mod files;
mod launch;
mod libraries;
mod other_allocator;
mod program;
#[expect(dead_code, reason = "the recorder writes what is read here")]
#[path = "../../recorder/src/raw.rs"]
mod raw;
mod read;
mod signals;
mod sites;
mod stacks;

pub use after::After;
pub use error::RecordError;
pub use launch::{
    Child, RecordedProgram, STACK_DEPTH_MAX, Settings, StackMethod, StackSettings,
    children_cpu_time, run,
};
pub use other_allocator::{OtherAllocator, OtherAllocatorKind};
pub use program::Program;

#[cfg(test)]
mod tests;
