//! `cargo xtask valgrind`: the allocators under Valgrind's memcheck.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command;
use crate::debian;
use crate::outcome::{Failure, Outcome};
use crate::parallel;
use crate::planted::{self, EXAMPLE, PACKAGE, Tool};
use crate::workspace;

const USAGE: &str = "\
Builds the allocators with the feature `valgrind`, by which they tell Valgrind what of their memory is
nobody's; runs a program that commits one planted fault after another, each of which must be reported,
and runs the allocators' own tests, of which none may be. Leaks are looked for as well.

Installs valgrind with apt-get where that is allowed; is skipped without, and elsewhere than on Linux on
x86-64.

Usage: cargo xtask valgrind [--long]

Options:
  --long  runs the tests of small worlds of the pool as well, which take minutes here

Example:
  cargo xtask valgrind
";

/// How memcheck watches: every error and every lost block fails the program.
pub(crate) const MEMCHECK: [&str; 5] = [
    "--quiet",
    "--error-exitcode=9",
    "--leak-check=full",
    "--errors-for-leak-kinds=definite",
    "--show-leak-kinds=definite",
];

/// Why those that fork are left out.
const FORKS: &str = "it forks, and the child finds lost what the other threads hold";

/// Why those with threads that wait for one another are left out.
const TURNS: &str = "threads take turns there, minutes for each; the other sanitizers watch them";

/// Tests that are left out, each with the reason.
const SKIPPED: [(&str, &str); 14] = [
    ("buddy::tests::exhaustive", "they go through millions of states"),
    ("buddy::tests::figures", "so do these"),
    ("every_alignment_up_to_a_terabyte", "Valgrind has less address space to give"),
    ("a_terabyte_costs_next_to_nothing", "as above"),
    ("neighbours_go_together", FORKS),
    ("while_a_panic_unwinds_the_report_is_written", FORKS),
    ("a_line_is_written_as_far_as_it_has_room", FORKS),
    ("what_the_system_cuts_is_tried_again", FORKS),
    ("recording::file::tests", FORKS),
    ("recording::log::tests", FORKS),
    ("recording::tests", FORKS),
    ("threads::fork::tests", FORKS),
    ("thread_heap::tests::fork", FORKS),
    ("thread_heap::tests::threads", TURNS),
];

/// Tests that a short run leaves out besides.
const LONG: [(&str, &str); 1] = [(
    "pool::tests::small_world",
    "every state of them takes a minute; `random_programs` goes there too",
)];

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a planted fault goes unnoticed or another is found.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(false),
        [long] if long == "--long" => check(true),
        [help] if help == "--help" || help == "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        [other, ..] => Err(Failure::Unable(format!(
            "valgrind takes no argument `{other}`; see `cargo xtask valgrind --help`"
        ))),
    }
}

/// Builds and runs all of it; with `long`, the tests that take minutes as well.
pub(crate) fn check(long: bool) -> Outcome {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("skipped: the requests to Valgrind are written for Linux on x86-64 alone");
        return Ok(());
    }
    if !answers() && !install() {
        println!("skipped: no valgrind");
        return Ok(());
    }
    let folder = workspace::target().join("xtask/valgrind");
    let package = ["--package", PACKAGE, "--features", "valgrind"];
    let mut build = cargo(&folder);
    build.args(["build", "--profile", "test", "--example", EXAMPLE]).args(package);
    command::build(&mut build, "the allocators with requests to Valgrind")?;
    let example = folder.join("debug/examples").join(EXAMPLE);
    check_example(&example)?;
    let tests = || {
        let mut test = cargo(&folder);
        test.args(["test", "--quiet", "--lib"]).args(package).arg("--");
        test
    };
    let mut list = tests();
    list.args(["--list", "--format", "terse"]);
    planted::leave_out(&mut list, &SKIPPED);
    if !long {
        planted::leave_out(&mut list, &LONG);
    }
    planted::leave_out(&mut list, &planted::UNWATCHED);
    command::announce("building the tests of the allocators");
    let listed = command::output(&mut list)?;
    let names: Vec<&str> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    if names.is_empty() {
        return Err(Failure::Found("no test is listed, so none is watched".into()));
    }
    watch(&names, tests)
}

/// Runs the tests of these names under Valgrind. It runs one thread at a time, so there are several
/// of it.
fn watch(names: &[&str], tests: impl Fn() -> Command + Sync) -> Outcome {
    let workers = parallel::workers();
    // Those of one module take about as long, so they are dealt out like cards.
    let hands: Vec<Vec<&str>> = (0..workers)
        .map(|first| names.iter().copied().skip(first).step_by(workers).collect())
        .filter(|hand: &Vec<&str>| !hand.is_empty())
        .collect();
    println!("$ valgrind {} TEST: {} tests, {workers} at a time", MEMCHECK.join(" "), names.len());
    let run = |hand: &Vec<&str>| {
        let mut test = tests();
        let runner = format!("valgrind {}", MEMCHECK.join(" "));
        test.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", runner);
        test.arg("--exact").args(hand);
        command::output(&mut test).map_err(|failure| match failure {
            // The command has the names of some hundred tests.
            Failure::Found(_) => {
                Failure::Found("Valgrind or a test found what is printed above".into())
            }
            other => other,
        })
    };
    parallel::each(&hands, run, |said| print!("{said}"))
}

/// Runs the example with every planted fault, each of which must be reported.
///
/// # Errors
///
/// As [`planted::check`].
pub(crate) fn check_example(example: &PathBuf) -> Outcome {
    planted::check(example, &tool(&|| watched(example)))
}

fn tool<'a>(watched: &'a dyn Fn() -> Command) -> Tool<'a> {
    Tool {
        name: "Valgrind",
        watched,
        access: &["Invalid read of size", "Invalid write of size"],
        leak: "are definitely lost",
    }
}

fn watched(example: &PathBuf) -> Command {
    let mut command = Command::new("valgrind");
    command.args(MEMCHECK).arg(example);
    command
}

/// Returns Cargo, which builds into `folder`.
fn cargo(folder: &Path) -> Command {
    let mut command = command::cargo(&workspace::root());
    command.env("CARGO_TARGET_DIR", folder);
    // Naming the places of a panic that a test expects takes Valgrind seconds each.
    command.env("RUST_BACKTRACE", "0");
    command
}

/// Whether Valgrind can be started.
fn answers() -> bool {
    let mut command = Command::new("valgrind");
    let quiet = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Installs Valgrind where this may be done without asking; returns whether it is there now.
fn install() -> bool {
    debian::installed("valgrind") && answers()
}
