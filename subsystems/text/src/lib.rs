//! The texts of a game, by key, in the language of the player.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "compile")]
pub mod compile;
mod plural;
mod strings;
#[cfg(feature = "subsystem")]
mod subsystem;
mod value;

pub use plural::{Operands, PluralCategory, PluralRule};
pub use strings::{
    STRINGS_TYPE, STRINGS_VERSION, Strings, StringsFormImage, StringsImage, StringsPieceImage,
    StringsTextImage, TEXT_BYTES_MAX,
};
#[cfg(feature = "subsystem")]
pub use subsystem::{ROW, TextSubsystem};
pub use value::TextValue;
