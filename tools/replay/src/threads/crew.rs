//! The workers of a plan: started together, waiting for each other's blocks, stopped together.

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use core::time::Duration;
use std::io;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::thread;
use std::time::Instant;

use super::act::{Act, At};
use super::plan::Plan;
use crate::clock;
use crate::mapped::{Mapped, Zeroable};
use crate::pass::STEPS_BETWEEN_LOOKS;

/// Looks at a turn before the waiting thread lets others run: on a machine with fewer processors
/// than workers, the one that is waited for may not be running.
const SPINS: u32 = 128;

/// A block on its way through the workers.
#[derive(Default)]
pub(crate) struct Place {
    /// The block, or null. Read and written by the worker whose turn it is.
    block: AtomicPtr<u8>,
    /// How often the place was handed over. Written by the worker whose turn it is.
    turn: AtomicU64,
}

const _: () = assert!(size_of::<Place>() == 16, "four places fit in a cache line");

// SAFETY: null and zero are valid, and atomics have no destructor.
unsafe impl Zeroable for Place {}

/// What is at work during all passes over a plan.
pub(crate) struct Stage<'p> {
    pub(crate) plan: &'p Plan,
    places: Mapped<Place>,
}

impl<'p> Stage<'p> {
    /// Makes the places of a plan.
    ///
    /// # Errors
    ///
    /// The system's own where it has no memory.
    pub(crate) fn new(plan: &'p Plan) -> io::Result<Self> {
        let mut stage = Self { plan, places: Mapped::new(plan.places())? };
        // Written once, so that the table is resident and counts as the replayer's own.
        stage.clear();
        Ok(stage)
    }

    /// Returns the block of a place, or null.
    pub(crate) fn block(&mut self, place: usize) -> *mut u8 {
        *self.places.as_mut_slice()[place].block.get_mut()
    }

    /// Empties all places for the next pass.
    pub(crate) fn clear(&mut self) {
        self.places.as_mut_slice().fill_with(Place::default);
    }
}

/// What the workers of a pass did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// From the start to the end of the last worker.
    pub(crate) elapsed_ns: u64,
    /// CPU time of all workers.
    pub(crate) cpu_ns: u64,
    /// Minor page faults of all workers.
    pub(crate) faults: u64,
    /// Requests refused.
    pub(crate) refused: u64,
    /// Steps whose block was not there yet.
    pub(crate) waits: u64,
    /// Steps that each worker did; fewer than it has where the pass was stopped.
    pub(crate) done: Vec<usize>,
}

impl Outcome {
    /// Returns how many steps all workers did.
    pub(crate) fn events_done(&self) -> u64 {
        self.done.iter().map(|done| *done as u64).sum()
    }
}

/// Performs a plan. The calling thread is worker 0, so a plan for one worker starts no thread.
/// Stops once `cap` is over, or once `act` has enough.
///
/// # Errors
///
/// The system's own where it gives no thread.
pub(crate) fn perform<A: Act>(stage: &Stage<'_>, act: &A, cap: Duration) -> io::Result<Outcome> {
    let crew = Crew {
        plan: stage.plan,
        places: stage.places.as_slice(),
        act,
        cap,
        ready: AtomicUsize::new(0),
        started: OnceLock::new(),
        is_stopped: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        let _stop = StopOnPanic(&crew.is_stopped);
        let mut others = Vec::new();
        for worker in 1..stage.plan.workers() {
            let crew = &crew;
            let thread = thread::Builder::new().name(format!("worker {worker}"));
            let started = thread.spawn_scoped(scope, move || crew.wait_and_work(worker));
            // The scope waits for those that were started, which must not wait for the start.
            others.push(started.inspect_err(|_| crew.stop())?);
        }
        crew.wait_until_ready(others.len());
        act.begin();
        let started = *crew.started.get_or_init(Instant::now);
        let first = crew.work(0);
        // A worker that panicked has stopped the others; its panic goes on here.
        let rest =
            others.into_iter().map(|other| other.join().unwrap_or_else(|p| resume_unwind(p)));
        Ok(sum(started, [first].into_iter().chain(rest)))
    })
}

fn sum(started: Instant, workers: impl Iterator<Item = Done>) -> Outcome {
    let none = Outcome { elapsed_ns: 0, cpu_ns: 0, faults: 0, refused: 0, waits: 0, done: vec![] };
    workers.fold(none, |mut all, one| {
        let elapsed = one.ended.saturating_duration_since(started);
        all.elapsed_ns = all.elapsed_ns.max(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
        all.cpu_ns += one.cpu_ns;
        all.faults += one.faults;
        all.refused += one.refused;
        all.waits += one.waits;
        all.done.push(one.steps);
        all
    })
}

/// What one worker did.
struct Done {
    ended: Instant,
    cpu_ns: u64,
    faults: u64,
    refused: u64,
    waits: u64,
    steps: usize,
}

/// Stops the workers if this thread panics: the others may wait for its blocks.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The workers of a pass.
struct Crew<'a, A> {
    plan: &'a Plan,
    places: &'a [Place],
    act: &'a A,
    cap: Duration,
    /// Threads that wait for the start.
    ready: AtomicUsize,
    started: OnceLock<Instant>,
    is_stopped: AtomicBool,
}

impl<A: Act> Crew<'_, A> {
    /// The whole life of a thread.
    fn wait_and_work(&self, worker: usize) -> Done {
        let _stop = StopOnPanic(&self.is_stopped);
        // Relaxed: it publishes nothing.
        self.ready.fetch_add(1, Ordering::Relaxed);
        self.wait_for(|| self.started.get().is_some());
        self.work(worker)
    }

    fn wait_until_ready(&self, threads: usize) {
        self.wait_for(|| self.ready.load(Ordering::Relaxed) == threads);
    }

    /// Does a worker's steps.
    fn work(&self, worker: usize) -> Done {
        let faults = clock::minor_faults();
        let from = clock::thread_cpu_ns();
        let (refused, waits, steps) = self.steps(worker);
        let ended = Instant::now();
        let cpu_ns = clock::thread_cpu_ns() - from;
        Done { ended, cpu_ns, faults: clock::minor_faults() - faults, refused, waits, steps }
    }

    /// The loop; returns how many requests were refused, blocks waited for and steps done.
    #[inline(never)]
    fn steps(&self, worker: usize) -> (u64, u64, usize) {
        let part = self.plan.part(worker);
        let mut own = self.act.own(worker);
        let (mut olds, mut turns) = (part.old_bytes.iter(), part.turns.iter());
        let (mut refused, mut waits, mut done) = (0, 0, 0);
        for steps in part.steps.chunks(STEPS_BETWEEN_LOOKS) {
            if self.is_over() {
                break;
            }
            for step in steps {
                let place = &self.places[step.slot()];
                if step.awaits {
                    let turn = turns.next().copied().unwrap_or(0);
                    // Acquire: pairs with the release below, of the worker that hands over.
                    if place.turn.load(Ordering::Acquire) != turn {
                        waits += 1;
                        if !self.wait_for(|| place.turn.load(Ordering::Acquire) == turn) {
                            return (refused, waits, done);
                        }
                    }
                }
                // Relaxed: this worker wrote it, or saw the turn after the one that did.
                let mut block = place.block.load(Ordering::Relaxed);
                let at = At { worker, step: done };
                refused += u64::from(!self.act.step(&mut own, at, *step, &mut block, &mut olds));
                place.block.store(block, Ordering::Relaxed);
                if step.hands_over {
                    // No other worker writes a turn that is this one's, so this is no race.
                    let turn = place.turn.load(Ordering::Relaxed) + 1;
                    // Release: pairs with the acquire above. The block, its contents and what the
                    // allocator wrote for it are seen by the worker whose turn comes.
                    place.turn.store(turn, Ordering::Release);
                }
                done += 1;
            }
        }
        (refused, waits, done)
    }

    /// Waits until `is_so`; returns `false` if the workers are stopped before.
    #[cold]
    fn wait_for(&self, is_so: impl Fn() -> bool) -> bool {
        let mut spins = 0;
        while !is_so() {
            if spins < SPINS {
                spins += 1;
                core::hint::spin_loop();
            } else if self.is_stopped.load(Ordering::Relaxed) {
                return false;
            } else {
                thread::yield_now();
            }
        }
        true
    }

    /// Returns `true` if no more steps are to be done, and then stops the others too: they may wait
    /// for this worker.
    fn is_over(&self) -> bool {
        let is_late = || self.started.get().is_none_or(|started| started.elapsed() > self.cap);
        if self.is_stopped.load(Ordering::Relaxed) {
            return true;
        }
        let is_over = self.act.has_enough() || is_late();
        if is_over {
            self.stop();
        }
        is_over
    }

    fn stop(&self) {
        // Relaxed: it says nothing about other memory; the end of a thread publishes its work.
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}
