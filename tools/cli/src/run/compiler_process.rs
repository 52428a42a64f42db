//! The process in which a game's sources are compiled, as the game sees it.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::collections::BTreeSet;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use loligo_resources::ContentHash;
use serde_json::{Value, json};

use super::compiled::{Compiled, Ended, Heard};

/// A process that compiles. It ends with this value.
#[derive(Debug)]
pub(super) struct CompilerProcess {
    child: Child,
    requests: ChildStdin,
    lines: BufReader<UnixStream>,
}

impl CompilerProcess {
    /// Starts it; it begins to compile.
    pub(super) fn new(mut command: Command) -> Result<Self, String> {
        let (ours, theirs) = UnixStream::pair().map_err(cannot)?;
        command.stdin(Stdio::piped()).stdout(Stdio::from(OwnedFd::from(theirs)));
        let mut child = command.spawn().map_err(cannot)?;
        // It holds the other end, and the child's is to be the only one.
        drop(command);
        let requests = child.stdin.take().ok_or("the compiler's process hears nothing")?;
        Ok(Self { child, requests, lines: BufReader::new(ours) })
    }

    /// Has it compile again.
    pub(super) fn ask_again(
        &mut self,
        jobs: Option<NonZeroUsize>,
        changed: Option<&BTreeSet<String>>,
    ) -> io::Result<()> {
        let machine = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        writeln!(self.requests, "{} {}", jobs.unwrap_or_else(machine), json!(changed))
    }

    /// Hears what it says until a compile has ended. It ends where a source takes longer than
    /// `limit`.
    pub(super) fn hear_end(
        &mut self,
        limit: Duration,
        heard: &mut Heard<'_>,
    ) -> Result<Ended, String> {
        let mut line = String::new();
        let mut begun = BTreeSet::new();
        let mut why = None;
        loop {
            // Time counts while a source is compiled, and not while the system is slow.
            let patience = (!begun.is_empty()).then_some(limit);
            self.lines.get_ref().set_read_timeout(patience).map_err(cannot)?;
            match self.lines.read_line(&mut line) {
                Ok(0) => break,
                Ok(_) if line.ends_with('\n') => {
                    if let Some(ended) = take(&line, &mut begun, heard) {
                        return Ok(ended);
                    }
                    line.clear();
                }
                Ok(_) => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    why = Some(format!("compiling it took longer than {} s", limit.as_secs_f64()));
                    break;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // It may have ended by itself.
        let _ = self.child.kill();
        let status = self.child.wait().map_err(cannot)?;
        Ok(Ended::Died(begun, why.unwrap_or_else(|| death(status))))
    }
}

impl Drop for CompilerProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cannot(error: io::Error) -> String {
    format!("the compiler's process cannot be started: {error}")
}

/// Handles a line from the child; returns how the compile ended if that is what it says.
fn take(line: &str, begun: &mut BTreeSet<String>, heard: &mut Heard<'_>) -> Option<Ended> {
    let said = serde_json::from_str::<Value>(line).ok()?;
    let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
    let number = |key: &str| said.get(key).and_then(Value::as_u64);
    if let Some(source) = text("begin") {
        begun.insert(source);
    } else if let Some(source) = text("end") {
        begun.remove(&source);
    } else if let Some(error) = text("error") {
        heard.texts.push(error);
    } else if said.get("written").is_some() {
        (heard.written)();
    } else if let Some(message) = text("failed") {
        return Some(Ended::Failed(message));
    } else if let Some(compiled) = number("compiled") {
        let fresh = number("fresh").unwrap_or(0);
        let seen = text("seen").and_then(|seen| ContentHash::from_hex(seen.as_bytes()));
        let errors = heard.texts.len() as u64;
        return Some(Ended::Done(Compiled { compiled, fresh, errors, seen }));
    }
    None
}

/// Returns why a process ended that had more to say.
fn death(status: ExitStatus) -> String {
    format!(
        "compiling it ended the compiler's process ({status}), by a fault or for want of memory (--compile-mib)"
    )
}
