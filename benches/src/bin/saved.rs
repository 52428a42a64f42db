//! What a source that is saved takes until it is seen, by parts, in a project of many resources.

use loligo_benches::{ManyResources, SavedParts};

const USAGE: &str = "\
Saves a material of a project while its game runs, and prints what each part of the way to the picture took, in
milliseconds: the median, the least and the most of some saves.

Usage: saved [COUNT]

  COUNT  how many resources the project has [default: 1000]

Example:
  cargo run --release -p loligo-benches --bin saved -- 20000
";

/// How often the game is run.
const RUNS: usize = 5;

fn main() -> std::process::ExitCode {
    let count = std::env::args().nth(1).unwrap_or_else(|| "1000".to_owned());
    if count == "--help" || count == "-h" {
        print!("{USAGE}");
        return std::process::ExitCode::SUCCESS;
    }
    let Some(count) = count.parse().ok().filter(|count| (8..=1_000_000).contains(count)) else {
        eprintln!("saved: `{count}` is no number of resources; give one from 8 to 1000000");
        return std::process::ExitCode::from(2);
    };
    println!("writing and compiling {count} resources");
    let many = ManyResources::new(count);
    let saves: Vec<SavedParts> = (0..RUNS).flat_map(|_| many.save()).collect();
    let part = |name: &str, of: fn(&SavedParts) -> u64| {
        let mut all: Vec<f64> = saves.iter().map(|parts| of(parts) as f64 / 1e6).collect();
        all.sort_by(f64::total_cmp);
        let (least, most) = (all[0], all[all.len() - 1]);
        println!("{name:<8} {:>9.3} ms, {least:.3} to {most:.3}", all[all.len() / 2]);
    };
    part("notice", |parts| parts.notice);
    part("compile", |parts| parts.compile);
    part("frame", |parts| parts.frame);
    part("all", |parts| parts.notice + parts.compile + parts.frame);
    std::process::ExitCode::SUCCESS
}
