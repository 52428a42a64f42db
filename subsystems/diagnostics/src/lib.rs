//! Errors that stop the program, warnings, and log lines.
#![doc = include_str!("../README.md")]
#![no_std]
#![expect(
    unsafe_code,
    reason = "contexts are pointers to what callers lend; every block has its argument"
)]

extern crate std;

mod call_stack;
mod context;
mod crash;
#[doc(hidden)]
pub mod expanded;
mod failure;
mod fixed_text;
mod installed;
mod log;
mod nearest;
mod report;
mod report_file;
mod sink;
mod stack_bounds;
mod warning;

pub use context::{CONTEXTS_MAX, ContextData, Contexts, contexts, contexts_lost};
pub use crash::{After, InstallError, Options, install};
pub use failure::OrStop;
pub use log::{Level, Log, LogLine, LogSink, SinkId};
pub use nearest::nearest;
pub use report::{Kind, Report};
pub use sink::{StderrSink, WriteSink};
pub use warning::{WarningSite, Warnings, warnings, warnings_counted};
