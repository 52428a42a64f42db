//! Ids in the formats of serde: as their bits.

use serde_core::de::{Deserialize, Deserializer, Error};
use serde_core::ser::{Serialize, Serializer};

use super::{Id, Repr, TableId};

/// As [`to_bits`](Id::to_bits), an integer of the id's size. With 64 bits and a tag it is more than
/// 2^53, up to where a reader that has all numbers as `f64` is exact: for those take a
/// [`SmallId`](crate::SmallId), or write the bits as text.
impl<Tag, R: Repr, const I: u32, const G: u32> Serialize for Id<Tag, R, I, G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bits = self.bits();
        if R::BITS == u32::BITS {
            serializer.serialize_u32(bits as u32)
        } else {
            serializer.serialize_u64(bits)
        }
    }
}

/// As [`from_bits`](Id::from_bits): a generation of 0 is an error. Whether the id names an object,
/// only the table can say.
impl<'de, Tag, R: Repr, const I: u32, const G: u32> Deserialize<'de> for Id<Tag, R, I, G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bits = if R::BITS == u32::BITS {
            u32::deserialize(deserializer)?.into()
        } else {
            u64::deserialize(deserializer)?
        };
        Self::checked(bits).ok_or_else(|| {
            D::Error::custom(format_args!("{bits} is not an id: its generation is 0"))
        })
    }
}
