//! Every family by the name of its fuzz target, with its programs as bytes.

use loligo_allocators::{
    Allocator, FailingAllocator, HeapAllocator, Locked, PageAllocator, Refusals, SharedRef,
};

use crate::shrink::{Case, model_test, shrink};

use super::id_tables::run_planted_table;
use super::model_op::run_planted;
use super::thread_heap::run_planted_thread_heap;
use super::*;

/// Runs a program, given what is before it.
type RunHeaded = fn(&[u8], &[u8], SharedRef<'_>) -> Result<u32, Differs>;

/// Makes a program small.
type ShrinkBytes = fn(&[u8], &mut dyn FnMut(&[u8]) -> bool) -> Vec<u8>;

/// A family of programs on a table or container, by the name of the fuzz target that makes programs
/// of it.
///
/// An input of the target is one byte that says which share of the requests is refused (see
/// [`over_heap`]), for id tables another that picks the table, and the program.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The fuzz target.
    pub target: &'static str,
    /// Bytes before the program.
    pub(crate) head: usize,
    /// Runs a program over memory; the head comes first.
    pub(crate) run: RunHeaded,
    planted: fn(&[u8], SharedRef<'_>) -> Result<u32, Differs>,
    pub(crate) shrink: ShrinkBytes,
    pub(crate) test: fn(&str, &[u8], &[u8], &str) -> String,
}

impl Family {
    /// Runs a program given as bytes on the container and on the model.
    ///
    /// # Errors
    ///
    /// [`Differs`] as soon as the two do.
    pub fn run(&self, program: &[u8], memory: SharedRef<'_>) -> Result<u32, Differs> {
        (self.run)(&[0; 2], program, memory)
    }

    /// As [`run`](Self::run), but the container has a planted fault: it loses something where the
    /// same operation is done twice in a row.
    ///
    /// # Errors
    ///
    /// [`Differs`] where that is seen.
    pub fn run_planted(&self, program: &[u8], memory: SharedRef<'_>) -> Result<u32, Differs> {
        (self.planted)(program, memory)
    }

    /// Makes a program given as bytes small; `fails` says whether one still fails.
    pub fn shrink(&self, program: &[u8], fails: &mut dyn FnMut(&[u8]) -> bool) -> Vec<u8> {
        (self.shrink)(program, fails)
    }

    /// Returns a program given as bytes as a test to paste.
    #[must_use]
    pub fn as_test(&self, program: &[u8], why: &str) -> String {
        (self.test)(self.target, &[0; 2], program, why)
    }
}

fn shrink_bytes<O: ModelOp>(program: &[u8], fails: &mut dyn FnMut(&[u8]) -> bool) -> Vec<u8> {
    let program = ops_from_bytes::<O>(program);
    ops_to_bytes(&shrink(program, &mut |program| fails(&ops_to_bytes(program))))
}

fn test_of<O: ModelOp>(target: &str, head: &[u8], program: &[u8], why: &str) -> String {
    let run = format!("{}(&program, memory)", O::RUN);
    model_test::<O>(target, &run, head[0], &ops_from_bytes(program), why)
}

fn table_of(table: u8) -> usize {
    usize::from(table) % ID_TABLES.len()
}

macro_rules! family {
    ($target:literal, $op:ident, $run:ident, $both:path) => {
        Family {
            target: $target,
            head: 1,
            run: |_, program, memory| $run(&ops_from_bytes(program), memory),
            planted: |program, memory| {
                run_planted(&ops_from_bytes(program), &mut <$both>::new_in(memory))
            },
            shrink: shrink_bytes::<$op>,
            test: test_of::<$op>,
        }
    };
}

/// Every family that is compared with a model, by target.
pub const FAMILIES: &[Family] = &[
    family!("array", ArrayOp, run_array, array::Both<'_>),
    family!("arrays", RowOp, run_rows, rows::Both<'_>),
    family!("callbacks", CallbacksOp, run_callbacks, callbacks::Both<'_>),
    family!("events", EventStreamOp, run_event_stream, event_stream::Both<'_>),
    family!("handle_heap", HandleHeapOp, run_handle_heap, handle_heap::Both<'_>),
    family!("hash_map", HashMapOp, run_hash_map, hash_map::Both<'_>),
    Family {
        target: "id_table",
        head: 2,
        run: |head, program, memory| {
            let (name, run) = ID_TABLES[table_of(head[1])];
            run(&ops_from_bytes(program), memory)
                .map_err(|differs| Differs { what: format!("{name}: {}", differs.what), ..differs })
        },
        planted: |program, memory| run_planted_table(&ops_from_bytes(program), memory),
        shrink: shrink_bytes::<IdTableOp>,
        test: |target, head, program, why| {
            let run = format!("ID_TABLES[{}].1(&program, memory)", table_of(head[1]));
            model_test::<IdTableOp>(target, &run, head[0], &ops_from_bytes(program), why)
        },
    },
    family!("list_pool", ListPoolOp, run_list_pool, list_pool::Both<'_>),
    family!("multi_map", MultiMapOp, run_multi_map, multi_map::Both<'_>),
    family!("open_rows", OpenArrayOp, run_open_arrays, open_array::Both<'_>),
    family!("ring", RingOp, run_ring, ring::Rings<'_>),
    family!("sheet", KeyValuesOp, run_key_values, key_values::Both<'_>),
    family!("sheets", KeyValuesSetOp, run_key_values_set, key_values_set::Both<'_>),
    family!("sorted_map", SortedMapOp, run_sorted_map, sorted_map::Both<'_>),
    Family {
        target: "thread_heap",
        head: 1,
        run: |_, program, memory| run_thread_heap(&ops_from_bytes(program), memory),
        planted: |program, memory| run_planted_thread_heap(&ops_from_bytes(program), memory),
        shrink: shrink_bytes::<ThreadHeapOp>,
        test: test_of::<ThreadHeapOp>,
    },
];

/// Bytes of the first region of a heap for one program: of the usual ones AddressSanitizer poisons
/// 64 MiB each time.
const REGION_BYTES: usize = 1 << 20;

/// Runs a program on a container in a new heap. If `share` is below 128 no request for memory is
/// refused, and the program must meet no refusal; else more requests are refused the greater it is,
/// the same ones each time.
///
/// # Errors
///
/// [`Differs`] if `run` returns it, a request is refused that must not be, blocks are kept in the
/// end, or the heap is damaged.
///
/// # Examples
///
/// ```
/// use loligo_tests::programs::{RingOp::*, over_heap, run_ring};
///
/// let program = [PushBack, PushFront, Clone, Remove { at: 1 }];
/// over_heap(0, |memory| run_ring(&program, memory))?;
/// # Ok::<(), loligo_tests::programs::Differs>(())
/// ```
pub fn over_heap(
    share: u8,
    run: impl FnOnce(SharedRef<'_>) -> Result<u32, Differs>,
) -> Result<(), Differs> {
    let refusals = match share.checked_sub(128) {
        None => Refusals::None,
        Some(above) => Refusals::Share { per_mille: 1 + 4 * u32::from(above), seed: share.into() },
    };
    let pages = PageAllocator::new("pages");
    // Under locks, as some programs are of several threads.
    let heap = HeapAllocator::with_region_bytes_in("heap", REGION_BYTES, &pages);
    let heap = Locked::new(heap);
    let failing = Locked::new(FailingAllocator::new_in("failing", refusals, &heap));
    let refused = run(&failing)?;
    let differs = |what: String| Err(Differs { index: 0, op: "the end".to_owned(), what });
    if share < 128 && refused > 0 {
        return differs(format!(
            "{refused} operations were refused memory, of which there is enough"
        ));
    }
    let live = failing.stats().live;
    if live > 0 {
        return differs(format!("{live} blocks are live, of the model 0"));
    }
    heap.verify().or_else(|damage| differs(format!("the heap is damaged: {damage}")))
}

/// Runs an input of a fuzz target that makes programs.
///
/// # Panics
///
/// If the program fails, or no target of that name makes programs.
pub fn run_input(target: &str, input: &[u8]) {
    let case = Case::from_input(target, input).unwrap_or_else(|unfit| panic!("{unfit}"));
    if let Some(case) = case {
        case.run().unwrap_or_else(|why| panic!("{why}"));
    }
}
