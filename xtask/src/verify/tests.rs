//! What commands say is read, and figures are kept until they are had again.

use core::time::Duration;

use super::asked::command;
use super::figures::{Figures, Run, day};
use super::steps::STEPS;
use super::{page, parse, read};

fn has(rows: &[(String, String, String)], name: &str, value: &str) -> bool {
    rows.iter().any(|(n, v, _)| n == name && v == value)
}

#[test]
fn tests_are_counted_by_crate_and_kind() {
    let said = "     Running unittests src/lib.rs (target/debug/deps/loligo_ids-0123)\n\
                test result: ok. 1200 passed; 0 failed; 0 ignored\n\
                     Running it/main.rs (target/debug/deps/it-4567)\n\
                test result: ok. 5 passed; 0 failed; 0 ignored\n\
                   Doc-tests loligo_ids\n\
                test result: ok. 7 passed; 0 failed; 0 ignored\n";
    let rows = read::tests(said);
    assert!(has(&rows, "loligo_ids: unit tests", "1 200"), "{rows:?}");
    assert!(has(&rows, "it: integration tests", "5"), "{rows:?}");
    assert!(has(&rows, "loligo_ids: examples", "7"), "{rows:?}");
    assert!(has(&rows, "all", "1 212"), "{rows:?}");
}

#[test]
fn what_each_tool_says_is_read() {
    let said = "small world: ring: four slots: 12 states, 3456 operations\n\
                test a ... small world: pool: 8 states, 4 operations\n";
    let rows = read::worlds(said);
    assert!(has(&rows, "ring: four slots", "12 states, 3 456 operations"), "{rows:?}");
    assert!(has(&rows, "all: states", "20") && has(&rows, "all: operations", "3 460"), "{rows:?}");

    let said = "test s3::one ... objects: taken from a server of S3: 60 resources\nok\n";
    let rows = read::objects(said);
    assert!(has(&rows, "taken from a server of S3", "60 resources"), "{rows:?}");

    let said = "shared_pool::growth: 4321 interleavings at preemption bound 2\n\
                shared_pool::growth: the planted NoGate is caught: 7 interleavings\n";
    let rows = read::loom(said);
    assert!(has(&rows, "all", "4 321") && has(&rows, "models", "1"), "{rows:?}");
    assert!(has(&rows, "canaries: planted faults caught", "1"), "{rows:?}");

    let said = "the planted fault is found after 9 executions\n\
                target            executions  coverage     after   inputs  finding\n\
                blob                    1500       100       120       30  none\n";
    let rows = read::fuzz(said);
    assert!(has(&rows, "all", "1 500"), "{rows:?}");
    assert!(has(&rows, "blob", "1 500 executions, coverage 100 to 120, 30 inputs"), "{rows:?}");

    let said = "trace 1 1 0 9 MiB 1.0\n\nas they are:\nsurface inputs crashes hangs peak memory seconds\n\
                trace      20000        0      0       17 MiB     60.1\n";
    let what = "20 000 inputs, 0 crashes, 0 hangs, 17 MiB at the peak".to_owned();
    assert_eq!(read::hostile(said), [("trace".to_owned(), what, String::new())]);
    let rows = read::misuse("| allocator | leak |\n|---|---|\n| heap | detected | detected |\n");
    assert!(has(&rows, "detected", "2"), "{rows:?}");

    let rows = read::targets("targets: s390x-unknown-linux-gnu: loligo-ids: 164 tests passed\n");
    assert!(has(&rows, "s390x-unknown-linux-gnu: loligo-ids", "164"), "{rows:?}");

    let said = "foreign: slotmap 1.1.1: 22 tests passed, 1 of other semantics, 1 of private parts, \
                0 not expressible\nforeign: rlsf 0.2.3: 5 tests passed, 0 of other semantics\n\
                foreign: 2 planted faults noticed\n";
    let rows = read::foreign(said);
    assert!(has(&rows, "all", "27"), "{rows:?}");
    assert!(has(&rows, "canaries: planted faults noticed", "2"), "{rows:?}");

    let said = "guests: 1 planted fault reported, and none where there is none\n\
                guests: rayon 1.12.0: 309 tests in 2 programs, 2 examples; 5750 allocations\n\
                guests: rayon-core 1.13.0: 1 tests in 1 programs, 0 examples; 7 allocations\n";
    let rows = read::guests(said);
    assert!(has(&rows, "canaries: planted faults reported", "1"), "{rows:?}");
    let what = "309 tests in 2 programs, 2 examples; 5 750 allocations";
    assert!(has(&rows, "rayon 1.12.0", what) && has(&rows, "all", "310"), "{rows:?}");

    let said = "AddressSanitizer: 17 planted faults and a leak reported\n\
                test result: ok. 3 passed; 0 failed\ntest result: ok. 4 passed; 0 failed\n";
    let rows = read::watched(said);
    assert!(has(&rows, "canaries: planted faults reported", "17"), "{rows:?}");
    assert!(has(&rows, "tests without a report", "7"), "{rows:?}");

    let rows = read::programs("random programs: 64 programs\nrandom programs: 2 programs\n");
    assert!(has(&rows, "programs", "66"), "{rows:?}");
    assert!(read::worlds("nothing").is_empty(), "what says nothing gives no figure");
}

#[test]
fn figures_are_kept_by_step() {
    let mut figures = Figures::default();
    let run = Run::now("cargo xtask loom".into(), Duration::from_secs(5));
    let row = |value: &str| vec![("models".to_owned(), value.to_owned(), String::new())];
    figures.keep("loom", &run, row("3"));
    figures.keep("misuse", &run, row("4"));
    figures.keep("loom", &run, row("5"));
    assert_eq!(Figures::read(&figures.text()), figures);
    let page = page::text(&figures);
    assert!(page.contains("| models | 5 |") && !page.contains("| models | 3 |"), "{page}");
    assert!(!page.contains("## fuzz"), "what was not run has no place: {page}");
}

#[test]
fn days_are_those_of_the_calendar() {
    for (days, date) in
        [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_779, "2026-11-22")]
    {
        assert_eq!(day(days), date);
    }
}

#[test]
fn every_step_names_a_command() {
    let request = parse(&["--long".to_owned()]).expect("it is an option");
    for step in STEPS {
        assert!(command(&(step.command)(&request)).is_some(), "{}", step.name);
    }
    assert!(parse(&["no-step".to_owned()]).is_err(), "an unknown step is refused");
    assert!(parse(&["--minutes".to_owned(), "0".to_owned()]).is_err(), "no time is none");
}
