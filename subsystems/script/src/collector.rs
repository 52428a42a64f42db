//! Collecting garbage by a budget for each frame.
//!
//! After Niklas Frykholm, "Fixing Memory Issues in Lua" (2011): the collector runs a little each
//! frame, as much as keeps garbage at a share of the memory. Changes: work is measured in steps of
//! the collector, not in milliseconds, so that a slow machine collects as a fast one does; and it
//! follows what scripts allocate at once, while the feedback, which knows more only when the
//! collector has been through everything, corrects how much work an allocated byte is worth. The
//! article's formula has its sign the wrong way: to keep garbage below a share a, at least g / a
//! bytes must be looked at for g allocated.

use crate::error::ScriptError;
use crate::host::Host;
use crate::script::Script;

/// About how many bytes the collector looks at in one step.
const STEP_BYTES: f64 = 1000.0;

/// Frames over which the rate of allocation is smoothed.
const RATE_FRAMES: f64 = 8.0;

/// How a [`Collector`] behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectorSettings {
    /// The share of the memory of scripts that is to be garbage when the collector begins to free.
    pub garbage_share: f64,
    /// The least steps of a frame in which anything was allocated.
    pub steps_min: u32,
    /// The most steps of a frame.
    pub steps_max: u32,
}

impl Default for CollectorSettings {
    /// 0.045. What dies after the collector has looked at it is found the next time it comes by,
    /// and so there may be twice as much at worst: still below a tenth, the article's figure. Up to
    /// 20 000 steps, about 20 MB looked at.
    fn default() -> Self {
        Self { garbage_share: 0.045, steps_min: 1, steps_max: 20_000 }
    }
}

/// What one frame's collecting came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Collected {
    /// Steps that were done, of about a kilobyte each.
    pub steps: u32,
    /// How often the collector has been through everything in this frame.
    pub cycles: u32,
    /// Bytes that were freed.
    pub freed_bytes: u64,
    /// Bytes that are allocated now, garbage included.
    pub live_bytes: u64,
    /// The share of the memory that was garbage when the collector was last through: what it freed,
    /// of the most that was allocated meanwhile. Zero before it was through once.
    pub share: f64,
}

/// Decides how much the collector does in each frame.
///
/// Where one frame alone makes more garbage than the share, the collector goes through everything
/// in each frame, and the share is what that frame made.
///
/// # Complexity
///
/// A few additions a frame, plus the collector's steps. A step of the collector is about a
/// kilobyte, but it looks at a table, and at the stacks of all coroutines, in one go.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_script::{Collector, CollectorSettings, Script, Settings};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("scripts", &pages);
/// let mut script = Script::try_new(&[], &Settings::default(), &heap).unwrap();
/// let code = "kept = {} for i = 1, 20000 do kept[i] = { i } end \
///     function update() for i = 1, 200 do last = { i } end end";
/// script.evaluate(&mut (), code).unwrap();
/// let update = script.callback("update").unwrap();
///
/// let mut collector = Collector::new(CollectorSettings::default());
/// let mut share = 0.0;
/// for _ in 0..200 {
///     script.begin_frame();
///     script.call(&mut (), update, &[]).unwrap();
///     share = collector.collect(&mut script, || false).unwrap().share;
/// }
/// assert!((0.03..0.07).contains(&share), "{share}");
/// ```
#[derive(Clone, Debug)]
pub struct Collector {
    settings: CollectorSettings,
    /// Steps that an allocated byte is worth.
    steps_per_byte: f64,
    /// Bytes a frame.
    rate: f64,
    /// Parts of steps that are owed.
    owed: f64,
    /// Allocated bytes when the last frame had been collected; `None` before the first.
    last_live: Option<u64>,
    /// Of the cycle that runs.
    cycle: Cycle,
    share: f64,
}

/// What is known of the collector's way through everything, so far.
#[derive(Clone, Copy, Debug, Default)]
struct Cycle {
    freed: u64,
    peak: u64,
    grown: u64,
}

impl Collector {
    /// Returns a collector that has seen nothing.
    #[must_use]
    pub fn new(settings: CollectorSettings) -> Self {
        Self {
            settings,
            steps_per_byte: Self::first_guess(&settings),
            rate: 0.0,
            owed: 0.0,
            last_live: None,
            cycle: Cycle::default(),
            share: 0.0,
        }
    }

    /// Returns the settings, to be changed while it works.
    pub fn settings_mut(&mut self) -> &mut CollectorSettings {
        &mut self.settings
    }

    /// Collects for a frame, after its last call. It ends early when `is_over` says, which is asked
    /// before each step: by a clock where a frame has a deadline, or never. What is then left
    /// undone is done later.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if the collector needs memory and there is none. It goes on from there the
    /// next time.
    pub fn collect<'m, W: Host>(
        &mut self,
        script: &mut Script<'m, W>,
        mut is_over: impl FnMut() -> bool,
    ) -> Result<Collected, ScriptError<'m>> {
        let live = script.memory_use().live_bytes;
        let grown = live.saturating_sub(self.last_live.unwrap_or(live));
        self.cycle.grown += grown;
        self.cycle.peak = self.cycle.peak.max(live);
        self.rate += (grown as f64 - self.rate) / RATE_FRAMES;
        let steps = self.budget(grown, live);
        let mut collected = Collected::default();
        while collected.steps < steps && !is_over() {
            let before = script.memory_use().live_bytes;
            let is_through = script.collect_step()?;
            let freed = before.saturating_sub(script.memory_use().live_bytes);
            self.cycle.freed += freed;
            collected.freed_bytes += freed;
            collected.steps += 1;
            if is_through {
                self.learn();
                collected.cycles += 1;
            }
        }
        self.owed += f64::from(steps - collected.steps);
        collected.live_bytes = script.memory_use().live_bytes;
        collected.share = self.share;
        self.last_live = Some(collected.live_bytes);
        Ok(collected)
    }

    /// Returns how many steps are due, and forgets them.
    fn budget(&mut self, grown: u64, live: u64) -> u32 {
        // More than the share was allocated since the last cycle ended, and all of it may be
        // garbage: a cycle that is far behind makes more steps.
        let aim = self.settings.garbage_share * live.max(1) as f64;
        let behind = self.cycle.grown as f64 / aim.max(1.0);
        let hurry = if behind > 1.5 { behind.min(16.0) } else { 1.0 };
        let worth = self.steps_per_byte * hurry;
        let due = self.owed + self.rate * worth;
        let least = if grown > 0 { self.settings.steps_min } else { 0 };
        // A cast keeps to the range of the integers.
        let steps = (due as u32).clamp(least, self.settings.steps_max.max(least));
        self.owed = (due - f64::from(steps)).clamp(0.0, f64::from(self.settings.steps_max));
        steps
    }

    /// Corrects what a byte is worth, when the collector has been through everything.
    fn learn(&mut self) {
        let Cycle { freed, peak, .. } = core::mem::take(&mut self.cycle);
        if peak == 0 {
            // It was through twice in one frame.
            return;
        }
        self.share = freed as f64 / peak as f64;
        let first = Self::first_guess(&self.settings);
        // Half of the way, in powers: a cycle ends with a frame, so that no single one is to be
        // trusted.
        let correction = (self.share / self.settings.garbage_share).sqrt().clamp(0.5, 2.0);
        self.steps_per_byte = (self.steps_per_byte * correction).clamp(first / 64.0, first * 64.0);
    }

    /// Returns what the article's formula says, if looking at a byte cost as much as a step has.
    fn first_guess(settings: &CollectorSettings) -> f64 {
        1.2 / (settings.garbage_share.clamp(0.001, 1.0) * STEP_BYTES)
    }
}
