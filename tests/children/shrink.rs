//! Makes a failing program small and prints it as a test; `cargo xtask shrink` runs it.
#![forbid(unsafe_code)]

use core::time::Duration;
use std::path::Path;
use std::process::ExitCode;

use loligo_replay::trace::Trace;
use loligo_tests::Child;
use loligo_tests::programs::program_of;
use loligo_tests::shrink::{Case, Subject, shrink_in_children, work};

/// A program that runs longer hangs. Generous: a trace of a million events takes some seconds.
const LIMIT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let child = Child::program().within(LIMIT);
    work(&child);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let case = match read(&arguments) {
        Ok(case) => case,
        Err(what) => {
            eprintln!("{what}");
            return ExitCode::from(2);
        }
    };
    match shrink_in_children(&case, &child) {
        Ok(None) => {
            println!("the program runs well: {} operations", case.len());
            ExitCode::SUCCESS
        }
        Ok(Some(shrunk)) => {
            print!("{shrunk}");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("a process cannot be run: {error}");
            ExitCode::from(2)
        }
    }
}

fn read(arguments: &[String]) -> Result<Case, String> {
    match arguments {
        [file, option, name] if option == "--allocator" => {
            let on = Subject::named(name).ok_or_else(|| {
                let names = Subject::names().join(", ");
                format!(
                    "no allocator is called `{name}`; there are {names}, stacks of them such as \
                     canary/slab, and faulty:FAULT, which has a planted fault"
                )
            })?;
            let trace = Trace::open(Path::new(file)).map_err(|error| error.to_string())?;
            Ok(Case::Allocator { on, program: program_of(&trace.events) })
        }
        [family, file] => {
            let bytes = std::fs::read(file)
                .map_err(|error| format!("{file}: cannot read it: {error}; check the path"))?;
            let case = Case::from_input(family, &bytes).map_err(|unfit| unfit.to_string())?;
            case.ok_or_else(|| {
                format!("{file}: {} bytes are no input of `{family}`, which has more", bytes.len())
            })
        }
        _ => Err("name a family and a file, or a trace and --allocator NAME".to_owned()),
    }
}
