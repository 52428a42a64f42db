//! Programs of several threads on one allocator.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::sync::{Barrier, Mutex};
use std::thread;

use loligo_allocators::SharedRef;

use crate::attempt::{panic_on_misuse, text_of};
use crate::contents::{Pattern, first_nonzero};
use crate::limits::Limits;
use crate::rule::{Rule, Violation, require};

use super::AllocatorOp;

/// Runs each program in its own thread, all on one allocator at once, and frees everything in the
/// end.
///
/// Alignment, length, overlap over all threads, contents and zeroing are checked at each step, the
/// allocator's own structure and the order of its counters by each [`AllocatorOp::Check`]. That the
/// counters are zero is checked when all threads have ended.
///
/// # Errors
///
/// [`Violation`] by the first thread that finds a rule broken.
pub fn run_shared(
    allocator: SharedRef<'_>,
    limits: &Limits,
    programs: &[Vec<AllocatorOp>],
) -> Result<(), Violation> {
    panic_on_misuse();
    let shadow = Mutex::new(BTreeMap::new());
    let start = Barrier::new(programs.len());
    let results: Vec<Result<(), Violation>> = thread::scope(|scope| {
        let threads: Vec<_> = programs
            .iter()
            .zip(1..)
            .map(|(program, number)| {
                let worker = Worker { allocator, limits, shadow: &shadow, seed: number << 32 };
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    worker.run(program)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread.join().unwrap_or_else(|payload| {
                    Err(Violation::new(Rule::Panicked, text_of(payload.as_ref())))
                })
            })
            .collect()
    });
    results.into_iter().collect::<Result<(), Violation>>()?;
    let stats = allocator.stats();
    require((stats.live, stats.granted) == (0, 0), Rule::StatsLowered, || {
        format!("with everything freed the counters are not zero: {stats:?}")
    })
}

/// One thread's part.
struct Worker<'a> {
    allocator: SharedRef<'a>,
    limits: &'a Limits,
    /// Start and end of the live blocks of all threads. A block is entered after it was given out
    /// and taken out before it is freed, so that what it shows as live is.
    shadow: &'a Mutex<BTreeMap<usize, usize>>,
    seed: u64,
}

/// A live block of this thread.
struct Held {
    block: NonNull<u8>,
    layout: Layout,
    bytes: usize,
    pattern: Pattern,
}

impl Worker<'_> {
    fn run(mut self, program: &[AllocatorOp]) -> Result<(), Violation> {
        let mut slots: BTreeMap<u32, Held> = BTreeMap::new();
        for &op in program {
            match op {
                AllocatorOp::Allocate { slot, size, align }
                | AllocatorOp::AllocateZeroed { slot, size, align } => {
                    let zeroed = matches!(op, AllocatorOp::AllocateZeroed { .. });
                    if !slots.contains_key(&slot)
                        && let Some(held) = self.allocate(size, align, zeroed)?
                    {
                        slots.insert(slot, held);
                    }
                }
                AllocatorOp::Free { slot } => {
                    if let Some(held) = slots.remove(&slot) {
                        self.free(&held, false)?;
                    }
                }
                AllocatorOp::FreeSized { slot, .. } => {
                    if let Some(held) = slots.remove(&slot) {
                        self.free(&held, true)?;
                    }
                }
                AllocatorOp::Resize { slot, size, .. }
                | AllocatorOp::Reallocate { slot, size, .. } => {
                    if let Some(held) = slots.remove(&slot) {
                        let held = self.reallocate(held, size)?;
                        slots.insert(slot, held);
                    }
                }
                AllocatorOp::Check => self.check()?,
            }
        }
        slots.into_values().try_for_each(|held| self.free(&held, true))
    }

    fn allocate(
        &mut self,
        size: usize,
        align: usize,
        zeroed: bool,
    ) -> Result<Option<Held>, Violation> {
        let Ok(layout) = Layout::from_size_align(size, align) else {
            return Ok(None);
        };
        let zeroed = zeroed && size <= self.limits.touch_max;
        let answer = if zeroed {
            self.allocator.allocate_zeroed(layout)
        } else {
            self.allocator.allocate(layout)
        };
        let Ok(answer) = answer else { return Ok(None) };
        if zeroed {
            // SAFETY: the block is live, and its bytes have a value by its promise.
            let wrong =
                unsafe { first_nonzero(answer.cast(), answer.len(), self.limits.touch_max) };
            require(wrong.is_none(), Rule::Zeroed, || format!("{layout:?} is not all zero"))?;
        }
        self.hold(layout, answer).map(Some)
    }

    /// Checks a block just given out, enters it into the shared map and writes it.
    fn hold(&mut self, layout: Layout, answer: NonNull<[u8]>) -> Result<Held, Violation> {
        let block = answer.cast::<u8>();
        let start = block.addr().get();
        let bytes = answer.len();
        require(start.is_multiple_of(layout.align()), Rule::Alignment, || {
            format!("{layout:?} was served at {start:#x}")
        })?;
        require(bytes >= layout.size().max(1), Rule::Length, || {
            format!("{layout:?} was served with {bytes} bytes")
        })?;
        {
            let mut shadow = self.shadow.lock().map_err(|_| poisoned())?;
            let before = shadow.range(..start + bytes).next_back().map(|(_, &end)| end);
            require(before.is_none_or(|end| end <= start), Rule::Overlap, || {
                format!("{layout:?} at {start:#x} lies over a live block")
            })?;
            shadow.insert(start, start + bytes);
        }
        self.seed += 1;
        // SAFETY: the block was given to this thread alone.
        let pattern = unsafe { Pattern::write(block, bytes, self.limits.touch_max, self.seed) };
        Ok(Held { block, layout, bytes, pattern })
    }

    fn reread(&self, held: &Held, block: NonNull<u8>, kept: usize) -> Result<(), Violation> {
        // SAFETY: the block is live and holds the pattern up to `kept`.
        let wrong = unsafe { held.pattern.first_difference(block, kept) };
        require(wrong.is_none(), Rule::Contents, || {
            format!("byte {} of {block:p} is not what this thread wrote", wrong.unwrap_or(0))
        })
    }

    fn forget(&self, held: &Held) -> Result<(), Violation> {
        let mut shadow = self.shadow.lock().map_err(|_| poisoned())?;
        shadow.remove(&held.block.addr().get());
        Ok(())
    }

    fn free(&self, held: &Held, sized: bool) -> Result<(), Violation> {
        self.reread(held, held.block, held.bytes)?;
        self.forget(held)?;
        if sized {
            // SAFETY: the block is live, of this layout, and forgotten.
            unsafe { self.allocator.deallocate_sized(held.block, held.layout) }
        } else {
            // SAFETY: as above.
            unsafe { self.allocator.deallocate(held.block) }
        }
        Ok(())
    }

    fn reallocate(&mut self, held: Held, size: usize) -> Result<Held, Violation> {
        let Ok(new) = Layout::from_size_align(size, held.layout.align()) else {
            return Ok(held);
        };
        if held.bytes.min(size) > self.limits.touch_max {
            return Ok(held);
        }
        self.reread(&held, held.block, held.bytes)?;
        // Taken out before the call: once it returns, another thread may have the old block.
        self.forget(&held)?;
        // SAFETY: the block is live, of this layout.
        let answer = unsafe { self.allocator.reallocate(held.block, held.layout, new) };
        match answer {
            Ok(answer) => {
                self.reread(&held, answer.cast(), held.layout.size().min(size))?;
                self.hold(new, answer)
            }
            Err(_) => {
                let old = NonNull::slice_from_raw_parts(held.block, held.bytes);
                self.reread(&held, held.block, held.bytes)?;
                self.hold(held.layout, old)
            }
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.allocator
            .verify()
            .map_err(|damage| Violation::new(Rule::Verify, format!("verify found {damage}")))?;
        let stats = self.allocator.stats();
        require(
            stats.requested <= stats.granted && stats.granted <= stats.reserved,
            Rule::StatsOrder,
            || format!("the counters are out of order: {stats:?}"),
        )
    }
}

fn poisoned() -> Violation {
    Violation::new(Rule::Panicked, "another thread panicked")
}
