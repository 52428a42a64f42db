//! `cargo xtask ci`: every step of the continuous integration, in order, as `.ci/run` calls it.

use std::time::Instant;

use crate::outcome::{Failure, Outcome};
use crate::proofs::{self, Proofs, Verdict};
use crate::tree::Tree;
use crate::workspace::{self, Workspace};
use crate::{
    bare, command, conformance, examples, features, fuzz, hostile, loom, misuse, mutants, outside,
    sample, sanitize, smoke, targets, tidy, valgrind,
};

const USAGE: &str = "\
Runs every step of the continuous integration, in order, with a heading and the seconds of each, and
stops at the first that fails. A slow step that passed before is not run again as long as nothing it
depends on has changed (docs/evidence/checks.tsv), unless it is drawn by the commit; what was not run is
listed at the end.

Usage: cargo xtask ci [--keep-going] [--all] [--fast] [--seconds N] [--skip STEP]... [--list] [STEP...]

Options:
  --all         runs what is unchanged as well
  --fast        runs what takes seconds for people at work: fmt, locks, tidy, clippy and the unit tests
  --keep-going  goes on after a step that failed; the command fails all the same
  --seconds N   the time that there is: a slow step that would end later, by twice the seconds that it took when
                it passed last, is not begun, and is said to be due; its line stays out of date
  --skip STEP   leaves a step out
  --list        lists the steps, what was proven of each and what is to be run again, and runs none

With STEP only those are run, in the order of the list.

Example:
  cargo xtask ci --skip test clippy doc tidy
";

/// A step: its name, what it holds true, and how.
struct Step {
    name: &'static str,
    what: &'static str,
    run: fn(&Project) -> Outcome,
}

/// What the steps look at.
struct Project {
    tree: Tree,
    workspace: Workspace,
}

const STEPS: &[Step] = &[
    Step {
        name: "test",
        what: "the README's test command",
        run: |_| cargo(&["test", "--workspace"]),
    },
    Step {
        name: "unit",
        what: "the unit tests, which `test` has among others",
        run: |_| cargo(&["test", "--workspace", "--lib", "--bins", "--quiet"]),
    },
    Step {
        name: "fmt",
        what: "everyone formats alike",
        // The recorder is not a package, so Cargo does not know of its files.
        run: |_| cargo(&["fmt", "--all", "--check", "--", "tools/recorder/src/lib.rs"]),
    },
    Step {
        name: "locks",
        what: "every lock file is that of its manifests, before a step of minutes finds that it is not",
        run: locks,
    },
    Step { name: "tidy", what: "the rules of the house", run: |_| tidy::check() },
    Step { name: "clippy", what: "no warning, tests and examples included", run: clippy },
    Step { name: "doc", what: "the documentation builds without a warning", run: doc },
    Step {
        name: "features",
        what: "features of tier 0 build, alone, in pairs and together, and the command without games",
        run: |project| {
            features::powerset(&project.workspace)?;
            let without = ["clippy", "--package", "loligo-cli", "--no-default-features", "--bins"];
            cargo(&[&without[..], &["--", "--deny", "warnings"]].concat())
        },
    },
    Step {
        name: "outside",
        what: "each tier-0 crate serves a stranger, alone",
        run: |project| outside::check(&project.workspace, false),
    },
    Step {
        name: "bare",
        what: "tier 0 compiles without an operating system",
        run: |project| bare::check(&project.workspace),
    },
    Step {
        name: "targets",
        what: "tier 0 passes its tests on a machine of 32 bits",
        run: |project| targets::check(&project.workspace, &[&targets::NARROW]),
    },
    Step {
        name: "loom",
        what: "every interleaving of what several threads share",
        run: |_| loom::check(),
    },
    Step {
        name: "misuse",
        what: "each wrong free of each of our allocators is found",
        run: |_| misuse::check(true),
    },
    Step { name: "conformance", what: "ours pass every suite", run: |_| conformance::check() },
    Step {
        name: "examples",
        what: "every example of tier 0 runs",
        run: |project| examples::check(&project.tree, &project.workspace),
    },
    Step {
        name: "sanitize",
        what: "AddressSanitizer sees into tier 0 and finds nothing",
        run: |_| sanitize::check(),
    },
    Step {
        name: "valgrind",
        what: "Valgrind sees into the allocators and finds nothing",
        run: |_| valgrind::check(false),
    },
    Step {
        name: "hostile",
        what: "spoiled inputs of each surface do no harm, and planted faults are found",
        run: |_| hostile::check(),
    },
    Step {
        name: "mutants",
        what: "what share of the mutants of tier 0 the tests caught",
        run: |_| mutants::check(),
    },
    Step {
        name: "sample",
        what: "the first sample runs, is drawn, shown in a window, and printed as text",
        run: |_| sample::check(),
    },
    Step {
        name: "replay",
        what: "recorded programs are replayed in one command",
        run: |project| smoke::check(&project.tree),
    },
    // The last, as it takes longest.
    Step {
        name: "fuzz",
        what: "a planted fault is found, and some runs of each fuzz target find nothing",
        run: |_| fuzz::check(),
    },
];

/// The steps of a fast run.
const FAST: [&str; 5] = ["fmt", "locks", "tidy", "clippy", "unit"];

/// What the arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    keep_going: bool,
    all: bool,
    within: bool,
    fast: bool,
    list: bool,
    help: bool,
    /// The time that there is, in seconds.
    seconds: Option<u64>,
    skipped: Vec<String>,
    only: Vec<String>,
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a step fails, [`Failure::Unable`] on bad arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        return Ok(());
    }
    let tree = Tree::read(&workspace::root())?;
    let workspace = Workspace::read(&tree)?;
    if request.list {
        return list(&Proofs::read(&tree, &workspace)?);
    }
    run_steps(&request, &Project { tree, workspace })
}

/// Prints the steps.
fn list(proofs: &Proofs) -> Outcome {
    for step in STEPS {
        println!("{:<12}{}", step.name, step.what);
        match proofs.verdict(step.name, false) {
            Verdict::Plain => {}
            Verdict::Proven(how) => println!("{:<12}  {how}", ""),
            Verdict::Due(_, why) => println!("{:<12}  to be run: {why}", ""),
        }
    }
    Ok(())
}

/// Reads the arguments.
fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--keep-going" => request.keep_going = true,
            "--list" => request.list = true,
            "--all" => request.all = true,
            // Not for people: a step's own process.
            proofs::WITHIN => request.within = true,
            "--fast" => request.fast = true,
            "--help" | "-h" => request.help = true,
            "--seconds" => {
                let seconds = rest.next().and_then(|number| number.parse().ok());
                let what = || Failure::Unable("--seconds has a number, as --seconds 3600".into());
                request.seconds = Some(seconds.ok_or_else(what)?);
            }
            "--skip" => {
                let name = rest.next();
                request.skipped.push(step_name(name.map_or("", String::as_str))?);
            }
            name => request.only.push(step_name(name)?),
        }
    }
    Ok(request)
}

impl Request {
    /// Returns `true` if a step is to be run.
    fn wants(&self, step: &str) -> bool {
        let is_named = self.only.iter().any(|name| name == step);
        let is_among = if self.fast {
            FAST.contains(&step)
        } else {
            // All of its tests are run by `test`.
            self.only.is_empty() && step != "unit"
        };
        (is_named || is_among) && !self.skipped.iter().any(|name| name == step)
    }

    /// Returns `true` if a step that took that many seconds ends in time on a machine half as fast.
    fn has_time(&self, elapsed: u64, seconds: u64) -> bool {
        self.seconds.is_none_or(|all| elapsed + 2 * seconds <= all)
    }
}

/// Returns `true` if there is a step of this name.
#[cfg(test)]
pub(crate) fn has_step(name: &str) -> bool {
    step_name(name).is_ok()
}

fn step_name(name: &str) -> Result<String, Failure> {
    if STEPS.iter().any(|step| step.name == name) {
        return Ok(name.to_owned());
    }
    let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
    Err(Failure::Unable(format!("no step is called `{name}`; the steps are {}", known.join(", "))))
}

/// Runs the steps asked for and says at the end how long all took, and what was not run.
fn run_steps(request: &Request, project: &Project) -> Outcome {
    let begin = Instant::now();
    let (mut failed, mut unrun) = (Vec::new(), Vec::new());
    let mut count = 0;
    let proofs =
        if request.within { None } else { Some(Proofs::read(&project.tree, &project.workspace)?) };
    for step in STEPS.iter().filter(|step| request.wants(step.name)) {
        let is_asked = request.all || !request.only.is_empty();
        let verdict = proofs.as_ref().map(|proofs| proofs.verdict(step.name, is_asked));
        if let Some(Verdict::Proven(how)) = verdict {
            unrun.push((step.name, how));
            continue;
        }
        if request.within {
            // Its heading and its end are printed by what reads this.
            return (step.run)(project);
        }
        if let Some(Verdict::Due(due, _)) = &verdict
            && let Some(last) = due.seconds()
            && !request.has_time(begin.elapsed().as_secs(), last)
        {
            let how = format!("`cargo xtask ci {}` proves it", step.name);
            unrun.push((step.name, format!("DUE, and no time is left for its {last} s: {how}")));
            continue;
        }
        count += 1;
        println!("\n== {}: {}", step.name, step.what);
        let step_begin = Instant::now();
        let outcome = match verdict {
            Some(Verdict::Due(due, why)) => {
                println!("run in full: {why}");
                due.run()
            }
            _ => (step.run)(project),
        };
        let seconds = step_begin.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => println!("== {}: ok, {seconds:.1} s", step.name),
            Err(failure) => {
                println!("== {}: FAILED after {seconds:.1} s: {failure}", step.name);
                failed.push((step.name, failure.to_string()));
                if !request.keep_going {
                    break;
                }
            }
        }
    }
    println!();
    unrun.iter().for_each(|(name, how)| println!("not run: {name}: {how}"));
    finish(count, &failed, begin.elapsed().as_secs_f64())
}

/// Says how it ended; what failed once more at the end, where a long log is read first.
fn finish(count: usize, failed: &[(&str, String)], seconds: f64) -> Outcome {
    if failed.is_empty() {
        println!("ci: {count} steps ok, {seconds:.1} s in all");
        return Ok(());
    }
    failed.iter().for_each(|(name, why)| println!("{name} FAILED: {why}"));
    let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
    Err(Failure::Found(format!("ci: FAILED in {}, {seconds:.1} s in all", names.join(", "))))
}

fn cargo(arguments: &[&str]) -> Outcome {
    command::run(command::cargo(&workspace::root()).args(arguments))
}

/// Has Cargo resolve each workspace with its unchanged lock file.
fn locks(project: &Project) -> Outcome {
    for folder in lock_folders(&project.tree) {
        let mut command = command::cargo(&workspace::root().join(folder));
        // One platform's, so that the crates of others are not fetched.
        command.args(["metadata", "--locked", "--format-version", "1"]);
        command.args(["--filter-platform", "x86_64-unknown-linux-gnu"]);
        command::output(&mut command).map_err(|failure| match failure {
            Failure::Found(what) => Failure::Found(format!(
                "{folder}Cargo.lock does not follow the manifests; run `cargo update --workspace` in \
                 its folder and commit it: {what}"
            )),
            other => other,
        })?;
    }
    Ok(())
}

/// Returns the folders with a lock file, each with a slash at its end but the root.
fn lock_folders(tree: &Tree) -> impl Iterator<Item = &str> {
    tree.texts().filter_map(|(path, _)| path.strip_suffix("Cargo.lock"))
}

/// Returns the features to lint and document with: all but those that need more than a C compiler.
fn lint_features(project: &Project) -> String {
    let (light, heavy) = features::light_and_heavy(&project.workspace);
    if !heavy.is_empty() {
        let heavy = heavy.join(", ");
        println!(
            "skipped: the features {heavy}, which need cmake, make, a C++ compiler, libclang, libudev or ALSA"
        );
    }
    light.join(",")
}

fn clippy(project: &Project) -> Outcome {
    let features = lint_features(project);
    cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--features",
        &features,
        "--",
        "--deny",
        "warnings",
    ])
}

fn doc(project: &Project) -> Outcome {
    let features = lint_features(project);
    let mut command = command::cargo(&workspace::root());
    command.args(["doc", "--workspace", "--no-deps", "--features", &features]);
    command::run(command.env("RUSTDOCFLAGS", "--deny warnings"))
}

#[cfg(test)]
mod tests;
