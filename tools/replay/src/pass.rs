//! One pass over a program with one allocator: timed, for the worst operation, or for memory.

pub(crate) mod verify;

use core::time::Duration;
use std::io;
use std::time::Instant;

use crate::clock;
use crate::mapped::{Mapped, PAGE_BYTES};
use crate::program::{Program, Step, StepKind};
use crate::subject::Subject;

/// Steps between two looks at the time.
pub(crate) const STEPS_BETWEEN_LOOKS: usize = 512;

/// What is at work during all passes over a program.
pub(crate) struct Bench<'p> {
    pub(crate) program: &'p Program,
    /// The block of each slot, or null.
    slots: Mapped<*mut u8>,
}

impl<'p> Bench<'p> {
    /// Makes the table of slots for a program.
    ///
    /// # Errors
    ///
    /// The system's own where it has no memory.
    pub(crate) fn new(program: &'p Program) -> io::Result<Self> {
        let mut slots = Mapped::new(program.slots())?;
        // Written once, so that the table is resident and counts as the replayer's own.
        slots.as_mut_slice().fill(core::ptr::null_mut());
        Ok(Self { program, slots })
    }

    /// Ends a pass after `done` steps, outside of what is measured.
    fn end(&mut self, subject: &mut impl Subject, done: usize, ending: Ending) -> io::Result<()> {
        if ending == Ending::Abandon {
            self.slots.as_mut_slice().fill(core::ptr::null_mut());
            return Ok(());
        }
        let slots = self.slots.as_mut_slice();
        self.program.left_after(done, |slot, layout| {
            let block = core::mem::replace(&mut slots[slot], core::ptr::null_mut());
            if !block.is_null() {
                // SAFETY: the slot's last filling step made this block of this layout, and no free
                // came since.
                unsafe { subject.deallocate(block, layout) };
            }
        })
    }
}

/// What becomes of the blocks that are alive when a pass ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// They are freed.
    Free,
    /// They are left, and their allocator is not used again. Some peers need longer to free them
    /// than for the pass itself.
    Abandon,
}

/// What a timed pass found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timed {
    /// CPU time of the thread.
    pub(crate) ns: u64,
    /// Minor page faults.
    pub(crate) faults: u64,
    /// Requests refused.
    pub(crate) refused: u64,
    /// Steps done.
    pub(crate) done: usize,
}

impl Timed {
    /// Returns what was found as a child sends it.
    pub(crate) fn encode(self) -> Vec<u8> {
        let words = [self.ns, self.faults, self.refused, self.done as u64];
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// Returns what a child sent.
    pub(crate) fn decode(answer: &[u8]) -> Option<Self> {
        let (words, []) = answer.as_chunks::<8>() else {
            return None;
        };
        let [ns, faults, refused, done] = *words else {
            return None;
        };
        let [ns, faults, refused, done] = [ns, faults, refused, done].map(u64::from_ne_bytes);
        Some(Self { ns, faults, refused, done: done as usize })
    }
}

/// Replays the program once and takes the time of the steps that are measured. Stops once `cap` is
/// over.
///
/// # Errors
///
/// The system's own where it has no memory for a table.
#[inline(never)]
pub(crate) fn timed<S: Subject>(
    bench: &mut Bench<'_>,
    subject: &mut S,
    cap: Duration,
    ending: Ending,
) -> io::Result<Timed> {
    let program = bench.program;
    let slots = bench.slots.as_mut_slice();
    let mut olds = program.old_bytes().iter();
    let [warming, measured] = program.parts();
    let (mut refused, mut done) = (0, warming.len());
    let sites = program.sites();
    for (index, step) in warming.iter().enumerate() {
        tell_site(subject, sites, index);
        refused += u64::from(!do_step(subject, *step, &mut slots[step.slot()], &mut olds));
    }
    let faults = clock::minor_faults();
    let started = Instant::now();
    let from = clock::thread_cpu_ns();
    for steps in measured.chunks(STEPS_BETWEEN_LOOKS) {
        for (index, step) in steps.iter().enumerate() {
            tell_site(subject, sites, done + index);
            refused += u64::from(!do_step(subject, *step, &mut slots[step.slot()], &mut olds));
        }
        done += steps.len();
        if is_over(started, from, cap) {
            break;
        }
    }
    let ns = clock::thread_cpu_ns() - from;
    let faults = clock::minor_faults() - faults;
    bench.end(subject, done, ending)?;
    Ok(Timed { ns, faults, refused, done })
}

/// Returns `true` if the pass has used up its time. The thread's clock costs a call of the system,
/// so it is read only if the wall clock, which never shows less, says that it may be so.
#[inline(always)]
fn is_over(started: Instant, from_cpu_ns: u64, cap: Duration) -> bool {
    started.elapsed() > cap && u128::from(clock::thread_cpu_ns() - from_cpu_ns) > cap.as_nanos()
}

/// Gives the subject the site of the next request, where the trace knows it.
#[inline(always)]
fn tell_site<S: Subject>(subject: &mut S, sites: &[u32], index: usize) {
    if let Some(site) = sites.get(index) {
        subject.at_site(*site);
    }
}

/// Does one step and writes the first byte of a new block; returns whether it was served. A block
/// whose reallocation is refused is freed, so that the replay goes on without it.
#[inline(always)]
pub(crate) fn do_step<S: Subject>(
    subject: &mut S,
    step: Step,
    slot: &mut *mut u8,
    olds: &mut core::slice::Iter<'_, u64>,
) -> bool {
    let block = match step.kind() {
        StepKind::Allocate => subject.allocate(step.layout()),
        StepKind::AllocateZeroed => subject.allocate_zeroed(step.layout()),
        StepKind::Free => {
            if !slot.is_null() {
                // SAFETY: `Program` 3: the block was made by an earlier step with this alignment
                // and size, and is freed once.
                unsafe { subject.deallocate(*slot, step.layout()) };
                *slot = core::ptr::null_mut();
            }
            return true;
        }
        StepKind::Reallocate => {
            let old = step.layout_of(olds.next().copied().unwrap_or(0));
            if slot.is_null() {
                return true;
            }
            // SAFETY: `Program` 3 and 4: the block is live and `old` is its layout.
            let moved = unsafe { subject.reallocate(*slot, old, step.bytes()) };
            if moved.is_null() {
                // SAFETY: the refused block is still live with its old layout.
                unsafe { subject.deallocate(*slot, old) };
            }
            moved
        }
    };
    *slot = block;
    if block.is_null() {
        return false;
    }
    // SAFETY: the block holds at least one byte.
    unsafe { block.write_volatile(step.slot() as u8) };
    true
}

/// The most bytes that an operation may copy or clear and still count for the worst one: beyond it,
/// what takes the time is the block's contents and no longer the allocator.
pub(crate) const COPIED_BYTES_MAX: usize = 4096;

/// Replays the program once, each operation timed alone, and keeps for each step the least number
/// of ticks seen so far. `least` has one entry a step. Steps that only warm, and those that clear,
/// or move and so copy, more than [`COPIED_BYTES_MAX`] bytes are set to 0.
///
/// # Errors
///
/// The system's own where it has no memory for a table.
#[inline(never)]
pub(crate) fn worst<S: Subject>(
    bench: &mut Bench<'_>,
    subject: &mut S,
    least: &mut [u32],
    ending: Ending,
) -> io::Result<()> {
    let program = bench.program;
    let slots = bench.slots.as_mut_slice();
    let mut olds = program.old_bytes().iter();
    for (index, (step, least)) in program.steps().iter().zip(least).enumerate() {
        tell_site(subject, program.sites(), index);
        let ticks = timed_step(subject, *step, &mut slots[step.slot()], &mut olds);
        let ticks = if index < program.warming() { 0 } else { ticks };
        *least = (*least).min(u32::try_from(ticks).unwrap_or(u32::MAX));
    }
    bench.end(subject, program.steps().len(), ending)
}

/// Does one step and returns the ticks of the call alone; the write to the block comes after.
#[inline(always)]
fn timed_step<S: Subject>(
    subject: &mut S,
    step: Step,
    slot: &mut *mut u8,
    olds: &mut core::slice::Iter<'_, u64>,
) -> u64 {
    let old = match step.kind() {
        StepKind::Reallocate => olds.next().copied().unwrap_or(0),
        _ => 0,
    };
    let layout = step.layout();
    let takes = matches!(step.kind(), StepKind::Allocate | StepKind::AllocateZeroed);
    if !takes && slot.is_null() {
        return 0;
    }
    let from = clock::ticks();
    let block = match step.kind() {
        StepKind::Allocate => subject.allocate(layout),
        StepKind::AllocateZeroed => subject.allocate_zeroed(layout),
        StepKind::Free => {
            // SAFETY: as in `do_step`.
            unsafe { subject.deallocate(*slot, layout) };
            core::ptr::null_mut()
        }
        // SAFETY: as in `do_step`.
        StepKind::Reallocate => unsafe {
            subject.reallocate(*slot, step.layout_of(old), step.bytes())
        },
    };
    let ticks = clock::ticks() - from;
    if block.is_null() && step.kind() == StepKind::Reallocate {
        // SAFETY: the refused block is still live with its old layout.
        unsafe { subject.deallocate(*slot, step.layout_of(old)) };
    }
    let copied = match step.kind() {
        StepKind::AllocateZeroed => step.bytes(),
        StepKind::Reallocate if block != *slot => step.bytes().min(old as usize),
        _ => 0,
    };
    *slot = block;
    if !block.is_null() {
        // SAFETY: the block holds at least one byte.
        unsafe { block.write_volatile(step.slot() as u8) };
    }
    if copied > COPIED_BYTES_MAX { 0 } else { ticks }
}

/// Sees memory grow during a pass.
pub(crate) trait Watch {
    /// Pages of a new block were touched.
    fn grown(&mut self, pages: usize);
    /// The steps that are measured begin.
    fn begin(&mut self);
    /// They end, and blocks are still alive.
    fn end(&mut self);
}

/// Replays the program once, touching every page of every block, and calls `watch` for each step
/// that gave a block. Stops once `cap` is over.
///
/// # Errors
///
/// The system's own where it has no memory for a table.
#[inline(never)]
pub(crate) fn touching<S: Subject>(
    bench: &mut Bench<'_>,
    subject: &mut S,
    cap: Duration,
    ending: Ending,
    watch: &mut dyn Watch,
) -> io::Result<Timed> {
    let program = bench.program;
    let slots = bench.slots.as_mut_slice();
    let mut olds = program.old_bytes().iter();
    let (mut refused, mut done) = (0, 0);
    let from = clock::thread_cpu_ns();
    let started = Instant::now();
    'parts: for part in program.parts() {
        if done == program.warming() {
            watch.begin();
        }
        for steps in part.chunks(STEPS_BETWEEN_LOOKS) {
            for (index, step) in steps.iter().enumerate() {
                tell_site(subject, program.sites(), done + index);
                let slot = &mut slots[step.slot()];
                refused += u64::from(!do_step(subject, *step, slot, &mut olds));
                if step.kind() != StepKind::Free && !slot.is_null() {
                    // SAFETY: the block is live and holds the step's size.
                    unsafe { touch(*slot, step.bytes()) };
                    watch.grown(step.bytes() / PAGE_BYTES + 1);
                }
            }
            done += steps.len();
            if is_over(started, from, cap) {
                break 'parts;
            }
        }
    }
    let ns = clock::thread_cpu_ns() - from;
    watch.end();
    bench.end(subject, done, ending)?;
    Ok(Timed { ns, faults: 0, refused, done })
}

/// Writes to each page of a block.
///
/// # Safety
///
/// `block` is valid for writes of `bytes` bytes, at least one.
pub(crate) unsafe fn touch(block: *mut u8, bytes: usize) {
    for offset in (0..bytes).step_by(PAGE_BYTES) {
        // SAFETY: the offset is less than `bytes`.
        let place = unsafe { block.add(offset) };
        // SAFETY: the place is in the block.
        unsafe { place.write_volatile(1) };
    }
    // SAFETY: the last byte of the block, which may be on a separate page.
    let last = unsafe { block.add(bytes - 1) };
    // SAFETY: the place is in the block.
    unsafe { last.write_volatile(1) };
}
