//! Programs of operations: drawn by proptest, decoded from a fuzzer's bytes, or written down as a
//! regression, and run on an allocator under the [`Oracle`], or on a table or container in parallel
//! with a model.
//!
//! | family | runs on | by |
//! |---|---|---|
//! | [`AllocatorOp`] | every allocator | [`run`], [`run_shared`] |
//! | [`AnyMapOp`] | anybody's map | [`run_any_map`] |
//! | [`AnyQueueOp`] | anybody's queue | [`run_any_queue`] |
//! | [`AnyStreamOp`] | anybody's stream | [`run_any_stream`] |
//! | [`AnyTableOp`] | anybody's id table | [`run_any_table`] |
//! | [`ArrayOp`] | an array | [`run_array`] |
//! | [`CallbacksOp`] | a queue of callbacks | [`run_callbacks`] |
//! | [`EventStreamOp`] | a stream of events | [`run_event_stream`] |
//! | [`HandleHeapOp`] | a heap of blocks that may move | [`run_handle_heap`] |
//! | [`HashMapOp`] | a hash map and a hash set | [`run_hash_map`] |
//! | [`IdTableOp`] | id tables of every shape and policy | [`run_id_table`], [`ID_TABLES`] |
//! | [`KeyValuesOp`] | a store of keys and values | [`run_key_values`] |
//! | [`KeyValuesSetOp`] | a set of such stores | [`run_key_values_set`] |
//! | [`ListPoolOp`] | a pool of lists | [`run_list_pool`] |
//! | [`MultiMapOp`] | a map with many values a key | [`run_multi_map`] |
//! | [`OpenArrayOp`] | open arrays of both layouts | [`run_open_arrays`] |
//! | [`RingOp`] | a ring | [`run_ring`] |
//! | [`RowOp`] | an array of arrays | [`run_rows`] |
//! | [`SortedMapOp`] | a sorted map and a sorted set | [`run_sorted_map`] |
//! | [`ThreadHeapOp`] | a heap for threads, by four threads in turn | [`run_thread_heap`] |
//!
//! [`FAMILIES`] has all but the first by the names of their fuzz targets.
//!
//! A block is named by the slot it is put in, so that an operation left out of a program does not
//! change the meaning of those that follow, and a failing program can be made smaller.

mod any_map;
mod any_queue;
mod any_stream;
mod any_table;
mod array;
mod bytes;
mod callbacks;
mod event_stream;
mod families;
mod fields;
mod handle_heap;
mod hash_map;
mod id_tables;
mod key_values;
mod key_values_set;
mod list_pool;
mod model_op;
mod multi_map;
mod named;
mod open_array;
mod plan;
mod ring;
mod rows;
mod shared;
mod sorted_map;
mod space;
mod thread_heap;
#[cfg(feature = "peers")]
mod traced;

use core::alloc::Layout;
use std::collections::BTreeMap;

use crate::oracle::{Key, Oracle};
use crate::rule::Violation;

pub use any_map::{AnyMapOp, run_any_map};
pub use any_queue::{AnyQueueOp, run_any_queue};
pub use any_stream::{AnyStreamOp, run_any_stream};
pub use any_table::{AnyTableOp, run_any_table};
pub use array::{ArrayOp, run_array};
pub use bytes::{from_bytes, to_bytes};
pub use callbacks::{CallbacksOp, run_callbacks};
pub use event_stream::{EventStreamOp, run_event_stream};
pub use families::{FAMILIES, Family, over_heap, run_input};
pub use handle_heap::{HandleHeapOp, run_handle_heap};
pub use hash_map::{HashMapOp, run_hash_map};
pub use id_tables::{ID_TABLES, IdTableOp, RunIdTable, run_id_table, run_id_tables};
pub use key_values::{KeyValuesOp, run_key_values};
pub use key_values_set::{KeyValuesSetOp, run_key_values_set};
pub use list_pool::{ListPoolOp, run_list_pool};
pub(crate) use model_op::find_ops;
pub use model_op::{Differs, ModelOp, Step, check_ops, ops_from_bytes, ops_to_bytes};
pub use multi_map::{MultiMapOp, run_multi_map};
pub use open_array::{OpenArrayOp, run_open_arrays};
pub(crate) use plan::config;
pub use plan::{Failure, Plan, run_to_end};
pub use ring::{RingOp, run_faulty_ring, run_ring};
pub use rows::{RowOp, run_rows};
pub use shared::run_shared;
pub use sorted_map::{SortedMapOp, run_sorted_map};
pub use space::{Space, sample};
pub use thread_heap::{ThreadHeapOp, run_thread_heap};
#[cfg(feature = "peers")]
pub use traced::{program_of, trace_of};

/// One operation on an allocator.
///
/// An allocation into a slot that holds a block, and anything else on a slot that holds none, is
/// skipped; so is a size that no layout can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocatorOp {
    /// Allocates into a slot.
    Allocate {
        /// Where the block is put.
        slot: u32,
        /// Its size.
        size: usize,
        /// Its alignment.
        align: usize,
    },
    /// Allocates zeroed memory into a slot.
    AllocateZeroed {
        /// Where the block is put.
        slot: u32,
        /// Its size.
        size: usize,
        /// Its alignment.
        align: usize,
    },
    /// Frees by address.
    Free {
        /// Whose block.
        slot: u32,
    },
    /// Frees by address and layout.
    FreeSized {
        /// Whose block.
        slot: u32,
        /// The size that is passed: from the one asked, 0, to the one granted, 255.
        share: u8,
    },
    /// Asks for another size in place.
    Resize {
        /// Whose block.
        slot: u32,
        /// The new size.
        size: usize,
        /// The old size that is passed, as in `FreeSized`.
        share: u8,
    },
    /// Asks for another size and alignment.
    Reallocate {
        /// Whose block.
        slot: u32,
        /// The new size.
        size: usize,
        /// The new alignment.
        align: usize,
        /// The old size that is passed, as in `FreeSized`.
        share: u8,
    },
    /// Checks contents, counters, walk, ownership and structure.
    Check,
}

/// The blocks by slot.
#[derive(Default)]
struct Slots {
    /// A map, as a program may name a few slots only and those great ones.
    keys: BTreeMap<u32, Option<Key>>,
}

impl Slots {
    fn at(&mut self, slot: u32) -> &mut Option<Key> {
        self.keys.entry(slot).or_default()
    }
}

/// Runs a program. Blocks that are live in the end stay live: call [`Oracle::finish`] then.
///
/// # Errors
///
/// [`Violation`] as soon as a rule is broken.
///
/// # Examples
///
/// ```
/// use loligo_tests::programs::AllocatorOp::{Allocate, Check, Free};
/// use loligo_tests::{Limits, Oracle, models::NaiveAllocator, programs};
///
/// let naive = NaiveAllocator::new("naive", 64 << 10);
/// let mut oracle = Oracle::new(&naive, Limits::region(64 << 10))?;
/// let program = [
///     Allocate { slot: 0, size: 100, align: 8 },
///     Allocate { slot: 1, size: 0, align: 4096 },
///     Free { slot: 0 },
///     Check,
/// ];
/// programs::run(&program, &mut oracle)?;
/// oracle.finish()?;
/// # Ok::<(), loligo_tests::Violation>(())
/// ```
pub fn run(program: &[AllocatorOp], oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let mut slots = Slots::default();
    for (index, &op) in program.iter().enumerate() {
        step(op, oracle, &mut slots).map_err(|broken| {
            Violation::new(broken.rule, format!("operation {index}, {op:?}: {}", broken.message))
        })?;
    }
    Ok(())
}

fn step(op: AllocatorOp, oracle: &mut Oracle<'_>, slots: &mut Slots) -> Result<(), Violation> {
    let touch_max = oracle.limits().touch_max;
    match op {
        AllocatorOp::Allocate { slot, size, align }
        | AllocatorOp::AllocateZeroed { slot, size, align } => {
            let slot = slots.at(slot);
            if let (None, Ok(layout)) = (&slot, Layout::from_size_align(size, align)) {
                let zeroed = matches!(op, AllocatorOp::AllocateZeroed { .. });
                // Sizes that cannot be served are asked for in either way; great ones that can
                // would have all their pages touched.
                let touches = (touch_max..isize::MAX as usize / 2).contains(&size);
                *slot = if zeroed && !touches {
                    oracle.allocate_zeroed(layout)?
                } else {
                    oracle.allocate(layout)?
                };
            }
        }
        AllocatorOp::Free { slot } => {
            if let Some(key) = slots.at(slot).take() {
                oracle.free(key)?;
            }
        }
        AllocatorOp::FreeSized { slot, share } => {
            if let Some(key) = slots.at(slot).take() {
                oracle.free_sized(key, share)?;
            }
        }
        AllocatorOp::Resize { slot, size, share } => {
            if let Some(key) = *slots.at(slot) {
                oracle.resize(key, size, share)?;
            }
        }
        AllocatorOp::Reallocate { slot, size, align, share } => {
            if let (Some(key), Ok(layout)) = (*slots.at(slot), Layout::from_size_align(size, align))
                && oracle.bytes(key).min(size) <= touch_max
                && let Some(moved) = oracle.reallocate(key, layout, share)?
            {
                *slots.at(slot) = Some(moved);
            }
        }
        AllocatorOp::Check => oracle.check_all()?,
    }
    Ok(())
}
