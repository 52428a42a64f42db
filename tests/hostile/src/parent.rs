//! The parent: starts children, and says what became of them.

use core::time::Duration;
use std::env;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use crate::child::PLANTED;

/// How long an input may take.
const INPUT_TIME: Duration = Duration::from_secs(10);

/// How long a child may take to make its first input.
const START_TIME: Duration = Duration::from_secs(120);

/// How much memory a child may have, addresses that are only reserved included, in KiB.
const MEMORY_KIB: u64 = 8 << 20;

/// How many faults of a surface are enough.
const FAULTS_MAX: u64 = 20;

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) time: Duration,
    pub(crate) inputs: u64,
    pub(crate) seed: u64,
    pub(crate) is_planted: bool,
    pub(crate) surfaces: Vec<&'static str>,
}

/// What became of a surface's inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) inputs: u64,
    pub(crate) crashes: u64,
    pub(crate) hangs: u64,
    pub(crate) peak_kib: u64,
    pub(crate) seconds: f64,
    /// A line for each fault: how it is fed again, and what it said.
    pub(crate) told: Vec<String>,
}

/// How a child ended.
enum Ended {
    /// It was stopped, as enough was fed.
    Enough,
    Hang,
    /// By itself, with what it said.
    Crash(String),
}

/// Feeds a surface until time and inputs are enough.
pub(crate) fn run(request: &Request, surface: &str) -> io::Result<Found> {
    let start = Instant::now();
    let mut found = Found::default();
    let mut from = 0;
    loop {
        let is_enough = |inputs: u64, faults: u64| {
            let is_found = request.is_planted && faults > 0;
            is_found
                || faults >= FAULTS_MAX
                || (start.elapsed() >= request.time && inputs >= request.inputs)
        };
        let faults = found.crashes + found.hangs;
        if is_enough(found.inputs, faults) {
            break;
        }
        let fed = found.inputs;
        let (last, ended) =
            watch(request, surface, from, &mut found, &|more| is_enough(fed + more, faults))?;
        let what = match ended {
            Ended::Enough => break,
            Ended::Hang => {
                found.hangs += 1;
                format!("took longer than {} s", INPUT_TIME.as_secs())
            }
            Ended::Crash(said) => {
                found.crashes += 1;
                said
            }
        };
        let Some(last) = last else {
            return Err(io::Error::other(format!("the child did not begin: {what}")));
        };
        found.told.push(format!("loligo-hostile feed {surface} {} {last}: {what}", request.seed));
        from = last + 1;
    }
    found.seconds = start.elapsed().as_secs_f64();
    Ok(found)
}

/// Runs a child until it ends, hangs, or enough was fed; returns the last input that it began.
fn watch(
    request: &Request,
    surface: &str,
    from: u64,
    found: &mut Found,
    is_enough: &dyn Fn(u64) -> bool,
) -> io::Result<(Option<u64>, Ended)> {
    let mut child = start(request, surface, from)?;
    let lines = lines_of(child.stdout.take());
    let errors = text_of(child.stderr.take());
    let (mut last, mut count) = (None, 0);
    let ended = loop {
        match lines.recv_timeout(if count == 0 { START_TIME } else { INPUT_TIME }) {
            Ok(line) => match line.strip_prefix("peak ") {
                Some(peak) => found.peak_kib = found.peak_kib.max(peak.parse().unwrap_or(0)),
                None => {
                    last = line.parse().ok().or(last);
                    count += 1;
                    if is_enough(count) {
                        break Ended::Enough;
                    }
                }
            },
            Err(RecvTimeoutError::Timeout) => break Ended::Hang,
            Err(RecvTimeoutError::Disconnected) => break Ended::Crash(String::new()),
        }
    };
    // It may have ended by itself.
    let _ = child.kill();
    let status = child.wait()?;
    found.inputs += count;
    let said = errors.join().unwrap_or_default();
    let ended = if matches!(ended, Ended::Crash(_)) {
        Ended::Crash(format!("{status}: {said}"))
    } else {
        ended
    };
    Ok((last, ended))
}

/// Starts a child with a limit on its memory.
fn start(request: &Request, surface: &str, from: u64) -> io::Result<Child> {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {MEMORY_KIB}; ulimit -c 0; exec \"$@\"");
    command.args(["-c", &script, "sh"]).arg(env::current_exe()?);
    command.args(["feed", surface, &request.seed.to_string(), &from.to_string()]);
    if request.is_planted {
        command.env(PLANTED, "1");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

fn lines_of(out: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let lines =
            out.into_iter().flat_map(|out| BufReader::new(out).lines().map_while(Result::ok));
        for line in lines {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Returns the lines that say most of why a process ended: those of a panic, or else the last.
fn text_of(errors: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut kept: Vec<String> = Vec::new();
        let mut last = String::new();
        for line in
            errors.into_iter().flat_map(|out| BufReader::new(out).lines().map_while(Result::ok))
        {
            let is_begin = line.contains("panicked at") || line.contains("overflowed its stack");
            if kept.len() < 3 && (is_begin || !kept.is_empty()) {
                kept.push(line);
            } else if !line.is_empty() {
                last = line;
            }
        }
        if kept.is_empty() {
            kept.push(last);
        }
        kept.join(" / ")
    })
}
