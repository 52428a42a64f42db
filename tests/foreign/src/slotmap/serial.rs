//! Keys and maps in the formats of serde: tables as ours are, secondary maps as pairs of an id and
//! a value, since ours are not serialized by themselves.

use loligo_ids::{Placement, Shape, TableSeed};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::key::{Key, KeyData};
use super::map::Map;
use super::secondary::SecondaryOf;
use crate::memory::MEMORY;

/// Serializes a type of keys as the data of its keys.
#[doc(hidden)]
#[macro_export]
macro_rules! __serial_key {
    ($name:ident) => {
        impl $crate::slotmap::serde::Serialize for $name {
            fn serialize<S: $crate::slotmap::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::slotmap::serde::Serialize::serialize(&self.0, serializer)
            }
        }

        impl<'de> $crate::slotmap::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::slotmap::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let data = $crate::slotmap::serde::Deserialize::deserialize(deserializer);
                ::core::result::Result::map(data, Self)
            }
        }
    };
}

impl<S: Shape, K: Key, V: Serialize> Serialize for Map<S, K, V> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        self.table.serialize(serializer)
    }
}

impl<'de, S: Shape, K: Key, V: Deserialize<'de>> Deserialize<'de> for Map<S, K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        TableSeed::new_in(&MEMORY).deserialize(deserializer).map(Self::of)
    }
}

impl<P: Placement, K: Key, V: Serialize, S> Serialize for SecondaryOf<P, K, V, S> {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serializer.collect_seq(self.iter().map(|(key, value)| (key.data(), value)))
    }
}

impl<'de, P: Placement, K: Key, V: Deserialize<'de>, S> Deserialize<'de>
    for SecondaryOf<P, K, V, S>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs: Vec<(KeyData, V)> = Deserialize::deserialize(deserializer)?;
        Ok(pairs.into_iter().map(|(data, value)| (K::from(data), value)).collect())
    }
}
