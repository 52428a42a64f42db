//! `slotmap` by our id tables: the map of slots is the table with holes, the dense one the packed
//! table, and the secondary maps are ours.

mod key;
mod map;
mod secondary;
mod serial;

pub use crate::new_key_type;
pub use key::{DefaultKey, Key, KeyData};
pub use map::{DenseSlotMap, HopSlotMap, Map, SlotMap};
pub use secondary::{SecondaryMap, SparseSecondaryMap};
#[doc(hidden)]
pub use serde;
