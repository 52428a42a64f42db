//! Whatever stops a process is reported, on standard error and in a file.

use crate::child::run;
use crate::jobs::THREADS;

#[test]
fn a_condition_that_does_not_hold() {
    let line = "at subsystems/diagnostics/tests/it/jobs.rs:";
    run("ensure").assert_told(&[
        "job 1 stops: this does not hold: textures().any(|texture| texture == name)\n    no texture for big_bird\n",
        line,
        ", in thread `",
        "Contexts, outermost first:\n    When doing: ensure\n    When spawning unit: big_bird\n",
        "Call stack, innermost first:\n    0: ",
        "spawn_unit, ",
        "/tests/it/jobs.rs:",
        "job_of_this_process, ",
    ]);
}

#[test]
fn a_state_that_must_not_be() {
    run("unreachable_state").assert_told(&[
        "job 1 stops: a state was reached that must not be\n    3 doors\n",
        "    0: ",
        "open_doors, ",
        "job_of_this_process, ",
    ]);
}

#[test]
fn an_error_that_was_not_to_happen_here() {
    run("or_stop").assert_told(&[
        "what must not fail here failed\n    the game's data must be there: No such file",
        "/tests/it/jobs.rs:",
    ]);
    run("none").assert_told(&["    a camera must be there\n", "/tests/it/jobs.rs:"]);
}

#[test]
fn panics_of_the_program_and_of_libraries() {
    run("unwrap").assert_told(&[
        "job 1 stops: panic\n    called `Option::unwrap()` on a `None` value\n    at subsystems/",
        "    When doing: unwrap\n",
        "    0: ",
        "job_of_this_process, ",
    ]);
    run("library").assert_told(&[
        "job 1 stops: panic\n",
        "    at containers/src/arrays/array.rs:",
        "    0: ",
        "remove",
        "job_of_this_process, ",
    ]);
    run("no_text").assert_told(&["job 1 stops: panic\n    (a panic without a text)\n"]);
}

#[test]
fn a_panic_while_the_message_is_made() {
    run("display")
        .assert_told(&["job 1 stops: panic\n    this cannot be shown\n", "When doing: display"]);
}

#[test]
fn the_misuse_of_an_allocator() {
    run("misuse").assert_told(&["an allocator is misused\n    allocator `sound`: double free"]);
}

#[test]
fn code_that_may_not_use_the_global_heap() {
    // The report itself may.
    run("armed").assert_told(&["this does not hold: folder.is_file()\n    in armed code\n"]);
}

#[test]
fn an_observer_is_told() {
    let ended = run("observer");
    ended.assert_told(&["    for the observer\n"]);
    let told = "job 1 stops: a state was reached that must not be\n";
    let (_, observed) =
        ended.stderr.split_once("observed UnreachableState at line ").expect("it saw it");
    assert!(observed.ends_with(told), "{observed}");
}

#[test]
fn a_panic_within_the_report_ends_it() {
    let ended = run("observer_panics");
    ended.assert_told(&["    for the observer\n"]);
    assert!(ended.stderr.contains("the observer fails"), "{}", ended.stderr);
}

#[test]
fn a_report_that_cannot_be_written_is_told() {
    let ended = run("no_folder");
    assert!(ended.is_aborted && ended.files.is_empty(), "{:?}", ended.files);
    let at =
        ended.stderr.find("    nowhere to write to\n").expect("the report is printed all the same");
    let end = &ended.stderr[at..];
    assert!(end.contains("This report could not be written to /"), "{end}");
    assert!(end.contains("-1.txt: No such file or directory"), "{end}");
    assert!(
        end.contains("look whether the folder may be written to and the disk has room\n"),
        "{end}"
    );
}

#[test]
fn warnings_and_the_last_lines_are_told() {
    let ended = run("logged");
    ended.assert_told(&[
        "Warnings so far: 100; by place, the latest first:\n    100 x subsystems/diagnostics/tests/it/jobs.rs:",
        ": careful {number}\n",
        // The hundredth warning is shown, so 31 lines are left of the others.
        "Last log lines, oldest first:\n    info: line 69 of xxx",
        "x.. (cut)\n    info: line 70 of xxx",
        "    info: line 99 of xxx",
        "    warning: careful 99 (subsystems/",
        ", 100 times so far; When doing: logged)\n",
    ]);
    assert!(!ended.report().contains("line 68 of"), "32 lines are kept: {}", ended.report());
}

#[test]
fn a_sink_that_fails_while_the_log_is_locked() {
    run("sink").assert_told(&[
        "this does not hold: line.number == 0\n    the second line\n",
        "info: two\n",
    ]);
}

#[test]
fn a_panic_that_is_caught_is_told_and_the_program_goes_on() {
    let ended = run("unwind");
    assert_eq!((ended.code, ended.is_aborted), (Some(0), false), "{}", ended.stderr);
    assert!(ended.report().contains("    no texture for big_bird\n"), "{}", ended.report());
}

#[test]
fn panics_that_cannot_unwind_are_told_one_by_one() {
    for (job, first) in [("unwind_twice", "    first\n"), ("unwind_out_of_c", "    called by C\n")]
    {
        let ended = run(job);
        assert!(ended.is_aborted, "{:?}; {}", ended.code, ended.stderr);
        let mut reports: Vec<_> = ended.files.iter().map(|(_, text)| text.as_str()).collect();
        reports.sort_by_key(|text| ended.stderr.find(text));
        assert!(reports.len() > 1 && reports[0].contains(first), "{job}: {reports:?}");
        assert!(reports[1..].iter().all(|report| !report.contains(first)), "{job}: {reports:?}");
    }
}

#[test]
fn threads_that_fail_at_once_are_told_one_after_the_other() {
    let unwound = run("unwind_threads");
    assert_eq!((unwound.code, unwound.files.len()), (Some(0), THREADS), "{}", unwound.stderr);
    let aborted = run("threads");
    assert!(aborted.is_aborted && !aborted.files.is_empty(), "{}", aborted.stderr);
    for ended in [&unwound, &aborted] {
        // Whole and apart: each file's text is in one piece on standard error.
        let mut rest = ended.stderr.clone();
        for (name, report) in &ended.files {
            assert!(name.ends_with(".txt"), "{name} was not to be left");
            let head = report.split_once("worker ").expect("a worker failed").1;
            let worker = &head[..head.find(' ').expect("it says how")];
            for part in [
                format!("worker {worker} fails\n"),
                format!("in thread `worker {worker}` of process"),
                format!("    When in worker: {worker}\n"),
            ] {
                assert!(report.contains(&part), "`{part}` in {report}");
            }
            assert_eq!(rest.matches(report.as_str()).count(), 1, "{report}\nin {rest}");
            rest = rest.replace(report.as_str(), "");
        }
        for line in rest.lines() {
            assert!(line.starts_with("This report is in "), "{line} is of no report: {rest}");
        }
    }
}

#[test]
fn installing_does_not_allocate() {
    let ended = run("unwind_install");
    assert_eq!((ended.code, ended.files.len()), (Some(0), 0), "{}", ended.stderr);
}
