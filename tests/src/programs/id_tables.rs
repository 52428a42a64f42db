//! Programs on id tables of either shape and every policy, compared with a map.

mod both;
mod maps;
mod whole;

use core::any::TypeId;

use loligo_allocators::Allocator;
use loligo_ids::{
    Fifo, FreeList, GenerationEnd, Holes, Lifo, Packed, Refuse, Repr, Retire, Shape, Table, Wrap,
};

use super::model_op::{Differs, model_ops, run_beside, run_planted};

use both::Both;

model_ops! {
    /// One operation on an id table. Objects are numbered as they come; `which` is taken modulo the
    /// number of ids that were given out so far.
    IdTableOp of 64 by run_id_tables {
        /// Inserts an object.
        0..=5 => Insert,
        /// Removes one.
        6..=9 => Remove { which: u16 },
        /// Looks one up, changes it and asks for two at once.
        10..=11 => Get { which: u16, at: u16 },
        /// Looks up an id of any bits.
        12..=12 => GetForged { which: u16, at: u16 },
        /// Inserts at an id that was given out.
        13..=14 => InsertAt { which: u16 },
        /// Inserts at an id of any bits; index and generation are small, and the tag is another
        /// table's for some.
        15..=15 => InsertAtForged { count: u8, at: u16 },
        /// Reserves an id.
        16..=17 => ReserveId,
        /// Gives a reserved id its object.
        18..=18 => Fill { which: u16 },
        /// Gives a reserved id up.
        19..=19 => GiveUp { which: u16 },
        /// Inserts several.
        20..=21 => InsertBatch { count: u8 },
        /// Removes several, from an id on.
        22..=23 => RemoveBatch { count: u8, which: u16 },
        /// Keeps those that no number divides.
        24..=25 => Retain { count: u8 },
        /// Takes the given number of out, then all.
        26..=26 => Drain { count: u8 },
        /// Removes all.
        27..=27 => Clear,
        /// Makes room.
        28..=28 => Reserve { count: u8 },
        /// Saves the table, and continues with the one restored from that.
        29..=30 => SaveAndRestore,
        /// Compares all.
        31..=31 => Check,
        /// Inserts an object that is made of its id.
        32..=34 => InsertWith,
        /// Looks the object of a slot up and changes it.
        35..=37 => GetBySlot { at: u16 },
        /// Removes the object of a slot.
        38..=40 => RemoveBySlot { at: u16 },
        /// Shrinks the table to the slots that it uses.
        41..=42 => Shrink,
        /// Continues with a clone.
        43..=43 => Clone,
        /// Takes the table apart and makes another of its objects.
        44..=44 => Rebuild,
        /// Inserts several, which are not named.
        45..=46 => Extend { count: u8 },
        /// Gives an id a value in maps by ids.
        47..=51 => MapInsert { which: u16 },
        /// Changes the value of an id in maps, or inserts one, by its entry.
        52..=54 => MapEntry { count: u8, which: u16 },
        /// Takes the value of an id out of maps.
        55..=57 => MapRemove { which: u16 },
        /// Looks up two values of maps at once, and changes them.
        58..=59 => MapGet { which: u16, at: u16 },
        /// Keeps the values whose objects live.
        60..=60 => MapRetain,
        /// Shrinks the maps to their values.
        61..=61 => MapShrink,
        /// Continues with clones of the maps.
        62..=62 => MapClone,
        /// Drops all values of the maps.
        63..=63 => MapClear,
    }
}

/// Runs a program, as those in [`ID_TABLES`] do.
pub type RunIdTable = fn(&[IdTableOp], &dyn Allocator) -> Result<u32, Differs>;

/// What happens at the end of a slot's generations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtEnd {
    Retires,
    Wraps,
    Refuses,
}

/// Runs a program on a table with ids of the given numbers of bits and on a map, and returns how
/// many operations were refused memory. The table may have `limit` slots.
///
/// Every id that is given out is compared with the one that must come next for its slot. The table
/// has the tag that it takes by itself, where its ids have bits for one; ids of other tags are
/// among those that it is asked for. Two maps by its ids, one for most and one for few of them, are
/// compared with a map from slots.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, or the table finds itself damaged.
///
/// # Examples
///
/// ```
/// use loligo_ids::{Holes, Lifo, Retire};
/// use loligo_tests::models::NaiveAllocator;
/// use loligo_tests::programs::{IdTableOp, run_id_table};
///
/// let memory = NaiveAllocator::new("naive", 64 << 10);
/// let program = [IdTableOp::Insert, IdTableOp::Remove { which: 0 }, IdTableOp::SaveAndRestore];
/// run_id_table::<Holes, Lifo, Retire, u32, 4, 3>(&program, 16, &memory)?;
/// # Ok::<(), loligo_tests::programs::Differs>(())
/// ```
pub fn run_id_table<S, F, E, R, const INDEX: u32, const GENERATION: u32>(
    program: &[IdTableOp],
    limit: usize,
    memory: &dyn Allocator,
) -> Result<u32, Differs>
where
    S: Shape,
    F: FreeList,
    E: GenerationEnd + 'static,
    R: Repr,
{
    let at_end = match TypeId::of::<E>() {
        end if end == TypeId::of::<Retire>() => AtEnd::Retires,
        end if end == TypeId::of::<Wrap>() => AtEnd::Wraps,
        _ => AtEnd::Refuses,
    };
    let table = Table::with_limit_in(limit, memory);
    run_beside(program, &mut Both::<S, F, E, R, INDEX, GENERATION>::new(table, at_end, memory))
}

/// Runs a program on each of [`ID_TABLES`], and returns how many operations were refused memory.
///
/// # Errors
///
/// [`Differs`] of the first table on which it does not do as the map does; the table's name comes
/// first.
pub fn run_id_tables(program: &[IdTableOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    ID_TABLES.into_iter().try_fold(0, |refused, (name, run)| {
        let more = run(program, memory)
            .map_err(|differs| Differs { what: format!("{name}: {}", differs.what), ..differs })?;
        Ok(refused + more)
    })
}

/// Runs a program on a table with a planted fault: see `run_planted`.
pub(super) fn run_planted_table(
    program: &[IdTableOp],
    memory: &dyn Allocator,
) -> Result<u32, Differs> {
    let table = Table::with_limit_in(1 << 20, memory);
    let mut both = Both::<Holes, Lifo, Retire, u64, 32, 24>::new(table, AtEnd::Retires, memory);
    run_planted(program, &mut both)
}

/// Lists a table of either shape and with either free list for an end of generations: with ids so
/// small that slots and generations run out, with those of 32 bits, and last with the default.
macro_rules! tables {
    ($($shape:ident, $list:ty, $end:ident;)*) => {
        [$(
            (concat!(stringify!($shape), ", ", stringify!($list), ", ", stringify!($end), ", small"),
                |program, memory| {
                    run_id_table::<$shape, $list, $end, u32, 4, 3>(program, 13, memory)
                }),
            (concat!(stringify!($shape), ", ", stringify!($list), ", ", stringify!($end), ", 32 bits"),
                |program, memory| {
                    run_id_table::<$shape, $list, $end, u32, 20, 12>(program, 1 << 20, memory)
                }),
        )*
        $(
            (concat!(stringify!($shape), ", ", stringify!($list), ", ", stringify!($end)),
                |program, memory| {
                    run_id_table::<$shape, $list, $end, u64, 32, 24>(program, 1 << 20, memory)
                }),
        )*]
    };
}

/// Tables of every shape and policy, each with its name.
pub const ID_TABLES: [(&str, RunIdTable); 36] = tables! {
    Holes, Lifo, Retire;
    Holes, Lifo, Wrap;
    Holes, Lifo, Refuse;
    Holes, Fifo<2>, Retire;
    Holes, Fifo<2>, Wrap;
    Holes, Fifo<2>, Refuse;
    Packed, Lifo, Retire;
    Packed, Lifo, Wrap;
    Packed, Lifo, Refuse;
    Packed, Fifo<2>, Retire;
    Packed, Fifo<2>, Wrap;
    Packed, Fifo<2>, Refuse;
};
