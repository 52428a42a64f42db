//! What a worker does with each step: the call alone, with every page touched, or with contents.

use core::slice;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::io;
use std::sync::{Mutex, PoisonError};

use super::plan::Plan;
use super::subject::SharedSubject;
use crate::mapped::{Mapped, PAGE_BYTES, Zeroable};
use crate::memory::{Gauge, PAGES_BETWEEN_LOOKS};
use crate::pass::verify::{Held, LOSSES_KEPT, Loss, LossKind};
use crate::pass::{Watch, do_step, touch};
use crate::program::{Step, StepKind};

/// Which step of which worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) worker: usize,
    pub(crate) step: usize,
}

/// What is done with each step, by several workers at a time.
pub(crate) trait Act: Sync {
    /// What a worker has for itself.
    type Own<'a>
    where
        Self: 'a;

    /// Is called by each worker before its first step.
    fn own(&self, worker: usize) -> Self::Own<'_>;

    /// Does a step on the block of its place, which is null where none is alive, and returns whether
    /// it was served. A reallocation takes the next of the worker's old sizes.
    fn step<'a>(
        &'a self,
        own: &mut Self::Own<'a>,
        at: At,
        step: Step,
        block: &mut *mut u8,
        olds: &mut slice::Iter<'_, u64>,
    ) -> bool;

    /// All threads are there, and none has begun.
    fn begin(&self) {}

    /// Returns `true` if the rest of the steps is of no use.
    fn has_enough(&self) -> bool {
        false
    }
}

/// The calls alone. What `do_step` relies on is `Plan` 2, 3 and 5, and that the turn of the place has
/// come.
pub(super) struct Calls<'s, S>(pub(super) &'s S);

impl<S: SharedSubject> Act for Calls<'_, S> {
    type Own<'a>
        = S::Handle<'a>
    where
        Self: 'a;

    fn own(&self, _: usize) -> Self::Own<'_> {
        self.0.handle()
    }

    #[inline(always)]
    fn step<'a>(
        &'a self,
        own: &mut Self::Own<'a>,
        _: At,
        step: Step,
        block: &mut *mut u8,
        olds: &mut slice::Iter<'_, u64>,
    ) -> bool {
        do_step(own, step, block, olds)
    }
}

/// The calls with every page of every block touched, memory followed and live bytes counted.
pub(super) struct Touches<'s, S> {
    subject: &'s S,
    gauge: Mutex<&'s mut Gauge>,
    live_bytes: AtomicU64,
    peak_live_bytes: AtomicU64,
}

impl<'s, S> Touches<'s, S> {
    pub(super) fn new(subject: &'s S, gauge: &'s mut Gauge) -> Self {
        Self {
            subject,
            gauge: Mutex::new(gauge),
            live_bytes: AtomicU64::new(0),
            peak_live_bytes: AtomicU64::new(0),
        }
    }

    /// Returns the greatest sum of the sizes of blocks that were alive at a time.
    pub(super) fn peak_live_bytes(&self) -> u64 {
        self.peak_live_bytes.load(Ordering::Relaxed)
    }

    fn with_gauge(&self, with: impl FnOnce(&mut Gauge)) {
        // A thread that panicked ends the whole pass.
        with(&mut self.gauge.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl<S: SharedSubject> Act for Touches<'_, S> {
    /// The handle, and the pages that were touched since the last look at the memory.
    type Own<'a>
        = (S::Handle<'a>, usize)
    where
        Self: 'a;

    fn own(&self, _: usize) -> Self::Own<'_> {
        (self.subject.handle(), 0)
    }

    fn step<'a>(
        &'a self,
        (handle, pending_pages): &mut Self::Own<'a>,
        _: At,
        step: Step,
        block: &mut *mut u8,
        olds: &mut slice::Iter<'_, u64>,
    ) -> bool {
        let freed = match step.kind() {
            _ if block.is_null() => 0,
            StepKind::Free => step.bytes() as u64,
            StepKind::Reallocate => olds.as_slice().first().copied().unwrap_or(0),
            StepKind::Allocate | StepKind::AllocateZeroed => 0,
        };
        // Relaxed, as all of these: a block is freed after it was allocated, by its turn, and the
        // counters say nothing about other memory.
        self.live_bytes.fetch_sub(freed, Ordering::Relaxed);
        let is_served = do_step(handle, step, block, olds);
        if block.is_null() || step.kind() == StepKind::Free {
            return is_served;
        }
        // SAFETY: the block is live and holds the step's size.
        unsafe { touch(*block, step.bytes()) };
        let bytes = step.bytes() as u64;
        let live_bytes = self.live_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak_live_bytes.fetch_max(live_bytes, Ordering::Relaxed);
        *pending_pages += step.bytes() / PAGE_BYTES + 1;
        if *pending_pages >= PAGES_BETWEEN_LOOKS {
            let pages = core::mem::take(pending_pages);
            self.with_gauge(|gauge| gauge.grown(pages));
        }
        is_served
    }

    fn begin(&self) {
        // The stacks of the threads are there now and are the replayer's own.
        self.with_gauge(Gauge::rebase);
    }
}

/// The calls with every block filled, and compared before it is freed or resized.
pub(super) struct Contents<'s, S> {
    subject: &'s S,
    /// What the block of each place was filled with. Read and written by the worker whose turn it
    /// is.
    seeds: Mapped<AtomicU64>,
    losses: Mutex<Vec<(At, LossKind)>>,
    losses_kept: AtomicUsize,
}

// SAFETY: zero is valid, and an atomic has no destructor.
unsafe impl Zeroable for AtomicU64 {}

impl<'s, S> Contents<'s, S> {
    /// # Errors
    ///
    /// The system's own where it has no memory for a table.
    pub(super) fn new(subject: &'s S, plan: &Plan) -> io::Result<Self> {
        Ok(Self {
            subject,
            seeds: Mapped::new(plan.places())?,
            losses: Mutex::default(),
            losses_kept: AtomicUsize::new(0),
        })
    }

    /// Returns what was lost and the seeds of what is left.
    pub(super) fn finish(self, plan: &Plan) -> (Vec<Loss>, Mapped<AtomicU64>) {
        let losses = self.losses.into_inner().unwrap_or_else(PoisonError::into_inner);
        let loss =
            |(at, what): (At, LossKind)| Loss { event: plan.event_of(at.worker, at.step), what };
        (losses.into_iter().map(loss).collect(), self.seeds)
    }
}

impl<S: SharedSubject> Act for Contents<'_, S> {
    type Own<'a>
        = (S::Handle<'a>, &'a [AtomicU64])
    where
        Self: 'a;

    fn own(&self, _: usize) -> Self::Own<'_> {
        (self.subject.handle(), self.seeds.as_slice())
    }

    fn step<'a>(
        &'a self,
        (handle, seeds): &mut Self::Own<'a>,
        at: At,
        step: Step,
        block: &mut *mut u8,
        olds: &mut slice::Iter<'_, u64>,
    ) -> bool {
        let old = match step.kind() {
            StepKind::Reallocate => olds.next().copied().unwrap_or(0),
            _ => 0,
        };
        let place = &seeds[step.slot()];
        // Relaxed: the turn of the place orders it, as it does the block.
        let mut seed = place.load(Ordering::Relaxed);
        // No two steps share this number, so no two blocks have the same contents.
        let event = (at.worker as u64) << 48 | at.step as u64;
        let mut held = Held { block, seed: &mut seed };
        let found = held.step(handle, step, old, event);
        place.store(seed, Ordering::Relaxed);
        found.unwrap_or_else(|what| {
            let mut losses = self.losses.lock().unwrap_or_else(PoisonError::into_inner);
            if losses.len() < LOSSES_KEPT {
                losses.push((at, what));
            }
            self.losses_kept.store(losses.len(), Ordering::Relaxed);
            true
        })
    }

    fn has_enough(&self) -> bool {
        self.losses_kept.load(Ordering::Relaxed) >= LOSSES_KEPT
    }
}
