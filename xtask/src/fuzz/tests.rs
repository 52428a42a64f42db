//! Arguments, and what libFuzzer's words mean.

use super::report::line;
use super::run::{Finding, Run, processor_seconds};
use super::totals::{Total, Totals, goal};
use super::*;

fn parsed(arguments: &[&str]) -> Result<Request, Failure> {
    let arguments: Vec<_> = arguments.iter().map(|text| (*text).to_owned()).collect();
    parse(&arguments)
}

#[test]
fn times_and_targets_are_told() {
    let request = parsed(&["--minutes", "10", "heap"]).expect("it is right");
    assert_eq!((request.time, request.targets), (Time::Minutes(10), vec!["heap".to_owned()]));
    assert_eq!(parsed(&["--seconds", "3"]).expect("it is right").time, Time::Seconds(3));
    for wrong in [&["--minutes"][..], &["--minutes", "0"], &["--seconds", "long"], &["--fast"]] {
        assert_eq!(parsed(wrong).expect_err("it is wrong").status(), 2, "{wrong:?}");
    }
}

#[test]
fn the_canary_runs_by_itself() {
    let known = ["canary", "heap", "pool"].map(str::to_owned).to_vec();
    assert_eq!(wanted(&[], known.clone()).expect("all"), ["heap", "pool"]);
    assert_eq!(wanted(&["pool".into()], known.clone()).expect("one"), ["pool"]);
    let failure = wanted(&["stack".into()], known).expect_err("there is none");
    assert!(failure.to_string().contains("heap"), "{failure}");
}

#[test]
fn a_run_is_read() {
    let said = "INFO: seed corpus\n#3\tINITED cov: 120 ft: 130 corp: 2/9b exec/s: 0 rss: 38Mb\n\
        #900\tNEW    cov: 140 ft: 150 corp: 7/80b lim: 8\n#6006\tDONE   cov: 141 ft: 160 corp: 8/81b\n\
        stat::number_of_executed_units: 6006\n";
    let run = Run::read("heap", said, true);
    let expected = Run {
        target: "heap".into(),
        seconds: 0,
        executions: 6006,
        coverage_before: 120,
        coverage_after: 141,
        inputs: 8,
        finding: None,
    };
    assert_eq!(run, expected);
    assert!(line(&run).ends_with("none"), "{}", line(&run));
}

#[test]
fn a_finding_is_read() {
    let said = "#2\tINITED cov: 5 ft: 5 corp: 1/1b\n\
        thread '<unnamed>' (7) panicked at src/lib.rs:4:5:\nblocks overlap\nstack\n\
        ==7== ERROR: libFuzzer: deadly signal\nartifact_prefix='f/'; Test unit written to f/heap-crash-1\n";
    let run = Run::read("heap", said, false);
    let finding =
        Finding { what: "blocks overlap".into(), input: Some(PathBuf::from("f/heap-crash-1")) };
    assert_eq!((run.executions, run.finding), (2, Some(finding)));
    let overflow = Run::read("heap", "==9==ERROR: AddressSanitizer: heap-buffer-overflow\n", false);
    let what = overflow.finding.expect("it failed").what;
    assert!(what.contains("heap-buffer-overflow"), "{what}");
}

#[test]
fn the_time_of_a_process_is_read() {
    let stat = "7 (a (odd) name) S 1 7 7 0 -1 4194304 90 0 0 0 1234 266 0 0 20 0 1 0 5 6 7";
    assert_eq!(processor_seconds(stat), Some(15));
    assert_eq!(processor_seconds("7 (name) S 1 2"), None);
    let own = std::fs::read_to_string("/proc/self/stat").ok();
    // Where there is no such file, the command is skipped.
    assert!(own.is_none_or(|stat| processor_seconds(&stat).is_some()), "it is this system's");
}

/// Returns totals of a target that goes on for ten minutes and one of an hour.
fn totals(pool: u64, heap: u64) -> Totals {
    let total =
        |target: &str, seconds| Total { target: target.into(), seconds, ..Total::default() };
    Totals { all: vec![total("pool", pool), total("heap", heap)] }
}

#[test]
fn time_is_shared_by_what_is_missing() {
    assert_eq!((goal("pool"), goal("heap")), (10, 60));
    let of = |target: &str, seconds| (target.to_owned(), seconds);
    let both = ["pool", "heap"].map(str::to_owned);
    assert_eq!(totals(0, 0).share(&both, 420, 30), [of("heap", 360), of("pool", 60)]);
    assert_eq!(totals(600, 0).share(&both, 60, 30), [of("heap", 60)]);
    assert_eq!(totals(0, 3600).share(&both, 45, 30), [of("pool", 60)], "a piece is not divided");
    assert_eq!(totals(0, 0).share(&both[..1], 60, 30), [of("pool", 60)], "heap is not wanted");
    assert_eq!(totals(0, 0).share(&[], 60, 30), [], "there is no target");
}

#[test]
fn the_page_is_read_as_it_was_written() {
    let mut written = totals(90, 3600);
    let run = Run {
        target: "pool".into(),
        seconds: 30,
        executions: 1000,
        coverage_after: 77,
        inputs: 5,
        ..Run::default()
    };
    written.add(&run);
    assert_eq!(written.executions("pool"), 1000);
    let text = written.text();
    assert!(text.contains("| `pool` | 2.0 | 10 | 1000 | 77 | 5 |"), "{text}");
    assert!(text.contains("2 targets, 62.0 minutes, 1000 executions; 1 targets"), "{text}");
    let known = ["pool", "heap"].map(str::to_owned);
    assert_eq!(Totals::parse(&text, &known).expect("just written"), written);
    let one = Totals::parse(&text, &known[..1]).expect("just written");
    assert_eq!(one.all.len(), 1, "a target that is gone is left out");
    let broken = text.replace("| 2.0 |", "| two |");
    let failure = Totals::parse(&broken, &known).expect_err("two is no number");
    assert!(failure.to_string().contains("fuzzing.md:9"), "{failure}");
}

#[test]
fn inputs_with_a_name_are_kept() {
    let hash = "0123456789abcdef0123456789abcdef01234567";
    assert!(keep::is_found(Path::new(hash)), "libFuzzer names an input by its hash");
    for name in ["base_0", "png", &hash[1..]] {
        assert!(!keep::is_found(Path::new(name)), "{name}");
    }
}

#[test]
fn each_target_has_a_program_seeds_and_a_row_in_the_guide() {
    let root = workspace::root();
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("it is there");
    let known = targets().expect("the folder is there");
    let manifest = read("fuzz/Cargo.toml");
    let files = manifest.lines().filter_map(|line| line.strip_prefix("path = \"fuzz_targets/"));
    let mut programs: Vec<&str> = files.filter_map(|file| file.strip_suffix(".rs\"")).collect();
    programs.sort_unstable();
    assert_eq!(programs, known, "a program for each file in fuzz/fuzz_targets");
    let guide = read("docs/guide/fuzzing.md");
    let rows = guide.lines().filter(|line| line.starts_with("| `"));
    let firsts: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).collect();
    for target in known.iter().filter(|target| *target != CANARY) {
        assert!(manifest.contains(&format!("[[bin]]\nname = \"{target}\"\n")), "{target}");
        let quoted = format!("`{target}`");
        assert!(firsts.iter().any(|names| names.contains(&quoted)), "{target} is not in the guide");
        let seeds = std::fs::read_dir(root.join("fuzz/corpus").join(target));
        assert!(seeds.is_ok_and(|mut seeds| seeds.next().is_some()), "{target} has no seeds");
    }
    for folder in std::fs::read_dir(root.join("fuzz/corpus")).expect("it is there") {
        let name = folder.expect("it is there").file_name().to_string_lossy().into_owned();
        assert!(known.contains(&name), "fuzz/corpus/{name} is of no target");
    }
}
