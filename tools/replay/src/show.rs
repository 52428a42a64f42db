//! What is in a recording: what `loligo show` prints.
//!
//! [`Show::of`] walks through a trace twice: once to find the peak of live bytes, once to count by
//! call site, by call stack, by lifetime and by thread. [`Show::text`] is what a terminal gets,
//! [`flame`] draws a flame graph as an SVG, and the figures serialise to JSON.
//!
//! ```
//! use loligo_replay::show::Show;
//! use loligo_replay::trace::{Event, Op, Trace};
//!
//! let event = |op, slot, bytes| Event { op, align_log2: 4, thread: 0, slot, bytes };
//! let events = vec![
//!     event(Op::Allocate, 0, 100),
//!     event(Op::Allocate, 1, 50),
//!     event(Op::Free, 0, 0),
//! ];
//! let show = Show::of(&Trace::from_events("two", events)?);
//! assert_eq!((show.totals.peak_bytes, show.totals.end_bytes), (150, 50));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod flame;
mod gather;
mod lifetimes;
mod safe_text;
mod text;

pub use flame::{FlameBy, flame};
pub use gather::{Counts, OriginUse, STACKS_MAX, Show, SiteUse, StackUse, ThreadUse, Totals};
pub use lifetimes::{Lifetimes, Span};

#[cfg(test)]
mod tests;
