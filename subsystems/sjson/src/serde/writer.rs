//! The side of serde that writes: what a type says becomes text.

use core::fmt::Display;

use ::serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::event::Nest;
use crate::serde::SerdeError;
use crate::serde::writer_key::KeyWriter;
use crate::writer::Writer;

/// Writes one value.
pub(super) struct ValueWriter<'s, 'w>(pub(super) &'s mut Writer<'w>);

impl<'s, 'w> ValueWriter<'s, 'w> {
    fn start(self, nest: Nest) -> Result<Inside<'s, 'w>, SerdeError> {
        self.0.start(nest)?;
        Ok(Inside { writer: self.0, nest, is_variant: false })
    }

    fn start_variant(self, name: &str, nest: Nest) -> Result<Inside<'s, 'w>, SerdeError> {
        self.0.start(Nest::Object)?;
        self.0.key(name)?;
        self.0.start(nest)?;
        Ok(Inside { writer: self.0, nest, is_variant: true })
    }
}

/// Writes numbers.
macro_rules! numbers {
    ($($method:ident $type:ty, $write:ident)*) => {
        $(fn $method(self, value: $type) -> Result<(), SerdeError> {
            Ok(self.0.$write(value.into())?)
        })*
    };
}

/// Begins what has items or fields.
macro_rules! containers {
    ($($method:ident($($ignored:ty),*) $nest:ident)*) => {
        $(fn $method(self, $(_: $ignored),*) -> Result<Inside<'s, 'w>, SerdeError> {
            self.start(Nest::$nest)
        })*
    };
}

/// Begins what is in an object, under the name of a variant.
macro_rules! variants {
    ($($method:ident $nest:ident)*) => {
        $(fn $method(
            self,
            _name: &'static str,
            _index: u32,
            variant: &'static str,
            _len: usize,
        ) -> Result<Inside<'s, 'w>, SerdeError> {
            self.start_variant(variant, Nest::$nest)
        })*
    };
}

/// The methods that call another one, both for a value and for a key.
macro_rules! by_another_method {
    () => {
        fn serialize_char(self, value: char) -> Result<(), SerdeError> {
            self.serialize_str(value.encode_utf8(&mut [0; 4]))
        }

        fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerdeError> {
            value.serialize(self)
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
    };
}
pub(super) use by_another_method;

impl<'s, 'w> Serializer for ValueWriter<'s, 'w> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = Inside<'s, 'w>;
    type SerializeTuple = Inside<'s, 'w>;
    type SerializeTupleStruct = Inside<'s, 'w>;
    type SerializeTupleVariant = Inside<'s, 'w>;
    type SerializeMap = Inside<'s, 'w>;
    type SerializeStruct = Inside<'s, 'w>;
    type SerializeStructVariant = Inside<'s, 'w>;

    numbers! {
        serialize_bool bool, bool
        serialize_i8 i8, i64
        serialize_i16 i16, i64
        serialize_i32 i32, i64
        serialize_i64 i64, i64
        serialize_u8 u8, u64
        serialize_u16 u16, u64
        serialize_u32 u32, u64
        serialize_u64 u64, u64
        serialize_f32 f32, f32
        serialize_f64 f64, f64
    }

    by_another_method!();

    containers! {
        serialize_seq(Option<usize>) Array
        serialize_tuple(usize) Array
        serialize_tuple_struct(&'static str, usize) Array
        serialize_map(Option<usize>) Object
        serialize_struct(&'static str, usize) Object
    }

    variants! {
        serialize_tuple_variant Array
        serialize_struct_variant Object
    }

    fn serialize_str(self, value: &str) -> Result<(), SerdeError> {
        Ok(self.0.string(value)?)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), SerdeError> {
        let mut bytes = self.start(Nest::Array)?;
        value.iter().try_for_each(|byte| SerializeSeq::serialize_element(&mut bytes, byte))?;
        bytes.finish()
    }

    fn serialize_none(self) -> Result<(), SerdeError> {
        Ok(self.0.null()?)
    }

    fn serialize_unit(self) -> Result<(), SerdeError> {
        Ok(self.0.null()?)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), SerdeError> {
        self.serialize_unit()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), SerdeError> {
        self.0.start(Nest::Object)?;
        self.0.key(variant)?;
        value.serialize(ValueWriter(&mut *self.0))?;
        Ok(self.0.end(Nest::Object)?)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), SerdeError> {
        Ok(self.0.displayed(value)?)
    }
}

/// The inside of an object or an array.
pub(super) struct Inside<'s, 'w> {
    writer: &'s mut Writer<'w>,
    nest: Nest,
    /// Whether there is an object around it that holds the variant's name.
    is_variant: bool,
}

impl Inside<'_, '_> {
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        value.serialize(ValueWriter(&mut *self.writer))
    }

    fn field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), SerdeError> {
        self.writer.key(key)?;
        self.value(value)
    }

    fn finish(self) -> Result<(), SerdeError> {
        self.writer.end(self.nest)?;
        if self.is_variant {
            self.writer.end(Nest::Object)?;
        }
        Ok(())
    }
}

/// Implements the traits of what has items, and of what has fields, which differ in names alone.
macro_rules! inside {
    ($($of:ident $method:ident ($($key:ident: $type:ty)?) $write:ident)*) => {
        $(impl $of for Inside<'_, '_> {
            type Ok = ();
            type Error = SerdeError;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($key: $type,)?
                value: &T,
            ) -> Result<(), SerdeError> {
                self.$write($($key,)? value)
            }

            fn end(self) -> Result<(), SerdeError> {
                self.finish()
            }
        })*
    };
}

inside! {
    SerializeSeq serialize_element () value
    SerializeTuple serialize_element () value
    SerializeTupleStruct serialize_field () value
    SerializeTupleVariant serialize_field () value
    SerializeStruct serialize_field (key: &'static str) field
    SerializeStructVariant serialize_field (key: &'static str) field
}

impl SerializeMap for Inside<'_, '_> {
    type Ok = ();
    type Error = SerdeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerdeError> {
        key.serialize(KeyWriter(&mut *self.writer))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        self.value(value)
    }

    fn end(self) -> Result<(), SerdeError> {
        self.finish()
    }
}
