//! Cores with caches, in virtual time.

use rustc_hash::FxHashMap;

/// The most cores: a line has a bit for each.
pub(crate) const CORES_MAX: u32 = 64;

/// Bytes of a cache line.
pub(crate) const LINE_BYTES: u32 = 64;

/// What accesses cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Costs {
    /// An access to a line that the core has.
    pub(crate) hit_ns: u64,
    /// What an atomic operation costs more than a plain access.
    pub(crate) atomic_ns: u64,
    /// A line from a core of the same socket.
    pub(crate) within_ns: u64,
    /// A line from a core of another socket.
    pub(crate) across_ns: u64,
    /// Cores of a socket.
    pub(crate) socket_cores: u32,
}

impl Default for Costs {
    fn default() -> Self {
        Self { hit_ns: 1, atomic_ns: 5, within_ns: 60, across_ns: 130, socket_cores: 32 }
    }
}

/// What is on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// The program's contents of a block, with what a scheme writes there.
    Block,
    /// What an owner changes with each call: the heads of its lists.
    Heap,
    /// Tables that threads read and nearly nobody writes: which heap an address belongs to.
    Directory,
    /// Bits of live blocks.
    Live,
    /// Bits of freed blocks.
    Plane,
    /// Bits of the words of the plane.
    Summary,
    /// Bits of the words of the summary.
    Top,
    /// Whether a region is in an inbox, and the next one there.
    Link,
    /// What other threads have for an owner.
    Inbox,
    /// The record of a page, with its lists.
    Page,
    /// A lock.
    Lock,
}

/// A cache line: what it has, of which heap, the number among those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Line(pub(crate) Place, pub(crate) u32, pub(crate) u32);

/// What is done to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// A read, a change and a write that nothing comes between.
    Atomic,
}

/// What an access belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bill {
    /// Calls for the thread's own blocks.
    Own,
    /// Frees of blocks that another thread allocated, and taking them back.
    HandOver,
}

/// A sum over accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) ns: u64,
    pub(crate) transfers: u64,
}

/// Which cores have a line.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// A bit a core. If the line is modified, one core has it.
    holders: u64,
    is_modified: bool,
    /// When the last transfer of the modified line ends: the next one begins then.
    busy_until: u64,
}

/// The cores with their clocks, and all lines.
#[derive(Debug)]
pub(crate) struct Machine {
    costs: Costs,
    clocks: Vec<u64>,
    lines: FxHashMap<Line, State>,
    bill: Bill,
    own: Total,
    hand_over: Total,
}

impl Machine {
    /// Returns a machine whose lines are in no cache.
    ///
    /// # Panics
    ///
    /// If there are no cores, or more than [`CORES_MAX`].
    pub(crate) fn new(cores: u32, costs: Costs) -> Self {
        assert!((1..=CORES_MAX).contains(&cores), "{cores} cores");
        let (own, hand_over) = (Total::default(), Total::default());
        let clocks = vec![0; cores as usize];
        Self { costs, clocks, lines: FxHashMap::default(), bill: Bill::Own, own, hand_over }
    }

    /// Returns the clock of a core.
    pub(crate) fn clock(&self, core: u32) -> u64 {
        self.clocks[core as usize]
    }

    /// Returns what was billed so far.
    pub(crate) fn total(&self, bill: Bill) -> Total {
        match bill {
            Bill::Own => self.own,
            Bill::HandOver => self.hand_over,
        }
    }

    /// Bills what `act` does to `bill`, unless it is part of a hand-over already.
    pub(crate) fn billed<T>(&mut self, bill: Bill, act: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.bill;
        if before == Bill::Own {
            self.bill = bill;
        }
        let done = act(self);
        self.bill = before;
        done
    }

    /// Accesses a line; the clock of the core advances.
    pub(crate) fn access(&mut self, core: u32, line: Line, access: Access) {
        let extra_ns = if access == Access::Atomic { self.costs.atomic_ns } else { 0 };
        let begin = self.clock(core);
        let is_transferred = self.fetch(core, line, access);
        self.clocks[core as usize] += self.costs.hit_ns + extra_ns;
        let ns = self.clock(core) - begin;
        self.charge(Total { ns, transfers: u64::from(is_transferred) });
    }

    /// Writes a line for the program: what another core had of it is part of the hand-over.
    pub(crate) fn write_for_program(&mut self, core: u32, line: Line) {
        let holders = self.lines.get(&line).map_or(0, |state| state.holders);
        let is_elsewhere = holders & !(1 << core) != 0;
        let bill = if is_elsewhere { Bill::HandOver } else { Bill::Own };
        self.billed(bill, |machine| machine.access(core, line, Access::Write));
    }

    /// Lets a core wait until a time, if that is not over.
    pub(crate) fn wait(&mut self, core: u32, until: u64) {
        let ns = until.saturating_sub(self.clock(core));
        self.clocks[core as usize] += ns;
        self.charge(Total { ns, transfers: 0 });
    }

    /// Brings a line into the core's cache for an access; `true` if it was a transfer.
    fn fetch(&mut self, core: u32, line: Line, access: Access) -> bool {
        let mut state = self.lines.get(&line).copied().unwrap_or_default();
        let (mine, writes) = (1 << core, access != Access::Read);
        let others = state.holders & !mine;
        let is_transferred = others != 0 && (writes || state.holders & mine == 0);
        if is_transferred {
            let clock = self.clock(core);
            // A line that nobody modifies is copied by several cores at the same time.
            let moves = state.is_modified || writes;
            let begin = if moves { clock.max(state.busy_until) } else { clock };
            let end = begin + self.distance_ns(core, others, writes);
            if moves {
                state.busy_until = end;
            }
            self.clocks[core as usize] = end;
        }
        state.holders = if writes { mine } else { state.holders | mine };
        state.is_modified = writes || (state.is_modified && !is_transferred);
        self.lines.insert(line, state);
        is_transferred
    }

    /// Returns what a transfer costs: a read from the nearest holder, a write until the farthest one
    /// has dropped the line.
    fn distance_ns(&self, core: u32, others: u64, writes: bool) -> u64 {
        let costs = &self.costs;
        let socket = core / costs.socket_cores;
        let near = (0..CORES_MAX)
            .any(|other| others >> other & 1 != 0 && other / costs.socket_cores == socket);
        let far = (0..CORES_MAX)
            .any(|other| others >> other & 1 != 0 && other / costs.socket_cores != socket);
        if far && (writes || !near) { costs.across_ns } else { costs.within_ns }
    }

    fn charge(&mut self, more: Total) {
        let total = match self.bill {
            Bill::Own => &mut self.own,
            Bill::HandOver => &mut self.hand_over,
        };
        total.ns += more.ns;
        total.transfers += more.transfers;
    }
}
