//! `loligo replay --shard` and `--merge`: many recordings by many processes.

use core::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use loligo_replay::fleet::{self, RunOptions, Shard, Task, recordings};
use loligo_replay::rows::Row;
use loligo_replay::threads::SharedRow;
use loligo_replay::trace::{Limits, Trace};

use super::{Replay, Rows, prepare_report, tell_ending};
use crate::print::{print, say};
use crate::selection;

/// The file of the page.
const PAGE: &str = "merged.html";

impl Replay {
    /// Replays the recordings of a share that have no result in `folder` yet.
    pub(super) fn replay_shard(&self, shard: Shard, folder: &Path) -> Result<ExitCode, String> {
        let rows = self.choose_rows()?;
        let recordings = recordings(&self.files).map_err(|error| error.to_string())?;
        fleet::prepare(folder)?;
        let options = self.run_options(&rows)?;
        let task = Task {
            recordings: &recordings,
            shard,
            folder,
            limits: self.unpacked.limits(Limits::default()),
            options: &options,
        };
        let mut measure = |trace: &Trace| {
            tell_ending(trace);
            let mut measured = self.measure(core::slice::from_ref(trace), &rows)?;
            Ok(measured.pop().expect("one recording has one result"))
        };
        let done = fleet::run(&task, &mut measure, &mut |step| {
            let what = if step.is_skipped { "is done" } else { "is replayed" };
            say!("loligo: {} of {}: {} {what}", step.number, step.of, step.name);
        });
        let mut text = String::new();
        for lost in &done.lost {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "LOST {lost}");
        }
        let (measured, skipped, folder) = (done.measured, done.skipped, folder.display());
        let _ = writeln!(
            text,
            "{measured} measured, {skipped} done before, {} failed; the results are in {folder}, \
             and `loligo replay --merge {folder}` shows all.",
            done.failed.len()
        );
        print(&text)?;
        if !done.failed.is_empty() {
            return Err(done.failed.join("\nloligo: "));
        }
        Ok(ExitCode::from(u8::from(!done.lost.is_empty())))
    }

    /// Returns what the results depend on.
    fn run_options(&self, rows: &Rows) -> Result<RunOptions, String> {
        let (names, strategies) = match rows {
            Rows::ByOne(rows) => {
                let names = rows.iter().map(Row::name).map(str::to_owned).collect();
                (names, selection::choose_strategies(self.strategies.as_deref())?)
            }
            Rows::ByThreads(_, rows) => {
                (rows.iter().map(SharedRow::name).map(str::to_owned).collect(), Vec::new())
            }
        };
        Ok(RunOptions {
            rows: names,
            strategies: RunOptions::fingerprint(&strategies),
            rounds: self.rounds,
            threads: self.threads,
            verify: self.verify,
            cap_ns: self.cap.map(|cap| u64::try_from(cap.as_nanos()).unwrap_or(u64::MAX)),
        })
    }
}

/// Shows all results of a folder as tables and on a page.
pub(super) fn merge_results(folder: &Path, report: &Path) -> Result<ExitCode, String> {
    let merged =
        fleet::merge(folder).map_err(|error| error.to_string().replace('\n', "\nloligo: "))?;
    let report = prepare_report(report)?;
    let sheet = merged.sheet();
    let page = report.write_sheet(PAGE, "replay", &sheet).map_err(|error| error.to_string())?;
    print(&format!("{sheet}\nThe page is {}.\n", page.display()))?;
    Ok(ExitCode::from(u8::from(merged.has_losses())))
}
