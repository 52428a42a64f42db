//! Traces as programs, and programs as traces: what the replayer verifies the oracle runs, and the
//! other way around.

use loligo_replay::trace::{Trace, write_trace};
use loligo_tests::programs::AllocatorOp::{Allocate, AllocateZeroed, FreeSized, Reallocate};
use loligo_tests::programs::{AllocatorOp, Space, program_of, sample, trace_of};
use loligo_tests::shrink::{Case, Subject};

fn read(bytes: &[u8]) -> Trace {
    Trace::read("made", bytes).expect("it is a valid trace")
}

#[test]
fn every_program_is_a_valid_trace() {
    for (space, seed) in [(Space::new(40, 20, 12), 1), (Space::new(6, 33, 21), 2)] {
        let program = sample(&space, 4000, seed);
        let events = trace_of(&program);
        assert!(events.len() > 1500, "{} events of 4000 operations", events.len());
        let mut bytes = Vec::new();
        write_trace(&mut bytes, &events).expect("memory is written");
        assert_eq!(read(&bytes).events, events, "the reader accepts what was made");
    }
}

#[test]
fn a_trace_is_the_same_after_it_was_a_program() {
    let events = trace_of(&sample(&Space::new(40, 20, 12), 4000, 3));
    assert_eq!(trace_of(&program_of(&events)), events);
}

#[test]
fn a_program_of_what_traces_tell_is_kept() {
    let program = [
        Allocate { slot: 0, size: 100, align: 16 },
        AllocateZeroed { slot: 1, size: 1, align: 1 },
        Reallocate { slot: 0, size: 300, align: 16, share: 0 },
        FreeSized { slot: 1, share: 0 },
        FreeSized { slot: 0, share: 0 },
    ];
    assert_eq!(program_of(&trace_of(&program)), program);
}

#[test]
fn a_trace_runs_under_the_oracle_and_shrinks_where_it_fails() {
    let program = program_of(&trace_of(&sample(&Space::new(20, 10, 5), 2000, 4)));
    for name in ["heap", "naive", "system"] {
        let on = Subject::named(name).expect("there is such an allocator");
        on.run(&program).unwrap_or_else(|broken| panic!("{name}: {broken}"));
    }
    let on = Subject::named("faulty:LosesLastByte").expect("there is such a fault");
    let case = Case::Allocator { on, program };
    assert!(case.run().is_err(), "the fault is found");
    let small = case.shrink(&mut |case| case.run().is_err());
    let Case::Allocator { program, .. } = &small else { panic!("it is on an allocator") };
    assert!(small.len() <= 3, "{}", small.as_test("it fails"));
    let again: Vec<AllocatorOp> = program_of(&trace_of(program));
    assert!(!again.is_empty(), "what is left is a trace again");
}
