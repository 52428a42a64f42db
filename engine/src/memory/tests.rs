//! Allocators as plans want them, and the ends that they come to.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use loligo_allocators::{Allocator as _, MemoryGlobals, MemoryOptions, StaticHeap};
use loligo_containers::Array;

use super::plan::{MemoryPlan, SubsystemAllocator, SubsystemMemory};
use super::{MemoryError, with_memory};

const SUBSYSTEMS: [&str; 5] = ["render", "script", "sound", "entities", "tasks"];

const ALL: [SubsystemAllocator; 5] = [
    SubsystemAllocator::Shared,
    SubsystemAllocator::Heap,
    SubsystemAllocator::Buddy { bytes: 1 << 16, leaf: 64 },
    SubsystemAllocator::Page,
    SubsystemAllocator::Guard,
];

fn with_globals(act: impl FnOnce(&MemoryGlobals<'_>)) {
    let boot = Box::new(StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("boot"));
    {
        let globals = MemoryGlobals::init(&*boot, &MemoryOptions::new()).expect("memory to begin");
        act(&globals);
    }
    assert_eq!(boot.stats().live, 0, "nothing is left");
}

fn plan(subsystems: &[SubsystemAllocator], budget: Option<usize>) -> MemoryPlan {
    let mut plan = MemoryPlan::new();
    for (index, &allocator) in subsystems.iter().enumerate() {
        plan.set_subsystem(index, SubsystemMemory { allocator, budget });
    }
    plan
}

#[test]
fn each_subsystem_is_served_under_its_name() {
    with_globals(|globals| {
        for turn in 0..ALL.len() {
            let mut subsystems = ALL;
            subsystems.rotate_left(turn);
            let plan = plan(&subsystems, None);
            with_memory(globals, &plan, &SUBSYSTEMS, |memory| {
                for name in SUBSYSTEMS {
                    let subsystem = memory.subsystem(name).expect("it is in the list");
                    let block = Array::try_from_slice_in(&[0_u8; 100], subsystem);
                    assert_eq!(
                        (subsystem.name(), subsystem.stats().live),
                        (name, 1),
                        "turn {turn}"
                    );
                    subsystem.verify().expect("it is whole");
                    assert_eq!(block.expect("there is memory").len(), 100, "all of it");
                }
                assert!(memory.subsystem("physics").is_none(), "not in the list");
                let mut seen = 0;
                memory.visit(&mut |_| seen += 1);
                assert_eq!(seen, 4 + 4 + 5, "the first ones, four of one's own, and the proxies");
            })
            .expect("there is memory");
        }
    });
}

#[test]
fn budgets_are_kept() {
    with_globals(|globals| {
        with_memory(
            globals,
            &plan(&[SubsystemAllocator::Shared; 5], Some(5000)),
            &SUBSYSTEMS,
            |memory| {
                for name in SUBSYSTEMS {
                    let subsystem = memory.subsystem(name).expect("it is in the list");
                    let block = Array::try_from_slice_in(&[0_u8; 3000], subsystem);
                    assert!(block.is_ok(), "it is within the budget");
                    let second = Array::try_from_slice_in(&[0_u8; 3000], subsystem);
                    assert!(second.is_err(), "6000 are more than 5000");
                }
            },
        )
        .expect("there is memory");
    });
}

#[test]
fn a_subsystem_that_leaves_a_block_is_named() {
    with_globals(|globals| {
        // A separate heap returns its pages whatever is left in it.
        let plan = plan(&[SubsystemAllocator::Heap; 5], None);
        let panic = catch_unwind(AssertUnwindSafe(|| {
            with_memory(globals, &plan, &SUBSYSTEMS, |memory| {
                let subsystem = memory.subsystem("sound").expect("it is in the list");
                let block = Array::try_from_slice_in(&[0_u8; 64], subsystem);
                let _left = block.expect("there is memory").leak();
            })
        }))
        .expect_err("a block is left");
        let said = panic.downcast_ref::<String>().expect("a text");
        assert!(said.contains("`sound`") && said.contains("1 live block"), "{said}");
    });
}

#[test]
fn a_buddy_that_cannot_be_had_is_told_and_nothing_is_left() {
    with_globals(|globals| {
        let bytes = 1 << 60;
        let before = globals.default_allocator().stats().live;
        let plan =
            plan(&[SubsystemAllocator::Heap, SubsystemAllocator::Buddy { bytes, leaf: 64 }], None);
        let error = with_memory(globals, &plan, &SUBSYSTEMS, |_| panic!("must not be called"));
        let error = error.expect_err("no such memory");
        assert!(matches!(error, MemoryError::Buddy { subsystem: "script", .. }), "{error}");
        assert!(error.to_string().starts_with("no buddy for `script`: "), "{error}");
        let after = globals.default_allocator().stats().live;
        assert_eq!(after, before, "the scratch ring alone, as before");
    });
}
