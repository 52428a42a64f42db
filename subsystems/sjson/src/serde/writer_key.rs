//! Keys that are written: strings, and what can be written as one.

use core::fmt::{self, Display, Write};

use ::serde::ser::{Impossible, Serialize, Serializer};

use crate::serde::SerdeError;
use crate::serde::writer::by_another_method;
use crate::writer::Writer;

/// Writes one key.
pub(super) struct KeyWriter<'s, 'w>(pub(super) &'s mut Writer<'w>);

/// A number as a key.
struct Digits {
    bytes: [u8; 24],
    len: usize,
}

impl Write for Digits {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let end = self.len + piece.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(piece.as_bytes());
        self.len = end;
        Ok(())
    }
}

impl KeyWriter<'_, '_> {
    fn number(self, value: impl Display) -> Result<(), SerdeError> {
        let mut digits = Digits { bytes: [0; 24], len: 0 };
        write!(digits, "{value}")?;
        Ok(self.0.key(core::str::from_utf8(&digits.bytes[..digits.len]).unwrap_or_default())?)
    }
}

/// Writes keys that are numbers.
macro_rules! numbers {
    ($($method:ident $type:ty)*) => {
        $(fn $method(self, value: $type) -> Result<(), SerdeError> {
            self.number(value)
        })*
    };
}

fn no_key<T>() -> Result<T, SerdeError> {
    Err(SerdeError::data("a key is a string, a number, a word or the name of a variant"))
}

/// What writes the parts of a key, which has none.
type Never = Impossible<(), SerdeError>;

/// Refuses what is no key.
macro_rules! refused {
    ($($method:ident$([$value:ident])?($($ignored:ty),*) $result:ty)*) => {
        $(fn $method$(<$value: Serialize + ?Sized>)?(
            self,
            $(_: $ignored),*
        ) -> Result<$result, SerdeError> {
            no_key()
        })*
    };
}

impl Serializer for KeyWriter<'_, '_> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    numbers! {
        serialize_bool bool
        serialize_i8 i8
        serialize_i16 i16
        serialize_i32 i32
        serialize_i64 i64
        serialize_u8 u8
        serialize_u16 u16
        serialize_u32 u32
        serialize_u64 u64
    }

    by_another_method!();

    fn serialize_str(self, value: &str) -> Result<(), SerdeError> {
        Ok(self.0.key(value)?)
    }

    refused! {
        serialize_f32(f32) ()
        serialize_f64(f64) ()
        serialize_bytes(&[u8]) ()
        serialize_none() ()
        serialize_unit() ()
        serialize_unit_struct(&'static str) ()
        serialize_newtype_variant[T](&'static str, u32, &'static str, &T) ()
        serialize_seq(Option<usize>) Never
        serialize_tuple(usize) Never
        serialize_tuple_struct(&'static str, usize) Never
        serialize_tuple_variant(&'static str, u32, &'static str, usize) Never
        serialize_map(Option<usize>) Never
        serialize_struct(&'static str, usize) Never
        serialize_struct_variant(&'static str, u32, &'static str, usize) Never
    }

    fn collect_str<T: Display + ?Sized>(self, _value: &T) -> Result<(), SerdeError> {
        no_key()
    }
}
