//! Tests with a small log, whole and damaged.

use crate::books::Summary;
use crate::convert::{ConvertError, ConvertErrorKind, read};
use crate::trace::{Event, Op, Trace};

const SAMPLE: &str = include_str!("../samples/logalloc.txt");

fn converted(text: &str, process: Option<u64>) -> Result<(Trace, Summary), ConvertError> {
    let mut file = Vec::new();
    let summary = read("sample", text.as_bytes(), process, &mut file)?;
    Ok((Trace::read("sample", &file[..]).expect("what is written is valid"), summary))
}

#[test]
fn every_function_of_a_log_has_its_event() {
    let (trace, summary) = converted(SAMPLE, None).expect("it is a log");
    let event = |op, align_log2, thread, slot, bytes| Event { op, align_log2, thread, slot, bytes };
    let wanted = [
        event(Op::Allocate, 4, 0, 0, 32),
        event(Op::AllocateZeroed, 4, 0, 1, 444),
        event(Op::Reallocate, 4, 1, 0, 64),
        event(Op::Allocate, 8, 1, 2, 240),
        event(Op::Free, 4, 0, 0, 0),
        event(Op::Allocate, 4, 0, 0, 100),
        event(Op::Allocate, 12, 1, 3, 5000),
        event(Op::Free, 12, 1, 3, 0),
    ];
    assert_eq!(trace.events, wanted);
    assert!(trace.sites().is_none() && trace.times().is_none(), "a log has neither");
    assert_eq!((summary.strangers, summary.threads, summary.peak_bytes), (1, 2, 5784));
    // Without threads, as older versions write it, and with numbers for addresses.
    let (older, _) =
        converted("7 malloc(5)=#1\n7 realloc(#1,9)=#2\n7 free(#2)\n", None).expect("a log");
    assert_eq!(older.events.len(), 3);
}

#[test]
fn a_process_of_several_is_chosen() {
    let text = "5 1 malloc(10)=0x10\n6 1 malloc(20)=0x10\n5 1 free(0x10)\n";
    let error = converted(text, None).expect_err("there are two");
    assert!(error.to_string().contains("processes: 5, 6; choose one with --process"), "{error}");
    let (trace, _) = converted(text, Some(6)).expect("it is there");
    assert_eq!((trace.events.len(), trace.peak_live_bytes), (1, 20));
    let error = converted(text, Some(7)).expect_err("there is none");
    assert!(matches!(error.kind, ConvertErrorKind::NoProcess { process: 7 }), "{error}");
}

#[test]
fn damage_is_told_with_its_line() {
    for line in [
        "1 1 malloc(5)",
        "1 1 malloc(5)=",
        "1 1 malloc(x)=0x10",
        "1 1 malloc(5,6)=0x10",
        "1 1 free(0x10)=0x10",
        "1 1 frob(5)=0x10",
        "1 1 1 malloc(5)=0x10",
        "x 1 malloc(5)=0x10",
        "",
    ] {
        let error = converted(&format!("1 1 malloc(5)=0x10\n{line}\n"), None).expect_err(line);
        assert_eq!(error.line, Some(2), "{line}: {error}");
        assert!(error.to_string().contains("PROCESS THREAD FUNCTION"), "{line}: {error}");
    }
    let (trace, _) = converted("1 1 malloc(5)=0x10\n1 1 mal", None).expect("it was killed there");
    assert_eq!(trace.events.len(), 1);
}

#[test]
fn what_is_no_log_is_refused() {
    for text in ["", "hello\n", "{\"traces\": []}\n"] {
        let error = converted(text, None).expect_err(text);
        assert!(matches!(error.kind, ConvertErrorKind::UnknownKind), "{text}: {error}");
    }
}

#[test]
fn an_address_that_is_given_out_twice_was_freed_between() {
    let text = "1 1 malloc(5)=0x10\n1 1 malloc(6)=0x10\n1 1 free(0x10)\n";
    let (trace, summary) = converted(text, None).expect("a log");
    assert_eq!((trace.events.len(), summary.overlaid, trace.peak_live_bytes), (4, 1, 6));
}
