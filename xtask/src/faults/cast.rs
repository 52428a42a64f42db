//! Casting a net over the copy: building what it needs, running it, and reading what it caught.

use core::time::Duration;
use std::path::PathBuf;
use std::process::Command;

use super::net::{Kind, Net};
use super::place::Place;
use crate::command;
use crate::outcome::Failure;
use crate::planted::{EXAMPLE, PACKAGE};
use crate::timed::{self, End, Ended};
use crate::tsan::Compiler;
use crate::{fuzz, sanitize, valgrind};

/// A build that takes longer hangs.
const BUILD: Duration = Duration::from_secs(3600);

/// The executions of a fuzz target.
const RUNS: u32 = 8_000;

/// The package whose integration tests are nets.
const TESTS: &str = "loligo-tests";

/// What came of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Catch {
    /// Nothing failed.
    Nothing,
    /// It failed; this test did, or what else says so.
    Failed(String),
    /// It ended by a signal, or a tool stopped it.
    Crashed(String),
    /// It did not end.
    Hung(String),
}

impl Catch {
    /// Returns one word for it.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Nothing => "missed",
            Self::Failed(_) => "caught",
            Self::Crashed(_) => "crashes",
            Self::Hung(_) => "hangs",
        }
    }

    /// Returns what caught it.
    pub(super) fn by(&self) -> &str {
        match self {
            Self::Nothing => "",
            Self::Failed(by) | Self::Crashed(by) | Self::Hung(by) => by,
        }
    }
}

/// What came of a net, and how long it ran.
#[derive(Clone, Debug)]
pub(super) struct Cast {
    pub(super) catch: Catch,
    pub(super) time: Duration,
    /// How many tests or executions there were.
    pub(super) count: u64,
    /// What it said.
    pub(super) said: String,
}

/// Says why a net cannot be used on this machine, if so. What a net needs may be fetched first.
pub(super) fn lacks(net: &Net) -> Option<&'static str> {
    let needs_nightly = matches!(net.kind, Kind::Fuzz | Kind::Asan | Kind::Tsan);
    let needs_linux = needs_nightly || net.kind == Kind::Valgrind;
    if needs_linux && !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Some("it is set up for Linux on x86-64 alone");
    }
    if needs_nightly && !command::has_nightly() {
        return Some("no nightly (`rustup toolchain install nightly --profile minimal`)");
    }
    if net.kind == Kind::Fuzz && !command::answers("c++") {
        return Some("no C++ compiler, which builds the fuzzer");
    }
    if net.kind == Kind::Tsan && !Compiler::find().is_ok_and(|found| found.is_ok()) {
        return Some("no compiler with the sources of std, of Debian's");
    }
    (net.kind == Kind::Valgrind && !command::answers("valgrind")).then_some("no valgrind")
}

/// Casts a net over the copy as it is. `limit` is the time after which what runs is said to hang.
///
/// # Errors
///
/// [`Failure::Found`] if what it runs does not compile, [`Failure::Unable`] if it cannot be run.
pub(super) fn cast(place: &Place, net: &Net, limit: Duration) -> Result<Cast, Failure> {
    match net.kind {
        Kind::Compile => compile(place, net),
        Kind::Fuzz => target(place, net, limit),
        Kind::Asan | Kind::Valgrind if net.what == EXAMPLE => example(place, net),
        _ => tests(place, net, limit),
    }
}

fn compile(place: &Place, net: &Net) -> Result<Cast, Failure> {
    let mut check = plain(place);
    check.args(["check", "--quiet", "-p", &net.what]);
    let ended = timed::run(&mut check, BUILD)?;
    let is_error = |line: &&str| line.starts_with("error");
    let by = ended.err.lines().find(is_error).unwrap_or_default().to_owned();
    let catch = if ended.end == End::Well { Catch::Nothing } else { Catch::Failed(by) };
    Ok(Cast { catch, time: ended.time, count: 1, said: ended.err })
}

/// Runs tests, one after the other, so that what was said last is known of one that does not end.
fn tests(place: &Place, net: &Net, limit: Duration) -> Result<Cast, Failure> {
    let mut build = builder(place, net)?;
    build.arg("test");
    if net.kind == Kind::Loom {
        build.arg("--release");
    }
    if matches!(net.kind, Kind::Asan) {
        build.args(["--target", fuzz::TRIPLE]);
    }
    build.args(["-p", &net.what]);
    if net.what == TESTS {
        build.args(["--test", "it"])
    } else {
        build.arg("--lib")
    };
    if net.kind == Kind::Valgrind {
        build.args(["--features", "valgrind"]);
    }
    build.arg("--no-run");
    let said = built(net, timed::run(&mut build, BUILD)?)?;
    let program = executable(place, &said).ok_or_else(|| {
        Failure::Unable(format!("`{}`: Cargo names no program:\n{said}", net.shown()))
    })?;
    let mut list = Command::new(&program);
    let listed = timed::run(list.arg("--list"), limit)?.out;
    let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    let names: Vec<&str> = names.filter(|name| net.asks_for(name)).collect();
    if names.is_empty() {
        let what = format!("`{}` runs no test, so it can catch nothing", net.shown());
        return Err(Failure::Found(what));
    }
    let mut run = if net.kind == Kind::Valgrind {
        let mut run = Command::new("valgrind");
        run.args(valgrind::MEMCHECK).arg(program);
        run
    } else {
        Command::new(program)
    };
    run.current_dir(&place.root).args(["--test-threads=1", "--exact"]).args(&names);
    run.env("RUST_BACKTRACE", "0").env("ASAN_OPTIONS", "detect_leaks=1");
    // Else the tests go on, and the last one is not the one with the race.
    run.env("TSAN_OPTIONS", "halt_on_error=1");
    let ended = timed::run(&mut run, limit)?;
    let count = names.len() as u64;
    let last = ended.out.lines().filter_map(name).next_back();
    let failed = ended.out.lines().find(|line| line.ends_with("FAILED")).and_then(name);
    let last = last.unwrap_or("the tests").to_owned();
    let report = report(&ended.err);
    let catch = match (&ended.end, failed, report) {
        (End::Well, ..) => Catch::Nothing,
        (End::Hung, ..) => Catch::Hung(last),
        (End::Badly(_), _, Some(report)) => Catch::Crashed(format!("{last}: {report}")),
        (End::Badly(_), Some(failed), None) if ended.out.contains("test result: FAILED") => {
            Catch::Failed(failed.to_owned())
        }
        (End::Badly(_), ..) => Catch::Crashed(last),
    };
    Ok(Cast { catch, time: ended.time, count, said: ended.out + &ended.err })
}

/// Runs a fuzz target from the committed inputs.
fn target(place: &Place, net: &Net, limit: Duration) -> Result<Cast, Failure> {
    let target = &net.what;
    let folder = place.folder.join("fuzz");
    let mut build = fuzz::builder(&place.root, &folder);
    build.arg("--quiet");
    build.args(["--bin", target]);
    // What is not needed to find a fault, but takes time.
    build.env("CARGO_PROFILE_RELEASE_DEBUG", "0").env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    built(net, timed::run(&mut build, BUILD)?)?;
    let mut run = Command::new(folder.join(fuzz::TRIPLE).join("release").join(target));
    run.arg(place.root.join("fuzz/corpus").join(target));
    run.args(["-timeout=60", "-seed=1", "-len_control=0", "-print_final_stats=1", "-max_len=2048"]);
    // Nothing that is found out is kept, so each run is the same.
    run.args(["-reduce_inputs=0", &format!("-runs={RUNS}")]);
    let scraps = place.folder.join("scraps");
    std::fs::create_dir_all(&scraps)
        .map_err(|error| Failure::io("cannot make a folder", &error))?;
    run.arg(format!("-artifact_prefix={}/", scraps.display()));
    run.arg(scraps.join("found"));
    let _ = std::fs::remove_dir_all(scraps.join("found"));
    std::fs::create_dir_all(scraps.join("found"))
        .map_err(|error| Failure::io("cannot make a folder", &error))?;
    run.env("RUST_BACKTRACE", "0").env("ASAN_OPTIONS", "detect_leaks=1");
    let ended = timed::run(&mut run, limit)?;
    let count = ended.err.lines().find_map(|line| {
        line.strip_prefix("stat::number_of_executed_units:")?.trim().parse::<u64>().ok()
    });
    let catch = match ended.end {
        End::Well => Catch::Nothing,
        End::Hung => Catch::Hung(target.clone()),
        End::Badly(_) if ended.err.contains("ERROR: libFuzzer: timeout") => {
            Catch::Hung(target.clone())
        }
        End::Badly(_) => match (report(&ended.err), panic(&ended.err)) {
            (Some(report), None) => Catch::Crashed(report),
            (_, Some(panic)) => Catch::Failed(panic),
            (None, None) => Catch::Crashed(target.clone()),
        },
    };
    Ok(Cast { catch, time: ended.time, count: count.unwrap_or(0), said: ended.err })
}

/// Has a sanitizer look at the example that commits wrong accesses, each of which it must report.
fn example(place: &Place, net: &Net) -> Result<Cast, Failure> {
    let begin = std::time::Instant::now();
    let mut build = builder(place, net)?;
    build.args(["build", "--quiet", "--profile", "test", "--package", PACKAGE]);
    build.args(["--example", EXAMPLE]);
    let example = if net.kind == Kind::Asan {
        build.args(["--target", fuzz::TRIPLE]);
        place.folder.join("asan").join(fuzz::TRIPLE).join("debug/examples").join(EXAMPLE)
    } else {
        build.args(["--features", "valgrind"]);
        place.folder.join("build/debug/examples").join(EXAMPLE)
    };
    built(net, timed::run(&mut build, BUILD)?)?;
    let checked = match net.kind {
        Kind::Asan => sanitize::check_example(&example),
        _ => valgrind::check_example(&example),
    };
    let (catch, said) = match checked {
        Ok(()) => (Catch::Nothing, String::new()),
        Err(Failure::Found(what)) => {
            (Catch::Failed(what.lines().next().unwrap_or_default().to_owned()), what)
        }
        Err(failure) => return Err(failure),
    };
    Ok(Cast { catch, time: begin.elapsed(), count: 1, said })
}

/// Returns Cargo as the net needs it.
fn builder(place: &Place, net: &Net) -> Result<Command, Failure> {
    Ok(match net.kind {
        Kind::Asan => {
            let mut cargo = sanitize::nightly(&place.root, &place.folder.join("asan"));
            quick(cargo.env("CARGO_INCREMENTAL", "0"));
            cargo
        }
        Kind::Loom => {
            let mut cargo = plain(place);
            cargo.env("CARGO_TARGET_DIR", place.folder.join("loom")).env("RUSTFLAGS", "--cfg loom");
            cargo.env("CARGO_PROFILE_RELEASE_LTO", "off");
            cargo.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
            cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
            cargo
        }
        Kind::Tsan => {
            let compiler = Compiler::find()?.map_err(Failure::Unable)?;
            let mut cargo = compiler.cargo(&place.root);
            quick(&mut cargo);
            cargo
        }
        _ => plain(place),
    })
}

/// Returns Cargo over the copy, which builds nothing that only a person would need.
fn plain(place: &Place) -> Command {
    let mut cargo = command::cargo(&place.root);
    cargo.env("CARGO_TARGET_DIR", place.folder.join("build")).env("CARGO_INCREMENTAL", "0");
    quick(&mut cargo);
    cargo
}

/// Has Cargo spend its time on building alone once: compiling is nearly all that a fault costs.
fn quick(cargo: &mut Command) {
    for profile in ["DEV", "TEST"] {
        cargo.env(format!("CARGO_PROFILE_{profile}_DEBUG"), "0");
        cargo.env(format!("CARGO_PROFILE_{profile}_OPT_LEVEL"), "0");
    }
}

/// Returns what a build said, if it ended well.
fn built(net: &Net, ended: Ended) -> Result<String, Failure> {
    match ended.end {
        End::Well => Ok(ended.err),
        _ => Err(Failure::Found(format!(
            "`{}` does not compile, so it shows nothing:\n{}",
            net.shown(),
            ended.err
        ))),
    }
}

/// Returns the program that Cargo says it built: `Executable .. (path)`.
fn executable(place: &Place, said: &str) -> Option<PathBuf> {
    let line = said.lines().rfind(|line| line.trim_start().starts_with("Executable "))?;
    let (_, path) = line.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    Some(place.root.join(path))
}

/// Returns the name in a line `test NAME ... `, but of none in the line `test result: ..`.
fn name(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("test ")?.split_once(" ... ")?;
    Some(name.trim_end_matches(" - should panic"))
}

/// Returns what a sanitizer reports, without what differs from run to run.
fn report(said: &str) -> Option<String> {
    let line = said.lines().find(|line| line.contains("Sanitizer: "))?;
    let (_, what) = line.split_once("ERROR: ").or_else(|| line.split_once("WARNING: "))?;
    let what = what.split(" on ").next().unwrap_or(what);
    Some(what.split(" (").next().unwrap_or(what).trim().to_owned())
}

/// Returns where the first panic was.
fn panic(said: &str) -> Option<String> {
    let line = said.lines().find(|line| line.contains(" panicked at "))?;
    let (_, place) = line.split_once(" panicked at ")?;
    let file = place.split(':').next()?.trim_start_matches("../").trim_start_matches("./");
    // A path of the copy's is one of the workspace's.
    let file = file.rsplit("/tree/").next().unwrap_or(file);
    Some(format!("a panic in {file}"))
}

#[cfg(test)]
mod tests {
    use super::{name, panic, report};

    #[test]
    fn what_caught_it_is_read() {
        assert_eq!(name("test pool::tests::a ... FAILED"), Some("pool::tests::a"));
        assert_eq!(name("test pool::tests::a ... "), Some("pool::tests::a"));
        assert_eq!(name("running 3 tests"), None);
        assert_eq!(name("test result: ok. 3 passed; 0 failed"), None, "no test is called so");
        let asan = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1 at pc 0x2";
        assert_eq!(report(asan).as_deref(), Some("AddressSanitizer: heap-buffer-overflow"));
        let said = "thread '<unnamed>' (3) panicked at ../tests/src/programs/plan.rs:12:5:\nno";
        assert_eq!(panic(said).as_deref(), Some("a panic in tests/src/programs/plan.rs"));
    }
}
