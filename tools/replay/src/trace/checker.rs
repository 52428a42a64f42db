//! Following the live blocks of a trace, record by record.

use super::columns::Columns;
use super::version1::place;
use super::{
    ALIGN_LOG2_MAX, BLOCK_BYTES_MAX, Event, Op, Trace, TraceError, TraceErrorKind, try_resize,
};

/// What a slot holds; `bytes` is 0 while no block is alive in it.
#[derive(Clone, Copy, Default)]
pub(super) struct Slot {
    bytes: u64,
    align_log2: u8,
}

/// Follows the live blocks and refuses the first event that does not fit.
#[derive(Default)]
pub(super) struct Checker {
    pub(super) slots: Vec<Slot>,
    allocations: u64,
    live_bytes: u64,
    live_blocks: u32,
    peak_live_bytes: u64,
    peak_live_blocks: u32,
}

impl Checker {
    pub(super) fn check(&mut self, event: Event) -> Result<Event, TraceErrorKind> {
        if event.align_log2 > ALIGN_LOG2_MAX {
            return Err(TraceErrorKind::AlignmentTooGreat { align_log2: event.align_log2 });
        }
        if u64::from(event.slot) > self.allocations {
            return Err(TraceErrorKind::SlotTooHigh {
                slot: event.slot,
                allocations: self.allocations,
            });
        }
        match event.op {
            Op::Allocate | Op::AllocateZeroed => self.allocate(event)?,
            Op::Free => self.free(event)?,
            Op::Reallocate => self.reallocate(event)?,
        }
        self.peak_live_bytes = self.peak_live_bytes.max(self.live_bytes);
        self.peak_live_blocks = self.peak_live_blocks.max(self.live_blocks);
        Ok(event)
    }

    fn allocate(&mut self, event: Event) -> Result<(), TraceErrorKind> {
        check_size(event.bytes)?;
        let index = event.slot as usize;
        if self.slots.get(index).is_some_and(|slot| slot.bytes != 0) {
            return Err(TraceErrorKind::SlotLive { slot: event.slot });
        }
        self.raise(event.bytes)?;
        if index >= self.slots.len() {
            // The slot is at most the number of allocations so far, so this grows by real records.
            try_resize(&mut self.slots, index + 1, Slot::default())?;
        }
        self.slots[index] = Slot { bytes: event.bytes, align_log2: event.align_log2 };
        self.allocations += 1;
        self.live_blocks += 1;
        Ok(())
    }

    fn free(&mut self, event: Event) -> Result<(), TraceErrorKind> {
        if event.bytes != 0 {
            return Err(TraceErrorKind::SizeOfFree { bytes: event.bytes });
        }
        let slot = self.live(event)?;
        let bytes = core::mem::take(&mut slot.bytes);
        self.live_bytes -= bytes;
        self.live_blocks -= 1;
        Ok(())
    }

    fn reallocate(&mut self, event: Event) -> Result<(), TraceErrorKind> {
        check_size(event.bytes)?;
        let slot = self.live(event)?;
        let old = core::mem::replace(&mut slot.bytes, event.bytes);
        self.live_bytes -= old;
        self.raise(event.bytes)
    }

    /// Returns the live block that a free or reallocation names.
    fn live(&mut self, event: Event) -> Result<&mut Slot, TraceErrorKind> {
        let dead = TraceErrorKind::SlotDead { slot: event.slot };
        let Some(slot) = self.slots.get_mut(event.slot as usize) else {
            return Err(dead);
        };
        if slot.bytes == 0 {
            return Err(dead);
        }
        if slot.align_log2 != event.align_log2 {
            return Err(TraceErrorKind::AlignmentChanged {
                align_log2: event.align_log2,
                block_align_log2: slot.align_log2,
            });
        }
        Ok(slot)
    }

    fn raise(&mut self, bytes: u64) -> Result<(), TraceErrorKind> {
        // Both terms are under 2^63, so the sum cannot wrap.
        let live = self.live_bytes + bytes;
        if live > 1 << 63 {
            return Err(TraceErrorKind::TooMuchLive);
        }
        self.live_bytes = live;
        Ok(())
    }

    pub(super) fn finish(self, name: String, events: Vec<Event>, columns: Columns) -> Trace {
        Trace {
            name,
            events,
            peak_live_bytes: self.peak_live_bytes,
            peak_live_blocks: self.peak_live_blocks,
            slots: self.slots.len() as u32,
            allocations: self.allocations,
            columns,
        }
    }
}

/// Checks events from the first to the last.
pub(super) fn check_all(name: &str, events: &[Event]) -> Result<Checker, TraceError> {
    let mut checker = Checker::default();
    for (index, event) in events.iter().enumerate() {
        let judged = checker.check(*event);
        judged.map_err(|fault| TraceError::new(name, Some(place(index)), fault))?;
    }
    Ok(checker)
}

fn check_size(bytes: u64) -> Result<(), TraceErrorKind> {
    match bytes {
        0 => Err(TraceErrorKind::SizeZero),
        1..=BLOCK_BYTES_MAX => Ok(()),
        _ => Err(TraceErrorKind::SizeTooGreat { bytes }),
    }
}
