//! One script on one fresh allocator, with every way of failing turned into [`Violation`].

use core::any::Any;
use core::panic::{AssertUnwindSafe, UnwindSafe};
use std::panic::{catch_unwind, resume_unwind};
use std::sync::Once;

use loligo_allocators::{Allocator, Report, set_misuse_handler};

use crate::limits::Limits;
use crate::oracle::Oracle;
use crate::rule::{Rule, Violation};

/// Makes a fresh allocator and hands it to the function it is given, once.
///
/// The allocator lives in the maker's own frame, so it may borrow a region or a backing from there.
pub type Maker<'m> = dyn FnMut(&mut dyn FnMut(&dyn Allocator)) + 'm;

/// Runs `script` on the allocator that `make` makes.
///
/// A broken rule unwinds through `make`, so that the allocator, which may have live blocks, is
/// dropped while a panic unwinds and does not panic for the leak as well. A panic of the allocator,
/// and a misuse that it reports, break [`Rule::Panicked`].
pub(crate) fn attempt(
    make: &mut Maker<'_>,
    script: &mut dyn FnMut(&dyn Allocator) -> Result<(), Violation>,
) -> Result<(), Violation> {
    caught(AssertUnwindSafe(|| {
        make(&mut |allocator| {
            if let Err(broken) = script(allocator) {
                resume_unwind(Box::new(broken));
            }
        });
    }))
}

/// Returns the size of the greatest block that a fresh allocator serves; creates one for that.
pub(crate) fn greatest_block(make: &mut Maker<'_>, limits: &Limits) -> usize {
    let mut greatest = limits.size_max;
    // The scripts that follow find and report again whatever is broken here.
    let _ = attempt(make, &mut |allocator| {
        greatest = Oracle::new(allocator, *limits)?.greatest_block()?;
        Ok(())
    });
    greatest
}

/// Runs `script` on a fresh allocator and frees everything; a block of `greatest` bytes, which
/// another fresh one served, must be served in the end.
///
/// In a region at another address other blocks are aligned, so where that is refused, `script` runs
/// once more, on an allocator that was asked for its own greatest block before.
pub(crate) fn attempt_to_end(
    make: &mut Maker<'_>,
    limits: &Limits,
    greatest: usize,
    script: &mut dyn FnMut(&mut Oracle<'_>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let mut run = |own: bool| {
        attempt(make, &mut |allocator| {
            let mut oracle = Oracle::new(allocator, *limits)?;
            let greatest = if own { oracle.greatest_block()? } else { greatest };
            let mut oracle = oracle.expecting(greatest);
            script(&mut oracle)?;
            oracle.finish()
        })
    };
    match run(false) {
        Err(broken) if broken.rule == Rule::Coalesced => run(true),
        result => result,
    }
}

/// Runs `script` and turns a panic into [`Violation`].
pub(crate) fn caught(script: impl FnOnce() + UnwindSafe) -> Result<(), Violation> {
    panic_on_misuse();
    catch_unwind(script).map_err(|payload| match payload.downcast::<Violation>() {
        Ok(broken) => *broken,
        Err(payload) => Violation::new(Rule::Panicked, text_of(payload.as_ref())),
    })
}

/// Returns what a panic said.
pub(crate) fn text_of(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "a panic without words".to_owned())
}

/// Lets a misuse unwind instead of aborting, so that a program that provokes one can be made
/// smaller.
pub(crate) fn panic_on_misuse() {
    fn handler(report: &Report<'_>) -> ! {
        panic!("{report}")
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| set_misuse_handler(Some(handler)));
}
