//! Dated records of the scoreboard and of the suites: the figures, of the former as JSON, with the machine, the flags, the commit
//! and the command with which they were taken.

use core::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes `DATE-COMMIT.json` and `DATE-COMMIT.txt` into a folder and returns the latter's path.
///
/// # Errors
///
/// The system's own where the folder or the files cannot be written.
pub fn write(folder: &Path, json: &str, facts: &Facts, table: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(format!("{}.json", facts.stem())), json)?;
    write_text(folder, "", facts, table)
}

/// Writes `DATE-COMMITENDING.txt` into a folder, the facts and the table, and returns its path.
///
/// # Errors
///
/// As [`write`](fn@write).
pub(crate) fn write_text(
    folder: &Path,
    ending: &str,
    facts: &Facts,
    table: &str,
) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let text = folder.join(format!("{}{ending}.txt", facts.stem()));
    fs::write(&text, format!("{}\n{table}", facts.text()))?;
    Ok(text)
}

/// What a reader needs in order to take the figures again.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The day, in UTC.
    pub date: String,
    /// The commit, followed by a word if the checkout has changes.
    pub commit: String,
    /// The processor, the number of its cores, memory, system.
    pub machine: String,
    /// Compiler, profile, features.
    pub flags: String,
    /// The command.
    pub command: String,
    /// How many rounds, on which traces.
    pub rounds: String,
}

impl Facts {
    /// Collects the facts of this run of a command; `rounds` states how many there were.
    #[must_use]
    pub fn collect(command: &str, arguments: &[String], rounds: String) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let days = since.map_or(0, |since| since.as_secs() / 86_400);
        let mut command = command.to_owned();
        for argument in arguments {
            command.push(' ');
            command.push_str(argument);
        }
        Self {
            date: date_of(days),
            commit: commit(),
            machine: machine(),
            flags: flags(),
            command,
            rounds,
        }
    }

    /// Returns date and commit, as the names of records begin.
    fn stem(&self) -> String {
        format!("{}-{}", self.date, self.commit.get(..7).unwrap_or("unknown"))
    }

    /// Returns the facts, a line each.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = [
            ("date", &self.date),
            ("commit", &self.commit),
            ("machine", &self.machine),
            ("flags", &self.flags),
            ("command", &self.command),
            ("rounds", &self.rounds),
        ];
        let mut text = String::new();
        for (name, value) in lines {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name:8} {value}");
        }
        text
    }
}

/// Returns the date of a day since 1970-01-01, by the Gregorian calendar.
fn date_of(days: u64) -> String {
    // Years begin in March here, so that the leap day is a year's last; day 0 is 0000-03-01, and
    // 400 years have 146 097 days.
    let days = days + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months of these have 153 days, wherever one begins.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = 400 * cycle + year + next;
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns what a program prints, or nothing where it cannot be run.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn commit() -> String {
    let Some(commit) = output("git", &["rev-parse", "HEAD"]) else {
        return "unknown".to_owned();
    };
    match output("git", &["status", "--porcelain"]).as_deref() {
        Some("") => commit,
        _ => format!("{commit}, with changes that are not committed"),
    }
}

fn machine() -> String {
    let field = |file: &str, name: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let unknown = || "unknown".to_owned();
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(unknown);
    let memory = field("/proc/meminfo", "MemTotal").unwrap_or_else(unknown);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let huge = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    format!(
        "{model}, {cores} cores, {memory}, Linux {}, huge pages {}",
        kernel.trim(),
        huge.map_or_else(|_| unknown(), |text| text.trim().to_owned()),
    )
}

fn flags() -> String {
    let peers = if cfg!(feature = "peers-all") { "peers-all" } else { "none" };
    format!(
        "{}, profile {} (opt-level {}; the rest is in Cargo.toml), RUSTFLAGS `{}`, features {peers}",
        env!("LOLIGO_BENCHES_RUSTC"),
        env!("LOLIGO_BENCHES_PROFILE"),
        env!("LOLIGO_BENCHES_OPT_LEVEL"),
        env!("LOLIGO_BENCHES_RUSTFLAGS"),
    )
}

#[cfg(test)]
mod tests;
