//! The side of serde that reads: events become what a type asks for.

use ::serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use ::serde::forward_to_deserialize_any;
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::error::Why;
use crate::event::{Event, Nest};
use crate::options::Options;
use crate::parser::Parser;
use crate::serde::SerdeError;
use crate::serde::key::KeyReader;
use crate::string::Text;

static HERE: Why = Why::new("what the type wants", "");

/// Reads a value, and sees that nothing follows it.
pub(super) fn read<'de, T: Deserialize<'de>, A: Allocator + ?Sized>(
    text: &'de [u8],
    options: &Options,
    memory: &A,
) -> Result<T, SerdeError> {
    let parser = Parser::new(text, options);
    let mut reader = Reader { parser, peeked: None, unescaped: Array::new_in(memory) };
    let value = T::deserialize(&mut reader).and_then(|value| match reader.parser.next_event()? {
        None => Ok(value),
        Some(event) => Err(SerdeError::data(format_args!("{event:?} is left over"))),
    });
    value.map_err(|error| error.at(&reader.parser.error_here(&HERE)))
}

/// Events, one of which may have been looked at already.
pub(super) struct Reader<'de, 'a, A: Allocator + ?Sized> {
    parser: Parser<'de>,
    peeked: Option<Event<'de>>,
    /// The string that was read last, where it had escapes.
    unescaped: Array<'a, u8, A>,
}

impl<'de, A: Allocator + ?Sized> Reader<'de, '_, A> {
    fn next(&mut self) -> Result<Event<'de>, SerdeError> {
        if let Some(event) = self.peeked.take() {
            return Ok(event);
        }
        let event = self.parser.next_event()?;
        event.ok_or_else(|| SerdeError::data("there is no value left"))
    }

    fn peek(&mut self) -> Result<Event<'de>, SerdeError> {
        let event = self.next()?;
        self.peeked = Some(event);
        Ok(event)
    }

    /// Takes the end of what a type has read all of.
    fn end(&mut self, nest: Nest) -> Result<(), SerdeError> {
        match self.next()? {
            Event::End(end) if end == nest => Ok(()),
            _ => Err(SerdeError::data("there is more than the type has room for")),
        }
    }

    /// Hands a string to `visit`: borrowed from the text where it is there as it is.
    pub(super) fn string<V: Visitor<'de>>(
        &mut self,
        text: Text<'de>,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        if let Some(plain) = text.plain() {
            return visitor.visit_borrowed_str(plain);
        }
        self.unescaped.clear();
        let unescaped = &mut self.unescaped;
        text.unescape::<GrowError>(|piece| unescaped.try_extend_from_slice(piece.as_bytes()))?;
        // Pieces of text alone were put in, each whole.
        visitor.visit_str(core::str::from_utf8(&self.unescaped).unwrap_or_default())
    }
}

impl<'de, A: Allocator + ?Sized> Deserializer<'de> for &mut Reader<'de, '_, A> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.next()? {
            Event::Null => visitor.visit_unit(),
            Event::Bool(value) => visitor.visit_bool(value),
            Event::Number(number) => match (number.i64(), number.u64(), number.f64()) {
                (Some(number), ..) if number >= 0 => visitor.visit_u64(number as u64),
                (Some(number), ..) => visitor.visit_i64(number),
                (_, Some(number), _) => visitor.visit_u64(number),
                (_, _, Some(number)) => visitor.visit_f64(number),
                _ => Err(SerdeError::data("the number is too large")),
            },
            Event::String(text) | Event::Key(text) => self.string(text, visitor),
            Event::Start(Nest::Array) => {
                let value = visitor.visit_seq(Inside(self))?;
                self.end(Nest::Array)?;
                Ok(value)
            }
            Event::Start(Nest::Object) => {
                let value = visitor.visit_map(Inside(self))?;
                self.end(Nest::Object)?;
                Ok(value)
            }
            Event::End(_) => Err(SerdeError::data("there is no value left")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.peek()? == Event::Null {
            self.peeked = None;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        match self.peek()? {
            Event::Start(Nest::Object) => self.peeked = None,
            Event::String(_) => {
                return visitor.visit_enum(Variant { reader: self, has_data: false });
            }
            _ => return Err(SerdeError::data("the name of a variant was expected, in quotes")),
        }
        let value = visitor.visit_enum(Variant { reader: &mut *self, has_data: true })?;
        self.end(Nest::Object)?;
        Ok(value)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let first = self.next()?;
        self.parser.skip(first)?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier
    }
}

/// The inside of an object or an array.
struct Inside<'r, 'de, 'a, A: Allocator + ?Sized>(&'r mut Reader<'de, 'a, A>);

impl<'de, A: Allocator + ?Sized> SeqAccess<'de> for Inside<'_, 'de, '_, A> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, SerdeError> {
        match self.0.peek()? {
            Event::End(_) => Ok(None),
            _ => seed.deserialize(&mut *self.0).map(Some),
        }
    }
}

impl<'de, A: Allocator + ?Sized> MapAccess<'de> for Inside<'_, 'de, '_, A> {
    type Error = SerdeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, SerdeError> {
        let Event::Key(key) = self.0.peek()? else {
            return Ok(None);
        };
        self.0.peeked = None;
        seed.deserialize(KeyReader { reader: &mut *self.0, key }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, SerdeError> {
        seed.deserialize(&mut *self.0)
    }
}

/// A variant of an enum: a string, or a key with its data.
struct Variant<'r, 'de, 'a, A: Allocator + ?Sized> {
    reader: &'r mut Reader<'de, 'a, A>,
    has_data: bool,
}

impl<'de, A: Allocator + ?Sized> EnumAccess<'de> for Variant<'_, 'de, '_, A> {
    type Error = SerdeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), SerdeError> {
        let variant = seed.deserialize(&mut *self.reader)?;
        Ok((variant, self))
    }
}

impl<'de, A: Allocator + ?Sized> VariantAccess<'de> for Variant<'_, 'de, '_, A> {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<(), SerdeError> {
        if self.has_data { <()>::deserialize(self.reader) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, SerdeError> {
        self.with_data()?;
        seed.deserialize(self.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.with_data()?;
        self.reader.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.with_data()?;
        self.reader.deserialize_any(visitor)
    }
}

impl<A: Allocator + ?Sized> Variant<'_, '_, '_, A> {
    fn with_data(&self) -> Result<(), SerdeError> {
        if self.has_data {
            return Ok(());
        }
        Err(SerdeError::data("the variant has data: write it as an object, `{ name = data }`"))
    }
}
