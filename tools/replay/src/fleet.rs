//! Many recordings, replayed by several processes, and their results in one page.
//!
//! Each process takes every Nth recording of the same list ([`Shard`]), replays one at a time in a
//! child process, and keeps each result as a separate file ([`Kept`]). What is there already is
//! not measured again, so a process that was stopped goes on where it was. [`merge`] reads the files
//! of all processes, from however many machines they come.

mod distribution;
mod kept;
mod merge;
mod recordings;
mod shard;

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::child;
use crate::measure::{MeasureError, Measured};
use crate::results::TraceResult;
use crate::trace::{Limits, Trace};
use crate::unfinished::Unfinished;

pub use distribution::Distribution;
pub use kept::{Kept, KeptError, KeptErrorKind, Machine, RecordingFile, RunOptions};
pub use merge::{MergeError, Merged, merge};
pub use recordings::{Recording, RecordingsError, recordings};
pub use shard::{Shard, ShardError};

/// Makes the folder of the results, with those above it, and tries to write a file into it.
///
/// # Errors
///
/// In words, if either fails.
pub fn prepare(folder: &Path) -> Result<(), String> {
    let shown = folder.display();
    fs::create_dir_all(folder)
        .map_err(|error| format!("{shown}: cannot make the folder of results: {error}"))?;
    Unfinished::create(folder, "result").map(drop).map_err(|error| {
        format!("{shown}: cannot write there: {error}; name a folder that may be written")
    })
}

/// What one process has to do.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// All recordings of the fleet, as [`recordings`] sorts them.
    pub recordings: &'a [Recording],
    /// Which of them are this process's.
    pub shard: Shard,
    /// Where results are kept. It is there and can be written to.
    pub folder: &'a Path,
    /// How much a compressed recording may become.
    pub limits: Limits,
    /// What is measured, and how.
    pub options: &'a RunOptions,
}

/// What happens to a recording, for a line of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The recording's name.
    pub name: &'a str,
    /// Its number among those of this process, from 1.
    pub number: usize,
    /// How many this process has.
    pub of: usize,
    /// Whether its result is there already.
    pub is_skipped: bool,
}

/// What a process did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Recordings that were measured.
    pub measured: usize,
    /// Recordings whose result was there.
    pub skipped: usize,
    /// Recordings whose blocks lost contents on a row, with `verify`; this run's and those kept.
    pub lost: Vec<String>,
    /// Recordings without a result, and why.
    pub failed: Vec<String>,
}

/// Replays the recordings of a shard that have no result yet. `measure` is called in a child
/// process, one for each recording, so that no allocator finds what another recording left.
///
/// A recording that cannot be replayed, or whose result file is another's, does not end the others.
pub fn run(
    task: &Task<'_>,
    measure: &mut dyn FnMut(&Trace) -> Result<Measured, MeasureError>,
    progress: &mut dyn FnMut(Step<'_>),
) -> Done {
    let own: Vec<&Recording> = task
        .recordings
        .iter()
        .enumerate()
        .filter_map(|(place, recording)| task.shard.takes(place).then_some(recording))
        .collect();
    let mut done = Done::default();
    for (index, recording) in own.iter().enumerate() {
        let step = |is_skipped| Step {
            name: &recording.name,
            number: index + 1,
            of: own.len(),
            is_skipped,
        };
        match one(task, recording, measure, &mut || progress(step(false))) {
            Ok((kept, is_new)) => {
                if is_new {
                    done.measured += 1;
                } else {
                    done.skipped += 1;
                    progress(step(true));
                }
                let lost = kept.losses.iter().map(|loss| format!("{}: {loss}", recording.name));
                done.lost.extend(lost);
            }
            Err(reason) => done.failed.push(reason),
        }
    }
    done
}

/// Returns the result of a recording, and whether it was measured now.
fn one(
    task: &Task<'_>,
    recording: &Recording,
    measure: &mut dyn FnMut(&Trace) -> Result<Measured, MeasureError>,
    begin: &mut dyn FnMut(),
) -> Result<(Kept, bool), String> {
    let file = recording.file().map_err(|error| error.to_string())?;
    let place = task.folder.join(recording.result_name());
    match Kept::read(&place) {
        Ok(kept) if kept.options == *task.options && kept.recording == file => {
            return Ok((kept, false));
        }
        // Of other options, or of an older recording of that name: ours, and to be replaced.
        Ok(_) => {}
        Err(error) if error.is_missing() => {}
        Err(error) => return Err(error.to_string()),
    }
    begin();
    let answer = in_child(&recording.path, task.limits, measure)?;
    let kept = Kept::new(task.options.clone(), file, answer.result, answer.losses);
    kept.write(&place).map_err(|error| error.to_string())?;
    Ok((kept, true))
}

/// What a child answers.
#[derive(Serialize, Deserialize)]
struct Answer {
    result: TraceResult,
    losses: Vec<String>,
}

fn in_child(
    path: &Path,
    limits: Limits,
    measure: &mut dyn FnMut(&Trace) -> Result<Measured, MeasureError>,
) -> Result<Answer, String> {
    let mut work = || -> Result<Answer, String> {
        let trace = Trace::open_within(path, limits).map_err(|error| error.to_string())?;
        let measured = measure(&trace).map_err(|error| error.to_string())?;
        let rows = measured.result.rows.iter().zip(&measured.verified);
        let losses = rows.flat_map(|(row, found)| {
            let losses = found.iter().flat_map(|found| &found.losses);
            losses.map(|loss| format!("{}: {loss}", row.name))
        });
        let losses = losses.collect();
        Ok(Answer { result: measured.result, losses })
    };
    let shown = path.display();
    let answer = child::run(|| serde_json::to_vec(&work()).map_err(io::Error::from))
        .map_err(|error| format!("{shown}: the system starts no process: {error}"))?;
    let answer = answer.and_then(|answer| serde_json::from_slice(&answer).ok());
    answer.unwrap_or_else(|| {
        Err(format!(
            "{shown}: the process that replayed it died; find the row with fewer --strategies and \
             --peers"
        ))
    })
}

#[cfg(test)]
mod tests;
