//! `cfrac` and `espresso`: the calls of two C programs, replayed.
//!
//! cfrac, by D. Barrett, factors a number by continued fractions and allocates each integer of its
//! arithmetic; espresso, by R. Rudell at Berkeley, minimises logic functions. They are run as
//! `cfrac 17545186520507317056371138836327483792789528` and `espresso largest.espresso`.
//!
//! Changes: the programs have one thread and run for seconds; here each thread replays a recorded
//! window of the calls several times, alone, writes the first and the last byte of each block, and
//! frees at the end of each pass what is live. So sizes, order and lifetimes are exactly the
//! recorded ones, and the work between the calls is left out: the figures are those of the heap.

use core::alloc::GlobalAlloc;
use core::ptr::NonNull;
use std::thread;
use std::time::Instant;

use loligo_replay::suites::{SharedHeap, Timing};

use crate::suites::figures;
use crate::suites::recording::{Kind, Recording, Step};

/// How a run is parameterised.
#[derive(Debug)]
pub(crate) struct Replay {
    recording: Recording,
    threads: u32,
    passes: u32,
}

impl Replay {
    /// Returns a run in which each thread replays a recording `passes` times. `read` reads it.
    ///
    /// # Errors
    ///
    /// As `read`, or a sentence if the system does not let the peak of memory be measured.
    pub(crate) fn new(
        read: fn() -> Result<Recording, String>,
        threads: u32,
        passes: u32,
    ) -> Result<Self, String> {
        figures::unmap_large_blocks();
        let recording = read()?;
        // What reading took is no memory of the heap under test.
        figures::reset_peak()?;
        Ok(Self { recording, threads, passes })
    }

    /// Runs it; an operation is a call of the program, or a free at the end of a pass.
    pub(crate) fn run<A: GlobalAlloc + Sync>(&self, heap: &A) -> Timing {
        let heap = SharedHeap(heap);
        let begin = Instant::now();
        thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(move || {
                    let mut live = vec![NonNull::dangling(); self.recording.slots()];
                    for _ in 0..self.passes {
                        pass(heap, self.recording.steps(), &mut live);
                    }
                });
            }
        });
        let passes = u64::from(self.threads) * u64::from(self.passes);
        Timing {
            operations: passes * self.recording.steps().len() as u64,
            elapsed: begin.elapsed(),
            own_kib: self.recording.bytes() as u64 / 1024,
        }
    }
}

/// Does all steps of a recording; `live` has a place for each slot.
#[inline(never)]
fn pass<A: GlobalAlloc>(heap: SharedHeap<'_, A>, steps: &[Step], live: &mut [NonNull<u8>]) {
    for step in steps {
        let place = &mut live[step.slot()];
        match step.kind() {
            Kind::Allocate => *place = heap.allocate(step.layout()),
            Kind::AllocateZeroed => *place = heap.allocate_zeroed(step.layout()),
            Kind::Resize => {
                // SAFETY: by invariant 1 of the recording the block of the slot is live with this
                // layout, and new sizes are not 0.
                *place = unsafe { heap.resize(*place, step.old_layout(), step.bytes()) };
            }
            Kind::Free => {
                // SAFETY: as above.
                unsafe { heap.free(*place, step.old_layout()) };
                continue;
            }
        }
        write_ends(*place, step.bytes());
    }
}

/// Writes the first and the last byte of a live block of `bytes` bytes, at least 1.
#[inline(always)]
fn write_ends(block: NonNull<u8>, bytes: usize) {
    // SAFETY: the block has a byte. Volatile, as nobody reads what is written.
    unsafe { block.write_volatile(b'a') };
    // SAFETY: the last byte is within the block.
    let last = unsafe { block.add(bytes - 1) };
    // SAFETY: as above.
    unsafe { last.write_volatile(b'z') };
}
