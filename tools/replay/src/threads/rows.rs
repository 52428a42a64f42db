//! The rows of a replay by threads: allocators that several threads may use at a time.

use core::mem::ManuallyDrop;
use core::time::Duration;
use std::io;

use loligo_allocators::{Locked, PageAllocator, ThreadHeap};

use super::crew::{Outcome, Stage};
use super::pass::{self, Peak};
use super::subject::{Global, NullOfWorker, Shared, SharedSubject, Threads};
use crate::ours::{PAGES, heap};
use crate::pass::verify::Verified;
use crate::peers::{self, System};
use crate::results::Kind;

/// Returns our allocators that serve threads.
#[must_use]
pub fn shared_ours() -> Vec<SharedRow> {
    vec![
        SharedRow::new("locked-heap", Kind::Ours, || Shared(Locked::new(heap()))),
        SharedRow::new("thread-heap", Kind::Ours, || {
            Threads(ThreadHeap::new("thread-heap", &PAGES))
        }),
        SharedRow::new("page", Kind::Ours, || Shared(PageAllocator::new("page"))),
    ]
}

/// Returns the peers that serve threads and are compiled in. Those of one fixed region, and
/// dlmalloc as it is made here, serve one thread.
#[must_use]
pub fn shared_peers() -> Vec<SharedRow> {
    // SAFETY: the C library has one malloc for all threads of a process.
    let system = || unsafe { Global::new(|| System) };
    // SAFETY: mimalloc is one allocator for the process, whichever value calls it.
    let mimalloc = || unsafe { Global::new(|| peers::Global(mimalloc::MiMalloc)) };
    let mut rows = vec![
        SharedRow::new("system", Kind::Peer, system),
        SharedRow::new("mimalloc", Kind::Peer, mimalloc),
    ];
    #[cfg(feature = "peers-all")]
    {
        // SAFETY: as mimalloc.
        let jemalloc = || unsafe { Global::new(|| peers::Global(tikv_jemallocator::Jemalloc)) };
        // SAFETY: as mimalloc.
        let snmalloc = || unsafe { Global::new(|| peers::Global(snmalloc_rs::SnMalloc)) };
        rows.push(SharedRow::new("jemalloc", Kind::Peer, jemalloc));
        rows.push(SharedRow::new("snmalloc", Kind::Peer, snmalloc));
    }
    rows.shrink_to_fit();
    rows
}

/// One allocator of a comparison by threads.
pub struct SharedRow {
    name: String,
    kind: Kind,
    make: Box<dyn Fn() -> Box<dyn SharedRunner>>,
}

impl SharedRow {
    /// Makes a row whose allocator grows and keeps its state between rounds.
    pub fn new<S: SharedSubject + 'static>(
        name: impl Into<String>,
        kind: Kind,
        make: impl Fn() -> S + 'static,
    ) -> Self {
        let make = move || -> Box<dyn SharedRunner> { Box::new(Held::new(make())) };
        Self { name: name.into(), kind, make: Box::new(make) }
    }

    /// Returns the row of the replay loop itself, waits included.
    #[must_use]
    pub fn null() -> Self {
        // SAFETY: no handle touches the blocks of another; no pass but the timed one is run.
        Self::new("null", Kind::Loop, || unsafe { Global::new(NullOfWorker::new) })
    }

    /// Returns the row's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whose allocator it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Makes the row's allocator.
    pub(super) fn runner(&self) -> Box<dyn SharedRunner> {
        (self.make)()
    }
}

/// Runs passes with one allocator. A virtual call is made once a pass; the pass itself is compiled
/// for the allocator.
pub(super) trait SharedRunner {
    fn timed(&mut self, stage: &mut Stage<'_>, cap: Duration) -> io::Result<Outcome>;
    fn touching(
        &mut self,
        stage: &mut Stage<'_>,
        live_bytes: u64,
        cap: Duration,
    ) -> io::Result<Peak>;
    fn verify(&mut self, stage: &mut Stage<'_>, cap: Duration) -> io::Result<Verified>;
}

/// An allocator, and whether a pass has left blocks alive; it is then not dropped, as it might say
/// so.
struct Held<S: SharedSubject> {
    subject: ManuallyDrop<S>,
    is_abandoned: bool,
}

impl<S: SharedSubject> Held<S> {
    fn new(subject: S) -> Self {
        Self { subject: ManuallyDrop::new(subject), is_abandoned: false }
    }
}

impl<S: SharedSubject> Drop for Held<S> {
    fn drop(&mut self) {
        // What a panic or an error has cut short left blocks alive too.
        if !self.is_abandoned {
            // SAFETY: the subject is dropped here alone and not used again.
            unsafe { ManuallyDrop::drop(&mut self.subject) };
        }
    }
}

impl<S: SharedSubject> SharedRunner for Held<S> {
    fn timed(&mut self, stage: &mut Stage<'_>, cap: Duration) -> io::Result<Outcome> {
        self.is_abandoned = true;
        let outcome = pass::timed(stage, &*self.subject, cap)?;
        self.is_abandoned = false;
        Ok(outcome)
    }

    fn touching(
        &mut self,
        stage: &mut Stage<'_>,
        live_bytes: u64,
        cap: Duration,
    ) -> io::Result<Peak> {
        self.is_abandoned = true;
        pass::touching(stage, &*self.subject, live_bytes, cap)
    }

    fn verify(&mut self, stage: &mut Stage<'_>, cap: Duration) -> io::Result<Verified> {
        self.is_abandoned = true;
        let verified = pass::verify(stage, &*self.subject, cap)?;
        self.is_abandoned = false;
        Ok(verified)
    }
}
