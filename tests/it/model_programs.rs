//! Programs on tables and containers beside their models, over memory that is enough and over memory that runs out.

use loligo_allocators::{Allocator, FailingAllocator, HeapAllocator, PageAllocator, Refusals};
use loligo_tests::programs::{
    Differs, ID_TABLES, IdTableOp, KeyValuesOp, ListPoolOp, ModelOp, RingOp, RowOp, Step,
    check_ops, ops_from_bytes, ops_to_bytes, run_key_values, run_list_pool, run_ring, run_rows,
};

/// Runs a program over a heap, and over one that refuses every third request.
fn over_heaps<O: ModelOp>(
    run: impl Fn(&[O], &dyn Allocator) -> Result<u32, Differs>,
) -> impl Fn(&[O]) -> Result<(), Differs> {
    move |program| {
        let pages = PageAllocator::new("pages");
        let heap = HeapAllocator::new("heap", &pages);
        for refusals in [Refusals::None, Refusals::Every(3)] {
            let failing = FailingAllocator::new("failing", refusals, &heap);
            let refused = run(program, &failing)?;
            assert!(
                refusals != Refusals::None || refused == 0,
                "{refused} were refused for nothing"
            );
            assert_eq!(failing.stats().live, 0, "blocks are kept");
        }
        Ok(())
    }
}

#[test]
fn rings_do_as_deques() {
    check_ops::<RingOp>(96, 160, over_heaps(run_ring));
}

#[test]
fn keys_and_values_do_as_maps() {
    check_ops::<KeyValuesOp>(96, 160, over_heaps(run_key_values));
}

/// A block that was cut in place is shorter than what the heap grants for as many words. A copy told the length
/// of the old block, and sought its texts in the wrong places.
#[test]
fn a_copy_of_keys_and_values_in_a_longer_block_has_all_of_them() {
    let program = [
        KeyValuesOp::SetArray { count: 114, which: 33188 },
        KeyValuesOp::SetBool { count: 0, which: 0 },
        KeyValuesOp::SetBool { count: 0, which: 429 },
        KeyValuesOp::SetBool { count: 0, which: 44618 },
        KeyValuesOp::Shrink,
        KeyValuesOp::Clone,
    ];
    over_heaps(run_key_values)(&program).unwrap_or_else(|differs| panic!("{differs}"));
}

#[test]
fn lists_do_as_vectors() {
    check_ops::<ListPoolOp>(96, 160, over_heaps(run_list_pool));
}

#[test]
fn rows_do_as_vectors() {
    check_ops::<RowOp>(96, 160, over_heaps(run_rows));
}

#[test]
fn id_tables_do_as_maps() {
    for (name, run) in ID_TABLES {
        println!("{name}");
        check_ops::<IdTableOp>(16, 160, over_heaps(run));
    }
}

/// Every step is an operation, and the operation tells a step that makes it.
fn bytes_keep<O: ModelOp>() {
    let step = |kind| Step { kind, count: kind ^ 0x5a, which: u16::from(kind) * 257, at: 3000 };
    let program: Vec<O> = (0..=u8::MAX).map(|kind| O::of(step(kind))).collect();
    assert_eq!(ops_from_bytes::<O>(&ops_to_bytes(&program)), program, "the same program");
    let bytes: Vec<u8> = (0..1000_u32).map(|byte| (byte * byte / 7) as u8).collect();
    assert_eq!(ops_from_bytes::<O>(&bytes).len(), 1000 / 6, "the rest is left out");
}

#[test]
fn bytes_keep_programs_of_every_family() {
    bytes_keep::<IdTableOp>();
    bytes_keep::<KeyValuesOp>();
    bytes_keep::<ListPoolOp>();
    bytes_keep::<RingOp>();
    bytes_keep::<RowOp>();
}

#[test]
fn a_fault_is_found_and_made_small() {
    // A ring that loses what is put before its first, which a program shows with two operations.
    let loses = |program: &[RingOp]| {
        let at = program.iter().position(|op| *op == RingOp::PushFront);
        let seen = at.and_then(|at| program[at..].iter().position(|op| *op == RingOp::PopFront));
        match seen {
            None => Ok(()),
            Some(index) => Err(Differs { index, op: "PopFront".into(), what: "it is lost".into() }),
        }
    };
    let found = std::panic::catch_unwind(|| check_ops::<RingOp>(64, 100, loses));
    let text = *found.expect_err("it is found").downcast::<String>().expect("a text");
    assert!(text.contains("it is lost"), "{text}");
    assert!(text.contains("[\n        PushFront,\n        PopFront,\n    ]"), "{text}");
}
