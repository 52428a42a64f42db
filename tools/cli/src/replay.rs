//! `loligo replay`.

mod fleet;

use core::fmt::Write as _;
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use loligo_replay::bundled::bundled;
use loligo_replay::fleet::Shard;
use loligo_replay::measure::{MeasureError, Measured, Options, measure};
use loligo_replay::report::{self, ReportDir};
use loligo_replay::results::Results;
use loligo_replay::rows::Row;
use loligo_replay::table::{Table, sentence};
use loligo_replay::threads::{SharedRow, ThreadOptions, WORKERS_MAX, measure_threads};
use loligo_replay::trace::{Ending, Limits, Trace};

use crate::output::{Output, make_own_folder};
use crate::print::{print, say};
use crate::progress::Line;
use crate::selection;
use crate::unpacked::Unpacked;

/// Replays recorded allocations over allocators, strategies and peers, and says which serves them
/// best.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Replay {
    /// Recordings, .altrace or .altrace.zst, and with --shard folders of them; the bundled ones if
    /// none is named
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Strategies to replay: names of built-in ones, files of your own, `none`
    #[arg(long, value_name = "FILE.json|NAMES")]
    strategies: Option<String>,

    /// Peers to compare with: `all` that are compiled in, `none`, or names
    #[arg(
        long,
        value_name = "LIST",
        num_args = 0..=1,
        require_equals = true,
        default_value = "all",
        default_missing_value = "all"
    )]
    peers: String,

    /// Replay the threads of each recording by threads, at most N: of more, several are replayed by
    /// one. Only allocators that serve several threads run [default of N: 64]
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "64",
        value_parser = clap::value_parser!(u16).range(1..=i64::from(WORKERS_MAX))
    )]
    threads: Option<u16>,

    /// Counted rounds of every row
    #[arg(long, value_name = "N", default_value_t = Options::default().rounds,
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,

    /// Fill every block and compare its contents before it is freed
    #[arg(long)]
    verify: bool,

    /// Stop a row whose first round takes more CPU time than this [default: 0.25, or 125 ns an
    /// event]; with --threads more time [default: 1, or 500 ns an event]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    cap: Option<Duration>,

    #[command(flatten)]
    unpacked: Unpacked,

    /// Write the figures as JSON; with --shard into this folder, a file for each recording
    #[arg(long, value_name = "FILE|DIR")]
    json: Option<PathBuf>,

    /// Replay every Nth of the recordings from the Ith on, sorted by name: the share of one of N
    /// processes. Recordings whose result is in the folder of --json already are skipped
    #[arg(long, value_name = "I/N", requires = "json")]
    shard: Option<Shard>,

    /// Show all results in this folder, written with --shard, as one: distributions over recordings
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "files", "strategies", "peers", "threads", "rounds", "verify", "cap", "json", "shard",
    ])]
    merge: Option<PathBuf>,

    /// Write the report, one HTML page, into this folder
    #[arg(long, value_name = "DIR", default_value = "loligo-report")]
    report: PathBuf,
}

const EXAMPLES: &str = "Examples:
  loligo replay                                  the bundled recordings
  loligo replay game.altrace.zst --rounds 9      a recording of your own, more exactly
  loligo replay --strategies mine.json           your strategies and the built-in ones
  loligo replay --strategies none --peers=talc   our allocators and one peer
  loligo replay --verify --json figures.json     contents compared, figures for a program
  loligo replay game.altrace.zst --threads       the recording's threads, each by a thread
  loligo replay game.altrace.zst --threads=4     the same by 4 threads at most
  loligo replay fleet/ --shard 1/4 --json out    a quarter of a folder, a result for each recording
  loligo replay --merge out                      the results of all processes on one page

Exit status: 0 all went well, 1 --verify found something lost, 2 it could not be done.
Strategies are described in docs/reference/strategies.md.";

impl Replay {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.replay() {
            Ok(code) => code,
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn replay(&self) -> Result<ExitCode, String> {
        if let Some(folder) = &self.merge {
            return fleet::merge_results(folder, &self.report);
        }
        if let (Some(shard), Some(folder)) = (self.shard, &self.json) {
            return self.replay_shard(shard, folder);
        }
        let rows = self.choose_rows()?;
        let traces = self.open_traces()?;
        let json = self.json.as_deref().map(Output::prepare).transpose();
        let json = json.map_err(|error| error.to_string())?;
        let report = prepare_report(&self.report)?;

        let measured = self.measure(&traces, &rows).map_err(|error| error.to_string())?;
        let mut text = String::new();
        let mut lost = false;
        for one in &measured {
            let _ = writeln!(text, "{}", Table(&one.result));
            lost |= describe_contents(&mut text, one);
        }
        let results = Results { traces: measured.into_iter().map(|one| one.result).collect() };
        if let Some(json) = &json {
            let mut document = serde_json::to_vec_pretty(&results)
                .map_err(|error| format!("cannot write the figures as JSON: {error}"))?;
            document.push(b'\n');
            json.write(&document).map_err(|error| error.to_string())?;
        }
        let page = report.write(&results, &traces).map_err(|error| error.to_string())?;
        for result in &results.traces {
            let _ = writeln!(text, "{}", sentence(result));
        }
        let _ = writeln!(text, "The report is {}.", page.display());
        print(&text)?;
        Ok(ExitCode::from(u8::from(lost)))
    }

    fn choose_rows(&self) -> Result<Rows, String> {
        if let Some(threads_max) = self.threads {
            let rows = selection::shared_rows(self.strategies.as_deref(), &self.peers)?;
            return Ok(Rows::ByThreads(threads_max, rows));
        }
        let strategies = selection::choose_strategies(self.strategies.as_deref())?;
        let peers = selection::choose_peers(&self.peers)?;
        selection::rows(&strategies, peers).map(Rows::ByOne)
    }

    fn measure(&self, traces: &[Trace], rows: &Rows) -> Result<Vec<Measured>, MeasureError> {
        let line = Line::new();
        let (rounds, verify, cap) = (self.rounds, self.verify, self.cap);
        let measured = match rows {
            Rows::ByOne(rows) => {
                let options = Options { rounds, verify, cap, ..Options::default() };
                measure(traces, rows, &options, &mut |progress| line.show(progress))
            }
            Rows::ByThreads(threads_max, rows) => {
                let options =
                    ThreadOptions { threads_max: *threads_max, rounds, verify, cap, memory: true };
                measure_threads(traces, rows, &options, &mut |progress| line.show(progress))
            }
        };
        line.end();
        measured
    }

    /// Opens the traces, all of them, so that a damaged one is reported before the work starts.
    fn open_traces(&self) -> Result<Vec<Trace>, String> {
        let mut traces = Vec::new();
        let mut refusals = Vec::new();
        let mut keep = |trace: Result<Trace, _>| match trace {
            Ok(trace) => {
                tell_ending(&trace);
                traces.push(trace);
            }
            Err(error) => refusals.push(format!("{error}")),
        };
        if self.files.is_empty() {
            bundled().iter().for_each(|bundle| keep(bundle.open()));
        } else {
            let limits = self.unpacked.limits(Limits::default());
            self.files.iter().for_each(|file| keep(Trace::open_within(file, limits)));
        }
        if refusals.is_empty() { Ok(traces) } else { Err(refusals.join("\nloligo: ")) }
    }
}

/// What is replayed over.
enum Rows {
    /// By one thread.
    ByOne(Vec<Row>),
    /// By at most this number of threads.
    ByThreads(u16, Vec<SharedRow>),
}

/// The folder of the report where none is named.
const REPORT: &str = "loligo-report";

/// Makes the folder of the report. One that the user has not named may have been put there by
/// another.
pub(crate) fn prepare_report(folder: &Path) -> Result<ReportDir, String> {
    if folder == Path::new(REPORT) {
        make_own_folder(folder)?;
    }
    report::prepare(folder).map_err(|error| error.to_string())
}

/// Reports a recording that ends early; what it has is replayed.
pub(crate) fn tell_ending(trace: &Trace) {
    if let Ending::Cut { left_over } = trace.ending() {
        let (name, events) = (&trace.name, trace.events.len());
        say!(
            "loligo: {name} ends early, as of a program that was killed: {events} events are whole, \
             {left_over} bytes left over"
        );
    }
    if let Some(why) = trace.stopped() {
        let name = &trace.name;
        say!("loligo: {name} ends before its program did, and all figures are of that part: {why}");
    }
}

/// Reports what the verifying pass found; returns whether something was lost.
fn describe_contents(text: &mut String, measured: &Measured) -> bool {
    let rows = measured.result.rows.iter().zip(&measured.verified);
    let checked: Vec<_> =
        rows.filter_map(|(row, found)| found.as_ref().map(|found| (row, found))).collect();
    if checked.is_empty() {
        return false;
    }
    let name = &measured.result.name;
    let lost = checked.iter().filter(|(_, found)| !found.losses.is_empty()).count();
    let rows = checked.len();
    // Writing to a string cannot fail.
    let _ = match lost {
        0 => writeln!(text, "{name}: contents verified on {rows} rows, nothing lost."),
        _ => writeln!(text, "{name}: contents verified on {rows} rows, LOST on {lost}:"),
    };
    for (row, found) in checked {
        for loss in &found.losses {
            let _ = writeln!(text, "  {}: {loss}", row.name);
        }
        if found.losses.is_empty() && found.events_done < measured.result.events {
            let done = found.events_done;
            let _ = writeln!(text, "  {}: the first {done} events, then its time was up", row.name);
        }
    }
    text.push('\n');
    lost > 0
}

/// Reads a time in seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if time.is_zero() { Err("must be more than 0".to_owned()) } else { Ok(time) }
}

#[cfg(test)]
mod tests;
