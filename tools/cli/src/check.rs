//! `loligo check`.

use core::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use loligo_replay::check::{
    self, Answer, Candidate, Checked, Figure, Plan, Promises, ROUNDS_MIN, Ran, promise,
};
use loligo_replay::interrupt;
use loligo_replay::strategies::{StrategyConfig, heap_alone};
use loligo_replay::trace::Limits;

use crate::output::{Output, make_own_folder};
use crate::print::{print, say};
use crate::progress::Line;
#[cfg(feature = "games")]
use crate::project::{ProjectOptions, is_project};
use crate::recording::open_trace;
use crate::selection;

mod usage;

use usage::usage;

/// Runs a program under several allocators in turn, and says which is worth a change; or checks a project of a game.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// A line for the shell, the same work each time; with --crate the program replaces `{}`. Or the folder
    /// of a game: what its sources name and lack is listed, and all that it has is loaded once
    #[arg(value_name = "COMMAND|PROJECT")]
    command: String,

    #[cfg(feature = "games")]
    #[command(flatten)]
    of_project: ProjectOptions,

    /// Strategies to run it under: names of built-in ones, or a file
    #[arg(long, value_name = "FILE.json|NAME")]
    strategies: Option<String>,

    /// The folder of a Rust crate: its program is built from a copy with each of our allocators as the
    /// global one, and nothing of ours is preloaded
    #[arg(long = "crate", value_name = "DIR")]
    manifest: Option<PathBuf>,

    /// Counted rounds of each allocator
    #[arg(long, value_name = "N", default_value_t = 11,
        value_parser = clap::value_parser!(u32).range(i64::from(ROUNDS_MIN)..=1000))]
    rounds: u32,

    /// Where the libraries to preload are built and kept
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    out: PathBuf,

    /// Where the sources of loligo-allocators are [default: where this command was built]
    #[arg(long, value_name = "DIR")]
    allocators: Option<PathBuf>,

    /// A recording of the command: put next to the figures what its replay promises
    #[arg(long, value_name = "TRACE")]
    trace: Option<PathBuf>,

    /// Write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Intervals of processor time that are wider say little.
const NOISE: f64 = 0.2;

/// The folder of the libraries where none is named.
const FOLDER: &str = "loligo-check";

const EXAMPLES: &str = "Examples:
  loligo check 'git log -p -200'                                 own, our heap, and peers that are installed
  loligo check 'python3 job.py' --strategies loligo-advice/job/strategies.json
  loligo check '{} job.json' --crate .                            a Rust program, built with each of ours
  loligo advise job.altrace.zst --check 'python3 job.py'         both in one

Peers are taken where they are installed (Debian: libmimalloc2.0, libjemalloc2, libtcmalloc-minimal4).

Ctrl-C ends it with the rounds so far, if they are enough.

Of a project (docs/guide/compiling.md):
  loligo check samples/10-courtyard                               what is missing, unused, double or large, and what fails
  loligo check samples/10-courtyard --allow unused --page yard.html

Exit status: 0 all went well, 1 something is to be said of a project, 2 it could not be done.
How to read what it prints of a program: docs/guide/choosing-an-allocator.md.";

impl Check {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        #[cfg(feature = "games")]
        if is_project(&self.command) {
            return self.check_project();
        }
        match self.check() {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    #[cfg(feature = "games")]
    fn check_project(&self) -> ExitCode {
        let is_of_program = self.strategies.is_some()
            || self.manifest.is_some()
            || self.trace.is_some()
            || self.json.is_some();
        let checked = match is_of_program {
            true => {
                Err("--strategies, --crate, --trace and --json are for programs; leave them out"
                    .into())
            }
            false => self.of_project.check(Path::new(&self.command)),
        };
        match checked {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn check(&self) -> Result<(), String> {
        #[cfg(feature = "games")]
        if !self.of_project.are_default() {
            return Err(format!(
                "`{}` is no folder with a `game.config`, and --page, --allow and --large are for projects",
                self.command
            ));
        }
        if self.manifest.is_some() && !self.command.contains("{}") {
            return Err(
                "with --crate the command has `{}` in place of the program: '{} --fast job.json'"
                    .into(),
            );
        }
        let strategies = match &self.strategies {
            Some(source) => distinct(checkable(selection::strategies_of(source)?)),
            None => Vec::new(),
        };
        let json = self.json.as_deref().map(Output::prepare).transpose();
        let json = json.map_err(|error| error.to_string())?;
        if self.out == Path::new(FOLDER) {
            make_own_folder(&self.out)?;
        } else {
            let unable = |error| format!("{}: cannot make the folder: {error}", self.out.display());
            fs::create_dir_all(&self.out).map_err(unable)?;
        }
        let plan = Plan {
            command: self.command.clone(),
            rounds: self.rounds,
            folder: self.out.clone(),
            sources: self.allocators.clone().unwrap_or_else(check::sources),
            manifest: self.manifest.clone(),
        };
        interrupt::arm();
        let line = Line::new();
        line.show_work("building what it is run under", 0, 1);
        let checked = check::candidates(&plan, &strategies).and_then(|all| {
            let mut show = |name: &str, done, of| line.step("running", name, done, of);
            check::run(&plan, &all, &mut show).map(|checked| (all, checked))
        });
        line.end();
        let (all, checked) = checked.map_err(|error| error.to_string())?;
        print(&(describe(&checked) + &usage(&checked, &all, self.strategies.as_deref())))?;
        let promises = match &self.trace {
            Some(trace) => promises(trace, &plan, &all, &strategies, &checked)?,
            None => None,
        };
        if let Some(json) = &json {
            write_json(json, &checked, promises.as_ref())?;
        }
        promises.map_or(Ok(()), |promises| print(&describe_promises(&checked, &promises)))
    }
}

/// Replays a recording of the command over what it ran under.
fn promises(
    trace: &Path,
    plan: &Plan,
    all: &[Candidate],
    strategies: &[StrategyConfig],
    checked: &Checked,
) -> Result<Option<Promises>, String> {
    let Some(own) = checked.ran.first() else { return Ok(None) };
    if interrupt::is_asked() {
        say!("loligo: interrupted; nothing is promised");
        return Ok(None);
    }
    let read = || open_trace(trace, Limits::default());
    let line = Line::new();
    line.show_work("building what allocates as was recorded", 0, 1);
    let mut show = |name: &str, done, of| line.step("replaying", name, done, of);
    let promised = promise(plan, all, strategies, &read, own, &mut show);
    line.end();
    promised.map(Some).map_err(|error| error.to_string())
}

/// Writes the figures, and what was promised, as one document.
fn write_json(json: &Output, checked: &Checked, promises: Option<&Promises>) -> Result<(), String> {
    let fail = |error| format!("cannot write the figures as JSON: {error}");
    let mut document = serde_json::to_value(checked).map_err(fail)?;
    if let Some(Promises { share, promised }) = promises {
        document["replay_share"] = (*share).into();
        document["promised"] = serde_json::to_value(promised).map_err(fail)?;
    }
    let mut text = serde_json::to_vec_pretty(&document).map_err(fail)?;
    text.push(b'\n');
    json.write(&text).map_err(|error| error.to_string())
}

/// Returns the strategies that a whole program can run under. Of a call site `malloc` knows nothing,
/// and how large one fixed region should be is not known.
pub(crate) fn checkable(strategies: Vec<StrategyConfig>) -> Vec<StrategyConfig> {
    let (kept, left): (Vec<_>, Vec<_>) =
        strategies.into_iter().partition(StrategyConfig::serves_programs);
    for strategy in left {
        say!(
            "loligo: `{}` chooses by call site, or is in one fixed region; a whole program does not run \
             under it",
            strategy.name
        );
    }
    kept
}

/// Returns the strategies that are not the heap alone, which runs anyway, each tree once.
pub(crate) fn distinct(strategies: Vec<StrategyConfig>) -> Vec<StrategyConfig> {
    let heap = heap_alone();
    let mut kept: Vec<StrategyConfig> = Vec::new();
    for one in strategies {
        if one.tree == heap.tree {
            say!("loligo: `{}` is the heap, which runs anyway", one.name);
        } else if let Some(same) = kept.iter().find(|other| other.tree == one.tree) {
            say!("loligo: `{}` is the same as `{}`", one.name, same.name);
        } else {
            kept.push(one);
        }
    }
    kept
}

/// Describes what was found, the answer first.
pub(crate) fn describe(checked: &Checked) -> String {
    let mut text = answer(checked) + &prices(checked) + &noise(checked);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n{}: {} rounds of each in turn; ratios to the program's own allocator in the same round, and \
         between what they are with 95 %.",
        checked.command, checked.rounds
    );
    let _ = writeln!(
        text,
        "  {:<14} {:>9} {:>6} {:>13}  {:>9} {:>6} {:>13}  {:>9} {:>6} {:>13}",
        "allocator", "cpu s", "of own", "", "elapsed s", "of own", "", "peak MiB", "of own", ""
    );
    for ran in &checked.ran {
        let ratio = |figure: Figure| {
            format!("{:>6.3} {:>13}", figure.ratio, format!("{:.3}..{:.3}", figure.from, figure.to))
        };
        let _ = writeln!(
            text,
            "  {:<14} {:>9.3} {}  {:>9.3} {}  {:>9.1} {}",
            ran.name,
            ran.cpu.median,
            ratio(ran.cpu),
            ran.wall.median,
            ratio(ran.wall),
            ran.peak.median / f64::from(1 << 20),
            ratio(ran.peak)
        );
    }
    text
}

/// Says what to do.
fn answer(checked: &Checked) -> String {
    let Answer { speed, memory } = checked.answer;
    let say = |what: &str, at: usize| {
        let ran = &checked.ran[at];
        format!(
            "For {what}: `{}`, with {:.2} of the processor time and {:.2} of the peak memory.\n",
            ran.name, ran.cpu.ratio, ran.peak.ratio
        )
    };
    match (speed, memory) {
        (0, 0) => {
            "Keep what the program has: nothing that was tried is better by 5 % and more than \
                   the noise.\n"
                .to_owned()
        }
        (speed, 0) => say("speed", speed) + "For memory: keep what the program has.\n",
        (0, memory) => {
            "For speed: keep what the program has.\n".to_owned() + &say("memory", memory)
        }
        (speed, memory) => say("speed", speed) + &say("memory", memory),
    }
}

/// Names what is better in one and costs too much of the other, where nothing is better otherwise.
fn prices(checked: &Checked) -> String {
    let Answer { speed, memory } = checked.answer;
    let least = |of: Of, what: &str, other: Of, price: &str| {
        let fit = checked.ran.iter().skip(1).filter(|ran| of(ran).is_less());
        let one = fit.min_by(|a, b| of(a).ratio.total_cmp(&of(b).ratio))?;
        let (of, other) = (of(one).ratio, other(one).ratio);
        let name = &one.name;
        Some(format!(
            "At a price: `{name}` takes {of:.2} of the {what} for {other:.2} of the {price}.\n"
        ))
    };
    let (cpu, peak): (Of, Of) = (|ran| ran.cpu, |ran| ran.peak);
    let fast = (speed == 0).then(|| least(cpu, "processor time", peak, "peak memory")).flatten();
    let lean = (memory == 0).then(|| least(peak, "peak memory", cpu, "processor time")).flatten();
    [fast, lean].into_iter().flatten().collect()
}

/// One of the figures of an allocator.
type Of = fn(&Ran) -> Figure;

/// Says so if the rounds differ by so much that little can be said.
fn noise(checked: &Checked) -> String {
    let others = checked.ran.iter().skip(1);
    let widest = others.map(|ran| ran.cpu.to - ran.cpu.from).fold(0.0, f64::max);
    if widest <= NOISE {
        return String::new();
    }
    format!(
        "The rounds differ much: some processor times are known to {:.0} % only. Let nothing else run, or take \
         more rounds (--rounds).\n",
        50.0 * widest
    )
}

/// Shows promises next to what was measured.
fn describe_promises(checked: &Checked, promises: &Promises) -> String {
    // Writing to a string cannot fail.
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\nWhat the replay promises of the whole program, and what it did. The replay takes {:.0} % of the \
         program's processor time; what an allocator saves is a part of that, and of the program's cache misses.",
        100.0 * promises.share
    );
    let _ = writeln!(
        text,
        "  {:<14} {:>12} {:>22}  {:>13} {:>22}",
        "allocator", "cpu promised", "measured", "peak promised", "measured"
    );
    for promise in &promises.promised {
        let Some(ran) = checked.ran.iter().find(|ran| ran.name == promise.name) else { continue };
        let measured =
            |figure: Figure| format!("{:.3} ({:.3}..{:.3})", figure.ratio, figure.from, figure.to);
        let _ = writeln!(
            text,
            "  {:<14} {:>12.3} {:>22}  {:>13.3} {:>22}",
            ran.name,
            promise.cpu,
            measured(ran.cpu),
            promise.peak,
            measured(ran.peak)
        );
    }
    text
}

#[cfg(test)]
mod tests;
