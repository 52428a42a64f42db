//! Keys that are read: strings, and what is written as strings where keys are.

use ::serde::de::{Deserializer, IntoDeserializer, Visitor};
use ::serde::forward_to_deserialize_any;
use loligo_allocators::Allocator;

use crate::serde::SerdeError;
use crate::serde::reader::Reader;
use crate::string::Text;

/// A key that was read.
pub(super) struct KeyReader<'r, 'de, 'a, A: Allocator + ?Sized> {
    pub(super) reader: &'r mut Reader<'de, 'a, A>,
    pub(super) key: Text<'de>,
}

/// Reads keys that are numbers or words.
macro_rules! parsed {
    ($($method:ident $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            match self.key.plain().and_then(|key| key.parse().ok()) {
                Some(value) => visitor.$visit(value),
                None => self.reader.string(self.key, visitor),
            }
        })*
    };
}

impl<'de, A: Allocator + ?Sized> Deserializer<'de> for KeyReader<'_, 'de, '_, A> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        self.reader.string(self.key, visitor)
    }

    parsed! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8
        deserialize_i16 visit_i16
        deserialize_i32 visit_i32
        deserialize_i64 visit_i64
        deserialize_u8 visit_u8
        deserialize_u16 visit_u16
        deserialize_u32 visit_u32
        deserialize_u64 visit_u64
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        let name = self.key.plain();
        let name = name.ok_or_else(|| SerdeError::data("the name of a variant has no escapes"))?;
        visitor.visit_enum(name.into_deserializer())
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
