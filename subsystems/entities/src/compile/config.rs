//! What a source says of one component.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::IdString64;
use loligo_sjson::{NodeKind, Text};

use super::error::{CompileError, CompileErrorKind};
use super::source::{Located, NamedResource, Notes, string_in};
use crate::resource_words::ResourceWords;

/// What a source says of a component, with what it inherits.
pub struct Config<'c, 's> {
    /// The values of the component, what is inherited last; none for a component that no source
    /// names.
    pub(super) layers: &'c [Located<'c, 's>],
    pub(super) memory: &'c dyn Allocator,
    pub(super) notes: &'c dyn Notes<'s>,
}

impl<'c, 's> Config<'c, 's> {
    /// Returns the value itself; `None` if no source names the component.
    #[must_use]
    pub fn value(&self) -> Option<Field<'c, 's>> {
        self.layers.first().map(|layer| Field(*layer))
    }

    /// Returns the value of a key: the entity's own, or the one that is inherited. `null` counts as
    /// no value.
    ///
    /// # Complexity
    ///
    /// O(keys).
    #[must_use]
    pub fn field(&self, key: &str) -> Option<Field<'c, 's>> {
        let found = self.layers.iter().find_map(|layer| layer.get(key))?;
        (!found.is_null()).then_some(Field(found))
    }

    /// Holds the component to being an object of some keys; `known` names them in the error.
    ///
    /// # Errors
    ///
    /// [`CompileError`] at the first key that is not among them, or at a value that is not an
    /// object.
    pub fn allow(&self, keys: &[&str], known: &'static str) -> Result<(), CompileError<'s>> {
        for layer in self.layers {
            if !layer.is_object() {
                return Err(layer.expected("an object in braces"));
            }
            for child in layer.node.children() {
                let value = layer.with(child);
                let key = child.key().and_then(Text::plain).unwrap_or_default();
                if !keys.contains(&key) {
                    let key = value.key_text();
                    return Err(value.key_error(CompileErrorKind::Key { key, known }));
                }
            }
        }
        Ok(())
    }

    /// Returns the value of a key that must be there.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not.
    pub fn need(&self, key: &'static str) -> Result<Field<'c, 's>, CompileError<'s>> {
        self.field(key).ok_or_else(|| match self.layers.first() {
            Some(layer) => layer.error(CompileErrorKind::Missing { key }),
            None => CompileError {
                file: "",
                line: 1,
                column: 1,
                kind: CompileErrorKind::Missing { key },
            },
        })
    }

    /// Returns the resource that a value names, and reports the reference to the project, which
    /// checks that the resource exists when all resources are known.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if the value is not a name in quotes.
    pub fn resource(
        &self,
        value: &Field<'c, 's>,
        type_name: &'static str,
    ) -> Result<ResourceWords, CompileError<'s>> {
        let what = "the name of a resource in quotes, without escapes";
        let name = string_in(value.0.text, &value.0.node).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| value.0.expected(what))?;
        let (file, text, offset) = (value.0.name, value.0.text, value.0.node.span().start);
        self.notes.refer(&NamedResource { type_name, name, file, text, offset });
        Ok(ResourceWords::of(IdString64::new(name)))
    }

    /// Returns the memory that the compiler works with.
    #[must_use]
    pub fn memory(&self) -> &'c dyn Allocator {
        self.memory
    }
}

impl fmt::Debug for Config<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config").field("value", &self.value()).finish_non_exhaustive()
    }
}

/// A value in a source.
#[derive(Clone, Copy)]
pub struct Field<'c, 's>(pub(super) Located<'c, 's>);

impl<'c, 's> Field<'c, 's> {
    /// Returns the number.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not a number, or beyond 32 bits.
    pub fn number(&self) -> Result<f32, CompileError<'s>> {
        if self.0.node.kind() != NodeKind::Number {
            return Err(self.0.expected("a number"));
        }
        match self.0.node.text().parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.0.expected("a number that 32 bits hold")),
        }
    }

    /// Returns the numbers of an array; `what` names them in the error.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not an array of `N` numbers.
    pub fn numbers<const N: usize>(
        &self,
        what: &'static str,
    ) -> Result<[f32; N], CompileError<'s>> {
        let mut numbers = [0.0; N];
        let mut count = 0;
        for item in self.items().ok_or_else(|| self.0.expected(what))? {
            let number = item.number()?;
            if let Some(place) = numbers.get_mut(count) {
                *place = number;
            }
            count += 1;
        }
        if count == N { Ok(numbers) } else { Err(self.0.expected(what)) }
    }

    /// Returns whether it is true.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is neither true nor false.
    pub fn bool(&self) -> Result<bool, CompileError<'s>> {
        match (self.0.node.kind(), self.0.node.text()) {
            (NodeKind::Bool, text) => Ok(text == "true"),
            _ => Err(self.0.expected("true or false")),
        }
    }

    /// Appends the string, escapes replaced, to `text`.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it is not a string, or there is no memory.
    pub fn string(&self, text: &mut Array<'_, u8>) -> Result<(), CompileError<'s>> {
        let string = self.0.node.string().ok_or_else(|| self.0.expected("a string"))?;
        let appended: Result<(), GrowError> =
            string.unescape(|piece| text.try_extend_from_slice(piece.as_bytes()));
        Ok(appended?)
    }

    /// Returns the values of an array, or `None` if it is not an array.
    #[must_use]
    pub fn items(&self) -> Option<impl Iterator<Item = Self> + use<'c, 's>> {
        let own = *self;
        let is_array = own.0.node.kind() == NodeKind::Array;
        is_array.then(|| own.0.node.children().map(move |child| Self(own.0.with(child))))
    }

    /// Returns the keys, as they are written, and values of an object, or `None` if it is not an object.
    #[must_use]
    pub fn entries(&self) -> Option<impl Iterator<Item = (&'s str, Self)> + use<'c, 's>> {
        let own = *self;
        own.0.is_object().then(|| {
            own.0.node.children().map(move |child| {
                let value = own.0.with(child);
                (value.key_text().trim_matches('"'), Self(value))
            })
        })
    }

    /// Returns the value of a key of an object; `null` counts as no value.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Self> {
        self.0.get(key).filter(|value| !value.is_null()).map(Self)
    }

    /// Returns the string, if the value is one without escapes.
    #[must_use]
    pub fn plain_string(&self) -> Option<&'s str> {
        string_in(self.0.text, &self.0.node)
    }

    /// Returns an error about the value, in words that say what is wrong and what to do.
    #[must_use]
    pub fn error(&self, told: &'static str) -> CompileError<'s> {
        self.0.error(CompileErrorKind::Told(told))
    }

    /// Returns the error of a value that is not a `what`.
    #[must_use]
    pub fn expected(&self, what: &'static str) -> CompileError<'s> {
        self.0.expected(what)
    }
}

impl fmt::Debug for Field<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Field").field(&self.0.node.text()).finish()
    }
}
