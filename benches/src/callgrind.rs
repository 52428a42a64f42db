//! Counting instructions, where the clock is too noisy: this program runs itself under callgrind.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::ValueEnum;

use crate::outcome::Reading;
use crate::work::batch;

/// What runs under callgrind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Counted {
    /// Random free and allocate of our pool, in turns.
    Churn,
    /// The same loop with nothing in place of the pool.
    ChurnEmpty,
    /// Random frees of our pool in batches, then as many allocations.
    Batch,
    /// The same loop with nothing in place of the pool.
    BatchEmpty,
    /// Walks over lists with one item a node, as they come.
    ListsUnsettled1,
    /// Walks over such lists that have settled.
    ListsSettled1,
    /// Walks over lists with four items a node, as they come.
    ListsUnsettled4,
    /// Walks over such lists that have settled.
    ListsSettled4,
    /// A pass of `frame/mixed` by our frame.
    FrameMixed,
    /// The same by bumpalo.
    FrameMixedPeer,
    /// A pass of `frame/values` by our frame.
    FrameValues,
    /// The same by bumpalo.
    FrameValuesPeer,
    /// A pass of `frame/growing` by our frame.
    FrameGrowing,
    /// A pass of `frame/lifo256` by our frame.
    FrameStacks,
    /// The same by the bare cursor.
    FrameStacksPeer,
}

/// Pairs of the shorter and of the longer run. The difference is what counts: making and dropping
/// the pool is the same in both.
const TIMES: [u32; 2] = [2, 6];

/// Measures `pool/instructions`: a free and the allocation after it, in turns, which is what the
/// row names. The note has the same in batches, where the pool's bits are searched.
pub(crate) fn pool_instructions() -> Reading {
    let figure = |loaded, empty| Ok(pairs(loaded)? - pairs(empty)?);
    let both = figure(Counted::Churn, Counted::ChurnEmpty).and_then(|churn| {
        let batch = figure(Counted::Batch, Counted::BatchEmpty)?;
        Ok((churn, batch))
    });
    match both {
        Ok((churn, batch)) => Reading::Alone {
            figures: vec![churn],
            note: Some(format!("in turns {churn:.1}, in batches {batch:.1}")),
        },
        Err(why) => Reading::Unmeasured(why),
    }
}

/// Measures `containers/listpool/misses`: cache misses of a walk over lists with the given number
/// of items a node, settled over unsettled.
pub(crate) fn list_misses<const K: usize>() -> Reading {
    let [unsettled, settled] = match K {
        1 => [Counted::ListsUnsettled1, Counted::ListsSettled1],
        _ => [Counted::ListsUnsettled4, Counted::ListsSettled4],
    };
    let both = walk_misses(unsettled).and_then(|unsettled| Ok((unsettled, walk_misses(settled)?)));
    match both {
        Ok((unsettled, settled)) => Reading::Alone {
            figures: vec![settled / unsettled],
            note: Some(format!("misses a walk: unsettled {unsettled:.0}, settled {settled:.0}")),
        },
        Err(why) => Reading::Unmeasured(why),
    }
}

/// Returns the misses of reading data in the first level, in one walk.
fn walk_misses(counted: Counted) -> Result<f64, String> {
    let [short, long] = TIMES;
    let more = read_misses(counted, long)? as f64 - read_misses(counted, short)? as f64;
    Ok(more / f64::from(long - short))
}

/// Caches that are simulated where misses are counted, so that they are the same everywhere.
const CACHES: [&str; 4] =
    ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];

/// Runs this program under callgrind and returns how many reads missed the first level.
fn read_misses(counted: Counted, times: u32) -> Result<u64, String> {
    let text = callgrind(counted, times, &CACHES)?;
    event(&text, "D1mr").ok_or_else(|| "callgrind counted no misses".to_owned())
}

/// Returns the total of an event of what callgrind writes.
fn event(text: &str, name: &str) -> Option<u64> {
    let events = text.lines().find_map(|line| line.strip_prefix("events:"))?;
    let place = events.split_whitespace().position(|event| event == name)?;
    let totals = text.lines().find_map(|line| line.strip_prefix("totals:"))?;
    totals.split_whitespace().nth(place)?.parse().ok()
}

/// Returns the instructions of a pair.
fn pairs(counted: Counted) -> Result<f64, String> {
    let [short, long] = TIMES;
    let more = instructions(counted, long)? as f64 - instructions(counted, short)? as f64;
    Ok(more / f64::from((long - short) * batch::PAIRS))
}

/// Runs this program under callgrind and returns how many instructions it took.
fn instructions(counted: Counted, times: u32) -> Result<u64, String> {
    let text = callgrind(counted, times, &[])?;
    event(&text, "Ir").ok_or_else(|| "callgrind wrote no total".to_owned())
}

/// Runs this program under callgrind and returns what that wrote.
fn callgrind(counted: Counted, times: u32, options: &[&str]) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let out = OutFile::new(counted, times);
    let name = counted.to_possible_value();
    let name = name.ok_or("a workload has no name")?;
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .args(options)
        .arg(format!("--callgrind-out-file={}", out.0.display()))
        .arg(program)
        .args(["--counted", name.get_name()])
        .args(["--times", &times.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|_| "valgrind is not installed: nothing counted".to_owned())?;
    if !status.success() {
        return Err(format!("valgrind ended with {status}"));
    }
    fs::read_to_string(&out.0).map_err(|error| error.to_string())
}

/// A file for callgrind's output, removed when it is no longer needed.
struct OutFile(PathBuf);

impl OutFile {
    fn new(counted: Counted, times: u32) -> Self {
        let id = std::process::id();
        let name = format!("loligo-callgrind-{id}-{counted:?}-{times}");
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        // It may not be there where callgrind did not run.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests;
