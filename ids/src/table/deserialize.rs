//! A table from the formats of serde, all of which is validated.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "`used` is below the limit when it is raised; as many slots count as retired as are \
              neither free nor have an object yet"
)]

use core::fmt;
use core::marker::PhantomData;

use loligo_allocators::Allocator;
use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use crate::each::Each;
use crate::error::TableDamage;
use crate::id::{Id, TableId};
use crate::policy::{End, FreeList, GenerationEnd, Lifo, Retire};
use crate::table::Table;
use crate::table::serialize::FIELDS;
use crate::table::shape::{Parts, Shape};
use crate::tag;

/// A table's type without its memory, to be made and not held.
type Made<S, T, I, F, E> = fn() -> (S, T, I, F, E);

/// Reads a table that was serialized: it passes the memory, for which `Deserialize` has no place.
///
/// The table names the same objects by the same ids and hands out the same ids from here on.
///
/// # Complexity
///
/// O(slots), amortised as for insertions.
///
/// # Memory
///
/// The table's, only for slots that the input really has: at most twice what those need, whatever
/// lengths the input claims. The seed itself takes none.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # Errors
///
/// What is read is refused, with the slot, if two objects or free slots have the same slot, if a
/// slot is free or live that cannot be, or if memory is refused.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{HoleTable, TableSeed};
/// use serde_core::de::DeserializeSeed;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut doors: HoleTable<String> = HoleTable::new(&MEMORY);
/// let north = doors.insert("north".into())?;
/// let text = serde_json::to_string(&doors)?;
///
/// let mut reader = serde_json::Deserializer::from_str(&text);
/// let read: HoleTable<String> = TableSeed::new(&MEMORY).deserialize(&mut reader)?;
/// assert_eq!(read[north], "north");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableSeed<
    'a,
    S: Shape,
    T,
    I: TableId = Id<T>,
    F: FreeList = Lifo,
    E: GenerationEnd = Retire,
    A: Allocator + ?Sized = dyn Allocator + 'a,
> {
    memory: &'a A,
    limit: usize,
    kind: PhantomData<Made<S, T, I, F, E>>,
}

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd> TableSeed<'a, S, T, I, F, E> {
    /// Returns a seed for a table with memory from `memory`.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    TableSeed<'a, S, T, I, F, E, A>
{
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(memory: &'a A) -> Self {
        Self { memory, limit: usize::MAX, kind: PhantomData }
    }

    /// Sets the number of slots that the table may have at most; what has more is refused.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

impl<'de, 'a, S, T, I, F, E, A> DeserializeSeed<'de> for TableSeed<'a, S, T, I, F, E, A>
where
    S: Shape,
    T: Deserialize<'de>,
    I: TableId,
    F: FreeList,
    E: GenerationEnd,
    A: Allocator + ?Sized,
{
    type Value = Table<'a, S, T, I, F, E, A>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_tuple(FIELDS, self)
    }
}

impl<'de, 'a, S, T, I, F, E, A> Visitor<'de> for TableSeed<'a, S, T, I, F, E, A>
where
    S: Shape,
    T: Deserialize<'de>,
    I: TableId,
    F: FreeList,
    E: GenerationEnd,
    A: Allocator + ?Sized,
{
    type Value = Table<'a, S, T, I, F, E, A>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table: its tag, generations, free slots and objects")
    }

    fn visit_seq<Q: SeqAccess<'de>>(self, mut fields: Q) -> Result<Self::Value, Q::Error> {
        let missing = |at: usize| Q::Error::invalid_length(at, &"a table of 4 fields");
        let tag: u64 = fields.next_element()?.ok_or_else(|| missing(0))?;
        if !tag::fits::<I>(tag) {
            return Err(Q::Error::custom(format_args!("tag {tag} does not fit into an id")));
        }
        let mut table = Table::empty(self.limit, Some(self.memory), tag::given::<I>(tag));
        let slots = Each::new(|generation| table.add_slot(generation));
        fields.next_element_seed(slots)?.ok_or_else(|| missing(1))?;
        let free = Each::new(|slot| table.add_free(slot));
        fields.next_element_seed(free)?.ok_or_else(|| missing(2))?;
        if F::LIFO {
            table.reverse_list();
        }
        let objects = Each::new(|(slot, object)| table.add_object(slot, object));
        fields.next_element_seed(objects)?.ok_or_else(|| missing(3))?;
        table.count_set_aside().map_err(Q::Error::custom)?;
        Ok(table)
    }
}

/// While a table is read, what has no state yet counts as retired: so it can be dropped at any
/// time.
impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Adds a slot of which only the generation is known.
    fn add_slot(&mut self, generation: u64) -> Result<(), TableDamage> {
        let slot = self.used;
        if generation > I::GENERATIONS {
            return damage("the generation is more than an id can have", slot as u64);
        }
        if slot == self.limit {
            return damage("the slots are more than the limit", slot as u64);
        }
        if slot == self.capacity && self.grow().is_err() {
            return damage("there is no memory for all slots", slot as u64);
        }
        self.used += 1;
        self.retired += 1;
        self.set_aside(slot, generation << I::INDEX_BITS);
        Ok(())
    }

    /// Puts a slot on the free list, after those that are to be used before.
    fn add_free(&mut self, slot: u64) -> Result<(), TableDamage> {
        let field = self.unclaimed(slot)?;
        if E::END == End::Retire && field == I::GENERATION_MASK {
            return damage("a slot is free that has lived all its lives", slot);
        }
        self.place_free(slot as usize, field, self.free);
        self.free += 1;
        self.retired -= 1;
        Ok(())
    }

    /// Puts an object into a slot.
    fn add_object(&mut self, slot: u64, object: T) -> Result<(), TableDamage> {
        let field = self.unclaimed(slot)?;
        if field == 0 {
            return damage("an object has no generation", slot);
        }
        let bits = self.tag | field | slot;
        self.parts.put(slot as usize, bits, self.len(), object);
        self.retired -= 1;
        Ok(())
    }

    /// Counts the slots that are neither free nor live.
    fn count_set_aside(&mut self) -> Result<(), TableDamage> {
        for slot in 0..self.used {
            if !self.is_unlisted(slot) {
                continue;
            }
            if self.parts.word(slot) & I::GENERATION_MASK != 0 {
                self.reserved += 1;
                self.retired -= 1;
            } else if E::END != End::Retire {
                return damage("a slot is retired though none should be", slot as u64);
            }
        }
        Ok(())
    }

    /// Returns the generation of a slot that is neither free nor live yet, where it is in an id.
    fn unclaimed(&self, slot: u64) -> Result<u64, TableDamage> {
        if slot >= self.used as u64 {
            return damage("the slot is not among those with a generation", slot);
        }
        if !self.is_unlisted(slot as usize) {
            return damage("the slot is named twice", slot);
        }
        Ok(self.parts.word(slot as usize) & I::GENERATION_MASK)
    }
}

fn damage<X>(what: &'static str, index: u64) -> Result<X, TableDamage> {
    Err(TableDamage { what, index })
}
