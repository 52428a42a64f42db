//! Scripts in Lua.
#![doc = include_str!("../README.md")]
#![expect(unsafe_code, reason = "calls LuaJIT through its C interface, and is called by it")]

mod batch;
mod binding;
mod call;
mod calls;
mod collector;
#[cfg(feature = "compile")]
mod compile;
mod direct;
mod direct_entry;
mod entry;
mod error;
mod field_value;
mod foreign;
mod frame;
mod geometry;
mod handle;
mod host;
mod inspect;
mod kind;
mod layout;
mod lua;
mod memory;
mod message;
mod pattern;
#[cfg(feature = "compile")]
mod requires;
mod reserve;
mod runtime;
mod script;
mod settings;
mod slots;
mod temporaries;
mod texts;
mod trace;
mod value;
mod view;
mod view_entry;
mod watch;

pub use binding::{Binding, CallFunction, Function, NumberedFunction, Route};
pub use call::{ArgumentError, Call, RESULT_TEXT_BYTES_MAX};
pub use calls::Calls;
pub use collector::{Collected, Collector, CollectorSettings};
#[cfg(feature = "compile")]
pub use compile::LuaCompiler;
pub use direct::{
    CallError, Direct, DirectArgument, DirectFunction, DirectResult, Id, IdType, Reason, Values,
};
pub use error::{ScriptError, ScriptErrorKind};
pub use field_value::FieldValue;
pub use host::Host;
pub use inspect::{ObjectCounts, ObjectPaths};
pub use kind::{ID_CODE_MIN, IdKind, Kind};
pub use memory::MemoryUse;
pub use script::{Callback, Script};
pub use settings::Settings;
pub use slots::{ARGUMENTS_MAX, RESULTS_MAX};
pub use temporaries::TEMPORARIES_MAX;
pub use trace::{GarbageTrace, TRACE_DEPTH, TraceEntry, TraceFrame};
pub use value::Value;
pub use view::{VIEWS_MAX, View};
pub use watch::{Watch, Watchdog};
