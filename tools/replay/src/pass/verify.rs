//! A pass that fills every block with a unique fingerprint and compares it before the free.

use core::time::Duration;
use std::fmt;
use std::io;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{Bench, Ending, STEPS_BETWEEN_LOOKS, is_over};
use crate::clock;
use crate::mapped::Mapped;
use crate::program::{Step, StepKind};
use crate::subject::Subject;

/// How many losses are remembered of one pass; one shows the fault, more help to find it.
pub(crate) const LOSSES_KEPT: usize = 8;

/// Something that an allocator lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The event at which it was seen, counted from 0; none for what is seen after the last.
    pub event: Option<u64>,
    /// What was lost.
    pub what: LossKind,
}

/// What an allocator can lose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum LossKind {
    /// The contents of a block changed while it was alive.
    Contents {
        /// The first byte that differs.
        offset_bytes: u64,
        /// The size of the block.
        block_bytes: u64,
    },
    /// A block that was asked full of zeros is not.
    NotZero {
        /// The first byte that differs.
        offset_bytes: u64,
        /// The size of the block.
        block_bytes: u64,
    },
    /// A block is not aligned as it was asked.
    Alignment {
        /// The alignment that was asked.
        align: u64,
    },
    /// The allocator's own check fails after the last free.
    Structure(String),
    /// The process that replayed it crashed.
    Died,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.what, self.event) {
            (LossKind::Died, _) => {}
            (_, Some(event)) => write!(f, "event {event}: ")?,
            (_, None) => f.write_str("after the last event: ")?,
        }
        match &self.what {
            LossKind::Contents { offset_bytes, block_bytes } => {
                write!(f, "byte {offset_bytes} of a block of {block_bytes} was overwritten")
            }
            LossKind::NotZero { offset_bytes, block_bytes } => {
                write!(f, "byte {offset_bytes} of a zeroed block of {block_bytes} is not zero")
            }
            LossKind::Alignment { align } => write!(f, "a block is not aligned to {align}"),
            LossKind::Structure(what) => write!(f, "the allocator's own check fails: {what}"),
            LossKind::Died => f.write_str("the process that replayed it crashed"),
        }
    }
}

/// What a verifying pass found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// The first losses, none where all is well.
    pub losses: Vec<Loss>,
    /// Requests refused.
    pub refused: u64,
    /// Events replayed; fewer than the trace's where the pass was stopped at its time cap.
    pub events_done: u64,
}

impl Verified {
    /// Returns what is found when the replaying process dies.
    pub(crate) fn died() -> Self {
        let losses = vec![Loss { event: None, what: LossKind::Died }];
        Self { losses, refused: 0, events_done: 0 }
    }
}

/// Replays the program once, filling and comparing. Stops once `cap` is over or enough is lost.
///
/// # Errors
///
/// The system's own where it has no memory for a table.
pub(crate) fn verify<S: Subject>(
    bench: &mut Bench<'_>,
    subject: &mut S,
    cap: Duration,
) -> io::Result<Verified> {
    let program = bench.program;
    let mut seeds = Mapped::<u64>::new(program.slots())?;
    let mut found = Verified::default();
    let mut olds = program.old_bytes().iter();
    let mut done = 0;
    let (started, from) = (Instant::now(), clock::thread_cpu_ns());
    'steps: for steps in program.steps().chunks(STEPS_BETWEEN_LOOKS) {
        for step in steps {
            let old = match step.kind() {
                StepKind::Reallocate => olds.next().copied().unwrap_or(0),
                _ => 0,
            };
            let block = &mut bench.slots.as_mut_slice()[step.slot()];
            let mut held = Held { block, seed: &mut seeds.as_mut_slice()[step.slot()] };
            let event = done as u64;
            super::tell_site(subject, program.sites(), done);
            match held.step(subject, *step, old, event) {
                Ok(served) => found.refused += u64::from(!served),
                Err(what) => found.losses.push(Loss { event: Some(event), what }),
            }
            done += 1;
            if found.losses.len() == LOSSES_KEPT {
                break 'steps;
            }
        }
        if is_over(started, from, cap) {
            break;
        }
    }
    compare_left(bench, subject, done, &seeds, &mut found)?;
    if let Err(what) = subject.check() {
        found.losses.push(Loss { event: None, what: LossKind::Structure(what) });
    }
    found.events_done = done as u64;
    Ok(found)
}

/// Compares and frees what is left.
fn compare_left(
    bench: &mut Bench<'_>,
    subject: &mut impl Subject,
    done: usize,
    seeds: &Mapped<u64>,
    found: &mut Verified,
) -> io::Result<()> {
    let slots = bench.slots.as_mut_slice();
    bench.program.left_after(done, |slot, layout| {
        let block = slots[slot];
        if block.is_null() {
            return;
        }
        // SAFETY: the block is live and holds its size, all of it written by `fill`.
        let lost = unsafe { compare(block, layout.size(), seeds.as_slice()[slot]) };
        if let Err(what) = lost
            && found.losses.len() < LOSSES_KEPT
        {
            found.losses.push(Loss { event: None, what });
        }
    })?;
    bench.end(subject, done, Ending::Free)
}

/// A slot: its block and the seed of what the block was filled with.
pub(crate) struct Held<'a> {
    pub(crate) block: &'a mut *mut u8,
    pub(crate) seed: &'a mut u64,
}

impl Held<'_> {
    /// Does a step with all checks; returns whether it was served. No two steps of a pass have the
    /// same `event`.
    ///
    /// # Errors
    ///
    /// What is lost.
    pub(crate) fn step(
        &mut self,
        subject: &mut impl Subject,
        step: Step,
        old: u64,
        event: u64,
    ) -> Result<bool, LossKind> {
        match step.kind() {
            StepKind::Allocate => {
                *self.block = subject.allocate(step.layout());
                self.fill(step, event)
            }
            StepKind::AllocateZeroed => {
                *self.block = subject.allocate_zeroed(step.layout());
                // SAFETY: a block that is not null holds the step's size, all of it zeroed.
                let zero = unsafe { find_other(*self.block, step.bytes(), |_| 0) };
                let served = self.fill(step, event)?;
                zero.map_err(|offset_bytes| {
                    let block_bytes = step.bytes() as u64;
                    LossKind::NotZero { offset_bytes, block_bytes }
                })?;
                Ok(served)
            }
            StepKind::Free => {
                let block = core::mem::replace(self.block, core::ptr::null_mut());
                if block.is_null() {
                    return Ok(true);
                }
                // SAFETY: the block is live and was filled over its whole size.
                let same = unsafe { compare(block, step.bytes(), *self.seed) };
                // SAFETY: as in the timed pass: live, of this layout, freed once.
                unsafe { subject.deallocate(block, step.layout()) };
                same.map(|()| true)
            }
            StepKind::Reallocate => self.reallocate(subject, step, old, event),
        }
    }

    fn reallocate(
        &mut self,
        subject: &mut impl Subject,
        step: Step,
        old: u64,
        event: u64,
    ) -> Result<bool, LossKind> {
        if self.block.is_null() {
            return Ok(true);
        }
        let old = step.layout_of(old);
        // SAFETY: the block is live and `old` is its layout.
        let moved = unsafe { subject.reallocate(*self.block, old, step.bytes()) };
        if moved.is_null() {
            // SAFETY: a refused reallocation leaves the block as it was, filled over its old size.
            let same = unsafe { compare(*self.block, old.size(), *self.seed) };
            // SAFETY: the block is still live with its old layout.
            unsafe { subject.deallocate(*self.block, old) };
            *self.block = moved;
            return same.map(|()| false);
        }
        *self.block = moved;
        // SAFETY: the contents are kept up to the lesser of both sizes.
        let same = unsafe { compare(moved, old.size().min(step.bytes()), *self.seed) };
        let served = self.fill(step, event)?;
        same.map(|()| served)
    }

    /// Fills a fresh block with the fingerprint of this event; returns whether there is one.
    fn fill(&mut self, step: Step, event: u64) -> Result<bool, LossKind> {
        if self.block.is_null() {
            return Ok(false);
        }
        // The event identifies slot and generation at once: no two blocks share one.
        *self.seed = mix(event + 1);
        // SAFETY: the block was just handed out and holds the step's size.
        unsafe { fill(*self.block, step.bytes(), *self.seed) };
        let align = step.layout().align();
        if self.block.addr().is_multiple_of(align) {
            Ok(true)
        } else {
            Err(LossKind::Alignment { align: align as u64 })
        }
    }
}

/// Spreads the bits of a number, so that neighbouring seeds have nothing in common.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (number ^ (number >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1
}

/// Returns the word at an index of a block with this seed.
#[inline(always)]
fn word_of(seed: u64) -> impl Fn(u64) -> u64 {
    move |index| seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Writes the fingerprint over a block.
///
/// # Safety
///
/// `block` is valid for writes of `bytes` bytes.
unsafe fn fill(block: *mut u8, bytes: usize, seed: u64) {
    let word = word_of(seed);
    let words = bytes / 8;
    for index in 0..words {
        // SAFETY: the word is in the block.
        let place = unsafe { block.cast::<u64>().add(index) };
        // SAFETY: the block is valid for writes; it need not be aligned.
        unsafe { place.write_unaligned(word(index as u64)) };
    }
    let tail = word(words as u64).to_le_bytes();
    // SAFETY: the tail starts within the block or at its end.
    let place = unsafe { block.add(words * 8) };
    // SAFETY: fewer than eight bytes are left, and the tail has eight.
    unsafe { place.copy_from_nonoverlapping(tail.as_ptr(), bytes - words * 8) };
}

/// Compares a block with its fingerprint.
///
/// # Safety
///
/// `block` is valid for reads of `bytes` initialised bytes.
pub(crate) unsafe fn compare(block: *const u8, bytes: usize, seed: u64) -> Result<(), LossKind> {
    // SAFETY: the caller's promise is the one asked here.
    unsafe { find_other(block, bytes, word_of(seed)) }
        .map_err(|offset_bytes| LossKind::Contents { offset_bytes, block_bytes: bytes as u64 })
}

/// Finds the first byte of a block that is not as `word` has it; a null block has none.
///
/// # Safety
///
/// `block` is null or valid for reads of `bytes` initialised bytes.
unsafe fn find_other(block: *const u8, bytes: usize, word: impl Fn(u64) -> u64) -> Result<(), u64> {
    if block.is_null() {
        return Ok(());
    }
    let words = bytes / 8;
    for index in 0..words {
        // SAFETY: the word is in the block.
        let place = unsafe { block.cast::<u64>().add(index) };
        // SAFETY: the block is valid for reads; it need not be aligned.
        let differs = unsafe { place.read_unaligned() } ^ word(index as u64);
        if differs != 0 {
            return Err((index * 8) as u64 + u64::from(first_byte_of(differs)));
        }
    }
    let mut tail = [0; 8];
    // SAFETY: the tail starts within the block or at its end.
    let place = unsafe { block.add(words * 8) };
    // SAFETY: fewer than eight bytes are left, and the buffer has eight.
    unsafe { place.copy_to_nonoverlapping(tail.as_mut_ptr(), bytes - words * 8) };
    let expected = word(words as u64).to_le_bytes();
    match (0..bytes - words * 8).find(|at| tail[*at] != expected[*at]) {
        Some(at) => Err((words * 8 + at) as u64),
        None => Ok(()),
    }
}

/// Returns the index in memory of the first byte of a word that is not zero.
fn first_byte_of(word: u64) -> u32 {
    word.to_le().trailing_zeros() / 8
}
