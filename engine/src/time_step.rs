//! Time steps: how far a frame moves the game on.

#[cfg(test)]
mod tests;

/// How many frames a smoothed step looks back on.
const HISTORY: usize = 11;

/// How many of the longest and how many of the shortest of these are left out.
const OUTLIERS: usize = 2;

/// A smoothed step goes this part of the way from the last step to the mean.
const LERP_PART: i64 = 4;

/// This part of the debt is paid back in a frame.
const DEBT_PART: i64 = 32;

/// The most updates of a frame. What has passed beyond is left out, and the game runs slower: a
/// game whose updates take longer than they move it on would never catch up.
pub const UPDATES_MAX: u32 = 8;

/// A payment is at most this part of the step.
const PAYMENT_PART: i64 = 20;

/// How the length of a frame becomes the step by which it moves the game on. All times are in
/// nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStep {
    /// Every update moves the game on by the same step, and a frame has as many updates as steps
    /// have passed on the clock: none in a fast frame, several after a slow one, [`UPDATES_MAX`] at
    /// most. The rest of a step waits for the next frame.
    Fixed {
        /// The step.
        step: u64,
    },
    /// Every frame has one update of the same step, whatever the clock says: for tests, recordings
    /// and films, whose frames are the same on every machine.
    EachFrame {
        /// The step.
        step: u64,
    },
    /// A frame moves the game on by the time that the last one took.
    Variable {
        /// The longest step, for a frame in which the program was halted.
        longest: u64,
    },
    /// As variable, but smoothed: a better guess of how long the frame will take, and steadier.
    Smoothed {
        /// The longest step.
        longest: u64,
    },
}

/// The updates of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Updates {
    /// How many there are.
    pub count: u32,
    /// How far each moves the game on, in nanoseconds.
    pub step: u64,
}

impl Updates {
    /// Returns how far all of them move the game on, in nanoseconds.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.step.saturating_mul(self.count as u64)
    }
}

/// The clock of a game: it receives how long each frame took, and returns how far to move on.
///
/// What a player sees of a frame is seen when it is drawn, so the right step would be the time that
/// *this* frame will take. A variable step guesses that it takes as long as the one before. The
/// smoothed one keeps the last eleven, leaves out the two longest and the two shortest, takes the
/// mean of the other seven, and goes a quarter of the way from its last step to that. A single slow
/// frame does not make the next one jump, and frames that vary at random are guessed with a fifth
/// to a quarter less error (Bitsquid blog, "Time Step Smoothing", 2010-10-18).
///
/// A smoothed clock would drift from the wall clock. The difference is kept as a debt to the
/// nanosecond and paid back, a thirty-second of it in a frame and at most a twentieth of the step.
/// Time beyond the longest step is not added to the debt: the game paused for it.
///
/// # Memory
///
/// 144 bytes; nothing is allocated.
///
/// # Complexity
///
/// O(1): a smoothed step sorts eleven numbers.
///
/// # Examples
///
/// ```
/// use loligo_engine::{GameClock, TimeStep};
///
/// let mut clock = GameClock::new(TimeStep::Smoothed { longest: 100_000_000 });
/// for _ in 0..20 {
///     clock.advance(16_000_000);
/// }
/// let step = clock.advance(50_000_000); // One frame was slow,
/// assert!(step < 17_000_000, "{step}"); // which the next one need not be.
/// ```
#[derive(Clone, Debug)]
pub struct GameClock {
    policy: TimeStep,
    /// What the last frames took, as a ring.
    history: [u64; HISTORY],
    /// How many of them there are.
    known: usize,
    /// Where the next one goes.
    next: usize,
    /// The last step, before a payment.
    last: u64,
    /// How far the game is behind the wall clock; with fixed steps the part of one that has passed.
    debt: i64,
    /// The sum of all steps.
    now: u64,
}

impl GameClock {
    /// Returns a clock at 0.
    #[must_use]
    pub const fn new(policy: TimeStep) -> Self {
        Self { policy, history: [0; HISTORY], known: 0, next: 0, last: 0, debt: 0, now: 0 }
    }

    /// Returns how often and by which step the frame that begins moves the game on, given what the
    /// last frame took.
    pub fn updates(&mut self, elapsed: u64) -> Updates {
        let (count, step) = match self.policy {
            TimeStep::Fixed { step } => (self.whole_steps(elapsed, step), step),
            TimeStep::EachFrame { step } => (1, step),
            TimeStep::Variable { longest } => (1, elapsed.min(longest)),
            TimeStep::Smoothed { longest } => (1, self.smoothed(elapsed.min(longest))),
        };
        let updates = Updates { count, step };
        self.now = self.now.saturating_add(updates.total());
        updates
    }

    /// Returns how far the frame that begins moves the game on in all, given what the last frame
    /// took.
    pub fn advance(&mut self, elapsed: u64) -> u64 {
        self.updates(elapsed).total()
    }

    /// Returns the game's time: the sum of all steps.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Returns how far a smoothed clock is behind the wall clock, negative if it is ahead; with
    /// fixed steps the part of one that has passed; 0 for the others.
    #[must_use]
    pub const fn debt(&self) -> i64 {
        self.debt
    }

    /// Returns how many whole steps have passed; the rest is kept, but for time beyond the most
    /// updates.
    fn whole_steps(&mut self, elapsed: u64, step: u64) -> u32 {
        let step = step.max(1);
        // What is kept is less than a step.
        let passed = self.debt.cast_unsigned().saturating_add(elapsed);
        self.debt = (passed % step).cast_signed();
        (passed / step).min(UPDATES_MAX.into()) as u32
    }

    fn smoothed(&mut self, elapsed: u64) -> u64 {
        self.history[self.next] = elapsed;
        self.next = (self.next + 1) % HISTORY;
        self.known = (self.known + 1).min(HISTORY);
        // Neither is beyond the longest step, which is far from the end of the numbers.
        let mean = self.mean().cast_signed();
        let last = if self.known == 1 { mean } else { self.last.cast_signed() };
        let smooth = last + (mean - last) / LERP_PART;
        self.last = smooth.cast_unsigned();
        let payment_max = smooth / PAYMENT_PART;
        let owed = self.debt + (elapsed.cast_signed() - smooth);
        let payment = (owed / DEBT_PART).clamp(-payment_max, payment_max);
        self.debt = owed - payment;
        (smooth + payment).cast_unsigned()
    }

    /// Returns the mean of the frames that are known, without the outliers once there are enough.
    fn mean(&self) -> u64 {
        let mut sorted = self.history;
        let known = &mut sorted[..self.known];
        known.sort_unstable();
        let kept = if known.len() > 2 * OUTLIERS {
            &known[OUTLIERS..known.len() - OUTLIERS]
        } else {
            &*known
        };
        // At least one is known.
        kept.iter().sum::<u64>() / kept.len() as u64
    }
}
