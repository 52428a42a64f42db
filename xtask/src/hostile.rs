//! `cargo xtask hostile`: spoiled inputs for all that reads files and connections from outside.

use std::process::Command;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const USAGE: &str = "\
Feeds each surface (project, data, input, saved, trace, recording, port, scripts) first with a fault planted in
it, which must be found, and then as it is: inputs that did harm once, and real ones with something spoiled, in child
processes with limits on time and memory. Prints inputs, crashes, hangs and peak memory of each.

Usage: cargo xtask hostile [--seconds N] [--inputs N]

Options:
  --seconds N  at least so long for each surface; 60 unless told
  --inputs N   and at least so many inputs for each; 10000 unless told

Example:
  cargo xtask hostile --seconds 10 --inputs 0

Exit status: 0 all well, 1 an input did harm or a planted fault was not found, 2 it could not be run.
";

/// How long a surface is fed in the continuous integration, in seconds.
const CI_SECONDS: u32 = 10;

/// How long a planted fault is looked for.
const PLANTED_SECONDS: u32 = 60;

/// Runs the command, which is a program of the crate `loligo-hostile`.
///
/// # Errors
///
/// [`Failure::Found`] if something was found, or a planted fault was not; [`Failure::Unable`] if it
/// cannot be run.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut seconds, mut inputs) = (60, 10_000);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || rest.next().and_then(|number| number.parse().ok());
        let place = match argument.as_str() {
            "--help" | "-h" => {
                print!("{USAGE}");
                return Ok(());
            }
            "--seconds" => number().map(|number| seconds = number),
            "--inputs" => number().map(|number| inputs = number),
            _ => None,
        };
        place.ok_or_else(|| {
            Failure::Unable(format!(
                "`{argument}` is no option of hostile with a number; see `cargo xtask hostile --help`"
            ))
        })?;
    }
    feed(seconds, inputs)
}

/// Feeds each surface for as long as each check of the project may take.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn check() -> Outcome {
    feed(CI_SECONDS, 0)
}

fn feed(seconds: u32, inputs: u32) -> Outcome {
    let root = workspace::root();
    let mut build = command::cargo(&root);
    // As tests are built, most of which is there.
    build.args(["build", "--profile", "test", "--package", "loligo-hostile"]);
    command::build(&mut build, "all readers of outside data")?;
    let name = format!("loligo-hostile{}", std::env::consts::EXE_SUFFIX);
    let program = workspace::target().join("debug").join(name);
    println!("with a fault planted in each:");
    let mut planted = Command::new(&program);
    command::run(planted.args(["--planted", "--seconds", &PLANTED_SECONDS.to_string()]))?;
    println!("\nas they are:");
    let (seconds, inputs) = (seconds.to_string(), inputs.to_string());
    let mut real = Command::new(&program);
    command::run(real.args(["--seconds", &seconds, "--inputs", &inputs]))
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn an_option_without_its_number_is_refused() {
        for arguments in [&["--seconds"][..], &["--inputs", "many"], &["--fast"]] {
            let arguments: Vec<_> = arguments.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(run(&arguments).expect_err("it is wrong").status(), 2, "{arguments:?}");
        }
        run(&["--help".to_owned()]).expect("it says how");
    }
}
