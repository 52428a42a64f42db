//! Ratios, answers, and small programs under our libraries.

use core::alloc::Layout;
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};

use super::allocators::{Candidate, installed_in};
use super::compare::compare;
use super::{Answer, CheckError, Figure, Plan, Ran, Sample, candidates, run, sources};
use crate::strategies::StrategyConfig;
use crate::trace::{Event, Op, Trace};

/// A figure whose interval reaches so far to both sides.
fn figure(ratio: f64, noise: f64) -> Figure {
    Figure { median: ratio, ratio, from: ratio - noise, to: ratio + noise }
}

fn answer(figures: &[(f64, f64, f64)]) -> Answer {
    let ran = figures.iter().enumerate().map(|(at, (cpu, noise, peak))| Ran {
        name: at.to_string(),
        cpu: figure(*cpu, *noise),
        wall: figure(*cpu, *noise),
        peak: figure(*peak, 0.0),
    });
    Answer::of(&ran.collect::<Vec<_>>())
}

#[test]
fn ratios_are_of_the_same_round() {
    // A machine that slows down: all rounds differ, their ratios do not.
    let sample = |seconds: f64| Sample { cpu: seconds, wall: 2.0 * seconds, peak: 100.0 };
    let own: Vec<Sample> = (1..=9).map(|round| sample(f64::from(round))).collect();
    let half = own.iter().map(|one| Sample { cpu: one.cpu / 2.0, ..*one }).collect();
    let checked = compare("true", vec![("own".into(), own), ("half".into(), half)]);
    let [own, half] = &checked.ran[..] else { panic!("{checked:?}") };
    assert_eq!(own.cpu, Figure { median: 5.0, ratio: 1.0, from: 1.0, to: 1.0 });
    assert_eq!(half.cpu, Figure { median: 2.5, ratio: 0.5, from: 0.5, to: 0.5 });
    assert_eq!(half.wall.ratio, 1.0);
    assert_eq!(checked.answer.speed, 1);
}

#[test]
fn what_is_within_the_noise_or_dear_is_no_advice() {
    let own = (1.0, 0.0, 1.0);
    let speed = |of: &[(f64, f64, f64)]| answer(of).speed;
    assert_eq!(speed(&[own, (0.96, 0.01, 1.0)]), 0, "4 % are not worth it");
    assert_eq!(speed(&[own, (0.90, 0.11, 1.0)]), 0, "it may be none");
    assert_eq!(speed(&[own, (0.80, 0.01, 1.2)]), 0, "memory is 20 % more");
    assert_eq!(speed(&[own, (0.90, 0.01, 1.0), (0.85, 0.01, 1.04)]), 2);
    assert_eq!(answer(&[own, (1.04, 0.0, 0.7), (1.2, 0.0, 0.5)]).memory, 1);
}

#[test]
fn installed_peers_are_found_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["libmimalloc.so.2.0", "libmimalloc.so.2", "libjemalloc.a", "libother.so"] {
        fs::write(folder.path().join(name), "").expect("a file");
    }
    let library = Some(folder.path().join("libmimalloc.so.2"));
    let found = installed_in(&[Path::new("/nowhere"), folder.path()]);
    assert_eq!(found, [Candidate { name: "mimalloc".to_owned(), library, program: None }]);
}

fn plan(command: &str, folder: &Path) -> Plan {
    Plan {
        command: command.into(),
        rounds: 1,
        folder: folder.to_owned(),
        sources: sources(),
        manifest: None,
    }
}

#[test]
fn a_program_that_ends_otherwise_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let other =
        Candidate { name: "other".to_owned(), library: Some("/nowhere.so".into()), program: None };
    // What is preloaded is in the environment, whether or not it is there.
    let plan = plan("test -z \"$LD_PRELOAD\"", folder.path());
    let error = run(&plan, &[Candidate::own(), other], &mut |_, _, _| {}).expect_err("it fails");
    let text = error.to_string();
    assert!(text.contains("under `other` the program exits with 1"), "{text}");
    assert!(text.contains("the first time it exits with 0"), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_that_does_not_end_is_ended() {
    let (sample, ended) =
        super::sample::take(&Candidate::own(), "sleep 1000 & wait", Duration::ZERO)
            .expect("it starts");
    assert_eq!((sample, &*ended), (Sample::default(), "has not ended after 0 s"));
}

#[test]
fn sources_that_are_gone_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan { sources: PathBuf::from("/nowhere/at/all"), ..plan("true", folder.path()) };
    let error = candidates(&plan, &[]).expect_err("there are none");
    assert!(matches!(error, CheckError::NoSources(_)), "{error}");
    assert!(error.to_string().contains("--allocators DIR"), "{error}");
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
fn a_program_runs_under_the_heap_and_under_a_strategy() {
    let folder = tempfile::tempdir().expect("a folder");
    let strategies = crate::strategies::built_in();
    let pools =
        strategies.into_iter().find(|one| one.name == "pools+heap").expect("it is built in");
    let plan = plan("ls /", folder.path());
    let all = candidates(&plan, &[pools]).expect("they are built");
    let names: Vec<&str> = all.iter().take(3).map(|one| &*one.name).collect();
    assert_eq!(names, ["own", "heap", "pools+heap"]);
    let checked = run(&plan, &all[..3], &mut |_, _, _| {}).expect("it runs under all");
    assert_eq!(checked.rounds, 9, "at least");
    for ran in &checked.ran {
        assert!(ran.peak.median > 100_000.0 && ran.wall.median > 0.0, "{ran:?}");
    }
    let refused = Plan { command: "exit 3".into(), ..plan };
    let error = candidates(&refused, &[]).expect_err("a shell alone asks for nothing that counts");
    assert!(matches!(error, CheckError::NotUsed { .. }), "{error}");
}

/// Returns a strategy with a pool for what its heap makes of the size that is returned, which the heap
/// serves: the size that such a block has is not where it is.
fn gap() -> (StrategyConfig, u64) {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let step = |bytes: usize| bytes.div_ceil(8);
    let rounded = (1..600).find_map(|bytes| {
        let layout = Layout::from_size_align(bytes, 16).expect("a layout");
        let block = heap.allocate(layout).expect("pages").cast();
        // SAFETY: the block was just taken.
        let had = unsafe { heap.allocated_size(block) };
        // SAFETY: it is freed once.
        unsafe { heap.deallocate(block) };
        (step(had) > step(bytes)).then_some((bytes, had))
    });
    let (bytes, had) = rounded.expect("some size is rounded");
    let (from, up_to) = (8 * (step(had) - 1) + 1, 8 * step(had));
    let tree = format!(
        r#"{{"strategies": [{{"name": "gap", "tree": {{"by-size": {{
        "classes": [{{"from": {from}, "up_to": {up_to}, "to": {{"pool": {{"bytes": {up_to}}}}}}}],
        "rest": {{"heap": {{}}}}}}}}}}]}}"#
    );
    let strategy = crate::strategies::parse("gap.json", &tree).expect("a strategy").remove(0);
    (strategy, bytes as u64)
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
fn a_recording_is_replayed_under_what_the_program_ran_under() {
    let folder = tempfile::tempdir().expect("a folder");
    let (gap, rounded) = gap();
    let plan = plan("ls /", folder.path());
    let strategies = [gap];
    let all = candidates(&plan, &strategies).expect("they are built");
    let event = |op, slot, bytes| Event { op, align_log2: 4, thread: 0, slot, bytes };
    let mut events = Vec::new();
    // A block that is rounded into another's class, grown, shrunk and freed; a large one; some stay.
    for slot in 0..2000 {
        events.push(event(Op::Allocate, slot, rounded));
        events
            .extend([rounded + 3, 4 * rounded, rounded].map(|to| event(Op::Reallocate, slot, to)));
        if slot % 2 == 0 {
            events.push(event(Op::Free, slot, 0));
        }
    }
    events.push(event(Op::AllocateZeroed, 2000, 50 << 20));
    let read = || Trace::from_events("job", events.clone()).map_err(|error| error.to_string());
    let own = Figure { median: 1.0, ratio: 1.0, from: 1.0, to: 1.0 };
    let peak = Figure { median: 1e9, ..own };
    let own = Ran { name: "own".to_owned(), cpu: own, wall: own, peak };
    let _alone = crate::child::alone();
    let promise = |read: &dyn Fn() -> Result<Trace, String>| {
        super::promise(&plan, &all[..3], &strategies, read, &own, &mut |_, _, _| {})
    };
    let promises = promise(&read).expect("it runs under all");
    let names: Vec<&str> = promises.promised.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["heap", "gap"]);
    for one in &promises.promised {
        // All have the large block: of a program of 1 GB it is no difference.
        assert!((one.peak - 1.0).abs() < 0.02 && (one.cpu - 1.0).abs() < 0.5, "{one:?}");
    }
    assert!(promises.share > 0.0 && promises.share < 1.0, "{promises:?}");
    assert!(!folder.path().join("as-recorded/steps").exists(), "it is large");
    let error = promise(&|| Err("no such recording".to_owned())).expect_err("there is none");
    assert_eq!(error.to_string(), "no such recording");
}

/// A program whose only block is counted by its text.
const TEXTS: &str = "#![forbid(unsafe_code)]
mod allocator;
fn main() {
    let wanted: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let texts: Vec<String> = (0..wanted).map(|at| at.to_string()).collect();
    println!(\"{}\", texts.concat().len());
}
";

/// Its module with the allocator that it has already.
const CHOSEN: &str =
    "#[global_allocator]\nstatic GLOBAL: std::alloc::System = std::alloc::System;\n";

#[test]
fn a_rust_program_is_built_from_a_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let (crate_folder, out) = (folder.path().join("it's mine"), folder.path().join("out"));
    fs::create_dir_all(crate_folder.join("src")).expect("a folder");
    // Many programs are of an older edition than what is written for them.
    let package = "[package]\nversion = \"0.0.0\"\nedition = \"2021\"\n";
    let manifest = format!(
        "{package}name = \"texts\"\n\n[dependencies]\nnear = {{ path = \"../near\" }}\n\n[workspace]\n"
    );
    fs::write(crate_folder.join("Cargo.toml"), manifest).expect("a file");
    fs::write(crate_folder.join("src/main.rs"), TEXTS).expect("a file");
    fs::write(crate_folder.join("src/allocator.rs"), CHOSEN).expect("a file");
    // A crate outside of the workspace, as our own is that an advised program depends on.
    let near = folder.path().join("near");
    fs::create_dir_all(near.join("src")).expect("a folder");
    fs::write(near.join("Cargo.toml"), format!("{package}name = \"near\"\n")).expect("a file");
    fs::write(near.join("src/lib.rs"), "").expect("a file");
    // The versions that are on this machine.
    let lock = sources().join("../Cargo.lock");
    fs::copy(lock, crate_folder.join("Cargo.lock")).expect("the workspace's own");
    let plan = Plan { manifest: Some(crate_folder.clone()), ..plan("{} 1000", &out) };
    fs::create_dir(&out).expect("a folder");
    let pools = crate::strategies::built_in().into_iter().filter(|one| one.name == "pools+heap");
    let all = candidates(&plan, &pools.collect::<Vec<_>>()).expect("they are built");
    let names: Vec<&str> = all.iter().take(5).map(|one| &*one.name).collect();
    assert_eq!(names, ["own", "heap", "locked-heap", "pools+heap", "system"]);
    let (built, preloaded) = all.split_at(5);
    // Peers serve the program without its allocator, or they would serve nothing.
    assert!(preloaded.iter().all(|peer| peer.program == built[4].program));
    let checked = run(&plan, built, &mut |_, _, _| {}).expect("it runs with all");
    assert_eq!(checked.ran.len(), 5);
    let main = fs::read_to_string(crate_folder.join("src/main.rs")).expect("it is there");
    assert_eq!(main, TEXTS, "what is the user's stays");
    let empty = Plan { manifest: Some(folder.path().to_owned()), ..plan };
    let error = candidates(&empty, &[]).expect_err("no crate is there").to_string();
    assert!(error.contains("Cargo.toml: No such file"), "{error}");
}
