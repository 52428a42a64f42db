//! One target, run by libFuzzer, and what it said.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::outcome::Failure;
use crate::workspace;

/// The longest input, in bytes: some hundred operations.
pub(super) const INPUT_MAX: u32 = 2048;

/// What became of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// Its name.
    pub(super) target: String,
    /// The seconds of processor time that it took.
    pub(super) seconds: u64,
    /// How often it was run.
    pub(super) executions: u64,
    /// The branches and comparisons that the inputs it began with reach.
    pub(super) coverage_before: u64,
    /// Those that are reached in the end.
    pub(super) coverage_after: u64,
    /// The inputs that are kept in the end.
    pub(super) inputs: u64,
    /// What failed.
    pub(super) finding: Option<Finding>,
}

/// What a run is asked for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// libFuzzer's option for its end: after a number of seconds or of executions.
    pub(super) end: String,
    /// Where the fuzzer's chance begins; each has another run.
    pub(super) seed: u32,
}

/// An input that makes a target fail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Finding {
    /// The line that says what went wrong.
    pub(super) what: String,
    /// The input.
    pub(super) input: Option<PathBuf>,
}

impl Run {
    /// Runs a target with what else is asked for. What it finds out is kept in `found`.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot start, or ends without having run.
    pub(super) fn of(
        target: &str,
        programs: &Path,
        folder: &Path,
        found: &Path,
        asked: &Asked,
    ) -> Result<Self, Failure> {
        let found = found.join(target);
        let findings = folder.join("findings");
        for path in [&found, &findings] {
            fs::create_dir_all(path)
                .map_err(|error| Failure::io("cannot make a folder", &error))?;
        }
        let fuzz = workspace::root().join("fuzz");
        let mut command = Command::new(programs.join(target));
        command.arg(&found);
        let (kept, words) = (fuzz.join("corpus").join(target), fuzz.join("dictionaries"));
        if kept.is_dir() {
            command.arg(kept);
        }
        let words = words.join(format!("{target}.dict"));
        if words.is_file() {
            command.arg(format!("-dict={}", words.display()));
        }
        command.arg(format!("-artifact_prefix={}/{target}-", findings.display()));
        command.arg(format!("-max_len={INPUT_MAX}")).arg(&asked.end);
        // Inputs are mostly made of many operations, so there is no use in beginning with short
        // ones.
        command.args(["-print_final_stats=1", "-len_control=0", "-timeout=20"]);
        command.arg(format!("-seed={}", asked.seed));
        command.env("ASAN_OPTIONS", "detect_leaks=1").env("RUST_BACKTRACE", "1");
        let (said, seconds, succeeded) = listen(&mut command)
            .map_err(|error| Failure::io(&format!("cannot run {target}"), &error))?;
        let run = Self { seconds, ..Self::read(target, &said, succeeded) };
        if run.executions == 0 && run.finding.is_none() {
            return Err(Failure::Unable(format!("`{target}` ran nothing:\n{said}")));
        }
        Ok(run)
    }

    /// Reads what libFuzzer said.
    pub(super) fn read(target: &str, said: &str, succeeded: bool) -> Self {
        let mut run = Self { target: target.to_owned(), ..Self::default() };
        for line in said.lines() {
            if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
                run.executions = count.trim().parse().unwrap_or(0);
            }
            let is_first = line.contains("\tINITED ");
            if !line.starts_with('#') {
                continue;
            }
            if let Some(executions) = line[1..].split_whitespace().next() {
                run.executions = run.executions.max(executions.parse().unwrap_or(0));
            }
            if let Some(coverage) = number_after(line, "cov: ") {
                run.coverage_after = coverage;
                if is_first {
                    run.coverage_before = coverage;
                }
            }
            run.inputs = number_after(line, "corp: ").unwrap_or(run.inputs);
        }
        if !succeeded {
            run.finding = Some(Finding::read(said));
        }
        run
    }
}

impl Finding {
    fn read(said: &str) -> Self {
        let is_panic = |line: &str| line.starts_with("thread ") && line.contains("panicked");
        let lines: Vec<&str> = said.lines().collect();
        let panic = lines.iter().position(|line| is_panic(line));
        let text = panic.and_then(|at| lines.get(at + 1).copied());
        let error = lines.iter().copied().find(|line| line.contains("ERROR: "));
        let what = text.or(error).unwrap_or("it ended with an error").to_owned();
        let input = lines.iter().find_map(|line| line.split_once("Test unit written to "));
        Self { what, input: input.map(|(_, path)| PathBuf::from(path.trim())) }
    }
}

/// Runs a command; returns what it said, how many seconds of processor time it took, and whether it
/// succeeded.
fn listen(command: &mut Command) -> std::io::Result<(String, u64, bool)> {
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut said = Vec::new();
    if let Some(stderr) = &mut child.stderr {
        stderr.read_to_end(&mut said)?;
    }
    // It has said all, and is there until it is waited for.
    let seconds = fs::read_to_string(format!("/proc/{}/stat", child.id()));
    let seconds = seconds.ok().and_then(|stat| processor_seconds(&stat)).unwrap_or(0);
    let succeeded = child.wait()?.success();
    Ok((String::from_utf8_lossy(&said).into_owned(), seconds, succeeded))
}

/// Returns the seconds that a line of `/proc/PID/stat` states: in the program and in the system, in
/// hundredths on Linux.
pub(super) fn processor_seconds(stat: &str) -> Option<u64> {
    // The program's name comes before and may have spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut hundredths = || fields.next()?.parse::<u64>().ok();
    Some((hundredths()? + hundredths()?) / 100)
}

/// Returns the number that follows `before` in a line.
fn number_after(line: &str, before: &str) -> Option<u64> {
    let (_, rest) = line.split_once(before)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
