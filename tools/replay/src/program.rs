//! A trace made ready for replaying: each step carries all arguments of the call.

use core::alloc::Layout;
use std::io;

use crate::mapped::{Mapped, Zeroable};
use crate::trace::{Event, Op, Trace};

/// One event with the size that the call needs: for a free the size of the block, which the trace
/// leaves out. The old sizes of reallocations are stored separately, as few steps have one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    bytes: u64,
    slot: u32,
    kind: StepKind,
    align_log2: u8,
    /// Whether another worker did the step before this one on the same block. Always `false` in a
    /// replay by one thread, as the next.
    pub(crate) awaits: bool,
    /// Whether another worker does the next step on the same block.
    pub(crate) hands_over: bool,
}

const _: () = assert!(size_of::<Step>() == 16, "four steps fit in a cache line");

// SAFETY: zero is valid for the integers and booleans, and `StepKind` has a variant of value 0.
unsafe impl Zeroable for Step {}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum StepKind {
    Allocate = 0,
    Free = 1,
    Reallocate = 2,
    AllocateZeroed = 3,
}

impl Step {
    /// Returns the step of an event on a slot that holds `old` bytes, 0 if it is empty.
    pub(crate) fn new(event: &Event, slot: u32, old: u64) -> Self {
        let (kind, bytes) = match event.op {
            Op::Allocate => (StepKind::Allocate, event.bytes),
            Op::AllocateZeroed => (StepKind::AllocateZeroed, event.bytes),
            Op::Free => (StepKind::Free, old),
            Op::Reallocate => (StepKind::Reallocate, event.bytes),
        };
        let align_log2 = event.align_log2;
        Self { bytes, slot, kind, align_log2, awaits: false, hands_over: false }
    }

    /// Returns what the step does.
    #[inline(always)]
    pub(crate) fn kind(self) -> StepKind {
        self.kind
    }

    /// Returns the index of the step's slot.
    #[inline(always)]
    pub(crate) fn slot(self) -> usize {
        self.slot as usize
    }

    /// Returns the size of the block: the new one of a reallocation.
    #[inline(always)]
    pub(crate) fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// Returns the layout of the block: the new one of a reallocation.
    #[inline(always)]
    pub(crate) fn layout(self) -> Layout {
        self.layout_of(self.bytes)
    }

    /// Returns a layout with the step's alignment.
    #[inline(always)]
    pub(crate) fn layout_of(self, bytes: u64) -> Layout {
        // SAFETY: `Program` 2: alignments are at most 2^20 and sizes at most 2^47, whose sum is far
        // below `isize::MAX`; a power of two is never zero.
        unsafe { Layout::from_size_align_unchecked(bytes as usize, 1 << self.align_log2) }
    }
}

/// A trace ready for replaying. Its tables are in mappings of their own, so that no allocator under
/// test has a part in them.
///
/// # Invariants
///
/// 1. Every step's slot is below `slots`.
/// 2. Alignments and sizes are within the trace's limits, so every layout is valid.
/// 3. A free or reallocation names a slot that an earlier step filled and none emptied since, and
///    carries its alignment; an allocation names an empty one.
/// 4. `old_bytes` starts with one entry for each reallocation, in order.
pub(crate) struct Program {
    steps: Mapped<Step>,
    old_bytes: Mapped<u64>,
    at_end: Filled,
    peak_live_bytes: u64,
    measured_from: usize,
    measured_peak_bytes: u64,
    /// For each step the site that asks; empty if the trace has no sites.
    sites: Mapped<u32>,
}

/// For each slot the step that last filled it, plus one, or 0 where the slot is empty.
struct Filled(Mapped<u64>);

impl Filled {
    /// Returns what fills the slots after `steps`. O(steps).
    fn after(steps: &[Step], slots: usize) -> io::Result<Self> {
        let mut filled = Mapped::<u64>::new(slots)?;
        let by = filled.as_mut_slice();
        for (index, step) in steps.iter().enumerate() {
            by[step.slot()] = if step.kind == StepKind::Free { 0 } else { index as u64 + 1 };
        }
        Ok(Self(filled))
    }
}

impl Program {
    /// Makes a program of a trace whose first `measured_from` events warm the allocator and are not
    /// measured.
    ///
    /// # Panics
    ///
    /// If the trace's public fields were changed so that it is no longer a valid trace.
    ///
    /// # Errors
    ///
    /// The system's own where it has no memory for the steps.
    pub(crate) fn new(trace: &Trace, measured_from: usize) -> io::Result<Self> {
        let labels = trace.sites();
        let mut sites = Mapped::new(labels.map_or(0, |_| trace.events.len()))?;
        if let Some(labels) = labels {
            for (event, site) in sites.as_mut_slice().iter_mut().enumerate() {
                *site = labels.of(event);
            }
        }
        let measured_from = measured_from.min(trace.events.len());
        if let Err(error) = trace.check() {
            panic!("{error}");
        }
        let is_reallocation = |event: &&Event| event.op == Op::Reallocate;
        let mut old_bytes = Mapped::new(trace.events.iter().filter(is_reallocation).count())?;
        let mut steps = Mapped::new(trace.events.len())?;
        let mut held = Mapped::new(trace.slots as usize)?;
        let (mut live, mut measured_peak_bytes) = (0_u64, 0);
        let mut olds = old_bytes.as_mut_slice().iter_mut();
        for (index, (event, step)) in trace.events.iter().zip(steps.as_mut_slice()).enumerate() {
            let held: &mut u64 = &mut held.as_mut_slice()[event.slot as usize];
            let old = core::mem::replace(held, event.bytes);
            if event.op == Op::Reallocate
                && let Some(entry) = olds.next()
            {
                *entry = old;
            }
            live = live - old + if event.op == Op::Free { 0 } else { event.bytes };
            if index + 1 >= measured_from {
                measured_peak_bytes = live.max(measured_peak_bytes);
            }
            *step = Step::new(event, event.slot, old);
        }
        let at_end = Filled::after(steps.as_slice(), trace.slots as usize)?;
        Ok(Self {
            steps,
            old_bytes,
            at_end,
            peak_live_bytes: trace.peak_live_bytes,
            measured_from,
            measured_peak_bytes,
            sites,
        })
    }

    /// Returns the steps.
    pub(crate) fn steps(&self) -> &[Step] {
        self.steps.as_slice()
    }

    /// Returns the site of each step, or nothing.
    pub(crate) fn sites(&self) -> &[u32] {
        self.sites.as_slice()
    }

    /// Returns how many steps come before those that are measured.
    pub(crate) fn warming(&self) -> usize {
        self.measured_from
    }

    /// Returns the steps before those that are measured, and the measured ones.
    pub(crate) fn parts(&self) -> [&[Step]; 2] {
        let (warming, measured) = self.steps().split_at(self.measured_from);
        [warming, measured]
    }

    /// Returns the greatest sum of the sizes of live blocks while steps are measured, those that
    /// are alive when they begin included.
    pub(crate) fn measured_peak_bytes(&self) -> u64 {
        self.measured_peak_bytes
    }

    /// Returns the sizes that blocks have before they are reallocated, in order.
    pub(crate) fn old_bytes(&self) -> &[u64] {
        self.old_bytes.as_slice()
    }

    /// Returns the greatest sum of the sizes of live blocks.
    pub(crate) fn peak_live_bytes(&self) -> u64 {
        self.peak_live_bytes
    }

    /// Returns how many slots the steps use.
    pub(crate) fn slots(&self) -> usize {
        self.at_end.0.as_slice().len()
    }

    /// Shows slot and layout of each block that is alive after the first `done` steps.
    ///
    /// # Complexity
    ///
    /// O(slots) after all steps, else O(done).
    ///
    /// # Errors
    ///
    /// The system's own where it has no memory for a table of the slots.
    pub(crate) fn left_after(
        &self,
        done: usize,
        mut visit: impl FnMut(usize, Layout),
    ) -> io::Result<()> {
        let partly;
        let filled = if done == self.steps().len() {
            &self.at_end
        } else {
            partly = Filled::after(&self.steps()[..done], self.slots())?;
            &partly
        };
        for (slot, index) in filled.0.as_slice().iter().enumerate() {
            if *index != 0 {
                visit(slot, self.steps()[*index as usize - 1].layout());
            }
        }
        Ok(())
    }
}
