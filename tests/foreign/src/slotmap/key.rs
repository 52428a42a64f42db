//! Keys: an id each.

use core::fmt::Debug;
use core::hash::Hash;

use loligo_ids::Id;
use serde::{Deserialize, Serialize};

/// As many slots and lives as in the peer, and the same whatever the key's type is.
pub(super) type SlotId = Id<(), u64, 32, 32>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KeyData(pub(super) SlotId);

impl KeyData {
    /// Returns the last life of the last slot, which no test reaches.
    #[must_use]
    pub fn null() -> Self {
        Self(SlotId::from_bits(u64::MAX).expect("its generation is not 0"))
    }

    #[must_use]
    pub fn is_null(self) -> bool {
        self == Self::null()
    }

    #[must_use]
    pub fn as_ffi(self) -> u64 {
        self.0.to_bits()
    }

    #[must_use]
    pub fn from_ffi(value: u64) -> Self {
        SlotId::from_bits(value).map_or_else(Self::null, Self)
    }
}

impl Default for KeyData {
    fn default() -> Self {
        Self::null()
    }
}

pub trait Key: From<KeyData> + Copy + Default + Ord + Hash + Debug {
    fn data(&self) -> KeyData;

    #[must_use]
    fn null() -> Self {
        KeyData::null().into()
    }

    fn is_null(&self) -> bool {
        self.data().is_null()
    }
}

/// Makes types of keys.
#[macro_export]
macro_rules! new_key_type {
    ($($(#[$outer:meta])* $visibility:vis struct $name:ident;)*) => {
        $(
            $(#[$outer])*
            #[derive(
                ::core::marker::Copy, ::core::clone::Clone, ::core::default::Default,
                ::core::cmp::Eq, ::core::cmp::PartialEq, ::core::cmp::Ord, ::core::cmp::PartialOrd,
                ::core::hash::Hash, ::core::fmt::Debug,
            )]
            #[repr(transparent)]
            $visibility struct $name($crate::slotmap::KeyData);

            impl ::core::convert::From<$crate::slotmap::KeyData> for $name {
                fn from(data: $crate::slotmap::KeyData) -> Self {
                    Self(data)
                }
            }

            impl $crate::slotmap::Key for $name {
                fn data(&self) -> $crate::slotmap::KeyData {
                    self.0
                }
            }

            $crate::__serial_key!($name);
        )*
    };
}

new_key_type! {
    pub struct DefaultKey;
}

/// Returns the id in a key.
pub(super) fn id_of<K: Key>(key: K) -> SlotId {
    key.data().0
}

/// Returns the key of an id.
pub(super) fn key_of<K: Key>(id: SlotId) -> K {
    KeyData(id).into()
}
