//! The suite for streams of events: appended one by one, read together, cleared.

mod checks;

use crate::programs::run_any_stream;
use crate::rule::Violation;

use super::run::{Job, Wanted, as_model, every, outcomes};
use super::{Outcome, assert_all};

/// A stream of events of different kinds and lengths, in the order in which they were appended.
///
/// # Examples
///
/// ```
/// use loligo_tests::conformance::{self, Stream, StreamLimits};
///
/// #[derive(Default)]
/// struct Mine(Vec<(u32, Vec<u8>)>);
///
/// impl Stream for Mine {
///     fn append(&mut self, kind: u32, payload: &[u8]) -> bool {
///         self.0.push((kind, payload.to_vec()));
///         true
///     }
///     fn read(&self, each: &mut dyn FnMut(u32, &[u8])) {
///         self.0.iter().for_each(|(kind, payload)| each(*kind, payload));
///     }
///     fn is_empty(&self) -> bool {
///         self.0.is_empty()
///     }
///     fn clear(&mut self) {
///         self.0.clear();
///     }
/// }
///
/// conformance::stream(&StreamLimits::growing(1), |test| test(&mut Mine::default()));
/// ```
pub trait Stream {
    /// Appends an event; `false` where there is no room, and nothing has changed.
    fn append(&mut self, kind: u32, payload: &[u8]) -> bool;

    /// Shows all events from first to last.
    fn read(&self, each: &mut dyn FnMut(u32, &[u8]));

    /// Returns `true` if there are no events.
    fn is_empty(&self) -> bool;

    /// Removes all events.
    fn clear(&mut self);
}

/// What a stream promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// The alignment of every payload, in bytes.
    pub align: usize,
    /// The most bytes of a payload that is taken.
    pub payload_max: usize,
    /// Bytes of payload after which it refuses at the latest; `None` if it grows as long as there
    /// is memory.
    pub bytes_max: Option<usize>,
}

impl StreamLimits {
    /// Returns the limits of a stream that grows, with payloads up to a MiB at that alignment.
    #[must_use]
    pub const fn growing(align: usize) -> Self {
        Self { align, payload_max: 1 << 20, bytes_max: None }
    }
}

/// A check: a script over a fresh stream.
type Check = fn(&mut dyn Stream, &StreamLimits) -> Result<(), Violation>;

/// The checks by name, the simplest first; `programs` follow.
const SCRIPTS: &[(&str, Check)] = &[
    ("empty", checks::empty),
    ("order", checks::order),
    ("kinds", checks::kinds),
    ("lengths", checks::lengths),
    ("alignment", checks::alignment),
    ("read_again", checks::read_again),
    ("clear", checks::clear),
    ("growth", checks::growth),
    ("great_payload", checks::great_payload),
    ("full", checks::full),
];

/// Holds a stream of events to what all of them promise; panics with all that was found.
///
/// `make` is called once for each check, and for each program: it makes a fresh stream and passes
/// it to the function it is given. Programs are drawn by a seed, which is printed; one that fails
/// is made small.
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// That of [`Stream`], or:
///
/// ```
/// use loligo_tests::conformance::{self, StreamLimits};
/// use loligo_tests::models::{FaultyStream, StreamFault};
///
/// conformance::stream(&StreamLimits::growing(8), |test| {
///     test(&mut FaultyStream::new(StreamFault::None, None));
/// });
/// ```
pub fn stream(limits: &StreamLimits, make: impl FnMut(&mut dyn FnMut(&mut dyn Stream))) {
    assert_all(&stream_outcomes(limits, make));
}

/// As [`stream()`], but returns what each check came to.
pub fn stream_outcomes(
    limits: &StreamLimits,
    make: impl FnMut(&mut dyn FnMut(&mut dyn Stream)),
) -> Vec<Outcome> {
    some_stream_outcomes(limits, &every, make)
}

/// Runs the wanted checks.
pub(crate) fn some_stream_outcomes(
    limits: &StreamLimits,
    wanted: Wanted<'_>,
    mut make: impl FnMut(&mut dyn FnMut(&mut dyn Stream)),
) -> Vec<Outcome> {
    outcomes(wanted, SCRIPTS, &mut |job, passed| {
        make(&mut |stream| {
            passed.on(match job {
                Job::Check(check) => check(stream, limits),
                Job::Program(program) => as_model(run_any_stream(program, stream)),
            });
        });
    })
}
