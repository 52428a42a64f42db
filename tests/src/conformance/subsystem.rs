//! The suite for subsystems: whatever takes its memory from an allocator that is passed in.

mod guard;
mod supply;
mod watch;

use core::panic::AssertUnwindSafe;

use loligo_allocators::{Allocator, CanaryAllocator, GlobalGuard, ProxyAllocator, Refusals};

use crate::attempt::caught;
use crate::models::NaiveAllocator;
use crate::rule::{Rule, Violation, require};

use super::{Outcome, assert_all};

use guard::{Guard, NoGuard};
use supply::Supply;
use watch::History;

pub use watch::{Watch, Watched};

/// What a user writes: makes the subsystem and uses it.
type Script<'s> = dyn FnMut(&Watch<'_>) -> Result<(), Violation> + 's;

/// The most requests that are refused in turn.
const REFUSALS_MAX: u64 = 100_000;

/// What one run of the script is to show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// All calls succeed.
    Works,
    /// Its memory is from the allocator that it was given, as much as it claims.
    Charged,
    /// Nothing is left when it is gone.
    Returned,
    /// It writes into its own blocks alone.
    Within,
    /// It leaves the global heap alone.
    Alone,
    /// Refusals change nothing.
    Refused,
}

/// Holds a subsystem, which takes its memory from an allocator that is passed in, to what all of
/// them owe the program that they are part of; panics with all that was found.
///
/// `script` makes the subsystem with [`Watch::make`] and uses it with [`Watched::call`]. It is run
/// over and over, on `bytes` bytes of memory each time, counted by a proxy:
///
/// | check | what must hold |
/// |---|---|
/// | `works` | with memory enough, nothing fails |
/// | `charged` | its memory is the proxy's, as many bytes as it claims at least ([`Watched::claiming`]) |
/// | `returned` | when it is gone, nothing of it is left |
/// | `within_its_blocks` | it writes past none of its blocks, and before none |
/// | `each_refusal` | one request is refused, each in turn: what failed has changed and left nothing, and succeeds when it is tried again; the rest goes as if nothing had been |
/// | `each_shortage` | the same with a request refused and all after it, until the memory is there again |
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// ```
/// use loligo_containers::{Array, GrowError};
/// use loligo_tests::conformance;
///
/// conformance::subsystem(1 << 20, |watch| {
///     // How it is made, and what of it may not change when something is refused.
///     let mut squad = watch.make(
///         |memory| Array::<u32>::try_with_capacity(2, memory),
///         |squad| squad.to_vec(),
///     )?;
///     for number in 0..10 {
///         squad.call(|squad| squad.try_push(number))?;
///     }
///     Ok(())
/// });
/// ```
pub fn subsystem(bytes: usize, script: impl FnMut(&Watch<'_>) -> Result<(), Violation>) {
    assert_all(&subsystem_outcomes(bytes, script));
}

/// As [`subsystem()`], but returns what each check came to.
pub fn subsystem_outcomes(
    bytes: usize,
    mut script: impl FnMut(&Watch<'_>) -> Result<(), Violation>,
) -> Vec<Outcome> {
    outcomes(bytes, &NoGuard, Sample::ALL, &mut script)
}

/// As [`subsystem()`], and holds the subsystem to leaving the global heap alone, check
/// `no_global_heap`: `guard` is the program's global allocator. Tests that pass one guard must not
/// run at the same time.
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// ```
/// use std::alloc::System;
///
/// use loligo_allocators::GlobalGuard;
/// use loligo_containers::Array;
/// use loligo_tests::conformance;
///
/// #[global_allocator]
/// static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);
///
/// conformance::subsystem_guarded(1 << 20, &GUARD, |watch| {
///     let mut squad = watch.make(|memory| Array::try_with_capacity(2, memory), |squad| squad.to_vec())?;
///     squad.call(|squad| squad.try_extend_from_slice(&[1, 2, 3]))
/// });
/// ```
pub fn subsystem_guarded<G>(
    bytes: usize,
    guard: &GlobalGuard<G>,
    script: impl FnMut(&Watch<'_>) -> Result<(), Violation>,
) {
    assert_all(&subsystem_guarded_outcomes(bytes, guard, script));
}

/// As [`subsystem_guarded()`], but returns what each check came to.
pub fn subsystem_guarded_outcomes<G>(
    bytes: usize,
    guard: &GlobalGuard<G>,
    mut script: impl FnMut(&Watch<'_>) -> Result<(), Violation>,
) -> Vec<Outcome> {
    outcomes(bytes, guard, Sample::ALL, &mut script)
}

/// As [`subsystem_outcomes()`], for a subsystem that makes thousands of requests: refuses the first
/// 64 in turn, and of all others about `count`, drawn by `seed`. What failed says its number, by
/// which it is found again. One that was refused while it was made is made again only after each
/// 32nd refusal, and after the last: what a refusal has left elsewhere than in the allocator, none
/// of them may have left.
pub fn subsystem_sampled_outcomes(
    bytes: usize,
    count: u64,
    seed: u64,
    mut script: impl FnMut(&Watch<'_>) -> Result<(), Violation>,
) -> Vec<Outcome> {
    outcomes(bytes, &NoGuard, Sample { count: Some(count), share: 1, state: seed }, &mut script)
}

/// Which requests are refused.
#[derive(Clone, Copy)]
struct Sample {
    /// About how many; all, if it is not said. A number, not a share: a subsystem that grows asks for
    /// more memory each time, and its test would last longer by the square of that.
    count: Option<u64>,
    /// One in this many, which follows from it.
    share: u64,
    state: u64,
}

impl Sample {
    /// Every single one.
    const ALL: Self = Self { count: None, share: 1, state: 0 };

    /// Returns it for a subsystem that makes this many requests in all.
    fn of(self, requests: u64) -> Self {
        let share = self.count.map_or(1, |count| requests.saturating_sub(FIRST) / count.max(1));
        Self { share: share.max(1), ..self }
    }

    /// Returns the number of the request that is refused after one.
    fn after(&mut self, number: u64) -> u64 {
        if number < FIRST || self.share <= 1 {
            return number + 1;
        }
        // SplitMix64: all bits of the state reach all bits of the result.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number + 1 + (bits ^ (bits >> 31)) % (2 * self.share - 1)
    }
}

/// Of this many refusals drawn, one that was refused is made again.
const UNTRIED_MAX: u64 = 32;

/// This many requests are refused in turn, whatever the share.
const FIRST: u64 = 64;

fn outcomes(
    bytes: usize,
    guard: &dyn Guard,
    sample: Sample,
    script: &mut Script<'_>,
) -> Vec<Outcome> {
    let (memory, history) = (None, History::default());
    let mut suite = Suite { bytes, guard, sample, script, history, memory, requests: 0 };
    let mut outcomes = Vec::new();
    for (check, aim) in [
        ("works", Aim::Works),
        ("charged", Aim::Charged),
        ("returned", Aim::Returned),
        ("within_its_blocks", Aim::Within),
        ("no_global_heap", Aim::Alone),
    ] {
        if aim != Aim::Alone || guard.is_there() {
            let result = suite.undisturbed(aim);
            outcomes.push(Outcome { check, result });
        }
    }
    for (check, kind) in
        [("each_refusal", Refusals::Nth as fn(u64) -> Refusals), ("each_shortage", Refusals::From)]
    {
        let result = suite.refusing(kind);
        outcomes.push(Outcome { check, result });
    }
    outcomes
}

struct Suite<'s> {
    bytes: usize,
    guard: &'s dyn Guard,
    sample: Sample,
    script: &'s mut Script<'s>,
    history: History,
    /// The memory of the run before, for the next.
    memory: Option<NaiveAllocator>,
    /// The requests of the run before.
    requests: u64,
}

impl Suite<'_> {
    /// Runs the script with memory enough, and notes what the subsystem looks like after each call.
    fn undisturbed(&mut self, aim: Aim) -> Result<(), Violation> {
        self.history = History::default();
        self.run(aim, Refusals::None, true).map(drop)
    }

    /// Refuses every request in turn.
    fn refusing(&mut self, kind: fn(u64) -> Refusals) -> Result<(), Violation> {
        self.undisturbed(Aim::Works)?;
        let (mut number, mut sample) = (0, self.sample.of(self.requests));
        let mut untried = 0;
        while number < REFUSALS_MAX {
            let refusals = kind(number);
            untried += 1;
            let is_tried = sample.share <= 1 || untried >= UNTRIED_MAX;
            let refused = self.run(Aim::Refused, refusals, is_tried).map_err(|broken| {
                let among = match untried {
                    0 | 1 => String::new(),
                    count => format!(" (or one of the {} refusals before)", count - 1),
                };
                let what = format!("with {refusals:?} refused{among}: {}", broken.message);
                Violation::new(broken.rule, what)
            })?;
            if !refused {
                return Ok(());
            }
            if is_tried {
                untried = 0;
            }
            number = sample.after(number);
        }
        Err(Violation::new(Rule::Served, format!("{REFUSALS_MAX} requests were made and no end")))
    }

    /// Runs the script once; returns whether anything was refused on order.
    fn run(&mut self, aim: Aim, refusals: Refusals, is_tried: bool) -> Result<bool, Violation> {
        let memory = self.memory.take();
        let memory = memory.unwrap_or_else(|| NaiveAllocator::new("memory", self.bytes));
        let supply = Supply::new(&memory, refusals, self.guard);
        let result = if aim == Aim::Within {
            let canaries = CanaryAllocator::new_in("canary", &supply);
            let result = self.over(aim, &canaries, &supply, is_tried);
            // What is damaged would be reported again; what is left is reported elsewhere.
            core::mem::forget(canaries);
            result
        } else {
            self.over(aim, &supply, &supply, is_tried)
        };
        let refused = supply.refused();
        self.requests = supply.requests();
        if memory.stats().live > 0 {
            // What was not given back is reported already; the memory must not panic for it too.
            core::mem::forget(memory);
        } else {
            let mut memory = memory;
            memory.renew();
            self.memory = Some(memory);
        }
        result.map(|()| refused)
    }

    fn over(
        &mut self,
        aim: Aim,
        below: &dyn Allocator,
        supply: &Supply<'_>,
        is_tried: bool,
    ) -> Result<(), Violation> {
        let proxy = ProxyAllocator::new_in("subsystem", below);
        let watch = Watch::new(&proxy, supply, self.guard, &self.history, aim == Aim::Charged);
        let watch = if is_tried { watch } else { watch.trying_once() };
        let mut result = Ok(());
        let ran = caught(AssertUnwindSafe(|| result = (self.script)(&watch)));
        let global = watch.global();
        if watch.was_cut() {
            result = Ok(());
        }
        let stats = proxy.stats();
        if stats.live > 0 {
            core::mem::forget(proxy);
        }
        ran.and(result)?;
        match aim {
            Aim::Charged => require(stats.peak_granted > 0, Rule::Charged, || {
                "it took no memory from the allocator that it was given".to_owned()
            }),
            Aim::Returned | Aim::Refused => require(stats.live == 0, Rule::Backing, || {
                format!("{} blocks of {} bytes were not given back", stats.live, stats.granted)
            }),
            Aim::Alone => require(global == 0, Rule::Charged, || {
                format!("it came to the global heap {global} times")
            }),
            Aim::Within => below.verify().map_err(|damage| {
                Violation::new(Rule::Contents, format!("a write outside its blocks: {damage}"))
            }),
            Aim::Works => Ok(()),
        }
    }
}
