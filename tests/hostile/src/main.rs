//! Spoiled inputs for whatever reads files and connections from outside, in child processes with
//! limits.
#![forbid(unsafe_code)]

mod child;
mod mutate;
mod parent;
mod planted;
mod random;
mod surfaces;

use core::time::Duration;
use std::env;
use std::process::ExitCode;

use parent::{Found, Request};

const USAGE: &str = "\
Feeds spoiled inputs to what reads them, in child processes with limits on time and memory.

Usage: loligo-hostile [--seconds N] [--inputs N] [--seed N] [--planted] [SURFACE...]
       loligo-hostile feed SURFACE SEED FROM
       loligo-hostile show SURFACE SEED NUMBER

Options:
  --seconds N  at least N seconds for each surface [default: 10]
  --inputs N   and at least N inputs for each [default: 0]
  --seed N     what inputs are made of [default: 1]
  --planted    with a fault planted in each surface, which must be found

Surfaces: project, data, input, saved, trace, recording, port, scripts; all unless named.

Example:
  loligo-hostile --seconds 60 --inputs 10000 trace

Exit status: 0 nothing was found (with --planted: all was), 1 otherwise, 2 it could not be run.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["feed", surface, seed, from] => number(seed)
            .zip(number(from))
            .map_or_else(usage, |(seed, from)| child::feed(surface, seed, from)),
        ["show", surface, seed, at] => number(seed)
            .zip(number(at))
            .map_or_else(usage, |(seed, at)| child::show(surface, seed, at)),
        _ if words.contains(&"--help") || words.contains(&"-h") => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => match parse(&words) {
            Some(request) => run(&request),
            None => usage(),
        },
    }
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(2)
}

fn parse(words: &[&str]) -> Option<Request> {
    let mut request = Request {
        time: Duration::from_secs(10),
        inputs: 0,
        seed: 1,
        is_planted: false,
        surfaces: Vec::new(),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--seconds" => request.time = Duration::from_secs(number(words.next()?)?),
            "--inputs" => request.inputs = number(words.next()?)?,
            "--seed" => request.seed = number(words.next()?)?,
            "--planted" => request.is_planted = true,
            name => {
                request.surfaces.push(surfaces::NAMES.into_iter().find(|known| *known == name)?)
            }
        }
    }
    if request.surfaces.is_empty() {
        request.surfaces.extend(surfaces::NAMES);
    }
    Some(request)
}

fn run(request: &Request) -> ExitCode {
    let mut is_right = true;
    println!(
        "{:<10} {:>10} {:>8} {:>6} {:>12} {:>8}",
        "surface", "inputs", "crashes", "hangs", "peak memory", "seconds"
    );
    for surface in &request.surfaces {
        let found = match parent::run(request, surface) {
            Ok(found) => found,
            Err(error) => {
                eprintln!("loligo-hostile: {surface}: cannot be fed: {error}");
                return ExitCode::from(2);
            }
        };
        let Found { inputs, crashes, hangs, peak_kib, seconds, .. } = &found;
        let peak_mib = peak_kib / 1024;
        println!(
            "{surface:<10} {inputs:>10} {crashes:>8} {hangs:>6} {peak_mib:>8} MiB {seconds:>8.1}"
        );
        for line in &found.told {
            println!("  {line}");
        }
        is_right &= (crashes + hangs > 0) == request.is_planted;
    }
    match (is_right, request.is_planted) {
        (true, _) => ExitCode::SUCCESS,
        (false, true) => {
            println!(
                "a planted fault was not found: what says that there are none is not to be believed"
            );
            ExitCode::FAILURE
        }
        (false, false) => ExitCode::FAILURE,
    }
}
