//! Keys that are written: strings, and what can be written as one.

use core::fmt::{self, Display, Write};

use ::serde::ser::{Impossible, Serialize, Serializer};

use crate::serde::SerdeError;
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

fn no_key<T>() -> Result<T, SerdeError> {
    Err(SerdeError::data("a key is a string, a number, a word or the name of a variant"))
}

/// Writes keys that are numbers.
macro_rules! numbers {
    ($($method:ident $type:ty)*) => {
        $(fn $method(self, value: $type) -> Result<(), SerdeError> {
            self.number(value)
        })*
    };
}

impl Serializer for KeyWriter<'_, '_> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = Impossible<(), SerdeError>;
    type SerializeTuple = Impossible<(), SerdeError>;
    type SerializeTupleStruct = Impossible<(), SerdeError>;
    type SerializeTupleVariant = Impossible<(), SerdeError>;
    type SerializeMap = Impossible<(), SerdeError>;
    type SerializeStruct = Impossible<(), SerdeError>;
    type SerializeStructVariant = Impossible<(), SerdeError>;

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

    fn serialize_f32(self, _value: f32) -> Result<(), SerdeError> {
        no_key()
    }

    fn serialize_f64(self, _value: f64) -> Result<(), SerdeError> {
        no_key()
    }

    fn serialize_char(self, value: char) -> Result<(), SerdeError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), SerdeError> {
        Ok(self.0.key(value)?)
    }

    fn serialize_bytes(self, _value: &[u8]) -> Result<(), SerdeError> {
        no_key()
    }

    fn serialize_none(self) -> Result<(), SerdeError> {
        no_key()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerdeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), SerdeError> {
        no_key()
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), SerdeError> {
        no_key()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), SerdeError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), SerdeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<(), SerdeError> {
        no_key()
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self::SerializeSeq, SerdeError> {
        no_key()
    }

    fn serialize_tuple(self, _len: usize) -> Result<Self::SerializeTuple, SerdeError> {
        no_key()
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleStruct, SerdeError> {
        no_key()
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant, SerdeError> {
        no_key()
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Self::SerializeMap, SerdeError> {
        no_key()
    }

    fn serialize_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStruct, SerdeError> {
        no_key()
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant, SerdeError> {
        no_key()
    }

    fn collect_str<T: Display + ?Sized>(self, _value: &T) -> Result<(), SerdeError> {
        no_key()
    }
}
