//! What a trace is like: sizes, lifetimes, the order of frees, phases, call sites.

mod sites;
mod threads;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::trace::{Op, Trace};
pub use sites::{SiteUse, sites_of};
pub use threads::{ThreadUse, threads_of};

/// How many windows of equal length the phases are found in.
pub const WINDOWS: usize = 64;

/// Lifetimes are counted by powers of two of events, up to this one.
pub const LIFETIMES: usize = 24;

/// A block that lives for at most this number of events is brief.
pub const BRIEF: usize = 64;

/// Sizes are counted by powers of two for the map of size and lifetime, up to this one.
pub const SIZES: usize = 24;

/// What a trace is like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Profile {
    /// How many events were looked at.
    pub events: usize,
    /// The greatest sum of live bytes.
    pub peak_live_bytes: u64,
    /// Every kind of block by size, rounded up to 16 or its alignment, most often asked first.
    pub sizes: Vec<SizeUse>,
    /// Blocks by the power of two of their size, and of their lifetime in events.
    pub heat: Vec<[u64; LIFETIMES]>,
    /// How blocks are freed.
    pub order: Order,
    /// The live bytes at the end of each window.
    pub live_bytes: Vec<u64>,
    /// The windows at which another phase begins, the first at 0.
    pub phases: Vec<usize>,
    /// Every call site that makes blocks, those that make most first; empty without call sites.
    pub sites: Vec<SiteUse>,
}

/// Blocks of one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeUse {
    /// The size, rounded.
    pub bytes: u64,
    /// The greatest alignment that was asked.
    pub align: u64,
    /// Operations: allocations, frees and reallocations.
    pub operations: u64,
    /// The most that were alive at a time.
    pub peak_live: u64,
    /// Those that lived for at most [`BRIEF`] events.
    pub brief: u64,
    /// How many were made.
    pub blocks: u64,
    /// What all that were made take of a heap: 8 bytes more each, in steps of 16 or their
    /// alignment.
    pub heap_bytes: u64,
    /// The most that were alive in each window.
    pub live: Vec<u32>,
}

impl SizeUse {
    /// Returns the bytes that a pool of this size would save of a heap's at a window, as far as
    /// they follow from the sizes: blocks have no headers there, but the pool holds what it had at
    /// its own peak.
    #[must_use]
    pub fn saving(&self, window: usize) -> f64 {
        let each = self.heap_bytes as f64 / self.blocks.max(1) as f64;
        let live = self.live.get(window).copied().unwrap_or(0);
        f64::from(live) * each - (self.peak_live * self.bytes) as f64
    }
}

/// Shares of all frees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Order {
    /// Of the block that was made last of all that live.
    pub last_in: f64,
    /// Of the block that was made first of all that live.
    pub first_in: f64,
    /// Of blocks that lived for at most [`BRIEF`] events.
    pub brief: f64,
}

/// A live block.
#[derive(Clone, Copy, Default)]
struct Born {
    bytes: u64,
    key: u64,
    at: usize,
}

impl Profile {
    /// Looks at a trace.
    ///
    /// # Complexity
    ///
    /// O(events x log(sizes)) time; O(sizes x windows) memory.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let mut gathering = Gathering::new(trace);
        for (at, event) in trace.events.iter().enumerate() {
            let slot = event.slot as usize;
            if matches!(event.op, Op::Free | Op::Reallocate) {
                gathering.ends(slot, at);
            }
            if event.op != Op::Free {
                gathering.begins(slot, at, event.bytes, 1 << event.align_log2);
            }
            gathering.window_ends(at);
        }
        gathering.finish(trace)
    }

    /// Returns the share of allocations that ask for more alignment than 16.
    #[must_use]
    pub fn aligned_share(&self) -> f64 {
        let all: u64 = self.sizes.iter().map(|size| size.operations).sum();
        let aligned = self.sizes.iter().filter(|size| size.align > 16);
        aligned.map(|size| size.operations).sum::<u64>() as f64 / all.max(1) as f64
    }
}

struct Gathering {
    born: Vec<Born>,
    sizes: BTreeMap<u64, (SizeUse, u32)>,
    heat: Vec<[u64; LIFETIMES]>,
    /// The slots in the order of their births, with those that were taken again or died since.
    order: std::collections::VecDeque<(usize, usize)>,
    last_in: u64,
    first_in: u64,
    brief: u64,
    frees: u64,
    live: u64,
    live_bytes: Vec<u64>,
    /// Bytes asked for in each window by the power of two of the size.
    mix: Vec<[u64; SIZES]>,
    window: usize,
    window_events: usize,
}

impl Gathering {
    fn new(trace: &Trace) -> Self {
        Self {
            born: vec![Born::default(); trace.slots as usize],
            sizes: BTreeMap::new(),
            heat: vec![[0; LIFETIMES]; SIZES],
            order: std::collections::VecDeque::new(),
            last_in: 0,
            first_in: 0,
            brief: 0,
            frees: 0,
            live: 0,
            live_bytes: Vec::new(),
            mix: vec![[0; SIZES]],
            window: 0,
            window_events: trace.events.len().div_ceil(WINDOWS).max(1),
        }
    }

    fn begins(&mut self, slot: usize, at: usize, bytes: u64, align: u64) {
        let grain = align.max(16);
        let key = bytes.max(1).next_multiple_of(grain);
        self.born[slot] = Born { bytes, key, at: at + 1 };
        self.order.push_back((slot, at + 1));
        self.live += bytes;
        self.mix[self.window][log2(bytes, SIZES)] += bytes;
        let window = self.window;
        let (of, live) = self.sizes.entry(key).or_insert_with(|| {
            let live = Vec::with_capacity(WINDOWS);
            (
                SizeUse {
                    bytes: key,
                    align: 1,
                    operations: 0,
                    peak_live: 0,
                    brief: 0,
                    blocks: 0,
                    heap_bytes: 0,
                    live,
                },
                0,
            )
        });
        *live += 1;
        of.blocks += 1;
        of.heap_bytes = of.heap_bytes.saturating_add((bytes + 8).next_multiple_of(grain).max(32));
        of.align = of.align.max(align);
        of.operations += 1;
        of.peak_live = of.peak_live.max(u64::from(*live));
        // Windows in which nothing of the size happened have what was alive before them.
        let before = *live - 1;
        of.live.resize(of.live.len().max(window), before);
        if of.live.len() == window {
            of.live.push(before);
        }
        of.live[window] = of.live[window].max(*live);
    }

    fn ends(&mut self, slot: usize, at: usize) {
        let born = core::mem::take(&mut self.born[slot]);
        let window = self.window;
        let lived = at + 1 - born.at;
        let brief = u64::from(lived <= BRIEF);
        if let Some((of, live)) = self.sizes.get_mut(&born.key) {
            of.operations += 1;
            of.brief += brief;
            of.live.resize(of.live.len().max(window), *live);
            if of.live.len() == window {
                of.live.push(*live);
            }
            *live -= 1;
        }
        self.live -= born.bytes;
        self.heat[log2(born.bytes, SIZES)][log2(lived as u64, LIFETIMES)] += 1;
        self.frees += 1;
        self.brief += brief;
        // What died since is passed over, at both ends.
        let dead = |(slot, at): &(usize, usize), all: &[Born]| all[*slot].at != *at;
        while self.order.back().is_some_and(|one| *one != (slot, born.at) && dead(one, &self.born))
        {
            self.order.pop_back();
        }
        while self.order.front().is_some_and(|one| *one != (slot, born.at) && dead(one, &self.born))
        {
            self.order.pop_front();
        }
        if self.order.back() == Some(&(slot, born.at)) {
            self.last_in += 1;
            self.order.pop_back();
        } else if self.order.front() == Some(&(slot, born.at)) {
            self.first_in += 1;
            self.order.pop_front();
        }
    }

    fn window_ends(&mut self, at: usize) {
        if (at + 1).is_multiple_of(self.window_events) {
            self.live_bytes.push(self.live);
            self.window += 1;
            self.mix.push([0; SIZES]);
        }
    }

    fn finish(mut self, trace: &Trace) -> Profile {
        if !trace.events.len().is_multiple_of(self.window_events) {
            self.live_bytes.push(self.live);
        }
        let windows = self.live_bytes.len();
        let mut sizes: Vec<SizeUse> = self
            .sizes
            .into_values()
            .map(|(mut of, live)| {
                of.live.resize(windows, live);
                of
            })
            .collect();
        sizes.sort_by_key(|of| core::cmp::Reverse(of.operations));
        let share = |count: u64| count as f64 / self.frees.max(1) as f64;
        Profile {
            events: trace.events.len(),
            peak_live_bytes: trace.peak_live_bytes,
            sizes,
            heat: self.heat,
            order: Order {
                last_in: share(self.last_in),
                first_in: share(self.first_in),
                brief: share(self.brief),
            },
            phases: phases(&self.mix[..windows], &self.live_bytes),
            live_bytes: self.live_bytes,
            sites: sites_of(trace),
        }
    }
}

/// Returns the windows at which what is asked for changes: the sizes by a third of the bytes, or
/// the live bytes by half of their peak, against the mean of the phase so far.
fn phases(mix: &[[u64; SIZES]], live: &[u64]) -> Vec<usize> {
    let peak = live.iter().copied().max().unwrap_or(0).max(1) as f64;
    let mut begins = vec![0];
    let mut sum = [0.0; SIZES];
    let mut first_live = live.first().copied().unwrap_or(0) as f64;
    for (window, of) in mix.iter().enumerate() {
        let shares = shares(&of.map(|bytes| bytes as f64));
        let so_far = self::shares(&sum);
        let differs: f64 = shares.iter().zip(so_far).map(|(a, b)| (a - b).abs()).sum();
        let begun = begins.last().copied().unwrap_or(0);
        let moved = (live[window] as f64 - first_live).abs() / peak;
        if window > begun + 1 && (differs > 0.66 || moved > 0.5) {
            begins.push(window);
            sum = [0.0; SIZES];
            first_live = live[window] as f64;
        }
        for (sum, bytes) in sum.iter_mut().zip(of) {
            *sum += *bytes as f64;
        }
    }
    begins
}

fn shares(of: &[f64; SIZES]) -> [f64; SIZES] {
    let all: f64 = of.iter().sum();
    if all == 0.0 { *of } else { of.map(|one| one / all) }
}

/// Returns the power of two that a number is below, less one, below `most`.
fn log2(number: u64, most: usize) -> usize {
    (number.max(1).ilog2() as usize).min(most - 1)
}
