//! Bugs that were planted, and the wrapper that finds each: docs/guide/hunting-memory-bugs.md as a
//! program.
//!
//! `cargo run -p loligo-allocators --example hunting` runs every case in a separate process and
//! shows symptom, wrapper and report; `-- overrun` runs that one here. Each case is a file: first
//! the bug as it is met, then the same code, unchanged, which was given a wrapper instead of the
//! heap.

mod another_base;
mod cases;
mod damage;
mod double_free;
mod error_path;
mod growth;
mod hidden;
mod leak;
mod never_set;
mod one_too_many;
mod other_thread;
mod overrun;
mod page;
mod raw;
mod show;
mod stale_read;
mod stale_write;

use core::error::Error;
use std::alloc::System;
use std::env;
use std::process::ExitCode;

use loligo_allocators::GlobalGuard;

use cases::{CASES, Case};
use page::{PAGE, Page};

const USAGE: &str = "\
Commits planted memory bugs, first over a plain allocator and then with the wrapper that finds them.

Usage: hunting [NAME]

Without a name every case runs in a separate process; shown are its symptom, what one sees of it, the
wrapper, and what that reported. With a name that case runs in this process, which most reports end.

Example:
  hunting overrun

Exit status: 0 each wrapper found its bug and the page in docs quotes it truly, 1 not so, 2 no such case.
";

/// For the case `hidden`; it passes everything on, and is armed there alone.
#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    match env::args().nth(1).as_deref() {
        None => hunt_all(),
        Some("--help" | "-h") => {
            print!("{USAGE}\nCases:\n");
            CASES.iter().for_each(|case| println!("  {:<15} {}", case.name, case.symptom));
            Ok(ExitCode::SUCCESS)
        }
        Some(name) => match CASES.iter().find(|case| case.name == name) {
            Some(case) => run(case),
            None => {
                eprintln!("no case is called `{name}`; `--help` lists them");
                Ok(ExitCode::from(2))
            }
        },
    }
}

/// Runs a case in this process, which it may end.
fn run(case: &Case) -> Result<ExitCode, Box<dyn Error>> {
    println!("{}{}", show::ALONE, (case.alone)()?);
    println!("{}", show::HUNTED);
    println!("{}", (case.hunted)()?);
    Ok(ExitCode::SUCCESS)
}

/// Runs every case in a separate process; prints which wrappers found nothing, and what the page in
/// docs quotes differently.
fn hunt_all() -> Result<ExitCode, Box<dyn Error>> {
    let page = Page::read();
    let (mut missed, mut unquoted) = (Vec::new(), Vec::new());
    for case in &CASES {
        let seen = show::in_a_process(case)?;
        println!("{seen}");
        if !seen.is_caught() {
            missed.push(case.name);
        }
        if !page.quotes(&seen) {
            unquoted.push(case.name);
        }
    }
    println!("{} of {} were caught", CASES.len() - missed.len(), CASES.len());
    if !missed.is_empty() {
        println!("not caught: {}", missed.join(", "));
    }
    if !unquoted.is_empty() {
        println!("{PAGE} does not show this output of: {}", unquoted.join(", "));
    }
    let strange = page.strange_code()?;
    if let Some(code) = strange {
        println!("{PAGE} shows code that is not in this program:\n{code}");
    }
    let well = missed.is_empty() && unquoted.is_empty() && strange.is_none();
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
