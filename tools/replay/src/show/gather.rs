//! Counting a recording by call site, call stack, lifetime and thread.

use core::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::Lifetimes;
use crate::trace::{Ending, Op, Trace};

/// What is in a recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Show {
    /// The recording's name.
    pub name: String,
    /// The command line, where the recorder noted it.
    pub program: Option<String>,
    /// Whether the recording has call stacks.
    pub has_stacks: bool,
    /// Whether the recording lacks its end: the program was killed, or the file was cut.
    pub is_cut: bool,
    /// Why the recorder stopped before the program ended, in its words.
    pub stopped: Option<String>,
    /// The figures of the whole.
    pub totals: Totals,
    /// All call sites that allocate, those with the most bytes at the peak first.
    pub sites: Vec<SiteUse>,
    /// The call stacks that hold most at the peak or at the end, at most [`STACKS_MAX`], those with
    /// the most bytes first; empty if the recording has no stacks.
    pub stacks: Vec<StackUse>,
    /// All pairs of a call site and a call stack, in the order of their first allocation.
    #[serde(skip)]
    pub origins: Vec<OriginUse>,
    /// How long blocks live.
    pub lifetimes: Lifetimes,
    /// The threads by their numbers.
    pub threads: Vec<ThreadUse>,
}

/// The figures of a whole recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Allocations, reallocations and frees.
    pub events: u64,
    /// Allocations.
    pub allocations: u64,
    /// Reallocations.
    pub reallocations: u64,
    /// Frees.
    pub frees: u64,
    /// The sizes of all allocations and the new sizes of all reallocations together.
    pub requested_bytes: u64,
    /// Allocations whose free is the next event of their thread.
    pub temporary: u64,
    /// The greatest sum of live bytes.
    pub peak_bytes: u64,
    /// The blocks that were live then.
    pub peak_blocks: u64,
    /// The event at which the peak was first reached, counted from 0.
    pub peak_event: u64,
    /// The time of that event, `None` without times.
    pub peak_ns: Option<u64>,
    /// The time of the last event, `None` without times.
    pub end_ns: Option<u64>,
    /// What was live at the end.
    pub end_bytes: u64,
    /// The blocks that were live then.
    pub end_blocks: u64,
}

/// What came from one call site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SiteUse {
    /// The site's number; 0 if it is not known.
    pub site: u32,
    /// Its name; empty if it is not known.
    pub name: String,
    /// What came from there.
    #[serde(flatten)]
    pub counts: Counts,
}

/// How many call stacks are listed with their frames.
pub const STACKS_MAX: usize = 100;

/// What came from one call stack, or from one call site where the recording has no stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OriginUse {
    /// The site's number; 0 if it is not known.
    pub site: u32,
    /// The stack's number; 0 if there is none.
    pub stack: u32,
    /// What came from there.
    pub counts: Counts,
}

/// What came from one call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StackUse {
    /// The site's number; 0 if it is not known.
    pub site: u32,
    /// The names of the call sites, the innermost first.
    pub frames: Vec<String>,
    /// What came from there.
    #[serde(flatten)]
    pub counts: Counts,
}

/// What came from one place. A reallocation counts for the place that called it: the block's bytes
/// are of that place from then on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Allocations and reallocations.
    pub allocations: u64,
    /// Their bytes.
    pub requested_bytes: u64,
    /// Allocations whose free is the next event of their thread.
    pub temporary: u64,
    /// The bytes of these.
    pub temporary_bytes: u64,
    /// Blocks that were live at the peak of the whole recording.
    pub peak_blocks: u64,
    /// Their bytes.
    pub peak_bytes: u64,
    /// Blocks that were live at the end.
    pub end_blocks: u64,
    /// Their bytes.
    pub end_bytes: u64,
}

/// What a thread did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ThreadUse {
    /// Its number, from 0.
    pub thread: u16,
    /// Events.
    pub events: u64,
    /// Allocations and reallocations.
    pub allocations: u64,
    /// Their bytes.
    pub requested_bytes: u64,
    /// The most bytes of blocks that it had allocated or reallocated last and that were live.
    pub peak_bytes: u64,
    /// Frees.
    pub frees: u64,
    /// Those of blocks that another thread had allocated or reallocated last.
    pub foreign_frees: u64,
}

/// A live block.
#[derive(Clone, Copy, Default)]
struct Live {
    bytes: u64,
    origin: u32,
    thread: u16,
    born: usize,
    born_ns: u64,
}

impl Show {
    /// Looks at a recording.
    ///
    /// # Complexity
    ///
    /// O(events) time; 32 bytes a slot, and what there is for each site and stack.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let (peak_event, peak) = peak(trace);
        let mut gathering = Gathering::new(trace);
        for index in 0..trace.events.len() {
            gathering.event(trace, index);
            if index == peak_event {
                for live in gathering.live.iter().filter(|live| live.bytes > 0) {
                    let counts = &mut gathering.counts[live.origin as usize];
                    counts.peak_blocks += 1;
                    counts.peak_bytes += live.bytes;
                    gathering.totals.peak_blocks += 1;
                }
            }
        }
        gathering.totals.peak_bytes = peak;
        gathering.totals.peak_event = peak_event as u64;
        gathering.finish(trace)
    }

    /// Returns what is shown as JSON.
    ///
    /// # Errors
    ///
    /// None with figures that this made; what `serde_json` returns otherwise.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// Returns the event that first reaches the peak of live bytes, and that peak.
fn peak(trace: &Trace) -> (usize, u64) {
    let mut sizes = vec![0_u64; trace.slots as usize];
    let (mut live, mut peak, mut at) = (0_u64, 0, 0);
    for (index, event) in trace.events.iter().enumerate() {
        let old = core::mem::replace(&mut sizes[event.slot as usize], event.bytes);
        // What is read is checked: the sum is below 2^63.
        live = live - old + event.bytes;
        if live > peak {
            (peak, at) = (live, index);
        }
    }
    (at, peak)
}

struct Gathering {
    live: Vec<Live>,
    /// Origins by stack and site, and what came from each.
    origins: HashMap<(u32, u32), u32>,
    places: Vec<(u32, u32)>,
    counts: Vec<Counts>,
    totals: Totals,
    lifetimes: Lifetimes,
    threads: Vec<ThreadUse>,
    thread_live: Vec<u64>,
    /// For each thread the slot of its last event, if that was an allocation.
    newest: Vec<Option<u32>>,
}

impl Gathering {
    fn new(trace: &Trace) -> Self {
        let threads = trace.events.iter().map(|event| usize::from(event.thread) + 1).max();
        let threads = threads.unwrap_or(0);
        let of_threads = |thread| ThreadUse { thread: thread as u16, ..ThreadUse::default() };
        Self {
            live: vec![Live::default(); trace.slots as usize],
            origins: HashMap::new(),
            places: Vec::new(),
            counts: Vec::new(),
            totals: Totals::default(),
            lifetimes: Lifetimes::new(trace.times().is_some()),
            threads: (0..threads).map(of_threads).collect(),
            thread_live: vec![0; threads],
            newest: vec![None; threads],
        }
    }

    fn event(&mut self, trace: &Trace, index: usize) {
        let event = trace.events[index];
        let thread = usize::from(event.thread);
        self.threads[thread].events += 1;
        self.totals.events += 1;
        let old = core::mem::take(&mut self.live[event.slot as usize]);
        if old.bytes > 0 {
            self.thread_live[usize::from(old.thread)] -= old.bytes;
        }
        if event.op == Op::Free {
            return self.free(trace, index, old);
        }
        let origin = self.origin(trace, index, old);
        let (born, born_ns) = match event.op {
            Op::Reallocate => (old.born, old.born_ns),
            _ => (index, trace.details(index).time_ns),
        };
        let live = Live { bytes: event.bytes, origin, thread: event.thread, born, born_ns };
        self.live[event.slot as usize] = live;
        let counts = &mut self.counts[origin as usize];
        counts.allocations += 1;
        counts.requested_bytes = counts.requested_bytes.saturating_add(event.bytes);
        let of_thread = &mut self.threads[thread];
        of_thread.allocations += 1;
        of_thread.requested_bytes = of_thread.requested_bytes.saturating_add(event.bytes);
        self.thread_live[thread] += event.bytes;
        of_thread.peak_bytes = of_thread.peak_bytes.max(self.thread_live[thread]);
        self.totals.requested_bytes = self.totals.requested_bytes.saturating_add(event.bytes);
        if event.op == Op::Reallocate {
            self.totals.reallocations += 1;
            self.newest[thread] = None;
        } else {
            self.totals.allocations += 1;
            self.newest[thread] = Some(event.slot);
        }
    }

    fn free(&mut self, trace: &Trace, index: usize, block: Live) {
        let event = trace.events[index];
        let of_thread = &mut self.threads[usize::from(event.thread)];
        of_thread.frees += 1;
        of_thread.foreign_frees += u64::from(block.thread != event.thread);
        self.totals.frees += 1;
        if self.newest[usize::from(event.thread)].take() == Some(event.slot)
            && block.thread == event.thread
        {
            self.totals.temporary += 1;
            let counts = &mut self.counts[block.origin as usize];
            counts.temporary += 1;
            counts.temporary_bytes = counts.temporary_bytes.saturating_add(block.bytes);
        }
        let now_ns = trace.details(index).time_ns;
        let time_ns = trace.times().map(|_| now_ns.saturating_sub(block.born_ns));
        self.lifetimes.enter(block.bytes, (index - block.born) as u64, time_ns);
    }

    /// Returns where an allocation or reallocation comes from. If the recorder does not know the
    /// caller of a reallocation, the block stays with its origin.
    fn origin(&mut self, trace: &Trace, index: usize, old: Live) -> u32 {
        let details = trace.details(index);
        if details.site == 0 && details.stack == 0 && trace.events[index].op == Op::Reallocate {
            return old.origin;
        }
        let place = (details.stack, details.site);
        *self.origins.entry(place).or_insert_with(|| {
            self.places.push(place);
            self.counts.push(Counts::default());
            // Each has an event, and a trace has slots of 32 bits.
            (self.places.len() - 1) as u32
        })
    }

    fn finish(mut self, trace: &Trace) -> Show {
        for live in self.live.iter().filter(|live| live.bytes > 0) {
            let counts = &mut self.counts[live.origin as usize];
            counts.end_blocks += 1;
            counts.end_bytes += live.bytes;
            self.totals.end_blocks += 1;
            self.totals.end_bytes += live.bytes;
        }
        if let Some(times) = trace.times() {
            self.totals.peak_ns = times.get(self.totals.peak_event as usize).copied();
            self.totals.end_ns = times.iter().copied().max();
        }
        let program = trace.notes().find(|(name, _)| *name == "program");
        let places = self.places.iter().zip(&self.counts);
        let origins: Vec<_> =
            places.map(|(&(stack, site), &counts)| OriginUse { site, stack, counts }).collect();
        self.threads.retain(|thread| thread.events > 0);
        Show {
            name: trace.name.clone(),
            program: program.map(|(_, value)| value.to_owned()),
            has_stacks: trace.stacks().is_some(),
            is_cut: trace.ending() != Ending::Whole,
            stopped: trace.stopped().map(str::to_owned),
            totals: self.totals,
            sites: sites(trace, &origins),
            stacks: stacks(trace, &origins),
            origins,
            lifetimes: self.lifetimes,
            threads: self.threads,
        }
    }
}

/// Returns the stacks that hold most, with their names.
fn stacks(trace: &Trace, origins: &[OriginUse]) -> Vec<StackUse> {
    let Some(stacks) = trace.stacks() else { return Vec::new() };
    let held = |of: &OriginUse| of.counts.peak_bytes.max(of.counts.end_bytes);
    let mut largest: Vec<&OriginUse> = origins.iter().filter(|of| held(of) > 0).collect();
    largest.sort_by_key(|of| (Reverse(held(of)), of.stack, of.site));
    largest.truncate(STACKS_MAX);
    let name = |site| trace.sites().map_or("", |sites| sites.name(site)).to_owned();
    let named = largest.into_iter().map(|of| {
        let mut frames: Vec<_> = stacks.frames(of.stack).map(name).collect();
        if frames.is_empty() {
            frames.push(name(of.site));
        }
        StackUse { site: of.site, frames, counts: of.counts }
    });
    named.collect()
}

/// Returns the sums by site, those with the most bytes at the peak first.
fn sites(trace: &Trace, origins: &[OriginUse]) -> Vec<SiteUse> {
    let mut by_site: HashMap<u32, Counts> = HashMap::new();
    for origin in origins {
        let (sum, counts) = (by_site.entry(origin.site).or_default(), origin.counts);
        sum.allocations += counts.allocations;
        sum.requested_bytes = sum.requested_bytes.saturating_add(counts.requested_bytes);
        sum.temporary += counts.temporary;
        sum.temporary_bytes = sum.temporary_bytes.saturating_add(counts.temporary_bytes);
        sum.peak_blocks += counts.peak_blocks;
        sum.peak_bytes += counts.peak_bytes;
        sum.end_blocks += counts.end_blocks;
        sum.end_bytes += counts.end_bytes;
    }
    let name = |site| trace.sites().map_or("", |sites| sites.name(site)).to_owned();
    let named =
        by_site.into_iter().map(|(site, counts)| SiteUse { site, name: name(site), counts });
    let mut sites: Vec<SiteUse> = named.collect();
    sites.sort_by_key(|of| (Reverse(of.counts.peak_bytes), of.site));
    sites
}
