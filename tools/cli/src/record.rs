//! `loligo record`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use loligo_replay::record::{Child, Program, RecordError, RecordedProgram, Settings, run};

use crate::output::Output;
use crate::print::say;
use crate::recording;

/// Records what a program allocates, for `loligo replay`.
///
/// The program runs as it would without the recorder, with its usual input, output and exit status.
/// A summary of the recording goes to standard error.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Record {
    /// Where to [default: PROGRAM.altrace.zst]; compressed if it ends in .zst
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Stop recording after N events; the program goes on
    #[arg(long, value_name = "N", default_value_t = Settings::default().max_events,
        value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    max_events: u64,

    /// Record the processes that it starts, too, each to a file with its number in the name
    #[arg(long)]
    children: bool,

    /// The program, by name or path, and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true,
        value_names = ["PROGRAM", "ARGS"])]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "Examples:
  loligo record -- git log -p                      to git.altrace.zst
  loligo record -o game.altrace -- ./game level3   to a file of your choice, uncompressed
  loligo record --children -- make                 also make's children, to make.123.altrace.zst ..

Exit status: the program's own, 128 and its number if a signal ended it; 2 it could not be recorded.
Temporary files take up to 96 bytes an event, in TMPDIR. docs/guide/recording.md has more.";

impl Record {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.record() {
            Ok(code) => ExitCode::from(code),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn record(&self) -> Result<u8, String> {
        let (name, arguments) = self.command.split_first().ok_or("name a program")?;
        let program = Program::find(name).map_err(|error| error.to_string())?;
        let (path, output) = match &self.output {
            Some(path) => (path.clone(), Output::prepare(path)),
            None => {
                let path = default_path(name);
                let output = Output::prepare_own(&path);
                (path, output)
            }
        };
        let output = output.map_err(|error| error.to_string())?;
        let settings = Settings { max_events: self.max_events, children: self.children };
        let ran = run(&program, arguments, &settings).map_err(|error| error.to_string())?;
        let written = recording::write(&output, |out| ran.write(out));
        let summary = written.map_err(|error| error.to_string())?.map_err(|e| e.to_string())?;
        tell_run(&ran);
        recording::tell(output.path(), &summary);
        for child in ran.children() {
            write_child(&path, child)?;
        }
        Ok(ran.exit_code())
    }
}

/// Reports what a reader of the recording should know of the run.
fn tell_run(ran: &RecordedProgram) {
    say!("loligo: the program ran for {:.2} s: {}", ran.time.as_secs_f64(), ran.status);
    if ran.replaced > 0 {
        say!("loligo: it became another program by exec; the last one is recorded");
    }
    if let Some(why) = ran.stopped() {
        say!("loligo: the recording ends before the program did: {why}");
    }
}

fn write_child(path: &Path, child: &Child) -> Result<(), String> {
    let path = child_path(path, child.process);
    let output = Output::prepare_own(&path).map_err(|error| error.to_string())?;
    let written = recording::write(&output, |out| child.write(out));
    let summary = written.map_err(|error| error.to_string())?;
    let summary = summary.map_err(|error: RecordError| error.to_string())?;
    let (process, events, program) = (child.process, summary.events, child.program());
    say!("loligo: {}: process {process}, {events} events: {program}", path.display());
    Ok(())
}

/// Returns the file for a program whose recording was given no name.
fn default_path(program: &OsString) -> PathBuf {
    let mut name = Path::new(program).file_name().unwrap_or(program).to_owned();
    name.push(".altrace.zst");
    name.into()
}

/// Returns the file for a child: `make.altrace.zst` becomes `make.123.altrace.zst`, so that it
/// still says what it is and how to read it.
fn child_path(path: &Path, process: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let endings = [".altrace.zst", ".altrace", ".zst", ""];
    let ending = endings.into_iter().find(|ending| name.ends_with(ending)).unwrap_or_default();
    let stem = &name[..name.len() - ending.len()];
    path.with_file_name(format!("{stem}.{process}{ending}"))
}

#[cfg(test)]
mod tests;
