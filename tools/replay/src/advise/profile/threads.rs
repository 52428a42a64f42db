//! How the threads of a trace share its blocks.

use crate::trace::{Op, Trace};

/// How the threads of a trace share its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadUse {
    /// Threads that allocate or resize a block.
    pub threads: usize,
    /// Blocks that are freed.
    pub frees: u64,
    /// Of these, the ones that another thread frees than the one that allocated or resized them
    /// last.
    pub foreign_frees: u64,
}

/// Looks at the threads of a trace.
#[must_use]
pub fn threads_of(trace: &Trace) -> ThreadUse {
    let mut owners = vec![0_u16; trace.slots as usize];
    let mut allocate = vec![false; usize::from(u16::MAX) + 1];
    let mut seen = ThreadUse::default();
    for event in &trace.events {
        let owner = &mut owners[event.slot as usize];
        if event.op == Op::Free {
            seen.frees += 1;
            seen.foreign_frees += u64::from(*owner != event.thread);
        } else {
            *owner = event.thread;
            allocate[usize::from(event.thread)] = true;
        }
    }
    seen.threads = allocate.iter().filter(|&&does| does).count();
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Event;

    #[test]
    fn threads_and_the_blocks_of_others_are_counted() {
        let event = |op, thread, slot, bytes| Event { op, align_log2: 4, thread, slot, bytes };
        let events = vec![
            event(Op::Allocate, 0, 0, 8),
            event(Op::AllocateZeroed, 3, 1, 8),
            event(Op::Reallocate, 3, 0, 16),
            event(Op::Free, 3, 0, 0),
            event(Op::Free, 5, 1, 0),
        ];
        let trace = Trace::from_events("threads", events).expect("a valid trace");
        assert_eq!(threads_of(&trace), ThreadUse { threads: 2, frees: 2, foreign_frees: 1 });
        let empty = Trace::from_events("empty", Vec::new()).expect("a valid trace");
        assert_eq!(threads_of(&empty), ThreadUse::default());
    }
}
