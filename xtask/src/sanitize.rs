//! `cargo xtask sanitize`: the allocators under AddressSanitizer.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::planted::{self, EXAMPLE, PACKAGE, Tool};
use crate::workspace;

const USAGE: &str = "\
Builds the allocators with AddressSanitizer and `--cfg loligo_asan`, by which they tell it what of their
memory is nobody's; runs a program that commits one planted fault after another, each of which must be
reported, and runs the tests of the allocators, the id tables and the containers, of which none may be.
Leaks are looked for as well.

Needs the nightly toolchain (`rustup toolchain install nightly`) and Linux on x86-64; is skipped without.

Usage: cargo xtask sanitize

Example:
  cargo xtask sanitize
";

/// Build scripts and macros stay as they are only if a target is named.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Tests that take minutes under the sanitizer; other tests cover the same code.
const LONG: [(&str, &str); 1] = [(
    "every_byte_may_be_any_byte",
    "it opens hundreds of thousands of stores, each in separate memory",
)];

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a planted fault goes unnoticed or another is found.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(),
        [help] if help == "--help" || help == "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        [other, ..] => Err(Failure::Unable(format!(
            "sanitize takes no argument `{other}`; see `cargo xtask sanitize --help`"
        ))),
    }
}

/// Builds and runs all of it.
pub(crate) fn check() -> Outcome {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("skipped: AddressSanitizer is set up for {TARGET} alone");
        return Ok(());
    }
    if !command::has_nightly() {
        println!("skipped: no nightly (`rustup toolchain install nightly --profile minimal`)");
        return Ok(());
    }
    let folder = workspace::target().join("xtask/sanitize");
    let package = ["--package", PACKAGE, "--target", TARGET];
    let root = workspace::root();
    let mut build = nightly(&root, &folder);
    build.args(["build", "--profile", "test", "--example", EXAMPLE]).args(package);
    command::build(&mut build, "the allocators with AddressSanitizer")?;
    let example = folder.join(TARGET).join("debug/examples").join(EXAMPLE);
    check_example(&example)?;
    let mut test = nightly(&root, &folder);
    test.args(["test", "--lib"]).args(package).args(["--", "--quiet"]);
    planted::leave_out(&mut test, &planted::UNWATCHED);
    command::build_and_test(&mut test, "the tests of the allocators")?;
    let mut above = nightly(&root, &folder);
    above.args(["test", "--lib", "--target", TARGET, "--features"]);
    above.args(["loligo-containers/hashbrown", "-p", "loligo-ids", "-p", "loligo-containers"]);
    above.args(["--", "--quiet"]);
    planted::leave_out(&mut above, &LONG);
    command::build_and_test(&mut above, "the tests of ids and containers")
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
        name: "AddressSanitizer",
        watched,
        access: &["AddressSanitizer: use-after-poison", "AddressSanitizer: heap-use-after-free"],
        leak: "LeakSanitizer: detected memory leaks",
    }
}

fn watched(example: &PathBuf) -> Command {
    let mut command = Command::new(example);
    command.env("ASAN_OPTIONS", "detect_leaks=1");
    command
}

/// Returns the nightly toolchain's Cargo, which builds the workspace at `root` with the sanitizer
/// into `folder`.
pub(crate) fn nightly(root: &Path, folder: &Path) -> Command {
    let mut command = command::without_cargo_variables("rustup");
    command.args(["run", "nightly", "cargo"]).current_dir(root);
    command.env("RUSTFLAGS", "-Zsanitizer=address --cfg loligo_asan");
    command.env("CARGO_TARGET_DIR", folder);
    // A panic that a test expects is quicker without, and a report has its own trace.
    command.env("RUST_BACKTRACE", "0").env("ASAN_OPTIONS", "detect_leaks=1");
    let harness = workspace::root().join("xtask/src/sanitize/harness.supp");
    command.env("LSAN_OPTIONS", format!("print_suppressions=0:suppressions={}", harness.display()));
    command
}
