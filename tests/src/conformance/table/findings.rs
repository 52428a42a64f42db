//! What the table shows of the peers, and why: a sentence and a reproducer for each.

mod bitarena_clear;
mod handy_generations;
mod rlsf_good_fit;
mod slab_reuses_keys;
mod talc_layouts;

use core::fmt;

use crate::child::Ended;

pub(super) use talc_layouts::Strict;

/// What a peer does not pass.
#[derive(Debug)]
pub struct Finding {
    /// The implementations that it is found in, as the table calls them.
    pub subjects: &'static [&'static str],
    /// The checks that show it.
    pub checks: &'static [&'static str],
    /// Whether the peer's own documentation or the contract makes it a limit rather than a fault.
    pub is_limit: bool,
    /// What it is, for the page.
    pub about: &'static str,
    /// The name of its reproducer.
    pub reproducer: &'static str,
    /// The reproducer's text.
    pub source: &'static str,
    /// How the reproducer's process ends while it is there.
    pub ends: Ends,
    run: fn(),
}

/// How a reproducer's process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// With a panic or an abort, and says so.
    Panics(&'static str),
    /// By a signal of the system.
    Crashes,
    /// Not in time.
    Hangs,
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panics(words) => write!(f, "aborts or panics and says: `{words}`"),
            Self::Crashes => f.write_str("is stopped by the system"),
            Self::Hangs => f.write_str("does not end"),
        }
    }
}

/// What a reproducer shows now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reproduced {
    /// What is written down.
    AsWritten,
    /// Something else, in words.
    Otherwise(String),
}

impl Reproduced {
    pub(super) fn read(finding: &Finding, ended: &Ended) -> Self {
        let is_as_written = match finding.ends {
            Ends::Panics(words) => ended.aborted_or_panicked() && ended.stderr.contains(words),
            Ends::Crashes => ended.status.is_some() && ended.faulted(),
            Ends::Hangs => ended.status.is_none(),
        };
        if is_as_written {
            return Self::AsWritten;
        }
        let status = ended.status.map_or("no end in time".to_owned(), |status| status.to_string());
        Self::Otherwise(format!("{status}: {}", ended.stderr.lines().take(3).collect::<String>()))
    }
}

impl Finding {
    /// Every finding, in the order of the page.
    pub const ALL: &[Self] = &[
        Self {
            subjects: &["talc over GlobalAlloc"],
            checks: &["huge"],
            is_limit: false,
            about: "`GlobalAllocSource` adds its overhead to the size asked and makes a `Layout` of the sum without \
                    checking it. For a request near `isize::MAX` bytes the sum is beyond it: that breaks the safety \
                    condition of `Layout::from_size_align_unchecked` and of the `GlobalAlloc` below, from a call that \
                    is right. With debug assertions std aborts the process; without, the system's allocator \
                    refuses, and nothing worse was seen. The row's allocator below aborts on such a layout.",
            reproducer: "talc_layouts",
            source: include_str!("findings/talc_layouts.rs"),
            ends: Ends::Panics("bytes, more than isize::MAX"),
            run: talc_layouts::main,
        },
        Self {
            subjects: &["rlsf"],
            checks: &["full_and_one_free"],
            is_limit: true,
            about: "In a full pool one of many equal blocks is freed, and a block of that size is refused. \
                    `GlobalAlloc` promises no such thing: a refusal is always allowed. It is how the algorithm \
                    searches: a request is rounded up to the next size class, so that any block found there is \
                    great enough, and a free block of just the size asked lies in the class below. The README of \
                    rlsf names the reliance on segregated lists as a drawback.",
            reproducer: "rlsf_good_fit",
            source: include_str!("findings/rlsf_good_fit.rs"),
            ends: Ends::Panics("a block as great as the freed one is refused"),
            run: rlsf_good_fit::main,
        },
        Self {
            subjects: &["slab::Slab"],
            checks: &["reuse", "many_lives", "clear", "programs"],
            is_limit: true,
            about: "A key is the number of a slot and no more: once a slot is used again, the old key names the \
                    new object. The documentation of slab says so (\"keys may be reused\").",
            reproducer: "slab_reuses_keys",
            source: include_str!("findings/slab_reuses_keys.rs"),
            ends: Ends::Panics("a removed object's key names another object"),
            run: slab_reuses_keys::main,
        },
        Self {
            subjects: &["bitarena::Arena"],
            checks: &["clear", "programs"],
            is_limit: true,
            about: "`clear` forgets the generations, so that indices from before it name the objects that come \
                    after it. The documentation of `clear` says that the arena is reset to the state of a new one, \
                    and the README promises stale indices after `remove` alone; it does not say that old indices \
                    become good again. Removing the objects one by one, or `drain`, keeps the generations.",
            reproducer: "bitarena_clear",
            source: include_str!("findings/bitarena_clear.rs"),
            ends: Ends::Panics("a cleared object's index names another object"),
            run: bitarena_clear::main,
        },
        Self {
            subjects: &["handy::HandleMap"],
            checks: &["many_lives"],
            is_limit: true,
            about: "A handle has 16 bits of generation, which two steps are made in for each use of a slot, and the \
                    slot freed last is used first: after 32 767 objects in one slot the first one's handle names \
                    another. The documentation of `Handle` tells the 16 bits; that of the crate promises without \
                    a condition that a stale handle is refused.",
            reproducer: "handy_generations",
            source: include_str!("findings/handy_generations.rs"),
            ends: Ends::Panics("a removed object's handle names another object"),
            run: handy_generations::main,
        },
    ];

    /// Returns the finding that explains why an implementation does not pass a check.
    #[must_use]
    pub fn on(subject: &str, check: &str) -> Option<&'static Self> {
        Self::ALL
            .iter()
            .find(|finding| finding.subjects.contains(&subject) && finding.checks.contains(&check))
    }

    /// Returns its number on the page.
    #[must_use]
    pub fn number(&self) -> usize {
        let place = Self::ALL.iter().position(|other| other.reproducer == self.reproducer);
        place.map_or(0, |place| place + 1)
    }
}

/// Does what a reproducer does.
pub(super) fn reproduce(name: &str) {
    let finding = Finding::ALL.iter().find(|finding| finding.reproducer == name);
    let finding = finding.unwrap_or_else(|| panic!("no such reproducer: {name}"));
    (finding.run)();
}
