//! The peer's form of an arena in serde: for each slot its life and its object, or nothing.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::arena::Arena;
use super::index::Index;

impl<T: Serialize> Serialize for Arena<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slot = |slot| {
            let (value, index) = self.get_unknown_gen(slot)?;
            Some((index.into_raw_parts().1, value))
        };
        serializer.collect_seq((0..self.capacity()).map(slot))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Arena<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Slots(PhantomData))
    }
}

struct Slots<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Slots<T> {
    type Value = Arena<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an arena")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut slots: A) -> Result<Arena<T>, A::Error> {
        let mut arena = Arena::new();
        let mut count = 0;
        while let Some(slot) = slots.next_element::<Option<(u64, T)>>()? {
            if let Some((generation, value)) = slot {
                let id = Index::from_raw_parts(count, generation).0;
                arena.table.insert_at(id, value).expect("each slot is named once");
            }
            count += 1;
        }
        let more = count - arena.len();
        arena.reserve(more);
        Ok(arena)
    }
}
