//! A map of a table's ids in the formats of serde: `[ [bits of the id, value], .. ]`.

use core::fmt;
use core::marker::PhantomData;

use loligo_allocators::Allocator;
use serde_core::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_core::ser::{Serialize, Serializer};

use super::{Dense, Placement, Secondary};
use crate::each::Each;
use crate::error::InsertError;
use crate::id::TableId;

/// A map's type without its memory, to be made and not held.
type Made<I, T, P> = fn() -> (I, T, P);

/// Ids and values, in the order of the walk. [`SecondarySeed`] reads them.
impl<I: TableId, T: Serialize, A: Allocator + ?Sized, P: Placement> Serialize
    for Secondary<'_, I, T, A, P>
{
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serializer.collect_seq(self.iter().map(|(id, value)| (id.bits(), value)))
    }
}

/// Reads a [`Secondary`] or a [`SparseSecondary`](crate::SparseSecondary) that was serialized: it
/// passes the memory, for which `Deserialize` has no place.
///
/// # Complexity
///
/// O(values), amortised as for insertions.
///
/// # Memory
///
/// The map's: a `Secondary` has a place for every index up to the highest, so the seed is told how
/// many slots the ids may name. The seed itself takes none.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # Errors
///
/// What is read is refused, with the id, if its generation is 0, if it names a slot beyond those of
/// the table or one that another id has named, or if memory is refused.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{HoleTable, Id, Secondary, SecondarySeed};
/// use serde_core::de::DeserializeSeed;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut doors: HoleTable<&str> = HoleTable::new(&MEMORY);
/// let north = doors.insert("north")?;
/// let mut keys: Secondary<Id<&str>, u32> = Secondary::new(&MEMORY);
/// keys.insert(north, 7)?;
/// let text = serde_json::to_string(&keys)?;
///
/// let mut reader = serde_json::Deserializer::from_str(&text);
/// let seed = SecondarySeed::new(doors.capacity(), &MEMORY);
/// let read: Secondary<Id<&str>, u32> = seed.deserialize(&mut reader)?;
/// assert_eq!(read[north], 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SecondarySeed<
    'a,
    I: TableId,
    T,
    A: Allocator + ?Sized = dyn Allocator + 'a,
    P: Placement = Dense,
> {
    memory: &'a A,
    slots: usize,
    kind: PhantomData<Made<I, T, P>>,
}

impl<'a, I: TableId, T, P: Placement> SecondarySeed<'a, I, T, dyn Allocator + 'a, P> {
    /// Returns a seed for a map of the ids of a table that has so many slots: its
    /// [`capacity`](crate::Table::capacity).
    #[must_use]
    pub fn new(slots: usize, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(slots, memory)
    }
}

impl<'a, I: TableId, T, A: Allocator + ?Sized, P: Placement> SecondarySeed<'a, I, T, A, P> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(slots: usize, memory: &'a A) -> Self {
        Self { memory, slots, kind: PhantomData }
    }
}

impl<'de, 'a, I, T, A, P> DeserializeSeed<'de> for SecondarySeed<'a, I, T, A, P>
where
    I: TableId,
    T: Deserialize<'de>,
    A: Allocator + ?Sized,
    P: Placement,
{
    type Value = Secondary<'a, I, T, A, P>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let mut map = Secondary::new_in(self.memory);
        Each::new(|(bits, value)| add(&mut map, bits, value, self.slots))
            .deserialize(deserializer)?;
        Ok(map)
    }
}

/// Sets the value of an id whose slot has none yet.
fn add<I: TableId, T, A: Allocator + ?Sized, P: Placement>(
    map: &mut Secondary<'_, I, T, A, P>,
    bits: u64,
    value: T,
    slots: usize,
) -> Result<(), Refused> {
    let refused = |why| Refused { bits, why };
    let id = I::checked(bits).ok_or(refused(Why::Generation))?;
    if id.bits() & I::INDEX_MASK >= slots as u64 {
        return Err(refused(Why::Slot { slots }));
    }
    let before = map.len();
    map.insert(id, value).map_err(|error| refused(Why::Memory(error)))?;
    if map.len() == before { Err(refused(Why::Twice)) } else { Ok(()) }
}

/// An id that the map does not take, and why.
struct Refused {
    bits: u64,
    why: Why,
}

#[derive(Clone, Copy)]
enum Why {
    Generation,
    Slot { slots: usize },
    Twice,
    Memory(InsertError),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.bits;
        match self.why {
            Why::Generation => write!(f, "{bits} is not an id: its generation is 0"),
            Why::Slot { slots } => {
                write!(f, "the id {bits} names a slot beyond the {slots} of its table")
            }
            Why::Twice => write!(f, "the id {bits} names a slot that another id has named"),
            Why::Memory(error) => write!(f, "no place for the value of the id {bits}: {error}"),
        }
    }
}
