//! The rows of the scoreboard: what each measures, and what it is to reach.

pub mod animation;
pub mod buddy;
pub mod compiler;
pub mod containers;
pub mod cost;
pub mod diagnostics;
pub mod engine;
pub mod entities;
pub mod expressions;
pub mod frame;
pub mod heap;
pub mod ids;
pub mod monitor;
pub mod offsets;
pub mod page;
pub mod physics;
pub mod pool;
pub mod render;
pub mod resources;
pub mod script;
pub mod shared;
pub mod sjson;
pub mod sound;
pub mod tasks;

use crate::contender::{Contender, Race, interleave};
use crate::outcome::{Aim, Outcome, Reading};
use crate::replayed::{Question, Replayed};

/// What a row's figures are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Instructions.
    Instructions,
    /// Attempts.
    Tries,
    /// Memory in MiB.
    Mib,
    /// Bytes of memory for each live byte.
    BytesPerLiveByte,
    /// Live bytes in each byte of the region.
    LiveBytesPerByte,
    /// Bytes of memory for each item.
    BytesPerItem,
    /// Bytes of what was compressed for each byte of what it became.
    RawBytesPerByte,
    /// Adjacent links of all links.
    AdjacentPerLink,
    /// Cache misses of one of two things for each miss of the other.
    MissesPerMiss,
    /// Time for each moment of the least that it could take.
    TimePerBound,
    /// Time for each moment that a single task takes.
    TimePerTask,
    /// CPU time for each moment of time on the wall.
    CpuPerWall,
    /// Decibels.
    Decibels,
}

impl Unit {
    /// Returns what the JSON and the table call it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::Instructions => "instructions",
            Self::Tries => "tries",
            Self::Mib => "MiB",
            Self::BytesPerLiveByte => "bytes/live byte",
            Self::LiveBytesPerByte => "live bytes/byte",
            Self::BytesPerItem => "bytes/item",
            Self::RawBytesPerByte => "raw bytes/byte",
            Self::AdjacentPerLink => "adjacent/link",
            Self::MissesPerMiss => "misses/miss",
            Self::TimePerBound => "time/bound",
            Self::TimePerTask => "time/task",
            Self::CpuPerWall => "CPU/wall",
            Self::Decibels => "dB",
        }
    }

    /// Returns how many nanoseconds make one of a unit of time; 1 for what is not measured in
    /// nanoseconds.
    const fn ns(self) -> f64 {
        match self {
            Self::Us => 1e3,
            Self::Ms => 1e6,
            _ => 1.0,
        }
    }
}

/// How a row is measured.
#[derive(Clone, Debug)]
pub(crate) enum Measure {
    /// Ours and its peers in turns.
    Race(fn() -> Race),
    /// The same with and without something, in turns; the difference is the figure.
    Added(fn() -> [Contender; 2]),
    /// Ours, with no peer.
    Alone(fn() -> Contender),
    /// Once, with no peer.
    Once(fn() -> Reading),
    /// On recorded traces.
    Replay(Question),
}

/// A row of the scoreboard.
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    unit: Unit,
    aim: Aim,
    measure: Measure,
    note: Option<String>,
}

impl Row {
    pub(crate) fn new(name: impl Into<String>, unit: Unit, aim: Aim, measure: Measure) -> Self {
        Self { name: name.into(), unit, aim, measure, note: None }
    }

    /// Adds what a reader of the table should know, unless measuring has something to say itself.
    pub(crate) fn noted(self, note: String) -> Self {
        Self { note: Some(note), ..self }
    }

    /// Returns the row's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the contenders of a row that is a race, ours first; `None` for other rows.
    #[must_use]
    pub fn contenders(&self) -> Option<Vec<Contender>> {
        match &self.measure {
            Measure::Race(make) => {
                let race = make();
                Some(core::iter::once(race.ours).chain(race.peers).collect())
            }
            Measure::Added(make) => Some(make().into()),
            Measure::Alone(make) => Some(vec![make()]),
            Measure::Once(_) | Measure::Replay(_) => None,
        }
    }

    /// Measures the row and judges it.
    #[must_use]
    pub fn measure(&self, rounds: u32, replayed: &mut Replayed) -> Outcome {
        let reading = match &self.measure {
            Measure::Race(make) => race(make, rounds, self.unit),
            Measure::Added(make) => added(make, rounds, self.unit),
            Measure::Alone(make) => alone(make, rounds, self.unit),
            Measure::Once(measure) => measure(),
            Measure::Replay(question) => replayed.answer(question, rounds),
        };
        let mut outcome = Outcome::of(&self.name, self.unit.label(), &self.aim, reading);
        outcome.note = outcome.note.or_else(|| self.note.clone());
        outcome
    }
}

/// After this number of rounds the contenders are recreated: the addresses of their memory move a
/// figure by more than the rounds do, so one address must not decide a row.
const ROUNDS_IN_PLACE: u32 = 3;

/// Runs a race and puts its figures into the row's unit.
fn race(make: impl Fn() -> Race, rounds: u32, unit: Unit) -> Reading {
    let mut ours = Vec::new();
    let mut peers: Vec<(String, Vec<f64>)> = Vec::new();
    let mut absent = Vec::new();
    for rounds in portions(rounds) {
        let mut race = make();
        let mut turns: Vec<&mut Contender> =
            core::iter::once(&mut race.ours).chain(&mut race.peers).collect();
        let mut figures = interleave(&mut turns, rounds).into_iter();
        extend(&mut ours, figures.next().unwrap_or_default(), unit);
        for (index, (peer, figures)) in race.peers.iter().zip(figures).enumerate() {
            if index == peers.len() {
                peers.push((peer.name().to_owned(), Vec::new()));
            }
            extend(&mut peers[index].1, figures, unit);
        }
        absent = race.absent;
    }
    Reading::Raced { ours, peers, absent }
}

/// Runs both ways in turns and takes the difference within each round.
fn added(make: impl Fn() -> [Contender; 2], rounds: u32, unit: Unit) -> Reading {
    let mut figures = Vec::new();
    for rounds in portions(rounds) {
        let [mut with, mut without] = make();
        if let [with, without] = &interleave(&mut [&mut with, &mut without], rounds)[..] {
            let added = with.iter().zip(without).map(|(with, without)| with - without);
            extend(&mut figures, added.collect(), unit);
        }
    }
    Reading::Alone { figures, note: None }
}

/// Runs ours and takes its figures as they are.
fn alone(make: impl Fn() -> Contender, rounds: u32, unit: Unit) -> Reading {
    let mut figures = Vec::new();
    for rounds in portions(rounds) {
        for ns in interleave(&mut [&mut make()], rounds) {
            extend(&mut figures, ns, unit);
        }
    }
    Reading::Alone { figures, note: None }
}

/// Returns the rounds in portions of [`ROUNDS_IN_PLACE`].
fn portions(rounds: u32) -> impl Iterator<Item = u32> {
    let whole = core::iter::repeat_n(ROUNDS_IN_PLACE, (rounds / ROUNDS_IN_PLACE) as usize);
    let rest = rounds % ROUNDS_IN_PLACE;
    whole.chain((rest > 0).then_some(rest))
}

/// Appends figures in nanoseconds in another unit.
fn extend(all: &mut Vec<f64>, ns: Vec<f64>, unit: Unit) {
    all.extend(ns.into_iter().map(|ns| ns / unit.ns()));
}

/// Returns all rows, in the order of the table, with those of the traces of these names.
#[must_use]
pub fn all(traces: &[String]) -> Vec<Row> {
    let mut rows = heap::rows(traces);
    rows.extend(pool::rows());
    rows.extend(shared::rows());
    rows.extend(frame::rows());
    rows.extend(buddy::rows());
    rows.extend(offsets::rows());
    rows.extend(page::rows());
    rows.extend(cost::rows());
    rows.extend(ids::rows());
    rows.extend(containers::rows());
    rows.extend(animation::rows());
    rows.extend(compiler::rows());
    rows.extend(diagnostics::rows());
    rows.extend(engine::rows());
    rows.extend(entities::rows());
    rows.extend(expressions::rows());
    rows.extend(monitor::rows());
    rows.extend(physics::rows());
    rows.extend(render::rows());
    rows.extend(resources::rows());
    rows.extend(script::rows());
    rows.extend(sjson::rows());
    rows.extend(sound::rows());
    rows.extend(tasks::rows());
    rows
}

/// Picks the rows whose names are or begin with one of `wanted`, all of them if nothing is wanted,
/// in the order of the table.
///
/// # Errors
///
/// The first of `wanted` that no row's name begins with.
pub fn select(rows: Vec<Row>, wanted: &[String]) -> Result<Vec<Row>, UnknownRow> {
    let begins = |row: &Row, start: &String| row.name.starts_with(start.as_str());
    for start in wanted {
        if !rows.iter().any(|row| begins(row, start)) {
            return Err(UnknownRow {
                wanted: start.clone(),
                known: rows.into_iter().map(|row| row.name).collect(),
            });
        }
    }
    let is_wanted = |row: &Row| wanted.is_empty() || wanted.iter().any(|start| begins(row, start));
    Ok(rows.into_iter().filter(is_wanted).collect())
}

/// A row was asked for that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRow {
    /// What was asked for.
    pub wanted: String,
    /// The rows there are.
    pub known: Vec<String>,
}

impl core::fmt::Display for UnknownRow {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "no row is called `{}`; the rows are", self.wanted)?;
        for name in &self.known {
            write!(f, "\n  {name}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownRow {}

#[cfg(test)]
mod tests;
