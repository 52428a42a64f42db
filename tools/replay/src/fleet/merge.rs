//! All results of a folder as one: distributions over recordings.

use core::error::Error;
use core::fmt;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Distribution;
use super::kept::{Kept, KeptError, Machine, RunOptions};
use crate::results::{Kind, RowResult, TraceResult};
use crate::sheet::{Line, Section, Sheet};
use crate::table::grouped;

/// The rows that others are divided by: the first that there is.
const BASELINES: [&str; 3] = ["system", "heap", "locked-heap"];

/// The results of a fleet, all of the same options.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The results by the name of the recording.
    pub results: Vec<Kept>,
}

/// Reads all results of a folder, the files that end in `.json`.
///
/// # Errors
///
/// [`MergeError`] if the folder cannot be read, holds no result, holds a file that is none or is
/// damaged (all such are named), or results of different options.
pub fn merge(folder: &Path) -> Result<Merged, MergeError> {
    let mut files = Vec::new();
    let fail = |error| MergeError::Folder(folder.to_owned(), error);
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".json") && !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    let (mut results, mut damaged) = (Vec::new(), Vec::new());
    for file in &files {
        match Kept::read(file) {
            Ok(kept) => results.push(kept),
            Err(error) => damaged.push(error),
        }
    }
    if !damaged.is_empty() {
        return Err(MergeError::Damaged(damaged));
    }
    let Some(first) = results.first() else {
        return Err(MergeError::Empty(folder.to_owned()));
    };
    let other = results.iter().position(|kept| kept.options != first.options);
    if let Some(place) = other {
        let what = difference(&first.options, &results[place].options);
        return Err(MergeError::Mixed(files[0].clone(), files[place].clone(), what));
    }
    Ok(Merged { results })
}

/// Returns what differs between the options of two results.
fn difference(one: &RunOptions, other: &RunOptions) -> String {
    let threads = |options: &RunOptions| {
        options.threads.map_or_else(|| "none".to_owned(), |threads| threads.to_string())
    };
    if one.rounds != other.rounds {
        format!("{} and {} rounds", one.rounds, other.rounds)
    } else if one.threads != other.threads {
        format!("--threads {} and {}", threads(one), threads(other))
    } else if one.verify != other.verify {
        "one with --verify and one without".to_owned()
    } else if one.rows != other.rows {
        "different rows".to_owned()
    } else if one.strategies != other.strategies {
        "strategies of the same names with different parameters".to_owned()
    } else {
        "different caps".to_owned()
    }
}

impl Merged {
    /// Returns `true` if a row lost contents on a recording.
    #[must_use]
    pub fn has_losses(&self) -> bool {
        self.results.iter().any(|kept| !kept.losses.is_empty())
    }

    /// Returns the tables: distributions of time, memory and the worst operation, what failed, and
    /// a line for each recording.
    #[must_use]
    pub fn sheet(&self) -> Sheet {
        let first = &self.results[0];
        let count = self.results.len();
        let title = match count {
            1 => "One recording".to_owned(),
            count => format!("{count} recordings"),
        };
        let mut sections = vec![self.time(), self.memory()];
        sections.extend([self.worst(), self.failures()].into_iter().flatten());
        sections.push(self.recordings());
        let findings = [("time", &sections[0]), ("memory", &sections[1])];
        let findings = findings.into_iter().filter_map(|(what, section)| {
            let best = section.lines.first()?;
            let (row, median, wins) = (&best.cells[0], &best.cells[2], best.cells.last()?);
            let sentence =
                format!("`{row}` has the least median, {median}; best on {wins} of {count}.");
            Some((what.to_owned(), sentence))
        });
        let findings = findings.collect();
        Sheet { title, lede: self.lede(&first.options), findings, sections }
    }

    fn lede(&self, options: &RunOptions) -> String {
        let machines: BTreeSet<&Machine> = self.results.iter().map(|kept| &kept.machine).collect();
        let machines: Vec<String> = machines
            .iter()
            .map(|machine| format!("{} ({} cores)", machine.processor, machine.cores))
            .collect();
        let by = match options.threads {
            Some(threads) => format!("by {threads} threads at most"),
            None => "by one thread".to_owned(),
        };
        let verified = if options.verify { ", contents compared" } else { "" };
        let rounds = match options.rounds {
            1 => "1 round".to_owned(),
            rounds => format!("{rounds} rounds"),
        };
        format!("Replayed {by}, {rounds}{verified}. Measured on {}.", machines.join("; "))
    }

    fn time(&self) -> Section {
        let baseline = BASELINES.iter().find(|name| self.has_row(name)).copied();
        let note = match baseline {
            Some(name) => format!(
                "time of an event, divided by that of `{name}` on the same recording: median over \
                 recordings, quartiles, the best and the worst recording, and on how many the row \
                 is the quickest"
            ),
            None => "time of an event, ns, over recordings".to_owned(),
        };
        self.distributions("Time", &note, 3, &|result, row| {
            let own = row.ns_per_event?.median;
            let Some(baseline) = baseline else { return Some(own) };
            let baseline = result.rows.iter().find(|row| row.name == baseline)?;
            let ns = baseline.ns_per_event.filter(|ns| is_whole(baseline) && ns.median > 0.0)?;
            Some(own / ns.median)
        })
    }

    fn memory(&self) -> Section {
        let note = "peak of resident bytes divided by the peak of live bytes, as above";
        self.distributions("Memory", note, 3, &|_, row| row.memory_ratio)
    }

    /// Returns the table of worst operations, which a replay by threads does not measure.
    fn worst(&self) -> Option<Section> {
        let note = "the longest operation, ns, as above";
        let section = self.distributions("Worst call", note, 0, &|_, row| row.worst_ns);
        (!section.lines.is_empty()).then_some(section)
    }

    /// Returns the distribution of a figure for each row that served recordings whole, least median
    /// first.
    fn distributions(
        &self,
        heading: &str,
        note: &str,
        decimals: usize,
        figure: &dyn Fn(&TraceResult, &RowResult) -> Option<f64>,
    ) -> Section {
        let mut figures: BTreeMap<&str, Vec<(f64, String)>> = BTreeMap::new();
        let mut wins: BTreeMap<&str, usize> = BTreeMap::new();
        for kept in &self.results {
            let result = kept.result();
            let rows = result.rows.iter().filter(|row| row.kind != Kind::Loop && is_whole(row));
            let of = rows.filter_map(|row| Some((&*row.name, figure(result, row)?)));
            let of: Vec<(&str, f64)> = of.collect();
            let best = of.iter().min_by(|one, other| one.1.total_cmp(&other.1));
            if let Some((row, _)) = best {
                *wins.entry(row).or_default() += 1;
            }
            for (row, figure) in of {
                figures.entry(row).or_default().push((figure, result.name.clone()));
            }
        }
        let spreads =
            figures.iter().filter_map(|(row, figures)| Some((*row, Distribution::of(figures)?)));
        let mut spreads: Vec<(&str, Distribution)> = spreads.collect();
        spreads.sort_by(|one, other| one.1.median.total_cmp(&other.1.median));
        let head = [
            "row",
            "recordings",
            "median",
            "1st quartile",
            "3rd",
            "best",
            "in",
            "worst",
            "in",
            "wins",
        ];
        let mut section = Section::new(heading, note, head);
        let number = |figure: f64| format!("{figure:.decimals$}");
        section.lines.extend(spreads.iter().map(|(row, spread)| {
            Line::new([
                (*row).to_owned(),
                spread.count.to_string(),
                number(spread.median),
                number(spread.first_quartile),
                number(spread.third_quartile),
                number(spread.least.0),
                spread.least.1.clone(),
                number(spread.greatest.0),
                spread.greatest.1.clone(),
                wins.get(row).copied().unwrap_or(0).to_string(),
            ])
        }));
        section
    }

    /// Returns what rows did not serve and what was lost; `None` if that is nothing.
    fn failures(&self) -> Option<Section> {
        let note = "these rows are left out above on these recordings";
        let mut section = Section::new("Not served", note, ["recording", "row", "what"]);
        for kept in &self.results {
            let result = kept.result();
            for row in result.rows.iter().filter(|row| !is_whole(row)) {
                let what = match (row.capped, row.refused.unwrap_or(0)) {
                    (true, _) => format!("stopped after {} events", grouped(row.events_done)),
                    (false, refused) => format!("refused {} requests", grouped(refused)),
                };
                section.lines.push(Line::new([&*result.name, &*row.name, &what]));
            }
            for loss in &kept.losses {
                let line = Line::new([&*result.name, "-", &format!("LOST {loss}")]);
                section.lines.push(line.marked(true));
            }
        }
        (!section.lines.is_empty()).then_some(section)
    }

    fn recordings(&self) -> Section {
        let head =
            ["recording", "events", "peak live bytes", "quickest", "ns", "least memory", "ratio"];
        let mut section = Section::new("Recordings", "the best row of each", head);
        for kept in &self.results {
            let result = kept.result();
            let best = |figure: &dyn Fn(&RowResult) -> Option<f64>| {
                let rows = result.rows.iter().filter(|row| row.kind != Kind::Loop && is_whole(row));
                rows.filter_map(|row| Some((&*row.name, figure(row)?)))
                    .min_by(|one, other| one.1.total_cmp(&other.1))
            };
            let cells = |best: Option<(&str, f64)>, decimals: usize| match best {
                Some((row, figure)) => [row.to_owned(), format!("{figure:.decimals$}")],
                None => ["-".to_owned(), "-".to_owned()],
            };
            let time = cells(best(&|row| Some(row.ns_per_event?.median)), 2);
            let memory = cells(best(&|row| row.memory_ratio), 3);
            let about =
                [result.name.clone(), grouped(result.events), grouped(result.peak_live_bytes)];
            section.lines.push(Line::new(about.into_iter().chain(time).chain(memory)));
        }
        section
    }

    fn has_row(&self, name: &str) -> bool {
        self.results[0].options.rows.iter().any(|row| row == name)
    }
}

/// Returns `true` if the row served the whole recording.
fn is_whole(row: &RowResult) -> bool {
    !row.capped && row.refused.is_none_or(|refused| refused == 0)
}

/// Why results cannot be merged.
#[derive(Debug)]
#[non_exhaustive]
pub enum MergeError {
    /// The folder cannot be read.
    Folder(PathBuf, io::Error),
    /// There is no result in it.
    Empty(PathBuf),
    /// Files that are no results, or damaged: all of them.
    Damaged(Vec<KeptError>),
    /// Two results of different options, and what differs.
    Mixed(PathBuf, PathBuf, String),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path, error) => {
                write!(f, "{}: cannot read the results: {error}", path.display())
            }
            Self::Empty(path) => write!(
                f,
                "{}: no result is there; `loligo replay --shard 1/1 --json {} FILES` writes some",
                path.display(),
                path.display()
            ),
            Self::Damaged(errors) => {
                let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join("\n"))
            }
            Self::Mixed(one, other, what) => write!(
                f,
                "{} and {} were measured with different options: {what}; measure all with the same, \
                 or keep them in two folders",
                one.display(),
                other.display()
            ),
        }
    }
}

impl Error for MergeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Folder(_, error) => Some(error),
            Self::Damaged(errors) => errors.first().map(|error| error as _),
            Self::Empty(_) | Self::Mixed(..) => None,
        }
    }
}
