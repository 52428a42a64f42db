//! Rounds compared: ratios to the program's own allocator, with intervals, and what to do.

use serde::{Deserialize, Serialize};

use super::Sample;
use crate::interval::interval;

/// What is within this of the program's own is no reason to change a program.
const WORTH: f64 = 0.05;

/// A figure of an allocator: its median, and its ratio to the program's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The median of the rounds, in seconds or bytes.
    pub median: f64,
    /// The median of the rounds' ratios.
    pub ratio: f64,
    /// Between these the true ratio is, with 95 %.
    pub from: f64,
    /// As above.
    pub to: f64,
}

impl Figure {
    /// Returns `true` if it is less than the program's own by more than the noise and 5 %.
    #[must_use]
    pub fn is_less(&self) -> bool {
        self.to < 1.0 && self.ratio <= 1.0 - WORTH
    }

    /// Returns `true` if it is more than the program's own by more than 5 %, for all that is known.
    #[must_use]
    pub fn may_be_more(&self) -> bool {
        self.ratio > 1.0 + WORTH
    }
}

/// An allocator under which the program ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// Its name.
    pub name: String,
    /// Processor time.
    pub cpu: Figure,
    /// Elapsed time.
    pub wall: Figure,
    /// Peak memory.
    pub peak: Figure,
}

/// What a program took under each allocator, its own first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// The command.
    pub command: String,
    /// How many rounds were counted.
    pub rounds: usize,
    /// The allocators.
    pub ran: Vec<Ran>,
    /// Which of them are worth a change.
    pub answer: Answer,
}

/// What to do, as indices of the allocators; 0 is to keep what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The least processor time, with memory that is not 5 % more.
    pub speed: usize,
    /// The least memory, with processor time that is not 5 % more.
    pub memory: usize,
}

impl Answer {
    /// Names what is worth a change, among allocators of which the first is the program's own.
    pub(super) fn of(ran: &[Ran]) -> Self {
        let least = |of: fn(&Ran) -> Figure, other: fn(&Ran) -> Figure| {
            let fit = ran.iter().enumerate().skip(1);
            let fit = fit.filter(|(_, ran)| of(ran).is_less() && !other(ran).may_be_more());
            fit.min_by(|(_, a), (_, b)| of(a).ratio.total_cmp(&of(b).ratio)).map_or(0, |(at, _)| at)
        };
        Self {
            speed: least(|ran| ran.cpu, |ran| ran.peak),
            memory: least(|ran| ran.peak, |ran| ran.cpu),
        }
    }
}

/// Compares the samples of each allocator with those of the first, round by round.
pub(super) fn compare(command: &str, samples: Vec<(String, Vec<Sample>)>) -> Checked {
    let own = samples.first().map(|(_, own)| own.clone()).unwrap_or_default();
    let ran = samples.into_iter().map(|(name, samples)| {
        let figure = |of: fn(&Sample) -> f64| {
            let ratios = samples.iter().zip(&own).map(|(one, own)| of(one) / of(own).max(1e-9));
            let mut ratios: Vec<f64> = ratios.collect();
            let mut values: Vec<f64> = samples.iter().map(of).collect();
            ratios.sort_by(f64::total_cmp);
            values.sort_by(f64::total_cmp);
            let (from, to) = interval(&ratios);
            Figure { median: median(&values), ratio: median(&ratios), from, to }
        };
        Ran {
            name,
            cpu: figure(|sample| sample.cpu),
            wall: figure(|sample| sample.wall),
            peak: figure(|sample| sample.peak),
        }
    });
    let ran: Vec<Ran> = ran.collect();
    let answer = Answer::of(&ran);
    Checked { command: command.to_owned(), rounds: own.len(), ran, answer }
}

/// Returns the median of sorted values.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        count if count.is_multiple_of(2) => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}
