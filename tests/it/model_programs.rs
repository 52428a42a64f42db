//! Programs on tables and containers compared with their models, over memory that is enough and
//! over memory that runs out.

use loligo_allocators::{
    Allocator, FailingAllocator, HeapAllocator, Locked, PageAllocator, Refusals, SharedRef,
};
use loligo_tests::programs::*;

/// Runs a program over a heap, and over one that refuses every third request.
fn over_heaps<O: ModelOp>(
    run: impl Fn(&[O], &dyn Allocator) -> Result<u32, Differs>,
) -> impl Fn(&[O]) -> Result<(), Differs> {
    over_shared_heaps(move |program: &[O], memory: SharedRef<'_>| run(program, memory))
}

/// The same for programs of several threads.
fn over_shared_heaps<O: ModelOp>(
    run: impl Fn(&[O], SharedRef<'_>) -> Result<u32, Differs>,
) -> impl Fn(&[O]) -> Result<(), Differs> {
    move |program| {
        let pages = PageAllocator::new("pages");
        let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
        for refusals in [Refusals::None, Refusals::Every(3)] {
            let failing = Locked::new(FailingAllocator::new_in("failing", refusals, &heap));
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

/// A block that was cut in place is shorter than what the heap grants for as many words. A copy
/// stated the length of the old block, and looked for its texts in the wrong places.
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

/// The hole at the end that a shorter buffer does without was linked with one that stayed.
#[test]
fn a_handle_heap_is_whole_after_it_shrank() {
    use HandleHeapOp::{Allocate, Free, Shrink};
    let program = [
        Allocate { count: 240, at: 0 },
        Allocate { count: 222, at: 0 },
        Allocate { count: 81, at: 8699 },
        Allocate { count: 97, at: 0 },
        Free { which: 238 },
        Shrink,
    ];
    over_heaps(run_handle_heap)(&program).unwrap_or_else(|differs| panic!("{differs}"));
}

/// Runs programs of families in the usual number and length.
macro_rules! families {
    ($($test:ident: $op:ident, $run:ident;)*) => {
        $(
            #[test]
            fn $test() {
                check_ops::<$op>(96, 160, over_heaps($run));
            }
        )*
    };
}

families! {
    arrays_do_as_vectors: ArrayOp, run_array;
    callbacks_are_made_in_order: CallbacksOp, run_callbacks;
    event_streams_do_as_lists: EventStreamOp, run_event_stream;
    handle_heaps_do_as_vectors: HandleHeapOp, run_handle_heap;
    hash_maps_do_as_maps: HashMapOp, run_hash_map;
    lists_do_as_vectors: ListPoolOp, run_list_pool;
    multi_maps_do_as_maps_of_vectors: MultiMapOp, run_multi_map;
    open_arrays_do_as_maps: OpenArrayOp, run_open_arrays;
    rows_do_as_vectors: RowOp, run_rows;
    sets_of_stores_do_as_maps: KeyValuesSetOp, run_key_values_set;
    sorted_maps_do_as_maps: SortedMapOp, run_sorted_map;
}

#[test]
fn threads_in_turn_keep_their_blocks() {
    check_ops::<ThreadHeapOp>(96, 160, over_shared_heaps(run_thread_heap));
}

#[test]
fn id_tables_do_as_maps() {
    for (name, run) in ID_TABLES {
        println!("{name}");
        check_ops::<IdTableOp>(16, 160, over_heaps(run));
    }
}

/// Every step is an operation, and each operation returns a step that makes it.
fn bytes_keep<O: ModelOp>() {
    let step = |kind| Step { kind, count: kind ^ 0x5a, which: u16::from(kind) * 257, at: 3000 };
    let program: Vec<O> = (0..=u8::MAX).map(|kind| O::of(step(kind))).collect();
    assert_eq!(ops_from_bytes::<O>(&ops_to_bytes(&program)), program, "the same program");
    let bytes: Vec<u8> = (0..1000_u32).map(|byte| (byte * byte / 7) as u8).collect();
    assert_eq!(ops_from_bytes::<O>(&bytes).len(), 1000 / 6, "the rest is left out");
}

#[test]
fn bytes_keep_programs_of_every_family() {
    bytes_keep::<ArrayOp>();
    bytes_keep::<CallbacksOp>();
    bytes_keep::<EventStreamOp>();
    bytes_keep::<HandleHeapOp>();
    bytes_keep::<HashMapOp>();
    bytes_keep::<IdTableOp>();
    bytes_keep::<KeyValuesSetOp>();
    bytes_keep::<MultiMapOp>();
    bytes_keep::<OpenArrayOp>();
    bytes_keep::<SortedMapOp>();
    bytes_keep::<ThreadHeapOp>();
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
    assert!(text.contains("    let program = [PushFront, PopFront];\n"), "{text}");
}

/// Bytes of a long program.
fn plenty() -> Vec<u8> {
    let mut random = 7_u64;
    let mut draw = || {
        random = random.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        (random >> 40) as u8
    };
    (0..6 * 400).map(|_| draw()).collect()
}

#[test]
fn every_family_finds_a_planted_fault_and_makes_it_small() {
    for family in FAMILIES {
        let target = family.target;
        let bytes = plenty();
        let fails = |program: &[u8]| {
            let pages = PageAllocator::new("pages");
            let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
            family.run_planted(program, &heap).err()
        };
        let differs = fails(&bytes);
        assert!(differs.is_some(), "{target}: the planted fault is not seen");
        let small = family.shrink(&bytes, &mut |program| fails(program).is_some());
        let differs = fails(&small).expect("what was made small fails still");
        let test = family.as_test(&small, &differs.to_string());
        let lines = test.lines().count();
        println!("{target}: {} operations became {}\n{test}", bytes.len() / 6, small.len() / 6);
        assert!(lines <= 10, "{target}: {lines} lines");
        let sound = over_heap(0, |memory| family.run(&small, memory));
        sound.unwrap_or_else(|differs| panic!("{target} without the fault: {differs}"));
    }
}
