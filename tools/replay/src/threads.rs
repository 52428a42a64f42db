//! Replaying a trace of several threads with threads.
//!
//! Each thread of the trace is a worker, a thread of ours, which performs its own events in their
//! order; of more threads than workers, several are one worker. A worker waits only where it frees
//! or resizes a block that another worker touched last:
//!
//! ```text
//! trace                         worker 0                       worker 1
//! 0  thread 0  allocate slot 7  allocate into place 0
//! 1  thread 0  resize slot 7    resize, turn of place 0 = 1 ─┐
//! 2  thread 1  allocate slot 8                               │ allocate into place 4
//! 3  thread 1  free slot 7                                   └─ wait for turn 1, free
//! 4  thread 0  allocate slot 7  allocate into place 1
//! ```
//!
//! A trace reuses the slot of a freed block, which orders events that the program did not order: in
//! the drawing, 4 would have to wait for 3. So blocks are renamed: a worker puts a new block into a
//! place that it freed itself, or into a new one, and no allocation waits. Where a block goes from
//! worker to worker, the one publishes its place's next turn (Release) and the other waits for it
//! (Acquire). All of that is found out before threads start, in a plan; steps on a
//! worker's own blocks are those of a replay by one thread, without any atomic read-modify-write.
//!
//! # Why it ends
//!
//! The trace's order is a witness. Of all steps that are not done, look at the first in that order:
//! all earlier steps are done, so its worker is at it, and the step before it on its block is done
//! and has published its turn. So that worker can go on, whatever the others wait for. The checks
//! of [`Trace`](crate::trace::Trace) hold before: no free without an allocation. Several threads
//! that are one worker change nothing, since a worker's steps are in the trace's order.
//!
//! # What differs from the program
//!
//! Threads run ahead of each other where the program had them wait for something else than a block,
//! such as a queue. So more blocks can be alive than ever were; the peak of live bytes is counted
//! again in the pass that measures memory.

mod act;
mod crew;
mod measure;
mod pass;
mod plan;
mod rows;
mod subject;

pub use measure::{ThreadOptions, measure_threads};
pub use rows::{SharedRow, shared_ours, shared_peers};
pub use subject::SharedSubject;

/// The most workers of a replay.
pub const WORKERS_MAX: u16 = 256;

/// How many workers there are at most where no number is given.
pub const WORKERS_DEFAULT: u16 = 64;

#[cfg(test)]
mod tests;
