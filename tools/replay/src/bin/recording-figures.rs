//! What recording costs: programs run with and without the recorder, and the table in
//! `docs/guide/recording.md`.
#![forbid(unsafe_code)]

use core::fmt::Write as _;
use core::time::Duration;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use loligo_replay::record::{
    Program, RecordError, RecordedProgram, Settings, StackMethod, StackSettings, children_cpu_time,
    run,
};

const USAGE: &str = "\
Measures what `loligo record` costs the recorded program, and prints a table.

Usage: cargo run --profile measured -p loligo-replay --bin recording-figures -- [--write]

Options:
  --write  also puts the table into docs/guide/recording.md

Each program runs nine times without the recorder, with it, with stacks by frame pointers, and with
stacks by the unwinder, in turn; its output is thrown away. Times are those of the processor, in the
program and in the system, the least of each nine: what else the machine does can only add to them.

Example:
  cargo run --profile measured -p loligo-replay --bin recording-figures -- --write
";

/// Runs of each kind.
const ROUNDS: usize = 9;

/// The marks around the table in the page.
const BEGIN: &str = "<!-- written by recording-figures from here -->\n";
const END: &str = "<!-- to here -->\n";

/// Programs that allocate in ways of their own; those that a machine lacks are left out.
const PROGRAMS: [(&str, &str); 5] = [
    ("`git log -p -300`", "git log -p -300"),
    (
        "`python3`, a list of 200 000 texts",
        // Not by a launcher, of which one machine has none and another forty processes of a shell.
        "$(python3 -c 'import sys; print(sys.executable)') -c 'len([str(n) * 9 for n in range(200000)])'",
    ),
    ("`node`, start and end", "node -e 0"),
    (
        "`gcc -O2 -c`, a file with 400 functions",
        "for n in $(seq 400); do echo \"int f$n(int *a) { return a[$n] * $n; }\"; done | \
         gcc -O2 -x c -c - -o /dev/null",
    ),
    (
        "`sqlite3`, 20 000 rows and an index",
        "sqlite3 :memory: 'create table t(a, b); with recursive c(n) as (select 1 union all select \
         n + 1 from c limit 20000) insert into t select n, hex(randomblob(20)) from c; create index \
         i on t(b); select count(*) from t'",
    ),
];

struct Row {
    name: &'static str,
    events: u64,
    without: Duration,
    /// With each of [`STACKS`].
    with: [Duration; 3],
}

/// How stacks are recorded in the runs with the recorder.
const STACKS: [Option<StackMethod>; 3] =
    [None, Some(StackMethod::Frames), Some(StackMethod::Unwinder)];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [] => table().map(|table| print!("{table}")),
        ["--write"] => table().and_then(|table| {
            print!("{table}");
            put(&table)
        }),
        ["--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err("there is only --write; see --help".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("recording-figures: {message}");
            ExitCode::from(2)
        }
    }
}

/// Measures, and returns the table.
fn table() -> Result<String, String> {
    let mut table = String::from(
        "| program | events | CPU time without | with | ratio | adds to an event | \
         `--stacks` adds | `--stacks=unwind` adds |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (name, line) in PROGRAMS {
        let line = &resolved(line);
        let known = ["git", "node", "gcc", "sqlite3"];
        let program = line.split(' ').find(|word| known.contains(word) || word.contains("python3"));
        let is_there = Command::new(program.unwrap_or("no program")).arg("--version").output();
        if !is_there.is_ok_and(|output| output.status.success()) {
            eprintln!("recording-figures: skipped: {name} cannot be run here");
            continue;
        }
        let row = measure(name, line)?;
        let added = row.with.map(|with| {
            with.saturating_sub(row.without).as_nanos() as f64 / row.events.max(1) as f64
        });
        // Writing to a text cannot fail.
        let _ = writeln!(
            table,
            "| {} | {} | {:.0} ms | {:.0} ms | {:.2} | {:.0} ns | {:.0} ns | {:.0} ns |",
            row.name,
            row.events,
            row.without.as_secs_f64() * 1e3,
            row.with[0].as_secs_f64() * 1e3,
            row.with[0].as_secs_f64() / row.without.as_secs_f64(),
            added[0],
            added[1],
            added[2]
        );
    }
    Ok(table)
}

/// Returns a line with what it asks of `python3` put in.
fn resolved(line: &str) -> String {
    let Some((question, rest)) = line.strip_prefix("$(").and_then(|line| line.split_once(") -c"))
    else {
        return line.to_owned();
    };
    let answer = Command::new("sh").args(["-c", question]).stderr(Stdio::null()).output();
    let answer = answer.map(|answer| answer.stdout).unwrap_or_default();
    format!("{} -c{rest}", String::from_utf8_lossy(&answer).trim())
}

/// Runs a line of the shell by turns with and without the recorder.
fn measure(name: &'static str, line: &str) -> Result<Row, String> {
    let line = format!("{{ {line}\n}} >/dev/null 2>&1");
    let arguments = ["-c".into(), OsString::from(&line)];
    let shell = Program::find("sh".as_ref()).map_err(|error| error.to_string())?;
    let mut row = Row { name, events: 0, without: Duration::MAX, with: [Duration::MAX; 3] };
    for _ in 0..ROUNDS {
        let before = children_cpu_time();
        let status = Command::new("sh").args(&arguments).stdin(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!("{name}: fails without the recorder"));
        }
        row.without = row.without.min(children_cpu_time() - before);
        for (method, least) in STACKS.into_iter().zip(&mut row.with) {
            let stacks = method.map(|method| StackSettings { method, ..StackSettings::default() });
            let settings = Settings { children: true, stacks, ..Settings::default() };
            let before = children_cpu_time();
            let ran = run(&shell, &arguments, &settings).map_err(|error| error.to_string())?;
            *least = (*least).min(children_cpu_time() - before);
            if !ran.status.success() {
                return Err(format!("{name}: fails with the recorder"));
            }
            if row.events == 0 && method.is_none() {
                row.events = events(&ran).map_err(|error| error.to_string())?;
            }
        }
    }
    Ok(row)
}

/// Returns the events of a program and its children.
fn events(ran: &RecordedProgram) -> Result<u64, RecordError> {
    let mut events = ran.write(std::io::sink())?.events;
    for child in ran.children() {
        events += child.write(std::io::sink())?.events;
    }
    Ok(events)
}

/// Puts the table between its marks in the page.
fn put(table: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/recording.md");
    let fail = |what: &str| format!("{}: {what}", path.display());
    let page = fs::read_to_string(&path).map_err(|error| fail(&error.to_string()))?;
    let (before, rest) = page.split_once(BEGIN).ok_or_else(|| fail("the first mark is missing"))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| fail("the last mark is missing"))?;
    let page = format!("{before}{BEGIN}{table}{END}{after}");
    fs::write(&path, page).map_err(|error| fail(&error.to_string()))
}
