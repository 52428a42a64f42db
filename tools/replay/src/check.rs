//! The program itself under allocators: what no replay can say for certain.
//!
//! A replay knows the allocator's time, and not the program's caches, locks and inlining. So the
//! command is run under each allocator in turn, round after round, and each run is compared with
//! that of the same round under the program's own allocator.
//!
//! 1. [`allocators`] are the program's own, our heap, strategies, and peers that are installed, each
//!    but the first a library that is preloaded; `libraries` builds ours.
//!    For a Rust program `rust` builds the program itself with each of ours.
//! 2. `sample` runs the command once and takes its processor time, elapsed time and peak memory.
//! 3. [`compare`] makes of the rounds ratios with intervals, and of these the answer.
//! 4. [`predict`] says what a replay of the recording promises; `as_recorded` builds what replays it.

pub mod allocators;
mod as_recorded;
pub mod compare;
mod libraries;
pub mod predict;
mod rust;
mod sample;
mod source_copy;
mod workspace;

use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::io;
use std::path::PathBuf;

pub use allocators::Candidate;
pub use compare::{Answer, Checked, Figure, Ran};
pub use predict::{Promise, Promises, promise};
pub use sample::Sample;

use crate::interrupt;
pub use crate::sources::sources;

/// The least number of rounds: with fewer there is no interval of 95 %.
pub const ROUNDS_MIN: u32 = 9;

/// What is run how often.
#[derive(Clone, Debug)]
pub struct Plan {
    /// A line for the shell.
    pub command: String,
    /// Counted rounds of each allocator.
    pub rounds: u32,
    /// Where libraries are built and kept.
    pub folder: PathBuf,
    /// Where the sources of `loligo-allocators` are.
    pub sources: PathBuf,
    /// The folder of a crate whose program is built with each allocator and replaces `{}` in the
    /// command; without one allocators are preloaded.
    pub manifest: Option<PathBuf>,
}

/// Why a program cannot be checked.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// The shell cannot be started, or the system gives no figures.
    System(io::Error),
    /// A library cannot be built.
    Library {
        /// What was tried.
        what: String,
        /// What went wrong.
        cause: String,
    },
    /// The sources of `loligo-allocators` are not where they were.
    NoSources(PathBuf),
    /// The recording that is to be replayed cannot be read.
    Recording(String),
    /// The program ends otherwise than before.
    Ends {
        /// The allocator under which it ran.
        allocator: String,
        /// How it ended.
        ended: String,
        /// How it ended the first time.
        first: String,
    },
    /// Somebody asked for the results before there were enough.
    Interrupted {
        /// How many rounds were whole.
        rounds: usize,
    },
    /// The program has its own allocator, or none is loaded into it.
    NotUsed {
        /// The command.
        command: String,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => write!(f, "the command cannot be run: {error}"),
            Self::Library { what, cause } => write!(
                f,
                "{what} cannot be built; `cargo` and a linker are needed, and the packages that Loligo was \
                 built from:\n{cause}"
            ),
            Self::NoSources(path) => write!(
                f,
                "the sources of loligo-allocators are not in {}, where they were as this command was \
                 built; name them with --allocators DIR",
                path.display()
            ),
            Self::Recording(why) => write!(f, "{why}"),
            Self::Ends { allocator, ended, first } => write!(
                f,
                "under `{allocator}` the program {ended}, and the first time it {first}; check a command \
                 that ends alike each time"
            ),
            Self::Interrupted { rounds } => write!(
                f,
                "interrupted after {rounds} rounds; {ROUNDS_MIN} are needed to say anything"
            ),
            Self::NotUsed { command } => write!(
                f,
                "`{command}` asks no preloaded allocator for memory: it is linked statically, runs with \
                 another user's rights, or has its own allocator. A Rust program: take its \
                 `#[global_allocator]` out, or check its crate with --crate DIR"
            ),
        }
    }
}

impl Error for CheckError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System(error) => Some(error),
            _ => None,
        }
    }
}

/// Runs a command under each candidate, in turn, in as many rounds as the plan has, and compares.
/// `progress` is called with the candidate, and how many runs of how many are done.
///
/// # Errors
///
/// [`CheckError`] if the command cannot be run, or ends otherwise under one of them.
pub fn run(
    plan: &Plan,
    candidates: &[Candidate],
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Checked, CheckError> {
    let count = candidates.len();
    let rounds = plan.rounds.max(ROUNDS_MIN) as usize;
    let mut first: Option<String> = None;
    let mut most = sample::LONGEST;
    let mut samples = vec![Vec::with_capacity(rounds); count];
    // The first round warms the files that the program reads, and is not counted.
    'rounds: for round in 0..=rounds {
        for turn in 0..count {
            // Each round begins with another, so that none always follows the same.
            let at = (turn + round) % count;
            let candidate = &candidates[at];
            progress(&candidate.name, round * count + turn, (rounds + 1) * count);
            let (sample, ended) = sample::take(candidate, &plan.command, most)?;
            if interrupt::is_asked() {
                break 'rounds;
            }
            let before = first.get_or_insert_with(|| {
                // An allocator under which it takes so much longer has stopped it.
                most = Duration::from_secs_f64(10.0 + 20.0 * sample.wall);
                ended.clone()
            });
            if *before != ended {
                return Err(CheckError::Ends {
                    allocator: candidate.name.clone(),
                    first: before.clone(),
                    ended,
                });
            }
            if round > 0 {
                samples[at].push(sample);
            }
        }
    }
    let whole = samples.iter().map(Vec::len).min().unwrap_or(0);
    if whole < ROUNDS_MIN as usize {
        return Err(CheckError::Interrupted { rounds: whole });
    }
    samples.iter_mut().for_each(|samples| samples.truncate(whole));
    let names = candidates.iter().map(|candidate| candidate.name.clone());
    Ok(compare::compare(&plan.command, names.zip(samples).collect()))
}

/// Makes the candidates: the program's own allocator, our heap, the strategies, and peers that are
/// installed.
///
/// # Errors
///
/// [`CheckError`] if a library cannot be built, or the program does not use it.
pub fn candidates(
    plan: &Plan,
    strategies: &[crate::strategies::StrategyConfig],
) -> Result<Vec<Candidate>, CheckError> {
    if let Some(manifest) = &plan.manifest {
        let mut all = rust::build(plan, manifest, strategies)?;
        let is_system = |one: &&Candidate| one.name == rust::SYSTEM;
        let own = all.iter().find(is_system).or(all.first()).and_then(|own| own.program.clone());
        let peers = allocators::installed().into_iter();
        all.extend(peers.map(|peer| Candidate { program: own.clone(), ..peer }));
        return Ok(all);
    }
    let mut all = vec![Candidate::own()];
    let ours = libraries::build(plan, strategies)?;
    if let Some(heap) = ours.first()
        && !sample::is_used(heap, &plan.command, &plan.folder)?
    {
        return Err(CheckError::NotUsed { command: plan.command.clone() });
    }
    all.extend(ours);
    all.extend(allocators::installed());
    Ok(all)
}

#[cfg(test)]
mod tests;
