//! `loligo advise`.

mod checking;

use core::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use loligo_replay::advise::profile::{BRIEF, ThreadUse, threads_of};
use loligo_replay::advise::{Advice, Judged, Options, TRAIN_PERCENT, advise, check};
use loligo_replay::interrupt;
use loligo_replay::strategies::{StrategyConfig, emit_rust, to_json};
use loligo_replay::trace::{Limits, Trace};

use crate::output::{Output, make_own_folder};
use crate::print::{print, say};
use crate::progress::Line;
use crate::recording::open_trace;
use crate::replay::prepare_report;
use crate::unpacked::Unpacked;

/// Searches the strategy that suits a recording: replays many on a part of it and judges the best
/// on the rest.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Advise {
    /// A recording, .altrace or .altrace.zst, or the name of a bundled one
    #[arg(value_name = "TRACE")]
    trace: PathBuf,

    /// How many candidates are replayed [default: 60 to 300, by the number of events]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    candidates: Option<u32>,

    /// What draws the candidates from the space
    #[arg(long, value_name = "SEED", default_value_t = Options::default().seed)]
    seed: u64,

    /// How many of them are judged on the part that was held back
    #[arg(long, value_name = "N", default_value_t = Options::default().finalists as u32,
        value_parser = clap::value_parser!(u32).range(1..=100))]
    finalists: u32,

    /// Counted rounds of the judgement
    #[arg(long, value_name = "N", default_value_t = Options::default().rounds,
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,

    #[command(flatten)]
    unpacked: Unpacked,

    /// Where strategies.json and the Rust files go [default: loligo-advice/TRACE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Run the program itself under what was chosen, our heap and installed peers: a line for the
    /// shell that does what was recorded
    #[arg(long, value_name = "COMMAND")]
    check: Option<String>,

    /// With --check, the folder of a Rust crate whose program replaces `{}` in the command and is built
    /// with each allocator as the global one
    #[arg(long = "crate", value_name = "DIR", requires = "check")]
    manifest: Option<PathBuf>,

    /// Write the page with the front, sizes, phases, call sites and memory maps into this folder
    #[arg(long, value_name = "DIR", default_value = "loligo-report")]
    report: PathBuf,
}

const EXAMPLES: &str = "Examples:
  loligo advise game.altrace.zst              strategies.json, speed.rs, memory.rs, latency.rs
  loligo advise lua --candidates 1000         a bundled recording, searched longer
  loligo advise game.altrace --seed 2         other candidates of the same space
  loligo advise job.altrace.zst --check 'python3 job.py'   and what the program itself says of it

Ctrl-C ends the search with the candidates so far, which are then judged.

Exit status: 0 all went well, 2 it could not be done.
How to read what it prints: docs/guide/choosing-an-allocator.md.";

impl Advise {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.advise() {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn advise(&self) -> Result<(), String> {
        let trace = open_trace(&self.trace, self.unpacked.limits(Limits::default()))?;
        check(&trace).map_err(|error| error.to_string())?;
        let folder = self.folder(&trace)?;
        let prepare =
            |name: &str| Output::prepare_own(&folder.join(name)).map_err(|error| error.to_string());
        let strategies = prepare("strategies.json")?;
        let report = prepare_report(&self.report)?;
        let files = [prepare("speed.rs")?, prepare("memory.rs")?, prepare("latency.rs")?];

        let options = Options {
            candidates: self.candidates.map_or_else(|| candidates_for(&trace), |n| n as usize),
            seed: self.seed,
            finalists: self.finalists as usize,
            rounds: self.rounds,
        };
        let line = Line::new();
        interrupt::arm();
        let found = advise(&trace, &options, &mut |what, done, of| line.show_work(what, done, of));
        line.end();
        let advice = found.map_err(|error| error.to_string())?;

        if interrupt::is_asked() {
            say!(
                "loligo: interrupted; what follows is of the candidates that were replayed so far"
            );
        }
        let choices = choices(&advice);
        let names: Vec<StrategyConfig> =
            choices.iter().map(|(name, judged)| strategy(name, judged)).collect();
        let write = |output: &Output, text: String| {
            output.write(text.as_bytes()).map_err(|error| error.to_string())
        };
        write(&strategies, to_json(&names))?;
        for (output, strategy) in files.iter().zip(&names) {
            write(output, emit_rust(strategy))?;
        }
        let mut text = describe(&advice);
        text.push_str(&describe_threads(&trace, &self.trace));
        let _ = writeln!(text, "The strategies and their Rust are in {}.", folder.display());
        let page = report.write_advice(&advice, &trace).map_err(|error| error.to_string())?;
        let _ = writeln!(text, "The report is {}.", page.display());
        if self.check.is_some() {
            text.push('\n');
        }
        print(&text)?;
        match &self.check {
            Some(_) if interrupt::is_asked() => Ok(()),
            Some(command) => {
                checking::check(command, self.manifest.as_deref(), &folder, &self.trace, &names)
            }
            None => Ok(()),
        }
    }

    /// Makes the folder of the strategies.
    fn folder(&self, trace: &Trace) -> Result<PathBuf, String> {
        let Some(folder) = &self.out else {
            let folder = Path::new("loligo-advice").join(&trace.name);
            return make_own_folder(&folder).map(|()| folder);
        };
        let made = fs::create_dir_all(folder).map(|()| folder.clone());
        made.map_err(|error| format!("{}: cannot make the folder: {error}", folder.display()))
    }
}

/// Returns how many candidates are worth their time for a trace.
fn candidates_for(trace: &Trace) -> usize {
    // Twice the events, 30 more.
    let doublings = (trace.events.len() / 2000).max(1).ilog2() as usize;
    (60 + 30 * doublings).min(Options::default().candidates)
}

/// Returns the three choices with their names.
fn choices(advice: &Advice) -> [(&'static str, &Judged); 3] {
    let verdict = advice.verdict;
    [("speed", verdict.speed), ("memory", verdict.memory), ("latency", verdict.latency)]
        .map(|(name, index)| (name, &advice.judged[index]))
}

/// Returns a choice as a strategy of that name; the heap where nothing was better.
fn strategy(name: &str, judged: &Judged) -> StrategyConfig {
    let heap = || loligo_replay::strategies::heap_alone();
    StrategyConfig { name: name.to_owned(), ..judged.strategy.clone().unwrap_or_else(heap) }
}

/// Describes what was found.
fn describe(advice: &Advice) -> String {
    let mut text = String::new();
    let profile = &advice.profile;
    let order = profile.order;
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}: {} events; the first {TRAIN_PERCENT} % are searched on, the rest is held back.",
        advice.trace, advice.events
    );
    let _ = writeln!(
        text,
        "Seen: {} kinds of blocks{}, {} phases, {:.0} % of blocks die within {BRIEF} events; {:.0} % of \
         frees take the youngest block, {:.0} % the oldest.",
        profile.sizes.len(),
        match profile.sites.len() {
            0 => String::new(),
            sites => format!(" from {sites} call sites"),
        },
        profile.phases.len(),
        order.brief * 100.0,
        order.last_in * 100.0,
        order.first_in * 100.0
    );
    let replayed = advice.tried.len() - 1;
    let failed = advice.tried.iter().skip(1).filter(|one| one.figures.is_none()).count();
    let _ = writeln!(
        text,
        "Searched: a space of {} strategies; {} dropped by the sizes alone, {replayed} replayed, {failed} \
         of these refused a request or took too long.\n",
        advice.space, advice.dropped
    );
    front(&mut text, advice);
    for (what, judged) in choices(advice) {
        let sentence = match &judged.strategy {
            None => "the heap; nothing that was tried is better by 5 % and more than the noise"
                .to_owned(),
            Some(strategy) => format!(
                "{}, with {:.2} ({:.2}..{:.2}) of the heap's time above the empty loop and {:.2} of its bytes \
                 above the live ones; worst operation {:.0} ns",
                strategy.name,
                judged.time_ratio,
                judged.time_range.0,
                judged.time_range.1,
                judged.bytes_ratio,
                judged.worst_ns
            ),
        };
        let _ = writeln!(text, "For {what}: {sentence}.");
    }
    if let Some(peer) = advice.verdict.peer.and_then(|at| advice.judged.get(at)) {
        let _ = writeln!(
            text,
            "Best of all for speed: {}, which is not ours, with {:.2} of the heap's time and {:.2} of its bytes.",
            peer.name, peer.time_ratio, peer.bytes_ratio
        );
    }
    text.push_str(
        "Each was verified: every block kept its contents, and no request was refused. These are figures of \
         the allocator alone; --check 'COMMAND' runs the program.\n",
    );
    text
}

/// Describes what the threads of the recording mean for the choice; nothing for one thread.
fn describe_threads(trace: &Trace, path: &Path) -> String {
    let ThreadUse { threads, frees, foreign_frees } = threads_of(trace);
    if threads < 2 {
        return String::new();
    }
    let foreign = foreign_frees as f64 / frees.max(1) as f64 * 100.0;
    format!(
        "{threads} threads allocate, and {foreign:.0} % of frees are of another thread's block. A strategy \
         serves one thread, or all under a lock; for all of them together there is ThreadHeap, a heap for \
         each thread. `loligo replay {} --threads` measures both.\n",
        path.display()
    )
}

/// Shows what no other beats in time, bytes and worst operation at once, and the heap.
fn front(text: &mut String, advice: &Advice) {
    let _ = writeln!(
        text,
        "On the part held back, whose live bytes peak at {}; what no other beats, and the heap:",
        advice.peak_live_bytes
    );
    let _ = writeln!(
        text,
        "  {:<14} {:>9} {:>8} {:>12} {:>8} {:>9}",
        "strategy", "ns/event", "of heap", "bytes above", "of heap", "worst ns"
    );
    let mut shown: Vec<&Judged> =
        advice.judged.iter().filter(|one| one.is_on_front || one.strategy.is_none()).collect();
    shown.sort_by(|a, b| a.time_ratio.total_cmp(&b.time_ratio));
    for one in shown {
        let name = one.strategy.as_ref().map_or(&*one.name, |strategy| &*strategy.name);
        let _ = writeln!(
            text,
            "  {name:<14} {:>9.2} {:>8.2} {:>12.0} {:>8.2} {:>9.0}",
            one.ns_above, one.time_ratio, one.bytes_above, one.bytes_ratio, one.worst_ns
        );
    }
    text.push('\n');
}
