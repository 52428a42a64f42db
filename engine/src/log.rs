//! The log of an engine.

use loligo_diagnostics::{Level, Log, LogSink};

use crate::error::EngineError;
use crate::memory::{Memory, Room, SharedAllocator, memory_of};

mod naming_sink;
#[cfg(feature = "tool-server")]
mod recent_lines;

pub(crate) use naming_sink::NamingSink;
#[cfg(feature = "tool-server")]
pub(crate) use recent_lines::{RecentLine, RecentLines};

/// Returns a log that goes to a sink.
pub(crate) fn new_log<'e, 'm: 'e>(
    sink: &'e dyn LogSink,
    memory: &Memory<'m>,
) -> Result<Log<'e, SharedAllocator<'m>>, EngineError> {
    let log = Log::try_new_in(memory_of(memory, Room::Engine))?;
    log.try_add_sink(Level::Info, sink)?;
    Ok(log)
}
