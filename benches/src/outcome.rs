//! From figures, round by round, to a row of the scoreboard: medians, ratios, reached or not.
//!
//! # How a row is judged
//!
//! A round gives one ratio for each peer: our figure of that round over the peer's of the same
//! round. The row's ratio is the median over the rounds, against the peer over which it is
//! greatest: the best peer. `spread` is the distance between the quartiles of that ratio.
//!
//! A row is reached when that median meets the target. Differences under 5 % count as equal: a
//! ratio of times that is above the target by less than 5 % of it cannot be distinguished from the
//! target, and counts as reached; the printed table says `within 5 %` instead of `yes` there. What
//! is counted and not timed (instructions, bytes) is exact and must meet the target itself.
//!
//! Rows without a peer are held to their own figure. Where the table says what it is over (peak
//! live bytes, the region) the figure is the ratio; else the ratio is `null`.
//!
//! Where a peer that belongs to the row is not compiled in, or what measures is not installed, the
//! row is not judged: `peer` and `ratio` are `null` and it is not reached.

use serde::Serialize;

/// How much above its target a timed figure may be and still count as equal.
const EQUAL: f64 = 0.05;

/// What a figure is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The same figure of a peer.
    Peer,
    /// A number of the workload itself, such as its live bytes: the figure is a ratio already.
    Itself,
    /// Nothing: the figure has a unit and no ratio.
    Nothing,
}

/// What a row is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// What decides.
    pub target: f64,
    /// What we go for.
    pub goal: f64,
    /// What the figure is over.
    pub over: Over,
    /// Whether more is better.
    pub at_least: bool,
    /// Whether the figure is a time, which noise may move, and not a count.
    pub timed: bool,
}

impl Aim {
    /// Returns the aim of a time over a peer's.
    #[must_use]
    pub const fn over_peer(target: f64, goal: f64) -> Self {
        Self { target, goal, over: Over::Peer, at_least: false, timed: true }
    }

    /// Returns the aim of a time that is not divided by a peer's.
    #[must_use]
    pub const fn time(target: f64, goal: f64) -> Self {
        Self { over: Over::Nothing, ..Self::over_peer(target, goal) }
    }

    /// Returns the aim of a count that is not divided by a peer's.
    #[must_use]
    pub const fn count(target: f64, goal: f64) -> Self {
        Self { timed: false, ..Self::time(target, goal) }
    }

    /// Returns the aim of a ratio of bytes.
    #[must_use]
    pub const fn bytes(target: f64, goal: f64) -> Self {
        Self { over: Over::Itself, ..Self::count(target, goal) }
    }

    /// Compares `figure` with the target and the goal.
    #[must_use]
    pub fn judge(&self, figure: f64) -> Verdict {
        let meets = |bound: f64| {
            if self.at_least { figure >= bound } else { figure <= bound }
        };
        if meets(self.goal) {
            Verdict::Goal
        } else if meets(self.target) {
            Verdict::Reached
        } else if self.timed && figure < self.target * (1.0 + EQUAL) {
            Verdict::Equal
        } else {
            Verdict::Missed
        }
    }
}

/// The result of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// At the goal, so at the target too.
    Goal,
    /// At the target.
    Reached,
    /// Above the target by less than counts.
    Equal,
    /// Not at the target.
    Missed,
    /// Not judged.
    Open,
}

impl Verdict {
    /// Returns what the printed table shows.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Goal => "yes, goal",
            Self::Reached => "yes",
            Self::Equal => "within 5 %",
            Self::Missed => "NO",
            Self::Open => "-",
        }
    }

    /// Returns `true` if the row counts as reached.
    #[must_use]
    pub const fn is_reached(self) -> bool {
        matches!(self, Self::Goal | Self::Reached | Self::Equal)
    }
}

/// What measuring a row gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// Figures round by round, ours and those of each peer.
    Raced {
        /// Ours.
        ours: Vec<f64>,
        /// Each peer's name and figures, of the same rounds.
        peers: Vec<(String, Vec<f64>)>,
        /// The peers that are not compiled in.
        absent: Vec<&'static str>,
    },
    /// Figures without a peer: one, or one a round.
    Alone {
        /// The figures.
        figures: Vec<f64>,
        /// What else a reader should know.
        note: Option<String>,
    },
    /// Nothing, and why.
    Unmeasured(String),
}

impl Reading {
    /// Returns the reading of a single figure.
    #[must_use]
    pub fn single(figure: f64) -> Self {
        Self::Alone { figures: vec![figure], note: None }
    }
}

/// A row of the scoreboard, as the JSON has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The row's name.
    pub row: String,
    /// Our figure, the median over the rounds.
    pub ours: Option<f64>,
    /// What the figures are in.
    pub unit: &'static str,
    /// The best peer's figure, the median over the rounds.
    pub best_peer: Option<f64>,
    /// The best peer's name; `None` where a peer is missing.
    pub peer: Option<String>,
    /// The median over the rounds of ours over the peer's.
    pub ratio: Option<f64>,
    /// The distance between the quartiles of what is held to the target.
    pub spread: Option<f64>,
    /// What decides.
    pub target: f64,
    /// What we go for.
    pub goal: f64,
    /// Whether the target is met.
    pub reached: bool,
    /// The result of the row, for the table.
    #[serde(skip)]
    pub verdict: Verdict,
    /// What a reader of the table should know.
    #[serde(skip)]
    pub note: Option<String>,
}

impl Outcome {
    /// Judges what was measured.
    #[must_use]
    pub fn of(row: &str, unit: &'static str, aim: &Aim, reading: Reading) -> Self {
        let mut outcome = Self {
            row: row.to_owned(),
            ours: None,
            unit,
            best_peer: None,
            peer: None,
            ratio: None,
            spread: None,
            target: aim.target,
            goal: aim.goal,
            reached: false,
            verdict: Verdict::Open,
            note: None,
        };
        match reading {
            Reading::Raced { ours, peers, absent } => outcome.race(aim, &ours, &peers, &absent),
            Reading::Alone { figures, note } => {
                outcome.ours = median(&figures);
                outcome.spread = quartile_distance(&figures);
                outcome.note = note;
                if aim.over == Over::Itself {
                    outcome.ratio = outcome.ours;
                }
                outcome.decide(aim, outcome.ours);
            }
            Reading::Unmeasured(why) => outcome.note = Some(why),
        }
        outcome
    }

    fn race(
        &mut self,
        aim: &Aim,
        ours: &[f64],
        peers: &[(String, Vec<f64>)],
        absent: &[&'static str],
    ) {
        self.ours = median(ours);
        if !absent.is_empty() {
            let names = absent.join(" and ");
            self.note = Some(format!("without {names}: build with the feature peers-all"));
            return;
        }
        let best = peers
            .iter()
            .filter_map(|(name, theirs)| {
                let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
                Some((median(&ratios)?, ratios, name, theirs))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((ratio, ratios, name, theirs)) = best else {
            self.note = Some("no peer has run".to_owned());
            return;
        };
        self.best_peer = median(theirs);
        self.peer = Some(name.clone());
        self.ratio = Some(ratio);
        self.spread = quartile_distance(&ratios);
        self.decide(aim, Some(ratio));
    }

    fn decide(&mut self, aim: &Aim, figure: Option<f64>) {
        if let Some(figure) = figure.filter(|figure| figure.is_finite()) {
            self.verdict = aim.judge(figure);
            self.reached = self.verdict.is_reached();
        }
    }
}

/// The whole document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scoreboard {
    /// The rows in the order in which they were measured.
    pub rows: Vec<Outcome>,
}

/// Returns the middle of the values (of an even count, the mean of the two in the middle).
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Returns the distance between the first and the third quartile.
#[must_use]
pub fn quartile_distance(values: &[f64]) -> Option<f64> {
    Some(quantile(values, 0.75)? - quantile(values, 0.25)?)
}

/// Returns the value at `share` of the way through the sorted values, between two of them by their
/// weighted mean.
fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    let part = place - place.floor();
    Some(sorted[below] + (sorted[above] - sorted[below]) * part)
}

#[cfg(test)]
mod tests;
