//! The child: makes inputs and feeds them, and says which one is next.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::mutate::spoil;
use crate::planted;
use crate::random::Random;
use crate::surfaces::{self, Seeds};

/// Set where a fault is planted.
pub(crate) const PLANTED: &str = "LOLIGO_HOSTILE_PLANTED";

/// Feeds inputs, starting with a given one, until nothing reads its output any more.
pub(crate) fn feed(name: &str, seed: u64, from: u64) -> ExitCode {
    let made = surfaces::surface(name);
    let mut surface = match made {
        Ok(surface) => surface,
        Err(error) => {
            eprintln!("loligo-hostile: {name}: {error}");
            return ExitCode::from(2);
        }
    };
    let is_planted = env::var_os(PLANTED).is_some();
    let seeds = surface.seeds();
    let mut out = io::stdout().lock();
    for number in from.. {
        if writeln!(out, "{number}").and_then(|()| out.flush()).is_err() {
            break;
        }
        let (what, input) = input(&seeds, seed, number);
        if is_planted {
            planted::trust(name, &input);
        }
        surface.feed(what, &input);
        if number % 64 == 63 {
            // Nobody may listen any more.
            let _ = writeln!(out, "peak {}", peak_kib());
        }
    }
    ExitCode::SUCCESS
}

/// Writes an input to standard output.
pub(crate) fn show(name: &str, seed: u64, number: u64) -> ExitCode {
    let Ok(surface) = surfaces::surface(name) else { return ExitCode::from(2) };
    let seeds = surface.seeds();
    let (what, input) = input(&seeds, seed, number);
    eprintln!("in place of {what}, {} bytes:", input.len());
    match io::stdout().write_all(&input) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

/// Returns an input: first each that did harm once as it is, then real ones that are spoiled.
fn input(seeds: &Seeds, seed: u64, number: u64) -> (&str, Vec<u8>) {
    let known = seeds.harmful.len() as u64;
    if number < known {
        let (what, bytes) = &seeds.harmful[number as usize];
        return (what, bytes.clone());
    }
    let mut random = Random::new(seed, number);
    let all = seeds.harmful.iter().chain(&seeds.real);
    let count = seeds.harmful.len() + seeds.real.len();
    let mut pick = |bias: usize| all.clone().nth(random.below(count - bias) + bias);
    // What is real more often than what is known to be spoiled.
    let first = pick(if seeds.real.len() > 1 { seeds.harmful.len() / 2 } else { 0 });
    let other = pick(0);
    let (what, bytes) =
        first.map_or(("nothing", Vec::new()), |(what, bytes)| (&**what, bytes.clone()));
    let mut input = bytes;
    spoil(&mut random, &mut input, other.map_or(&[], |(_, bytes)| bytes));
    (what, input)
}

/// Returns the most memory that this process had, where the system says so.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
