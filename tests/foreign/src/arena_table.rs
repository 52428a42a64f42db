//! The table of the peers that are arenas with generations.

use loligo_ids::{Holes, Id, Lifo, Retire, Table};

use crate::memory::Memory;

/// As many slots and lives as in the peers.
pub(crate) type SlotId = Id<(), u64, 32, 32>;

/// A table with holes.
pub(crate) type ArenaTable<T> = Table<'static, Holes, T, SlotId, Lifo, Retire, Memory>;

/// Returns two objects to be changed, where the ids name any, which ours does for both or neither.
pub(crate) fn get2_mut<T>(
    table: &mut ArenaTable<T>,
    one: SlotId,
    other: SlotId,
) -> (Option<&mut T>, Option<&mut T>) {
    assert!(one != other, "two references to one object are asked for");
    match (table.contains(one), table.contains(other)) {
        (true, true) => {
            let [one, other] = table.get_many_mut([one, other]).expect("both are there");
            (Some(one), Some(other))
        }
        (true, false) => (table.get_mut(one), None),
        (false, _) => (None, table.get_mut(other)),
    }
}
