//! Arguments, and what libFuzzer's words mean.

use super::report::line;
use super::run::{Finding, Run};
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
