//! `cargo xtask mutants`: changes tier 0 in thousands of places, one at a time, to see whether a
//! test notices.

mod build;
mod cfg;
mod change;
mod copy;
mod explained;
mod find;
mod judge;
mod kept;
mod marks;
mod measured;
mod process;
mod record;
mod report;
mod request;
mod site;
mod sources;
mod splice;
mod suite;
pub(crate) mod table;
mod verdicts;
mod viable;
mod world;

use core::time::Duration;
use std::collections::BTreeSet;
use std::fs;
use std::sync::Mutex;
use std::time::Instant;

use self::copy::Copy;
use self::explained::Explained;
use self::judge::Sitting;
use self::record::Record;
use self::report::Report;
use self::request::{Mode, Request, parse};
use self::suite::{Suite, locked};
use self::verdicts::{Verdict, Verdicts};
use self::viable::Spliceable;
use self::world::{Id, World};
use crate::outcome::{Failure, Outcome};
use crate::tree::Tree;
use crate::workspace;

const USAGE: &str = "\
Mutation testing of tier 0: changes its code in one place at a time (an operator, a condition, a
literal, a statement left out, a function that returns at once ...) and runs the tests that reach the
place until one fails. All mutants are spliced into a copy of the workspace behind a switch that is
read at run time, so one build serves all. Verdicts are kept in docs/evidence/mutants.tsv by the text of
the function, and only what is missing there or has changed is run, so that several sittings add up. What
survives is listed, or explained in tests/mutants-explained.tsv.

Usage: cargo xtask mutants [OPTIONS] [FILE...]

With FILE, a source of tier 0 or a folder of them, only its mutants are looked at.

Options:
  --shard K/N      only the Kth of N parts, so that several machines can share the work
  --minutes N      ends the sitting after so long
  --budget N       the seconds of tests that a mutant may outlive before it is missed, the quickest
                   tests and those of its own module first; 5 unless told
  --unit           runs only the unit tests of the crates that are mutated, which are built much sooner;
                   only what they catch is written down
  --again VERDICT  judges those again, too, whose verdict is VERDICT: missed, unreached, caught, timeout,
                   unviable, or survived, which is missed or unreached without an explanation
  --list VERDICT   lists the mutants of a verdict with their lines and runs nothing
  --summary        prints the share caught and the cover by file, and runs nothing
  --page           writes the same to docs/evidence/mutants.md, with what is explained
  --check          reads both files, says how much of the code as it is they cover, and runs nothing

Examples:
  cargo xtask mutants --minutes 60
  cargo xtask mutants --again survived allocators/src/blocks/buddy
  cargo xtask mutants --list survived allocators/src/blocks/buddy

Exit status: 0 all went well, whatever survived; 1 a planted mutant was misjudged or a file is damaged;
2 it could not be run.
";

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if the canary is misjudged or a file is damaged, [`Failure::Unable`] if it
/// cannot be run.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.mode == Mode::Help {
        print!("{USAGE}");
        return Ok(());
    }
    let root = workspace::root();
    let tree = Tree::read(&root)?;
    let world = World::read(&tree)?;
    known(&request, &world)?;
    let (record, explained) = (Record::load(&root)?, Explained::load(&root)?);
    let mut verdicts = Verdicts::default();
    if request.mode == Mode::Run {
        // Those of functions that are judged in part; figures are of the record alone.
        verdicts = Verdicts::load(&copy::home())?;
        verdicts.keep(world.mutants());
    }
    record.add_to(&mut verdicts, &world, &explained);
    let stale = record.stale(&world);
    if request.mode == Mode::Run {
        let outcome = sit(&request, &tree, &world, &mut verdicts);
        Record::of(&world, &verdicts, &explained).save(&root)?;
        outcome?;
    }
    let report = Report::new(&world, &verdicts, &root, stale)?;
    match &request.mode {
        Mode::Summary => print!("{}", report.table(&request)),
        Mode::List(verdict) => print!("{}", report.list(&request, *verdict)),
        Mode::Check => print!("{}", report.check()),
        Mode::Page => report.write(&root)?,
        Mode::Run | Mode::Help => print!("{}", report.totals()),
    }
    Ok(())
}

/// Reads the verdicts and says how much they cover, for the continuous integration.
///
/// # Errors
///
/// [`Failure::Found`] if a file is damaged.
pub(crate) fn check() -> Outcome {
    run(&["--check".to_owned()])
}

/// Refuses a file that is not part of tier 0.
fn known(request: &Request, world: &World) -> Outcome {
    for name in &request.files {
        if !world.files.iter().any(|file| request::is_below(&file.path, name)) {
            return Err(Failure::Unable(format!(
                "`{name}` is no source of tier 0: name one as `allocators/src/blocks/pool.rs`, or a folder"
            )));
        }
    }
    Ok(())
}

/// Judges what is asked for and lacks a verdict.
fn sit(request: &Request, tree: &Tree, world: &World, verdicts: &mut Verdicts) -> Outcome {
    let until = request.minutes.map(judge::end_of);
    let explained = Explained::load(&workspace::root())?;
    let chosen: Vec<Id> = world
        .ids()
        .filter(|id| request.is_asked(world.mutant(*id), verdicts, &explained))
        .collect();
    if chosen.is_empty() {
        println!("nothing is to be judged: every mutant asked for has its verdict");
        return Ok(());
    }
    println!("{} mutants to judge, in one build", chosen.len());
    let paths: BTreeSet<&str> = world.files.iter().map(|file| file.path.as_str()).collect();
    let copy = Copy::make(tree, &paths)?;
    fs::create_dir_all(copy::home().join("tmp"))
        .map_err(|error| Failure::io("cannot make a folder", &error))?;
    let spliced = to_splice(request, world, verdicts, &chosen);
    let mut spliceable = Spliceable::new(world, &copy, &spliced)?;
    let built = spliceable.build(request.unit);
    // Also where the build failed in the end, as each of them costs time to find.
    for id in &spliceable.unviable {
        verdicts.set(world.mutant(*id), Verdict::Unviable);
    }
    verdicts.save(&copy::home())?;
    let programs = built?;
    let count = spliceable.numbers.values().max().copied().unwrap_or(0);
    let begin = Instant::now();
    let suite = Suite::measure(programs, &copy.folder, count)?;
    let (tests, seconds) = (suite.tests.len(), begin.elapsed().as_secs());
    println!("  {tests} tests run once without a mutant, {seconds} s");
    for name in &suite.failing {
        println!("  left out, as it fails without a mutant here: {name}");
    }
    let budget = f64::from(request.budget.unwrap_or(judge::BUDGET_SECONDS));
    let sitting = Sitting { world, suite: &suite, until, budget };
    let numbered = |ids: &[Id]| -> Vec<(Id, u32)> {
        let number = |id: &Id| Some((*id, *spliceable.numbers.get(id)?));
        ids.iter().filter_map(number).collect()
    };
    let planted: Vec<Id> = world.planted().collect();
    canary(&sitting, &numbered(&planted))?;
    judge_all(&sitting, &numbered(&chosen), verdicts, request.unit)
}

/// Returns the mutants to splice in: those that are judged again alone, else all of the files that
/// are asked for, so that a sitting that goes on with another's work needs no other build.
fn to_splice(request: &Request, world: &World, verdicts: &Verdicts, chosen: &[Id]) -> Vec<Id> {
    if request.again.is_some() {
        return world.planted().chain(chosen.iter().copied()).collect();
    }
    let is_viable = |id: &Id| {
        let mutant = world.mutant(*id);
        request.is_in_files(&mutant.file) && verdicts.get(mutant) != Some(Verdict::Unviable)
    };
    world.planted().chain(world.ids().filter(is_viable)).collect()
}

/// Judges mutants, keeping the verdicts as they fall.
fn judge_all(
    sitting: &Sitting<'_>,
    mutants: &[(Id, u32)],
    verdicts: &mut Verdicts,
    unit: bool,
) -> Outcome {
    let home = copy::home();
    let begin = Instant::now();
    let state = Mutex::new((verdicts, begin, 0_usize));
    sitting.judge(mutants, |id, verdict| {
        let mut state = locked(&state);
        let (verdicts, saved, count) = &mut *state;
        // What some of the tests do not catch others may.
        if !unit || !verdict.survives() {
            verdicts.set(sitting.world.mutant(id), verdict);
        }
        *count += 1;
        if saved.elapsed() > Duration::from_secs(30) {
            *saved = Instant::now();
            verdicts.save(&home)?;
            let seconds = begin.elapsed().as_secs();
            println!("  {count} of {} mutants judged, {seconds} s", mutants.len());
        }
        Ok(())
    })?;
    let (verdicts, _, count) =
        state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    println!("  {count} of {} mutants judged, {} s", mutants.len(), begin.elapsed().as_secs());
    verdicts.save(&home)
}

/// Judges the planted mutants, of which it is known what must become of them.
fn canary(sitting: &Sitting<'_>, planted: &[(Id, u32)]) -> Outcome {
    let wrong = Mutex::new(Vec::new());
    let told = Mutex::new(0_usize);
    let endless = Sitting { until: None, ..*sitting };
    endless.judge(planted, |id, verdict| {
        let mutant = sitting.world.mutant(id);
        let expected = match (mutant.function.as_str(), mutant.mutation.as_str()) {
            ("same", mutation) if mutation.starts_with("+ to -") => Verdict::Missed,
            ("count", mutation) if mutation.starts_with("delete") => Verdict::Timeout,
            ("uncalled", _) => Verdict::Unreached,
            _ => Verdict::Caught,
        };
        *locked(&told) += 1;
        if verdict != expected {
            let (mutation, verdict) = (&mutant.mutation, verdict.name());
            let expected = expected.name();
            locked(&wrong).push(format!("{mutation}: {verdict}, not {expected}"));
        }
        Ok(())
    })?;
    let wrong = locked(&wrong).join("; ");
    let told = *locked(&told);
    if !wrong.is_empty() || told < 10 {
        return Err(Failure::Found(format!(
            "planted mutants are misjudged ({told} judged): {wrong}"
        )));
    }
    println!("  {told} planted mutants are judged as they must be");
    Ok(())
}

#[cfg(test)]
mod tests;
