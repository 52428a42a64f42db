//! Long runs of free memory that was used before, whose memory can go back to the system.

use core::ptr::NonNull;

use super::block_size::bin_of;
use super::core_blocks::Fault;
use super::region::{NIL, PageDesc, Region};
use super::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::{GRANULE, PAGE_GRANULES, SizeClasses};

/// Granules of the shortest run: 64 KiB.
const RUN_GRANULES_MIN: u32 = (64 << 10) / GRANULE as u32;

/// The position of a search for free runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeRuns {
    region: usize,
    bin: u32,
    /// The next block of the bin, or `NIL` before its first.
    block: u32,
}

impl FreeRuns {
    pub(crate) const START: Self = Self::in_region(0);

    const fn in_region(region: usize) -> Self {
        Self { region, bin: bin_of(RUN_GRANULES_MIN), block: NIL }
    }

    /// Where a search goes on after blocks were allocated and freed: before the same bin.
    pub(crate) fn resumed(self) -> Self {
        Self { block: NIL, ..self }
    }
}

/// The granules of a free run that was used before, without those in which the core keeps words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) from: u32,
    pub(super) end: u32,
}

/// What a look at old free runs may still do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookBudget {
    /// Runs to look at.
    pub(crate) runs: u32,
    /// Bytes to give back, a multiple of 16 KiB.
    pub(crate) bytes: usize,
}

impl<C: SizeClasses> SizeClassHeap<C> {
    /// The next free run that was used before and has about 64 KiB or more, without the words that
    /// the core keeps in it, and then what describes its pages. Nothing may be allocated or freed
    /// during a search.
    pub(crate) fn next_free_run(
        &self,
        state: &mut FreeRuns,
    ) -> Result<Option<[NonNull<[u8]>; 3]>, Refusal> {
        while let Some((region, run)) = self.next_run(state)? {
            let _clean = region.take_dirty(run, usize::MAX);
            if let Some(parts) = region.parts_of(run) {
                return Ok(Some(parts));
            }
        }
        Ok(None)
    }

    /// The next part of a free run that was used since it last went back, as far as `budget` goes.
    pub(crate) fn next_dirty_run(
        &self,
        state: &mut FreeRuns,
        budget: &mut LookBudget,
    ) -> Result<Option<NonNull<[u8]>>, Refusal> {
        while budget.bytes > 0 && budget.runs > 0 {
            let Some((region, run)) = self.next_run(state)? else { break };
            budget.runs -= 1;
            if let Some(part) = region.take_dirty(run, budget.bytes) {
                budget.bytes -= part.len();
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    /// The next part of a free run that was found free often enough, as far as `budget` goes. Of
    /// the bin of the last run all others are looked at, too, because a search goes on before a bin.
    pub(crate) fn next_aged_run(
        &self,
        state: &mut FreeRuns,
        budget: &mut LookBudget,
    ) -> Result<Option<NonNull<[u8]>>, Refusal> {
        while budget.bytes > 0 && (budget.runs > 0 || state.block != NIL) {
            let Some((region, run)) = self.next_run(state)? else {
                *state = FreeRuns::START;
                // One look a call at each.
                budget.bytes = 0;
                break;
            };
            budget.runs = budget.runs.saturating_sub(1);
            if let Some(part) = region.age(run, budget.bytes) {
                budget.bytes -= part.len();
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    fn next_run(&self, state: &mut FreeRuns) -> Result<Option<(&Region, Run)>, Refusal> {
        while state.region < self.regions.len() {
            if let Some(region) = self.regions.get(state.region) {
                let found = region.next_run(state);
                let found = found.map_err(|fault| self.refusal(state.region, fault))?;
                if let Some(run) = found {
                    return Ok(Some((region, run)));
                }
            }
            *state = FreeRuns::in_region(state.region + 1);
        }
        Ok(None)
    }
}

impl Region {
    fn next_run(&self, state: &mut FreeRuns) -> Result<Option<Run>, Fault> {
        while state.bin < self.levels * 32 {
            let block = if state.block == NIL { self.first_in(state.bin) } else { state.block };
            if block == NIL {
                state.bin += 1;
                continue;
            }
            let (size, next) = (self.size_at(block)?, self.next_in_bin(block)?);
            // After the last block of a bin comes the next bin.
            (state.block, state.bin) = (next, state.bin + u32::from(next == NIL));
            // Memory above the frontier was never used. The first granule has the links, and the
            // last one the header of the block after the run.
            let (from, end) = (block + 1, (block + size).min(self.frontier).saturating_sub(1));
            if end.saturating_sub(from) + 2 >= RUN_GRANULES_MIN {
                return Ok(Some(Run { from, end }));
            }
        }
        Ok(None)
    }

    /// The memory of a run, and of the descriptors and classes of units of its pages, which are
    /// written before they are read again.
    fn parts_of(&self, run: Run) -> Option<[NonNull<[u8]>; 3]> {
        let (first, end) = (run.from.div_ceil(PAGE_GRANULES), run.end / PAGE_GRANULES);
        let pages = end.saturating_sub(first) as usize;
        let units = self.units.wrapping_add(first as usize * 8);
        let slice = |start: *mut u8, bytes| {
            NonNull::new(start).map(|start| NonNull::slice_from_raw_parts(start, bytes))
        };
        Some([
            slice(self.address(run.from), (run.end - run.from) as usize * GRANULE)?,
            slice(self.desc(first).cast(), pages * size_of::<PageDesc>())?,
            slice(units, pages * 8)?,
        ])
    }
}
