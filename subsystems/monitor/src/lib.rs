//! Recording what a game does, and looking at it.
#![doc = include_str!("../README.md")]
#![no_std]
#![expect(
    unsafe_code,
    reason = "reads the time-stamp counter, writes events through a raw cursor, wraps allocators"
)]

extern crate std;

mod balance;
mod chrome;
mod clock;
mod core_number;
pub mod current;
mod drain;
mod error;
mod event;
mod graph;
mod heap;
mod known;
mod monitor;
mod name;
mod names;
mod options;
mod perfetto;
mod recorder;
mod sink;
mod slot;
mod store;
mod texts;
mod timeline;
mod trace_file;

pub use balance::DEPTH_MAX;
pub use chrome::ChromeTrace;
pub use clock::{Clock, ticks};
pub use drain::Drained;
pub use error::{ExportError, GraphError, GraphErrorKind, MonitorDamage, MonitorError};
pub use event::{Consumer, Event, NO_CORE, What};
pub use graph::{Graph, GraphLimits, Graphs, Point, Series, Source};
pub use heap::MonitoredAllocator;
pub use monitor::{Monitor, MonitorStats};
pub use name::Name;
pub use options::Options;
pub use perfetto::PerfettoTrace;
pub use recorder::{Recorder, Scope};
pub use slot::{BLOCK_BYTES, EVENT_BYTES};
pub use timeline::{Span, Timeline, TimelineLimits, Track};
