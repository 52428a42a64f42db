//! The compile of a game that runs, in a separate process: what ends or fills it ends one source,
//! and not the game.
//!
//! The child writes a line of JSON to its standard output for each thing that happens:
//!
//! ```text
//! {"begin":"door.texture"}   a source is compiled next
//! {"end":"door.texture"}     and was
//! {"error":".."}             what is wrong with a source
//! {"note":".."}              what is not as it may be thought to be
//! {"written":true}           a game that runs can load what is new
//! {"compiled":3,"fresh":80,"seen":"<hash>"}
//!                            all is done, of sources that looked so
//! {"failed":".."}            it could not be done
//! ```
//!
//! One that stays then waits for a line on its standard input and ends with its input. The line is
//! the number of threads for the next compile, and a list of the files that have changed, where that
//! is known: `2 ["door.texture"]`.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, Write as _};

use loligo_compiler::{CompileObserver, CompileSession, Project, Threads};
use serde_json::{Value, json};

/// Does the work of the child, and again as long as somebody asks if it `stays`; returns whether
/// somebody heard the end of it.
pub(super) fn run(
    project: &mut Project<'_>,
    threads: Threads,
    refused: &[(String, String)],
    stays: bool,
) -> bool {
    for (source, reason) in refused {
        project.refuse(source, reason);
    }
    project.set_observer(&Telling);
    let mut session = CompileSession::new(project);
    let mut requests = io::stdin().lock().lines();
    let mut is_heard = compile(&mut session, &threads, None);
    while stays && is_heard {
        let Some(Ok(request)) = requests.next() else { break };
        let (jobs, changed) = request.split_once(' ').unwrap_or((&request, "null"));
        let Ok(jobs) = jobs.parse() else { break };
        let Ok(changed) = serde_json::from_str::<Value>(changed) else { break };
        let path = |path: &Value| path.as_str().map(str::to_owned);
        let changed = changed.as_array().map(|paths| paths.iter().filter_map(path).collect());
        is_heard = compile(&mut session, &Threads::new(jobs), changed.as_ref());
    }
    is_heard
}

/// Compiles, and says what came of it.
fn compile(
    session: &mut CompileSession<'_>,
    threads: &Threads,
    changed: Option<&BTreeSet<String>>,
) -> bool {
    let report = match changed {
        Some(paths) => session.compile_changed(paths, threads),
        None => session.compile(threads),
    };
    match report {
        Ok(report) => {
            report.notes.iter().for_each(|note| _ = tell(&json!({ "note": note.to_string() })));
            report.errors.iter().for_each(|error| _ = tell(&json!({ "error": error.to_string() })));
            let (compiled, fresh, seen) = (report.compiled, report.fresh, report.seen.to_string());
            tell(&json!({ "compiled": compiled, "fresh": fresh, "seen": seen })).is_ok()
        }
        Err(error) => tell(&json!({ "failed": error.to_string() })).is_ok(),
    }
}

/// Limits the memory of this process, and has it end with the one that started it.
#[cfg(target_os = "linux")]
pub(super) fn limit(memory_mib: u64) -> Result<(), String> {
    use rustix::process::{
        Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
    };

    let bytes = memory_mib.saturating_mul(1 << 20);
    let maximum = getrlimit(Resource::As).maximum;
    // It may not be raised beyond what there was.
    let current = Some(maximum.map_or(bytes, |maximum| maximum.min(bytes)));
    let limited = setrlimit(Resource::As, Rlimit { current, maximum });
    limited
        .and_then(|()| set_parent_process_death_signal(Some(Signal::KILL)))
        .map_err(|error| format!("the compiler's process cannot be limited: {error}"))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn limit(_: u64) -> Result<(), String> {
    Ok(())
}

/// Writes what is compiled.
struct Telling;

impl CompileObserver for Telling {
    fn begin(&self, source: &str) {
        // A parent that reads nothing is gone, and this process ends with it.
        let _ = tell(&json!({ "begin": source }));
    }

    fn end(&self, source: &str) {
        let _ = tell(&json!({ "end": source }));
    }

    fn written(&self) {
        let _ = tell(&json!({ "written": true }));
    }
}

fn tell(line: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush())
}
