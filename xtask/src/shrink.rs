//! `cargo xtask shrink`: a failing program or trace as a test of few lines.

use std::path::Path;
use std::process::Command;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const USAGE: &str = "\
Makes a failing program small (delta debugging) and prints it as a test to paste into the repository.

Usage: cargo xtask shrink FAMILY FILE
       cargo xtask shrink TRACE --allocator NAME

FAMILY is the fuzz target that makes such programs, FILE what it found (target/xtask/fuzz/findings) or any other
of its inputs. TRACE is a recording (.altrace or .altrace.zst), NAME the allocator that it fails under: one of ours
(heap, canary/slab), a peer (mimalloc), or faulty:FAULT, the reference allocator with a planted fault.

Each run is made in a process of its own, so that a program that crashes or hangs is made smaller, too. Only what
fails in the same way counts.

Example:
  cargo xtask shrink ring target/xtask/fuzz/findings/ring-crash-da39a3ee
  cargo xtask shrink tools/replay/traces/lua.altrace.zst --allocator faulty:LosesLastByte

Exit status: 0 the program does not fail, 1 it fails and the test was printed, 2 it could not be run.
";

/// The program of the crate `loligo-tests` that does it.
const PROGRAM: &str = "loligo-tests-shrink";

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if the program fails, [`Failure::Unable`] if it cannot be run.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    check(arguments)?;
    let root = workspace::root();
    let mut build = command::cargo(&root);
    build.args(["build", "--release", "--package", "loligo-tests"]);
    build.args(["--bin", PROGRAM, "--features", "peers"]);
    command::build(&mut build, "the program that shrinks, for release")?;
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    command::announce("running the program smaller and smaller, which can take a minute");
    let mut program = Command::new(workspace::target().join("release").join(name));
    let status = program
        .args(arguments)
        .status()
        .map_err(|error| Failure::io(&format!("cannot run {PROGRAM}"), &error))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(1) => Err(Failure::Found("the program fails; the test above shows it".into())),
        _ => Err(Failure::Unable(format!("`{PROGRAM}` ended with {status}"))),
    }
}

/// Refuses arguments that nothing can be done with, before anything is built.
fn check(arguments: &[String]) -> Outcome {
    let file = match arguments {
        [file, option, _] if option == "--allocator" => file,
        [family, file] if !family.starts_with('-') && !file.starts_with('-') => file,
        _ => {
            return Err(Failure::Unable(
                "shrink takes a family and a file, or a trace and --allocator NAME; see `cargo xtask \
                 shrink --help`"
                    .into(),
            ));
        }
    };
    if Path::new(file).is_file() {
        return Ok(());
    }
    Err(Failure::Unable(format!("{file}: there is no such file; check the path")))
}

#[cfg(test)]
mod tests {
    use super::{Failure, check};

    fn refused(arguments: &[&str]) -> Option<String> {
        let arguments: Vec<_> = arguments.iter().map(|text| (*text).to_owned()).collect();
        match check(&arguments) {
            Err(Failure::Unable(what)) => Some(what),
            _ => None,
        }
    }

    #[test]
    fn arguments_are_understood_or_refused() {
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert_eq!(refused(&["ring", here]), None);
        assert_eq!(refused(&[here, "--allocator", "heap"]), None);
        for wrong in [&["ring"][..], &[], &["--allocator", here], &[here, "--on", "heap"]] {
            let what = refused(wrong).unwrap_or_default();
            assert!(what.contains("--help"), "{wrong:?}: {what}");
        }
        let what = refused(&["ring", "no/such/file"]).unwrap_or_default();
        assert!(what.contains("no/such/file: there is no such file"), "{what}");
    }
}
