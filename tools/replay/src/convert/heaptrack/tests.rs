//! Tests with what heaptrack wrote of a small program, whole and damaged.

use super::STACK_MAX;
use crate::convert::{ConvertError, ConvertErrorKind, read};
use crate::trace::{Event, Op, Trace};

const SAMPLE: &str = include_str!("../samples/heaptrack.txt");

fn converted(text: &str) -> Result<Trace, ConvertError> {
    let mut file = Vec::new();
    read("sample", text.as_bytes(), None, &mut file)?;
    Ok(Trace::read("sample", &file[..]).expect("what is written is valid"))
}

fn event(op: Op, slot: u32, bytes: u64) -> Event {
    Event { op, align_log2: 4, thread: 0, slot, bytes }
}

#[test]
fn the_events_of_a_program_are_those_that_it_made() {
    let trace = converted(SAMPLE).expect("it is what heaptrack writes");
    // The first is libstdc++'s own, made before `main`.
    let wanted = [
        event(Op::Allocate, 0, 72_704),
        event(Op::Allocate, 1, 100),
        event(Op::Allocate, 2, 150),
        event(Op::Allocate, 3, 150),
        event(Op::Free, 2, 0),
        // A reallocation is two.
        event(Op::Free, 1, 0),
        event(Op::Allocate, 1, 1000),
        event(Op::Free, 3, 0),
        event(Op::Free, 1, 0),
        event(Op::Allocate, 1, 7),
        event(Op::Free, 0, 0),
    ];
    assert_eq!(trace.events, wanted);
    let sites = trace.sites().expect("they are named");
    let names: Vec<_> = (0..10).map(|event| sites.name(sites.of(event))).collect();
    assert!(names[0].starts_with("libstdc++.so.6@0x"), "{names:?}");
    assert_eq!(names[1], "/opt/sage/s2.c:3", "{names:?}");
    assert_eq!((names[6], names[9]), ("/opt/sage/s2.c:5", "/opt/sage/s2.c:8"), "{names:?}");
    let stacks = trace.stacks().expect("heaptrack has them");
    let frames: Vec<_> = stacks.frames(stacks.of(1)).map(|site| sites.name(site)).collect();
    let wanted = ["/opt/sage/s2.c:3", "../sysdeps/nptl/libc_start_call_main.h:58"];
    assert_eq!((&frames[..2], frames.len()), (&wanted[..], 4), "{frames:?}");
    assert!(frames[3].starts_with("s2!_start@0x"), "{frames:?}");
    assert_eq!(stacks.of(4), 0, "a free has none");
    let notes: Vec<_> = trace.notes().collect();
    assert_eq!(notes, [("recorder", "heaptrack"), ("program", "./s2")]);
}

#[test]
fn callers_of_new_are_who_asks() {
    let text = "v 10400 3\ns 4 game\ns 1b operator new(unsigned long)\ns 4 main\ns 6 game.c\n\
                i 10 1 2\ni 20 1 3 4 1f\nt 2 0\nt 1 1\na 20 2\n+ 0\nc a\n+ 0\n- 0\n";
    let trace = converted(text).expect("it is as heaptrack writes it");
    let sites = trace.sites().expect("they are named");
    assert_eq!(sites.names().collect::<Vec<_>>(), ["game.c:31"]);
    assert_eq!(trace.times().expect("it has times"), [1, 10_000_000, 10_000_000]);
    // Of the two the younger is freed, as nobody knows which.
    assert_eq!(trace.events[2], event(Op::Free, 1, 0));
}

#[test]
fn traces_that_go_in_circles_end() {
    let text = "v 10400 3\ni 10\ni 20\nt 1 2\nt 2 1\na 20 1\n+ 0\n";
    let trace = converted(text).expect("it is read to its end");
    let stacks = trace.stacks().expect("there is one");
    assert_eq!(stacks.frames(stacks.of(0)).count(), STACK_MAX + 1);
}

#[test]
fn damage_is_told_with_its_line() {
    for (text, line, wanted) in [
        ("v 10400 3\n+ 0\n", 2, "kind of allocation number 0, of which 0 are named"),
        ("v 10400 3\na 5 1\n", 2, "trace number 1, of which 0 are named"),
        ("v 10400 3\nt 9 0\na 5 1\n", 3, "instruction number 9, of which 0 are named"),
        ("v 10400 3\na 5 0\n+ 0\n- 0\n- 0\n", 5, "a free of a block that is not alive"),
        ("v 10400 3\n+ x\n", 2, "a kind of allocation belongs there"),
        ("v 10400 3\nhello\n", 2, "one of v X I s i t a + - c R A S #"),
        ("v 10400 2\n", 1, "heaptrack's data of version \"2\", where 3 is known; record with"),
        ("v 10400 3\na ffffffffffffffffff 0\n", 2, "a size belongs there"),
    ] {
        let error = converted(text).expect_err(text);
        assert_eq!(error.line, Some(line), "{text}: {error}");
        assert!(error.to_string().contains(wanted), "{text}: {error}");
    }
}

#[test]
fn a_last_line_without_its_end_is_left_out() {
    let trace = converted("v 10400 3\na 5 0\n+ 0\n+ 7").expect("its program was killed");
    assert_eq!(trace.events, [event(Op::Allocate, 0, 5)]);
}

#[test]
fn no_cut_and_no_changed_byte_makes_it_panic() {
    for cut in 0..SAMPLE.len() {
        if let Err(error) = converted(&SAMPLE[..cut]) {
            let of_first_line = matches!(
                error.kind,
                ConvertErrorKind::UnknownKind | ConvertErrorKind::OtherVersion { .. }
            );
            assert!(of_first_line && cut < "v 10400 3".len(), "cut at {cut}: {error}");
        }
    }
    for at in 0..SAMPLE.len() {
        for byte in [b'0', b'f', b' ', b'\n', b'-'] {
            let mut bytes = SAMPLE.as_bytes().to_vec();
            bytes[at] = byte;
            let mut file = Vec::new();
            if read("sample", &bytes[..], None, &mut file).is_ok() {
                Trace::read("sample", &file[..]).expect("what is written is valid");
            }
        }
    }
}

#[test]
fn lines_without_an_end_in_sight_are_refused() {
    let text = format!("v 10400 3\ns 1 {}\n", "x".repeat(2 << 20));
    let error = converted(&text).expect_err("no line is so long");
    assert!(matches!(error.kind, ConvertErrorKind::LongLine), "{error}");
    assert_eq!(error.line, Some(2));
}
