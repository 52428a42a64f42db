//! All cases: the symptom of each, the wrapper that finds it, and the expected report.

use loligo_allocators::AllocError;

use crate::{
    another_base, damage, double_free, error_path, growth, hidden, leak, never_set, one_too_many,
    other_thread, overrun, stale_read, stale_write,
};

/// A planted bug and the wrapper that finds it.
pub(crate) struct Case {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// The symptom as a user describes it.
    pub(crate) symptom: &'static str,
    /// The wrapper that is inserted.
    pub(crate) wrapper: &'static str,
    /// The bug over a plain allocator: the visible effect.
    pub(crate) alone: fn() -> Told,
    /// The same with the wrapper: its finding, unless that has ended the process.
    pub(crate) hunted: fn() -> Told,
    /// How that process ends.
    pub(crate) end: End,
    /// The parts of the expected report.
    pub(crate) expected: &'static [&'static str],
}

/// The output of a run.
pub(crate) type Told = Result<String, AllocError>;

/// How a process ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Normally.
    Lives,
    /// By a panic in `main`.
    Panics,
    /// By a report of misuse.
    Aborts,
    /// By a fault at the access itself.
    Faults,
}

pub(crate) const CASES: [Case; 17] = [
    Case {
        name: "overrun",
        symptom: "a number changes that nobody sets, a little and always the same",
        wrapper: "CanaryAllocator",
        alone: overrun::alone,
        hunted: overrun::hunted,
        end: End::Aborts,
        expected: &["`level`: overrun", "1 of 16 guard bytes changed, byte 1 past its end"],
    },
    Case {
        name: "overrun-when",
        symptom: "the same, where the block is freed much later",
        wrapper: "VerifyAllocator over a CanaryAllocator",
        alone: overrun::alone,
        hunted: overrun::hunted_at_once,
        end: End::Aborts,
        expected: &["`guarded` below it finds: overrun", "sound at call 4", "not at call 5"],
    },
    Case {
        name: "stale-write",
        symptom: "now this changes and now that, whatever was made last",
        wrapper: "QuarantineAllocator",
        alone: stale_write::alone,
        hunted: stale_write::hunted,
        end: End::Aborts,
        expected: &["`level`: write after free", "offset 8 of a block of 32", "freed from"],
    },
    Case {
        name: "double-free",
        symptom: "two things that have nothing to do with each other change together",
        wrapper: "QuarantineAllocator",
        alone: double_free::alone,
        hunted: double_free::hunted,
        end: End::Aborts,
        expected: &["`level`: double free", "it was freed first from", "double_free.rs"],
    },
    Case {
        name: "never-set",
        symptom: "it works the first time, or in one build and not in the other",
        wrapper: "FillAllocator, two patterns",
        alone: never_set::alone,
        hunted: never_set::hunted,
        end: End::Lives,
        expected: &["for team 0, with 0x12345678 for 0x12345678", "a field is not set"],
    },
    Case {
        name: "stale-read",
        symptom: "it works, and fails once in a while with nonsense",
        wrapper: "FillAllocator",
        alone: stale_read::alone,
        hunted: stale_read::hunted,
        end: End::Lives,
        expected: &["0xdddddddd in hexadecimal"],
    },
    Case {
        name: "damage",
        symptom: "an allocator reports damage in a call that has done nothing wrong",
        wrapper: "VerifyAllocator, every 64 calls",
        alone: damage::alone,
        hunted: damage::hunted::<64>,
        end: End::Aborts,
        expected: &["`heap` below it finds", "sound at call 192", "not at call 256"],
    },
    Case {
        name: "damage-8",
        symptom: "the same, in the interval found before",
        wrapper: "VerifyAllocator, every 8 calls",
        alone: damage::alone,
        hunted: damage::hunted::<8>,
        end: End::Aborts,
        expected: &["sound at call 240", "not at call 248"],
    },
    Case {
        name: "damage-1",
        symptom: "the same, in the interval found before",
        wrapper: "VerifyAllocator, every call",
        alone: damage::alone,
        hunted: damage::hunted::<1>,
        end: End::Aborts,
        expected: &["sound at call 241", "not at call 242"],
    },
    Case {
        name: "one-too-many",
        symptom: "a result is a little wrong, and no guard word has changed",
        wrapper: "GuardPageAllocator",
        alone: one_too_many::alone,
        hunted: one_too_many::hunted,
        end: End::Faults,
        expected: &["`level`: the address", "1 past the end of the live block", "of 32 bytes"],
    },
    Case {
        name: "other-thread",
        symptom: "it is gone when the work is done in one thread",
        wrapper: "GuardPageAllocator",
        alone: other_thread::alone,
        hunted: other_thread::hunted,
        end: End::Faults,
        expected: &["`chunks`: the address", "offset 0 of the freed block", "freed from"],
    },
    Case {
        name: "error-path",
        symptom: "when memory is short, more is lost than was asked for",
        wrapper: "FailingAllocator over a TraceAllocator",
        alone: error_path::alone,
        hunted: error_path::hunted,
        end: End::Panics,
        expected: &[
            "request 1 refused: 4 pushed, 0",
            "`sites` was dropped with 1",
            "error_path.rs",
        ],
    },
    Case {
        name: "leak",
        symptom: "a block is left, from code that allocates in many places",
        wrapper: "TraceAllocator",
        alone: leak::alone,
        hunted: leak::traced,
        end: End::Lives,
        expected: &[
            "1 live block of 5000 bytes",
            "#3",
            "allocation 3 is asked for from",
            "leak.rs",
        ],
    },
    Case {
        name: "leak-sites",
        symptom: "the same, where every block counts and a trace is too dear",
        wrapper: "HeapAllocator with Sites",
        alone: leak::alone,
        hunted: leak::with_sites,
        end: End::Panics,
        expected: &["`level` was dropped with 1 live block of 5000 bytes", "from", "leak.rs"],
    },
    Case {
        name: "growth",
        symptom: "memory grows from frame to frame",
        wrapper: "ProxyAllocator with a budget for each subsystem, Overview",
        alone: growth::alone,
        hunted: growth::hunted,
        end: End::Lives,
        expected: &["sound     315", "64.0 KiB", "in frame 315 sound is refused"],
    },
    Case {
        name: "hidden",
        symptom: "a frame takes long now and then, and allocates nothing that one can see",
        wrapper: "GlobalGuard",
        alone: hidden::alone,
        hunted: hidden::hunted,
        end: End::Aborts,
        expected: &["global allocation", "asked for 32 bytes", "median at", "frame at"],
    },
    Case {
        name: "another-base",
        symptom: "a write goes astray, and what it hits differs",
        wrapper: "none: other allocators below",
        alone: another_base::alone,
        hunted: another_base::swapped,
        end: End::Lives,
        expected: &["heap: shows, frame: shows, buddy: hides, pages: hides"],
    },
];
