//! The rows of a comparison: which allocators and strategies run, and how each is made.

use core::alloc::GlobalAlloc;
use core::mem::ManuallyDrop;
use core::time::Duration;
use std::io;

use loligo_allocators::Allocator;

use crate::child;
use crate::mapped::{Arena, Region};
use crate::ours::Ours;
use crate::pass::verify::Verified;
use crate::pass::{self, Bench, Ending, Timed, Watch};
use crate::peers;
use crate::results::Kind;
use crate::subject::{Null, Subject};

/// One allocator or strategy of a comparison.
pub struct Row {
    name: String,
    kind: Kind,
    maker: Maker,
}

/// How a row's allocator is made.
enum Maker {
    /// Takes memory from the system as it grows, and keeps its state from pass to pass.
    Growing(Box<dyn Fn() -> Box<dyn Runner>>),
    /// Lives in one fixed region, the same for all such rows, and is recreated in every pass.
    InRegion(Box<dyn Fn(Arena) -> Box<dyn Runner>>),
}

impl Row {
    /// Makes a row whose allocator grows and keeps its state between rounds.
    pub fn growing<S: Subject + 'static>(
        name: impl Into<String>,
        kind: Kind,
        make: impl Fn() -> S + 'static,
    ) -> Self {
        let maker = Maker::Growing(Box::new(move || Box::new(Held::new(make(), Ending::Free))));
        Self { name: name.into(), kind, maker }
    }

    /// Makes a row whose allocator lives in a fixed region. `make` may rely on the arena being
    /// valid and its own until the subject that it returns is dropped.
    pub fn in_region<S: Subject + 'static>(
        name: impl Into<String>,
        kind: Kind,
        make: impl Fn(Arena) -> S + 'static,
    ) -> Self {
        let make =
            move |arena| -> Box<dyn Runner> { Box::new(Held::new(make(arena), Ending::Abandon)) };
        let maker = Maker::InRegion(Box::new(make));
        Self { name: name.into(), kind, maker }
    }

    /// Makes a row of any `GlobalAlloc`, which is called by name and never becomes the allocator of
    /// this process.
    pub fn global_alloc<A: GlobalAlloc + 'static>(
        name: impl Into<String>,
        kind: Kind,
        make: impl Fn() -> A + 'static,
    ) -> Self {
        Self::growing(name, kind, move || peers::Global(make()))
    }

    /// Makes a row of any allocator of this family.
    pub fn allocator<A: Allocator + 'static>(
        name: impl Into<String>,
        kind: Kind,
        make: impl Fn() -> A + 'static,
    ) -> Self {
        Self::growing(name, kind, move || Ours(make()))
    }

    /// Returns the replay loop's own row.
    #[must_use]
    pub fn null() -> Self {
        Self::growing("null", Kind::Loop, Null::new)
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

    /// Returns `true` if the row lives in a fixed region.
    #[must_use]
    pub fn lives_in_region(&self) -> bool {
        matches!(self.maker, Maker::InRegion(_))
    }

    /// Makes the row's allocator and hands it to `with`: in a region of `region_bytes` fresh bytes
    /// where it lives in one. It is not dropped, as `with` may leave blocks alive.
    ///
    /// # Errors
    ///
    /// The system's, if it refuses the region.
    pub fn drive(
        &self,
        region_bytes: usize,
        with: &mut dyn FnMut(&mut dyn Subject),
    ) -> io::Result<()> {
        let region = Region::new(region_bytes)?;
        let arena = region.arena(region_bytes);
        // SAFETY: the region outlives the runner and serves nobody else.
        let mut runner = unsafe { self.runner(Some(arena)) };
        runner.drive(with);
        Ok(())
    }

    /// Makes the row's allocator, or what makes it again in each pass on `arena`.
    ///
    /// # Safety
    ///
    /// The arena stays valid while the runner exists, and nothing else uses it during a pass.
    pub(crate) unsafe fn runner(&self, arena: Option<Arena>) -> Box<dyn Runner + '_> {
        match (&self.maker, arena) {
            (Maker::Growing(make), _) => make(),
            (Maker::InRegion(make), Some(arena)) => Box::new(Placed { arena, make }),
            (Maker::InRegion(_), None) => panic!("row `{}` needs a region", self.name),
        }
    }
}

/// Replays the program once with a fresh allocator in a child; `None` if that dies.
///
/// # Errors
///
/// The system's own where it gives no process.
pub(crate) fn timed_fresh(
    bench: &mut Bench<'_>,
    row: &Row,
    region_bytes: usize,
    cap: Duration,
) -> io::Result<Option<Timed>> {
    let answer = child::run(|| {
        let region = Region::new(region_bytes)?;
        // SAFETY: the region outlives the runner and serves nobody else.
        let mut runner = unsafe { row.runner(Some(region.arena(region_bytes))) };
        runner.timed(bench, cap).map(Timed::encode)
    })?;
    Ok(answer.and_then(|answer| Timed::decode(&answer)))
}

/// Runs passes with one allocator. A virtual call is made once a pass; the pass itself is compiled
/// for the allocator.
pub(crate) trait Runner {
    fn drive(&mut self, with: &mut dyn FnMut(&mut dyn Subject));
    fn timed(&mut self, bench: &mut Bench<'_>, cap: Duration) -> io::Result<Timed>;
    fn worst(&mut self, bench: &mut Bench<'_>, least: &mut [u32]) -> io::Result<()>;
    fn verify(&mut self, bench: &mut Bench<'_>, cap: Duration) -> io::Result<Verified>;
    fn touching(
        &mut self,
        bench: &mut Bench<'_>,
        cap: Duration,
        watch: &mut dyn Watch,
    ) -> io::Result<Timed>;
}

/// An allocator and what happens to it after a pass.
struct Held<S: Subject> {
    subject: ManuallyDrop<S>,
    ending: Ending,
    /// Whether a pass has left blocks alive; the allocator is then not dropped, as it might say so.
    abandoned: bool,
}

impl<S: Subject> Held<S> {
    fn new(subject: S, ending: Ending) -> Self {
        Self { subject: ManuallyDrop::new(subject), ending, abandoned: false }
    }

    /// Returns the subject and how the pass that is about to begin ends.
    fn begin(&mut self, ending: Ending) -> (&mut S, Ending) {
        self.abandoned |= ending == Ending::Abandon;
        (&mut self.subject, ending)
    }
}

impl<S: Subject> Drop for Held<S> {
    fn drop(&mut self) {
        if !self.abandoned {
            // SAFETY: the subject is dropped here alone and not used again.
            unsafe { ManuallyDrop::drop(&mut self.subject) };
        }
    }
}

impl<S: Subject> Runner for Held<S> {
    fn drive(&mut self, with: &mut dyn FnMut(&mut dyn Subject)) {
        let (subject, _) = self.begin(Ending::Abandon);
        with(subject);
    }

    fn timed(&mut self, bench: &mut Bench<'_>, cap: Duration) -> io::Result<Timed> {
        let (subject, ending) = self.begin(self.ending);
        pass::timed(bench, subject, cap, ending)
    }

    fn worst(&mut self, bench: &mut Bench<'_>, least: &mut [u32]) -> io::Result<()> {
        let (subject, ending) = self.begin(self.ending);
        pass::worst(bench, subject, least, ending)
    }

    fn verify(&mut self, bench: &mut Bench<'_>, cap: Duration) -> io::Result<Verified> {
        let (subject, _) = self.begin(Ending::Free);
        pass::verify::verify(bench, subject, cap)
    }

    fn touching(
        &mut self,
        bench: &mut Bench<'_>,
        cap: Duration,
        watch: &mut dyn Watch,
    ) -> io::Result<Timed> {
        let (subject, ending) = self.begin(Ending::Abandon);
        pass::touching(bench, subject, cap, ending, watch)
    }
}

/// A row at its place in the region.
struct Placed<'a> {
    arena: Arena,
    make: &'a dyn Fn(Arena) -> Box<dyn Runner>,
}

impl Runner for Placed<'_> {
    fn drive(&mut self, with: &mut dyn FnMut(&mut dyn Subject)) {
        (self.make)(self.arena).drive(with);
    }

    fn timed(&mut self, bench: &mut Bench<'_>, cap: Duration) -> io::Result<Timed> {
        (self.make)(self.arena).timed(bench, cap)
    }

    fn worst(&mut self, bench: &mut Bench<'_>, least: &mut [u32]) -> io::Result<()> {
        (self.make)(self.arena).worst(bench, least)
    }

    fn verify(&mut self, bench: &mut Bench<'_>, cap: Duration) -> io::Result<Verified> {
        (self.make)(self.arena).verify(bench, cap)
    }

    fn touching(
        &mut self,
        bench: &mut Bench<'_>,
        cap: Duration,
        watch: &mut dyn Watch,
    ) -> io::Result<Timed> {
        (self.make)(self.arena).touching(bench, cap, watch)
    }
}

/// The names of all peers, compiled in or not.
pub const PEER_NAMES: [&str; 9] = [
    "system",
    "mimalloc",
    "jemalloc",
    "snmalloc",
    "dlmalloc",
    "talc",
    "rlsf",
    "buddy_system_allocator",
    "linked_list_allocator",
];

/// Returns the peers that are compiled in, in the order of the table.
#[must_use]
pub fn peers() -> Vec<Row> {
    let mut rows = vec![
        Row::growing("system", Kind::Peer, || peers::System),
        Row::growing("mimalloc", Kind::Peer, || peers::Global(mimalloc::MiMalloc)),
    ];
    #[cfg(feature = "peers-all")]
    rows.extend([
        Row::growing("jemalloc", Kind::Peer, || peers::Global(tikv_jemallocator::Jemalloc)),
        Row::growing("snmalloc", Kind::Peer, || peers::Global(snmalloc_rs::SnMalloc)),
    ]);
    rows.push(Row::growing("dlmalloc", Kind::Peer, peers::DlMalloc::new));
    rows.extend([
        // SAFETY: `in_region` promises that the arena is the subject's alone while the subject
        // exists.
        Row::in_region("talc", Kind::Peer, |arena| unsafe { peers::talc(arena) }),
        // SAFETY: as above.
        Row::in_region("rlsf", Kind::Peer, |arena| unsafe { peers::Rlsf::new(arena) }),
        Row::in_region("buddy_system_allocator", Kind::Peer, |arena| {
            // SAFETY: as above.
            unsafe { peers::buddy_system(arena) }
        }),
        Row::in_region("linked_list_allocator", Kind::Peer, |arena| {
            // SAFETY: as above.
            unsafe { peers::linked_list(arena) }
        }),
    ]);
    rows
}
