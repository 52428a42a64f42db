//! Whether to take tasks that another thread has queued.

use crate::hub::Hub;
use crate::local::{MOMENT, Me, WORTH};

/// When a thread that has nothing queued takes what others have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Help {
    /// At once.
    Now,
    /// At once if what it took last was worth it, else after a moment.
    IfWorth,
}

impl Hub<'_> {
    /// Takes tasks of another thread, more urgent than `mine`, and notes when.
    #[cold]
    pub(super) fn help(&self, me: Me<'_>, mine: u8, help: Help) -> Option<u32> {
        let local = me.local;
        if mine != 0 {
            return self.table.steal(me, mine, false);
        }
        self.weigh(me);
        let is_worth = local.moment.get() == MOMENT.start;
        if help == Help::IfWorth && !is_worth {
            return None;
        }
        // One shows as well as many whether they are longer by now.
        let taken = self.table.steal(me, mine, is_worth);
        if taken.is_some() {
            local.helped.set(local.completed.get());
            local.helped_at.set(self.now());
        }
        taken
    }

    /// Adapts how soon this thread takes tasks of others to what became of those that it took last.
    fn weigh(&self, me: Me<'_>) {
        let local = me.local;
        let began = local.helped_at.get();
        if began != 0 {
            local.helped_at.set(0);
            let done = local.completed.get() - local.helped.get();
            local.moment.set(adapted(local.moment.get(), self.now() - began, done));
        }
    }

    /// Returns the nanoseconds since the manager began, at least 1.
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1)
    }
}

/// Returns how long to wait before tasks of others are taken, after some that took `ns` in all, and
/// before which the thread waited `moment`. What is shorter than moving its cache lines takes is
/// done sooner where it was added.
fn adapted(moment: u32, ns: u64, tasks: u64) -> u32 {
    if ns >= WORTH.saturating_mul(tasks.saturating_add(1)) {
        MOMENT.start
    } else {
        moment.saturating_mul(2).min(MOMENT.end)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::adapted;
    use crate::local::{MOMENT, WORTH};

    #[test]
    fn short_tasks_are_left_alone_longer_and_longer() {
        let mut moment = MOMENT.start;
        for _ in 0..40 {
            let next = adapted(moment, 32 * WORTH, 32);
            assert!(next > moment || next == MOMENT.end, "{moment} to {next}");
            moment = next;
        }
        assert_eq!(moment, MOMENT.end);
    }

    #[test]
    fn one_that_is_long_ends_that_at_once() {
        assert_eq!(adapted(MOMENT.end, 2 * WORTH, 1), MOMENT.start);
        // What the thread did in between is not measured, or nothing was done.
        assert_eq!(adapted(MOMENT.end, u64::MAX, u64::MAX), MOMENT.start);
        assert_eq!(adapted(MOMENT.end, WORTH, 0), MOMENT.start);
    }
}
