//! Ids and temporaries as numbers that scripts hold.
//!
//! ```text
//! number   kind: 8 | what: 32 | one half         41 bits, exact in a 64-bit float
//! id       kind    | the id's 32 bits
//! value    kind    | frame stamp: 16 | place in the pool: 16
//! ```
//!
//! The half marks it: a sum or a difference of two such numbers has none, nor has any number that a
//! script counts with. LuaJIT's light userdata would do as well for plain bindings, but its foreign
//! functions cannot return any, and calls that take any are not compiled.

use crate::kind::IdKind;

/// Where the kind begins.
const KIND_SHIFT: u32 = 32;

/// The least integer part of a handle.
const BITS_BEGIN: i64 = 1 << KIND_SHIFT;

/// The least integer part that no handle has any more.
const BITS_END: i64 = 1 << (KIND_SHIFT + 8);

/// Returns the number for 32 bits of a kind.
pub(crate) fn pack(kind: IdKind, bits: u32) -> f64 {
    (u64::from(kind.code()) << KIND_SHIFT | u64::from(bits)) as f64 + 0.5
}

/// Returns the code of the kind and the 32 bits, if `number` is a handle.
#[inline]
pub(crate) fn unpack(number: f64) -> Option<(u8, u32)> {
    // There and back is one instruction each, where the fraction alone is a call of the C library.
    let bits = number as i64;
    let is_handle = (BITS_BEGIN..BITS_END).contains(&bits) && bits as f64 + 0.5 == number;
    is_handle.then_some(((bits >> KIND_SHIFT) as u8, bits as u32))
}

/// Returns the lower 32 bits of whatever was given; without a check.
pub(crate) fn bits(number: f64) -> u32 {
    // A cast keeps to the range of the integers; no number is 0.
    number as i64 as u32
}
