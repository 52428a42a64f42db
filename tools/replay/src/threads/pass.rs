//! One pass over a plan with one allocator: timed, for memory, or for contents.

use core::sync::atomic::Ordering;
use core::time::Duration;
use std::io;

use serde::{Deserialize, Serialize};

use super::act::{Calls, Contents, Touches};
use super::crew::{Outcome, Stage, perform};
use super::subject::SharedSubject;
use crate::clock;
use crate::mapped::PAGE_BYTES;
use crate::memory::Gauge;
use crate::pass::verify::{LOSSES_KEPT, Loss, LossKind, Verified, compare};
use crate::subject::Subject;

/// Performs the plan once and takes its time. Stops once `cap` is over.
///
/// # Errors
///
/// The system's own where it gives no thread or no memory for a table.
pub(super) fn timed<S: SharedSubject>(
    stage: &mut Stage<'_>,
    subject: &S,
    cap: Duration,
) -> io::Result<Outcome> {
    let outcome = perform(stage, &Calls(subject), cap)?;
    free_left(stage, subject, &outcome.done)?;
    Ok(outcome)
}

/// What a pass for memory found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Peak {
    /// Peak anonymous bytes over what the replayer itself has.
    pub(super) bytes: u64,
    /// The greatest sum of the sizes of live blocks.
    pub(super) live_bytes: u64,
    /// Steps done; fewer than all where the cap stopped it.
    pub(super) done: u64,
}

/// Performs the plan once, touches every page of every block and follows the memory; to be called
/// in a child, as blocks are left alive.
///
/// # Errors
///
/// The system's own where it gives no thread or does not say how much is used.
pub(super) fn touching<S: SharedSubject>(
    stage: &mut Stage<'_>,
    subject: &S,
    live_bytes: u64,
    cap: Duration,
) -> io::Result<Peak> {
    // SAFETY: prctl with these arguments changes a setting of this process alone.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    let live_pages = live_bytes / PAGE_BYTES as u64;
    let mut gauge = Gauge::new((live_pages / 1000).max(8), clock::process_minor_faults)?;
    let touches = Touches::new(subject, &mut gauge);
    let outcome = perform(stage, &touches, cap)?;
    let live_bytes = touches.peak_live_bytes();
    Ok(Peak { bytes: gauge.peak_bytes(), live_bytes, done: outcome.events_done() })
}

/// Performs the plan once, filling and comparing. Stops once `cap` is over or enough is lost.
///
/// # Errors
///
/// The system's own where it gives no thread or no memory for a table.
pub(super) fn verify<S: SharedSubject>(
    stage: &mut Stage<'_>,
    subject: &S,
    cap: Duration,
) -> io::Result<Verified> {
    let contents = Contents::new(subject, stage.plan)?;
    let outcome = perform(stage, &contents, cap)?;
    let (mut losses, seeds) = contents.finish(stage.plan);
    stage.plan.left_after(&outcome.done, |place, layout| {
        let block = stage.block(place);
        if block.is_null() || losses.len() >= LOSSES_KEPT {
            return;
        }
        let seed = seeds.as_slice()[place].load(Ordering::Relaxed);
        // SAFETY: the block is live and holds its size, all of it filled by its last step.
        if let Err(what) = unsafe { compare(block, layout.size(), seed) } {
            losses.push(Loss { event: None, what });
        }
    })?;
    free_left(stage, subject, &outcome.done)?;
    if let Err(what) = subject.check() {
        losses.push(Loss { event: None, what: LossKind::Structure(what) });
    }
    Ok(Verified { losses, refused: outcome.refused, events_done: outcome.events_done() })
}

/// Frees what is left after a pass, outside of what is measured, and empties the places.
fn free_left<S: SharedSubject>(
    stage: &mut Stage<'_>,
    subject: &S,
    done: &[usize],
) -> io::Result<()> {
    let mut handle = subject.handle();
    stage.plan.left_after(done, |place, layout| {
        let block = stage.block(place);
        if !block.is_null() {
            // SAFETY: the last step on the place that was done made this block of this layout, and
            // the threads have ended.
            unsafe { handle.deallocate(block, layout) };
        }
    })?;
    stage.clear();
    Ok(())
}
