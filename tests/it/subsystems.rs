//! What takes its memory from an allocator that is passed in, under the suite for that: containers,
//! and a small subsystem made of them.

use core::fmt;
use std::sync::Mutex;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_containers::{
    Array, ArrayOfArrays, Event, EventStream, GrowError, HashMap, KeyValues, ListPool, MultiMap,
    Ring, SortedMap, Value,
};
use loligo_ids::{HoleTable, Id, IdString32, InsertError, PackedTable};
use loligo_tests::Violation;
use loligo_tests::conformance::{self, Watch};

use crate::GUARD;

/// Bytes of memory for one run.
const BYTES: usize = 1 << 20;

/// Held while the guard counts, which counts for all threads together.
pub(crate) static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Holds a subsystem to the suite, the global heap included.
pub(crate) fn conforms(script: impl FnMut(&Watch<'_>) -> Result<(), Violation>) {
    let alone = ONE_AT_A_TIME.lock();
    let outcomes = conformance::subsystem_guarded_outcomes(BYTES, &GUARD, script);
    drop(alone);
    let failed: Vec<_> = outcomes.iter().filter(|outcome| outcome.result.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!(outcomes.len(), 7, "every check was made");
}

#[test]
fn arrays_conform() {
    conforms(|watch| {
        let mut array = watch
            .make(|memory| Array::try_with_capacity_in(3, memory), |array| array.to_vec())?
            .claiming(|array| array.capacity() * size_of::<u64>());
        for number in 0..40_u64 {
            array.call(|array| array.try_push(number))?;
        }
        array.call(|array| array.try_insert(7, 99))?;
        array.change(|array| array.remove(2))?;
        array.call(|array| array.try_extend_from_slice(&[1; 100]))
    });
}

#[test]
fn rings_conform() {
    conforms(|watch| {
        let mut ring = watch.make(
            |memory| Ring::try_with_capacity_in(2, memory),
            |ring| ring.iter().copied().collect::<Vec<u32>>(),
        )?;
        for number in 0..60 {
            ring.call(|ring| ring.try_push_back(number))?;
            ring.call(|ring| ring.try_push_front(number))?;
            ring.change(|ring| ring.pop_back())?;
        }
        Ok(())
    });
}

#[test]
fn maps_conform() {
    conforms(|watch| {
        let mut sorted = watch.make(
            |memory| SortedMap::try_with_capacity_in(2, memory),
            |map| map.iter().map(|(key, value)| (*key, *value)).collect::<Vec<(u32, u64)>>(),
        )?;
        let mut hashed = watch.make(
            |memory| HashMap::try_with_capacity_in(2, memory),
            |map: &HashMap<'_, u32, u64>| {
                let mut entries: Vec<_> = map.iter().map(|(&key, &value)| (key, value)).collect();
                entries.sort_unstable();
                entries
            },
        )?;
        let mut many = watch.make(
            |memory| MultiMap::try_with_capacity_in(2, memory),
            |map| (0..7).map(|key| map.values_of(&key).to_vec()).collect::<Vec<Vec<u32>>>(),
        )?;
        for number in 0..50 {
            sorted.call(|map| map.try_insert(number * 7 % 50, 1))?;
            hashed.call(|map| map.try_insert(number * 7 % 50, 1))?;
            many.call(|map| map.try_insert(number % 7, number))?;
        }
        Ok(())
    });
}

#[test]
fn event_streams_conform() {
    conforms(|watch| {
        let mut stream = watch
            .make(
                |memory| EventStream::try_with_capacity_in(16, memory),
                |stream| stream.as_bytes().to_vec(),
            )?
            .claiming(|stream| stream.capacity());
        for number in 0..50 {
            stream
                .call(|stream| stream.try_push_bytes(number, &[1; 13][..number as usize % 13]))?;
        }
        Ok(())
    });
}

#[test]
fn arrays_of_arrays_and_lists_conform() {
    conforms(|watch| {
        let mut rows = watch.make(
            |memory| Ok::<_, GrowError>(ArrayOfArrays::new_in(memory)),
            |rows| rows.iter().map(|(_, row)| row.to_vec()).collect::<Vec<Vec<u32>>>(),
        )?;
        for number in 0..12 {
            let row = rows.call(|rows| rows.try_add_row_from(&[number; 3]))?;
            rows.call(|rows| rows.try_extend_from_slice(row, &[1, 2, 3]))?;
        }
        rows.call(|rows| rows.try_compact())?;
        let mut lists = watch.make(
            |memory| Ok::<_, GrowError>(ListPool::<u32>::new_in(memory)),
            |lists| {
                let items = |list| lists.iter(list).copied().collect();
                lists.lists().map(items).collect::<Vec<Vec<u32>>>()
            },
        )?;
        let one = lists.call(|lists| lists.try_create())?;
        let other = lists.call(|lists| lists.try_create())?;
        for number in 0..40 {
            lists.call(|lists| lists.try_push(one, number))?;
            lists.call(|lists| lists.try_extend_from_slice(other, &[number; 5]))?;
        }
        lists.change(|lists| lists.destroy(one)).map(drop)
    });
}

#[test]
fn id_tables_conform() {
    conforms(|watch| {
        let mut holes = watch.make(
            |memory| Ok::<_, InsertError>(HoleTable::<u32>::new_in(memory).with_tag(1)),
            |table| {
                table.iter_with_ids().map(|(id, unit)| (id.to_bits(), *unit)).collect::<Vec<_>>()
            },
        )?;
        let mut packed = watch.make(
            |memory| Ok::<_, InsertError>(PackedTable::<u32>::new_in(memory).with_tag(1)),
            |table| {
                table.iter_with_ids().map(|(id, unit)| (id.to_bits(), *unit)).collect::<Vec<_>>()
            },
        )?;
        for number in 0..60 {
            let gone = holes.call(|table| table.insert(number))?;
            packed.call(|table| table.insert(number))?;
            if number % 3 == 0 {
                holes.change(|table| table.remove(gone))?;
            }
        }
        Ok(())
    });
}

#[test]
fn stores_of_keys_and_values_conform() {
    let key = |number: u32| IdString32::from_hash(number);
    conforms(|watch| {
        let mut settings = watch.make(
            |memory| Ok::<_, GrowError>(KeyValues::new_in(memory)),
            |settings| {
                let text = |number| format!("{:?}", settings.get(key(number)));
                (0..30).chain(1000..1030).map(text).collect::<String>()
            },
        )?;
        for number in 0..30_u32 {
            settings.call(|settings| settings.try_set(key(number), Value::F32(0.5)))?;
            settings
                .call(|settings| settings.try_set(key(1000 + number), Value::Str("to the left")))?;
        }
        Ok(())
    });
}

/// A sample of what is on tier 0: a roster of units with their names, and a note of each that
/// joined.
struct Roster<'a> {
    units: HoleTable<'a, u32>,
    names: HashMap<'a, u32, Id<u32>>,
    joined: EventStream<'a>,
}

#[derive(Clone, Copy, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Joined {
    name: u32,
}

impl Event for Joined {
    const TYPE: u32 = 1;
}

/// There is no memory for one more unit.
struct UnknownSubsystem(&'static str);

impl fmt::Display for UnknownSubsystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no memory for {}", self.0)
    }
}

impl<'a> Roster<'a> {
    fn new(memory: &'a dyn Allocator) -> Result<Self, UnknownSubsystem> {
        let names =
            HashMap::try_with_capacity_in(4, memory).map_err(|_| UnknownSubsystem("names"))?;
        let mut units = HoleTable::new_in(memory);
        units.reserve(4).map_err(|_| UnknownSubsystem("units"))?;
        Ok(Self { units, names, joined: EventStream::new_in(memory) })
    }

    /// Makes room everywhere first, so that what follows cannot fail half way.
    fn join(&mut self, name: u32, strength: u32) -> Result<(), UnknownSubsystem> {
        self.names.try_reserve(1).map_err(|_| UnknownSubsystem("names"))?;
        self.joined.try_reserve(64).map_err(|_| UnknownSubsystem("events"))?;
        let unit = self.units.insert(strength).map_err(|_| UnknownSubsystem("units"))?;
        self.names.insert(name, unit);
        self.joined.push(Joined { name });
        Ok(())
    }

    fn leave(&mut self, name: u32) {
        if let Some(unit) = self.names.remove(&name) {
            self.units.remove(unit);
        }
    }

    /// All that can be seen of it.
    fn seen(&self) -> (Vec<(u32, Option<u32>)>, usize) {
        let strength = |unit: Id<u32>| self.units.get(unit).copied();
        let mut seen: Vec<_> =
            self.names.iter().map(|(&name, &unit)| (name, strength(unit))).collect();
        seen.sort_unstable();
        (seen, self.joined.iter().count())
    }
}

#[test]
fn a_subsystem_made_of_containers_conforms() {
    conforms(|watch| {
        let mut roster = watch.make(Roster::new, Roster::seen)?;
        for name in 0..30 {
            roster.call(|roster| roster.join(name, 7 * name))?;
            if name % 4 == 3 {
                roster.change(|roster| roster.leave(name / 2))?;
            }
        }
        Ok(())
    });
}
