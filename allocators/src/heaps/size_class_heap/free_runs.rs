//! Long runs of free memory that was used before, whose memory can go back to the system.

use core::ptr::NonNull;

use super::block_size::bin_of;
use super::core_blocks::Fault;
use super::region::{NIL, Region};
use super::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::{GRANULE, SizeClasses};

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

impl Default for FreeRuns {
    fn default() -> Self {
        Self { region: 0, bin: bin_of(RUN_GRANULES_MIN), block: NIL }
    }
}

impl<C: SizeClasses> SizeClassHeap<C> {
    /// The next free run that was used before and has about 64 KiB or more, without the words that
    /// the core keeps in it. Nothing may be allocated or freed during a search.
    pub(crate) fn next_free_run(
        &self,
        state: &mut FreeRuns,
    ) -> Result<Option<NonNull<[u8]>>, Refusal> {
        while state.region < self.regions.len() {
            if let Some(region) = self.regions.get(state.region) {
                let found = region.next_run(state);
                let found = found.map_err(|fault| self.refusal(state.region, fault))?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            *state = FreeRuns { region: state.region + 1, ..FreeRuns::default() };
        }
        Ok(None)
    }
}

impl Region {
    fn next_run(&self, state: &mut FreeRuns) -> Result<Option<NonNull<[u8]>>, Fault> {
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
                let bytes = (end - from) as usize * GRANULE;
                // SAFETY: a granule of a region is not at null.
                let start = unsafe { NonNull::new_unchecked(self.address(from)) };
                return Ok(Some(NonNull::slice_from_raw_parts(start, bytes)));
            }
        }
        Ok(None)
    }
}
