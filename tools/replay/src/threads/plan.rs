//! A trace split into the steps of its workers, with all that they wait for.

use core::alloc::Layout;
use core::ops::Range;
use std::io;

use super::WORKERS_MAX;
use crate::mapped::Mapped;
use crate::measure::MeasureError;
use crate::program::{Step, StepKind};
use crate::trace::{Event, Op, Trace};

/// Places that share a cache line; a worker takes as many new ones at a time, so that two workers
/// write to one line only where blocks go from one to the other.
const PLACES_A_LINE: u32 = 4;

/// What each worker does. Its tables are in separate mappings, so that no allocator under test has a
/// part in them.
///
/// # Invariants
///
/// 1. Every step's slot is a place, below `places`.
/// 2. Alignments and sizes are within the trace's limits, so every layout is valid.
/// 3. In the trace's order, the steps on a place are whole blocks one after the other: a free or
///    reallocation names a place that an earlier step filled and none emptied since, and has its
///    alignment; an allocation names an empty one, which is new or which the same worker emptied.
/// 4. A step awaits if the last step on its place, in the trace's order, is another worker's, and
///    then that one hands over. The turn that it awaits is the number of hand-overs of the place up
///    to that one.
/// 5. A worker's part of `old_bytes` starts with one entry for each of its reallocations, its part
///    of `turns` with one for each step that awaits, in order.
pub(crate) struct Plan {
    /// The steps of worker 0, then those of worker 1, and so on.
    steps: Mapped<Step>,
    old_bytes: Mapped<u64>,
    turns: Mapped<u64>,
    /// The worker of each event, in the trace's order.
    worker_of: Mapped<u8>,
    /// Where the steps of each worker begin, and the end of the last.
    starts: Vec<usize>,
    places: usize,
    threads: usize,
    hand_overs: u64,
    worst_live_bytes: u64,
}

/// What one worker does.
pub(crate) struct Part<'p> {
    pub(crate) steps: &'p [Step],
    pub(crate) old_bytes: &'p [u64],
    pub(crate) turns: &'p [u64],
}

impl Plan {
    /// Splits a trace among at most `workers_max` workers, from 1 to [`WORKERS_MAX`]. The threads
    /// are numbered in the order of their first events; of more threads than workers, those whose
    /// numbers differ by a multiple of `workers_max` are one worker.
    ///
    /// # Complexity
    ///
    /// O(events) time; 17 bytes an event, 8 more for a reallocation and for an event that waits, and
    /// 16 bytes a place, of which there are at most as many as allocations.
    ///
    /// # Errors
    ///
    /// [`MeasureError`] if the trace's public fields were changed so that it is no longer valid, or
    /// if the system has no memory for the steps.
    pub(crate) fn new(trace: &Trace, workers_max: usize) -> Result<Self, MeasureError> {
        trace.check().map_err(MeasureError::Trace)?;
        let workers_max = workers_max.clamp(1, usize::from(WORKERS_MAX));
        let events = trace.events.len();
        let mut worker_of = Mapped::<u8>::new(events)?;
        let threads = assign(&trace.events, workers_max, worker_of.as_mut_slice());
        let workers = threads.clamp(1, workers_max);
        let mut starts = vec![0; workers + 1];
        for worker in worker_of.as_slice() {
            starts[usize::from(*worker) + 1] += 1;
        }
        for worker in 0..workers {
            starts[worker + 1] += starts[worker];
        }
        let mut splitting = Splitting::new(trace.slots as usize, starts, events)?;
        for (event, worker) in trace.events.iter().zip(worker_of.as_slice()) {
            splitting.enter(event, *worker)?;
        }
        Ok(splitting.finish(worker_of, threads))
    }

    /// Returns how many workers there are, at least one.
    pub(crate) fn workers(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns how many threads the trace has.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Returns how many steps all workers have together.
    pub(crate) fn events(&self) -> usize {
        self.steps.as_slice().len()
    }

    /// Returns how many places the steps use.
    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// Returns how often a block goes from one worker to another.
    pub(crate) fn hand_overs(&self) -> u64 {
        self.hand_overs
    }

    /// Returns the most bytes that can be alive at a time, however far a worker runs ahead: for each
    /// worker the most that it ever allocated and did not free, summed.
    pub(crate) fn worst_live_bytes(&self) -> u64 {
        self.worst_live_bytes
    }

    /// Returns what a worker does.
    pub(crate) fn part(&self, worker: usize) -> Part<'_> {
        let range = self.range(worker);
        Part {
            steps: &self.steps.as_slice()[range.clone()],
            old_bytes: &self.old_bytes.as_slice()[range.clone()],
            turns: &self.turns.as_slice()[range],
        }
    }

    /// Returns which event of the trace a worker's step is.
    ///
    /// # Complexity
    ///
    /// O(events).
    pub(crate) fn event_of(&self, worker: usize, step: usize) -> Option<u64> {
        let workers = self.worker_of.as_slice().iter().enumerate();
        let mut own = workers.filter(|(_, other)| usize::from(**other) == worker);
        own.nth(step).map(|(event, _)| event as u64)
    }

    /// Shows place and layout of each block that is alive once each worker has done as many steps
    /// as `done` says, of which no step may have been done before one that it awaits.
    ///
    /// # Complexity
    ///
    /// O(events).
    ///
    /// # Errors
    ///
    /// The system's own where it has no memory for a table of the places.
    pub(crate) fn left_after(
        &self,
        done: &[usize],
        mut visit: impl FnMut(usize, Layout),
    ) -> io::Result<()> {
        let mut filled = Mapped::<u64>::new(self.places)?;
        let filled = filled.as_mut_slice();
        let mut seen = vec![0; self.workers()];
        for worker in self.worker_of.as_slice() {
            let worker = usize::from(*worker);
            if seen[worker] < done[worker] {
                let index = self.starts[worker] + seen[worker];
                let step = self.steps.as_slice()[index];
                let is_free = step.kind() == StepKind::Free;
                filled[step.slot()] = if is_free { 0 } else { index as u64 + 1 };
            }
            seen[worker] += 1;
        }
        for (place, index) in filled.iter().enumerate() {
            if *index != 0 {
                visit(place, self.steps.as_slice()[*index as usize - 1].layout());
            }
        }
        Ok(())
    }

    fn range(&self, worker: usize) -> Range<usize> {
        self.starts[worker]..self.starts[worker + 1]
    }
}

/// Enters the worker of each event and returns how many threads there are.
fn assign(events: &[Event], workers_max: usize, worker_of: &mut [u8]) -> usize {
    let mut numbers = vec![None; usize::from(u16::MAX) + 1];
    let mut threads = 0;
    for (event, worker) in events.iter().zip(worker_of) {
        let number = *numbers[usize::from(event.thread)].get_or_insert_with(|| {
            threads += 1;
            threads - 1
        });
        // At most `WORKERS_MAX` workers, so the number fits a byte.
        *worker = (number % workers_max) as u8;
    }
    threads
}

/// A slot of the trace on the way through its events.
#[derive(Clone, Copy, Default)]
struct Slot {
    bytes: u64,
    /// Where the last step on the block is.
    last_step: usize,
    place: u32,
    worker: u8,
}

/// A worker on the way through the events.
struct Filling {
    next_step: usize,
    next_old: usize,
    next_turn: usize,
    /// Places that this worker emptied, and new ones of its last line.
    free_places: Vec<u32>,
    /// What it allocated less what it freed, which can be other workers' blocks.
    net_bytes: i128,
    net_bytes_max: i128,
}

/// The plan while it is made.
struct Splitting {
    steps: Mapped<Step>,
    old_bytes: Mapped<u64>,
    turns: Mapped<u64>,
    starts: Vec<usize>,
    slots: Vec<Slot>,
    workers: Vec<Filling>,
    /// The hand-overs of each place so far.
    place_turns: Vec<u64>,
    hand_overs: u64,
}

impl Splitting {
    fn new(slots: usize, starts: Vec<usize>, events: usize) -> io::Result<Self> {
        let fill = |start: &usize| Filling {
            next_step: *start,
            next_old: *start,
            next_turn: *start,
            free_places: Vec::new(),
            net_bytes: 0,
            net_bytes_max: 0,
        };
        let workers = starts[..starts.len() - 1].iter().map(fill).collect();
        Ok(Self {
            steps: Mapped::new(events)?,
            old_bytes: Mapped::new(events)?,
            turns: Mapped::new(events)?,
            starts,
            slots: vec![Slot::default(); slots],
            workers,
            place_turns: Vec::new(),
            hand_overs: 0,
        })
    }

    /// Adds the next event of the trace to the steps of its worker.
    fn enter(&mut self, event: &Event, number: u8) -> io::Result<()> {
        let slot = &mut self.slots[event.slot as usize];
        let worker = &mut self.workers[usize::from(number)];
        let old = core::mem::replace(&mut slot.bytes, event.bytes);
        let is_new = matches!(event.op, Op::Allocate | Op::AllocateZeroed);
        if is_new {
            slot.place = worker.place(&mut self.place_turns)?;
        }
        let mut step = Step::new(event, slot.place, old);
        if !is_new && slot.worker != number {
            self.steps.as_mut_slice()[slot.last_step].hands_over = true;
            step.awaits = true;
            self.hand_overs += 1;
            let turn = &mut self.place_turns[slot.place as usize];
            *turn += 1;
            self.turns.as_mut_slice()[worker.next_turn] = *turn;
            worker.next_turn += 1;
        }
        match event.op {
            Op::Free => worker.free_places.push(slot.place),
            Op::Reallocate => {
                self.old_bytes.as_mut_slice()[worker.next_old] = old;
                worker.next_old += 1;
            }
            Op::Allocate | Op::AllocateZeroed => {}
        }
        worker.net_bytes += i128::from(event.bytes) - i128::from(old);
        worker.net_bytes_max = worker.net_bytes_max.max(worker.net_bytes);
        self.steps.as_mut_slice()[worker.next_step] = step;
        (slot.worker, slot.last_step) = (number, worker.next_step);
        worker.next_step += 1;
        Ok(())
    }

    fn finish(self, worker_of: Mapped<u8>, threads: usize) -> Plan {
        let worst: i128 = self.workers.iter().map(|worker| worker.net_bytes_max).sum();
        Plan {
            steps: self.steps,
            old_bytes: self.old_bytes,
            turns: self.turns,
            worker_of,
            starts: self.starts,
            places: self.place_turns.len(),
            threads,
            hand_overs: self.hand_overs,
            worst_live_bytes: u64::try_from(worst).unwrap_or(u64::MAX),
        }
    }
}

impl Filling {
    /// Returns an empty place that no other worker has touched since it was emptied.
    fn place(&mut self, place_turns: &mut Vec<u64>) -> io::Result<u32> {
        if let Some(place) = self.free_places.pop() {
            return Ok(place);
        }
        let too_many = |_| io::Error::from(io::ErrorKind::OutOfMemory);
        let first = u32::try_from(place_turns.len()).map_err(too_many)?;
        let end = first.checked_add(PLACES_A_LINE).ok_or(io::ErrorKind::OutOfMemory)?;
        place_turns.resize(end as usize, 0);
        // The last one out is the first of the line.
        self.free_places.extend((first + 1..end).rev());
        Ok(first)
    }
}
