//! Programs as traces, and traces as programs, so that what one finds the other can run.

use std::collections::BTreeMap;

use loligo_replay::trace::{ALIGN_LOG2_MAX, BLOCK_BYTES_MAX, Event, Op};

use super::AllocatorOp;

/// Returns the program that does what a trace records. Its slots are the trace's.
///
/// # Examples
///
/// ```
/// use loligo_replay::trace::{Event, Op};
/// use loligo_tests::programs::{AllocatorOp, program_of};
///
/// let event = Event { op: Op::Allocate, align_log2: 4, thread: 0, slot: 3, bytes: 100 };
/// let program = program_of(&[event]);
/// assert_eq!(program, [AllocatorOp::Allocate { slot: 3, size: 100, align: 16 }]);
/// ```
#[must_use]
pub fn program_of(events: &[Event]) -> Vec<AllocatorOp> {
    let op = |event: &Event| {
        let (slot, size, align) = (event.slot, event.bytes as usize, 1 << event.align_log2);
        match event.op {
            Op::Allocate => AllocatorOp::Allocate { slot, size, align },
            Op::AllocateZeroed => AllocatorOp::AllocateZeroed { slot, size, align },
            // The replayer frees with the layout that was asked.
            Op::Free => AllocatorOp::FreeSized { slot, share: 0 },
            Op::Reallocate => AllocatorOp::Reallocate { slot, size, align, share: 0 },
        }
    };
    events.iter().map(op).collect()
}

/// Returns the trace of a program, as it is if every request is served: what the program skips is
/// left out, and so are checks and what no trace can record: sizes over 2^47 and alignments over
/// 2^20. A size of zero becomes one byte, a resize in place a reallocation, and a change of the
/// alignment a free and an allocation. Slots are numbered by their first use.
///
/// The events are a valid trace: [`write_trace`](loligo_replay::trace::write_trace) writes what
/// [`Trace::read`](loligo_replay::trace::Trace::read) accepts.
#[must_use]
pub fn trace_of(program: &[AllocatorOp]) -> Vec<Event> {
    let mut tracer = Tracer::default();
    program.iter().for_each(|op| tracer.add(*op));
    tracer.events
}

#[derive(Default)]
struct Tracer {
    events: Vec<Event>,
    /// The slots of the trace by those of the program.
    slots: BTreeMap<u32, u32>,
    /// The alignments of the live blocks, by slot of the program.
    live: BTreeMap<u32, usize>,
}

impl Tracer {
    fn add(&mut self, op: AllocatorOp) {
        let Some(slot) = op.slot() else { return };
        let held = self.live.get(&slot).copied();
        match (op, held) {
            (AllocatorOp::Allocate { size, align, .. }, None) => {
                self.allocate(Op::Allocate, slot, size, align);
            }
            (AllocatorOp::AllocateZeroed { size, align, .. }, None) => {
                self.allocate(Op::AllocateZeroed, slot, size, align);
            }
            (AllocatorOp::Free { .. } | AllocatorOp::FreeSized { .. }, Some(align)) => {
                self.push(Op::Free, slot, 0, align);
                self.live.remove(&slot);
            }
            (AllocatorOp::Resize { size, .. }, Some(align)) if fits(size, align) => {
                self.push(Op::Reallocate, slot, size.max(1), align);
            }
            (AllocatorOp::Reallocate { size, align, .. }, Some(old)) if fits(size, align) => {
                if align == old {
                    self.push(Op::Reallocate, slot, size.max(1), align);
                } else {
                    self.push(Op::Free, slot, 0, old);
                    self.allocate(Op::Allocate, slot, size, align);
                }
            }
            _ => {}
        }
    }

    fn allocate(&mut self, op: Op, slot: u32, size: usize, align: usize) {
        if fits(size, align) {
            self.push(op, slot, size.max(1), align);
            self.live.insert(slot, align);
        }
    }

    fn push(&mut self, op: Op, slot: u32, size: usize, align: usize) {
        let next = self.slots.len() as u32;
        let slot = *self.slots.entry(slot).or_insert(next);
        let align_log2 = align.trailing_zeros() as u8;
        self.events.push(Event { op, align_log2, thread: 0, slot, bytes: size as u64 });
    }
}

/// Whether a trace can record such a block.
fn fits(size: usize, align: usize) -> bool {
    size as u64 <= BLOCK_BYTES_MAX
        && align.is_power_of_two()
        && align.trailing_zeros() <= u32::from(ALIGN_LOG2_MAX)
}
