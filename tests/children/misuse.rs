//! The table of misuse: each wrong use of each allocator in its own process.
//!
//! `--ours` leaves the peers out; `--markdown` prints the page that is kept in the documentation.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use loligo_tests::misuse::table::{self, Line};

fn main() -> ExitCode {
    table::work();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ours_only = arguments.iter().any(|argument| argument == "--ours");
    let markdown = arguments.iter().any(|argument| argument == "--markdown");
    let lines = match table::run(ours_only) {
        Ok(lines) => lines,
        Err(error) => {
            eprintln!("a process cannot be started: {error}");
            return ExitCode::from(2);
        }
    };
    let [frees, writes] = table::tables(&lines);
    if markdown {
        print!("{}", PAGE.replace("{frees}", &frees).replace("{writes}", &writes));
    } else {
        println!("{frees}\n{writes}");
    }
    tell_broken(&lines)
}

/// Says which promises were broken.
fn tell_broken(lines: &[Line]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for line in lines {
        for broken in &line.broken {
            eprintln!("{}: {broken}", line.name);
            code = ExitCode::from(1);
        }
    }
    code
}

const PAGE: &str = include_str!("misuse.md");
