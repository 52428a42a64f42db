//! `loligo record`.

use core::time::Duration;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use loligo_replay::books::Summary;
use loligo_replay::record::{
    After, Child, Program, RecordError, RecordedProgram, STACK_DEPTH_MAX, Settings, StackMethod,
    StackSettings, run,
};

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

    /// Record call stacks, too: by frame pointers, for programs that are compiled with them, or by
    /// the C library's unwinder, which is slower
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true,
        default_missing_value = "frames")]
    stacks: Option<Stacks>,

    /// The most callers of a call site in a stack
    #[arg(long, value_name = "N", default_value_t = StackSettings::default().depth,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(STACK_DEPTH_MAX)))]
    stack_depth: u32,

    /// Begin late: with a mark of the program (`mark=N`), after N events (`event=N`), or after a
    /// time (`2.5s`)
    #[arg(long, value_name = "WHEN", value_parser = parse_after)]
    after: Option<After>,

    /// The program, by name or path, and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true,
        value_names = ["PROGRAM", "ARGS"])]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Stacks {
    /// By frame pointers (-fno-omit-frame-pointer, -C force-frame-pointers)
    Frames,
    /// By the unwinder of the C library
    Unwind,
}

const EXAMPLES: &str = "Examples:
  loligo record -- git log -p                      to git.altrace.zst
  loligo record -o game.altrace -- ./game level3   to a file of your choice, uncompressed
  loligo record --children -- make                 also make's children, to make.123.altrace.zst ..
  loligo record --stacks=unwind -- git log -p      with call stacks, for `loligo show`
  loligo record --after mark=100 -- ./game         from the 100th frame on, by its marks

Exit status: the program's own, 128 and its number if a signal ended it; 1 it ended well, but brings
another allocator, so that next to nothing was recorded; 2 it could not be recorded.
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
        let settings = self.settings();
        let ran = run(&program, arguments, &settings).map_err(|error| error.to_string())?;
        tell_run(&ran, &path);
        let written = recording::write(&output, |out| ran.write(out));
        let summary = written.map_err(|error| error.to_string())?.map_err(|e| e.to_string())?;
        recording::tell(output.path(), &summary);
        for child in ran.children() {
            write_child(&path, child)?;
        }
        let is_useless = tell_missed(&ran, &summary)?;
        Ok(match ran.exit_code() {
            0 => u8::from(is_useless),
            code => code,
        })
    }

    fn settings(&self) -> Settings {
        let depth = self.stack_depth;
        let stacks = self.stacks.map(|stacks| match stacks {
            Stacks::Frames => StackSettings { method: StackMethod::Frames, depth },
            Stacks::Unwind => StackSettings { method: StackMethod::Unwinder, depth },
        });
        Settings {
            max_events: self.max_events,
            children: self.children,
            stacks,
            after: self.after.unwrap_or_default(),
        }
    }
}

/// Reads when a recording is to begin.
fn parse_after(text: &str) -> Result<After, String> {
    let number = |text: &str| {
        text.parse::<u64>().map_err(|_| format!("`{text}` is no number from 0 to 2^64 - 1"))
    };
    if let Some(mark) = text.strip_prefix("mark=") {
        return number(mark).map(After::Mark);
    }
    if let Some(count) = text.strip_prefix("event=") {
        return number(count).map(After::Events);
    }
    let seconds = text.strip_suffix('s').and_then(|seconds| seconds.parse::<f64>().ok());
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.map(After::Time).ok_or_else(|| "give `mark=N`, `event=N`, or a time such as `2.5s`".into())
}

/// Reports that the program brings another allocator, where next to nothing was recorded; returns
/// `true` if the recording is of no use.
fn tell_missed(ran: &RecordedProgram, summary: &Summary) -> Result<bool, String> {
    let other = ran.other_allocator(summary).map_err(|error| error.to_string())?;
    if let Some(other) = other {
        say!(
            "loligo: WARNING: {} of {} events are the program's own. {other}, and the recorder sees \
             only the C library's malloc; {}",
            summary.program_events,
            summary.events,
            other.remedy()
        );
        return Ok(ran.is_useless(summary));
    }
    if ran.is_memory_missed(summary) {
        say!(
            "loligo: WARNING: the program, or one that it has started, had up to {} MiB in memory, and \
             {} KiB of it were recorded: it may bring another allocator, or take pages by mmap; the \
             recorder sees only the C library's malloc",
            ran.peak_memory_bytes >> 20,
            summary.peak_bytes >> 10
        );
    } else if ran.has_python_pools().map_err(|error| error.to_string())? {
        say!(
            "loligo: note: Python serves objects of up to 512 bytes from its own pools, and these are not \
             recorded; they are with PYTHONMALLOC=malloc: env PYTHONMALLOC=malloc loligo record .."
        );
    } else if ran.is_of_libraries_only(summary) {
        say!(
            "loligo: note: no event is the program's own, all are of libraries; if it allocates at all, \
             it brings another allocator, which its symbols do not name"
        );
    }
    Ok(false)
}

/// Reports what a reader of the recording should know of the run. Names of call sites are looked up
/// as the file is written, which takes seconds for millions of events.
fn tell_run(ran: &RecordedProgram, path: &Path) {
    say!("loligo: the program ran for {:.2} s: {}", ran.time.as_secs_f64(), ran.status);
    if ran.replaced > 0 {
        say!("loligo: it became another program by exec; the last one is recorded");
    }
    if ran.stacks_lost() > 0 {
        say!(
            "loligo: the table of stacks was full: {} events have only their call site",
            ran.stacks_lost()
        );
    }
    say!("loligo: writing {} ..", path.display());
}

fn write_child(path: &Path, child: &Child) -> Result<(), String> {
    let path = child_path(path, child.process);
    let output = Output::prepare_own(&path).map_err(|error| error.to_string())?;
    let written = recording::write(&output, |out| child.write(out));
    let summary = written.map_err(|error| error.to_string())?;
    let summary = summary.map_err(|error: RecordError| error.to_string())?;
    let (process, events, program) = (child.process, summary.events, child.program());
    say!("loligo: {}: process {process}, {events} events: {program}", path.display());
    if let Some(why) = summary.stopped {
        say!("loligo: the recording of process {process} ends before the process did: {why}");
    }
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
