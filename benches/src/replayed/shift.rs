//! The workloads of `heap/shift20`, `heap/shiftm` and `heap/shiftw`, as traces: the sizes that a
//! program asks for change, and a few blocks of each phase stay.

use loligo_replay::trace::{Event, Op, Trace};

use crate::random::Random;

/// Phases, each with one size.
const PHASES: u64 = 20;

/// The sizes of a workload: that of the first phase, and that of the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The name of its row.
    pub name: &'static str,
    /// Bytes of a block of the first phase.
    pub least: u64,
    /// Bytes of a block of the last one.
    pub most: u64,
}

/// Bytes of blocks that a phase fills.
const PHASE_BYTES: u64 = 16 << 20;

/// Of this many blocks of a phase one stays.
const STAYS_ONE_OF: usize = 50;

/// Returns the trace: in each phase blocks of one size are taken, and all but a random 2 % are
/// freed in the order in which they were taken.
pub(super) fn trace(shift: &Shift) -> Trace {
    let Shift { name, least, most } = *shift;
    let mut random = Random::new(20);
    let mut events = Vec::new();
    let mut free_slots = Vec::new();
    let mut slots = 0;
    for phase in 0..PHASES {
        let bytes = least + (most - least) * phase / (PHASES - 1);
        let mut phase_slots = Vec::new();
        for _ in 0..PHASE_BYTES / bytes {
            let slot = free_slots.pop().unwrap_or_else(|| {
                slots += 1;
                slots - 1
            });
            phase_slots.push(slot);
            events.push(event(Op::Allocate, slot, bytes));
        }
        let mut order: Vec<usize> = (0..phase_slots.len()).collect();
        random.shuffle(&mut order);
        let mut dying = order.split_off(phase_slots.len() / STAYS_ONE_OF);
        dying.sort_unstable();
        for index in dying {
            free_slots.push(phase_slots[index]);
            events.push(event(Op::Free, phase_slots[index], 0));
        }
    }
    Trace::from_events(name, events).expect("slots are filled and freed in turn")
}

fn event(op: Op, slot: u32, bytes: u64) -> Event {
    Event { op, align_log2: 3, thread: 0, slot, bytes }
}
