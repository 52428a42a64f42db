//! Running a program with a time limit, and all that it said.

use core::time::Duration;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use crate::outcome::Failure;

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With exit status 0.
    Well,
    /// With another, described by the text.
    Badly(String),
    /// Not within its time; it was stopped.
    Hung,
}

/// A program that ended, and what it wrote.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    /// How it ended.
    pub(crate) end: End,
    /// What it wrote to standard output.
    pub(crate) out: String,
    /// What it wrote to standard error.
    pub(crate) err: String,
    /// How long it took.
    pub(crate) time: Duration,
}

/// Runs a program, and stops it and all that it started when the time is over.
///
/// # Errors
///
/// [`Failure::Unable`] if it cannot start.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Ended, Failure> {
    let begin = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child =
        command.spawn().map_err(|error| Failure::io(&format!("cannot run `{name}`"), &error))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let readers = [thread::spawn(move || all(out)), thread::spawn(move || all(err))];
    let end = loop {
        let state =
            child.try_wait().map_err(|error| Failure::io("cannot wait for a program", &error))?;
        if let Some(status) = state {
            break if status.success() { End::Well } else { End::Badly(status.to_string()) };
        }
        if begin.elapsed() > limit {
            stop(&mut child);
            break End::Hung;
        }
        thread::sleep(LOOK);
    };
    let [out, err] = readers.map(|reader| reader.join().unwrap_or_default());
    Ok(Ended { end, out, err, time: begin.elapsed() })
}

fn all(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // What was read before an error counts.
        let _ = from.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Stops a program and, on Linux, those that it started, which would else hold its output open.
fn stop(child: &mut Child) {
    let mut family = vec![child.id()];
    let mut at = 0;
    while let Some(&parent) = family.get(at) {
        // Halted first, so that it starts no other after it was asked which it has.
        signal("-STOP", &[parent]);
        family.extend(children(parent));
        at += 1;
    }
    signal("-KILL", &family);
    // The child alone is stopped where there is no such program.
    let _ = child.kill();
    let _ = child.wait();
}

fn signal(signal: &str, processes: &[u32]) {
    let mut kill = Command::new("kill");
    kill.arg(signal).args(processes.iter().map(u32::to_string));
    let _ = kill.stdout(Stdio::null()).stderr(Stdio::null()).status();
}

/// Returns the processes that a process has started; none where the system does not list them.
fn children(parent: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    let lists = threads.flatten().map(|thread| thread.path().join("children"));
    let lists = lists.filter_map(|list| std::fs::read_to_string(list).ok());
    lists
        .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::process::Command;

    use super::{End, run};

    #[test]
    #[cfg(unix)]
    fn ends_are_told_apart() {
        let shell = |text: &str, limit| {
            let mut shell = Command::new("sh");
            run(shell.args(["-c", text]), Duration::from_secs(limit)).expect("there is a shell")
        };
        let well = shell("echo out; echo err >&2", 600);
        assert_eq!((well.end, &*well.out, &*well.err), (End::Well, "out\n", "err\n"));
        assert!(matches!(shell("exit 3", 600).end, End::Badly(status) if status.contains('3')));
        // What it has started is stopped with it, or this would wait for it.
        assert_eq!(shell("while :; do :; done | cat", 0).end, End::Hung);
    }
}
