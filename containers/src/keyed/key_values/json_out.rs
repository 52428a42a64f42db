//! A store as JSON.

use core::cmp::Ordering;
use core::error::Error;
use core::fmt::{self, Write};

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use super::json_in::hash_in;
use super::names::{PathNames, PathText, ROOT};
use super::value::Value;
use super::view::KeyValuesRef;
use crate::arrays::array::Array;
use crate::bytes::text::Writer;
use crate::error::GrowError;
use crate::keyed::json::{JsonWriter, Nest};

/// Why a store was not written as JSON. The text is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyValuesWriteError {
    /// A number of this key is infinite or none, for which JSON has no word.
    NotFinite(IdString32),
    /// There is no memory.
    Grow(GrowError),
}

impl fmt::Display for KeyValuesWriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(key) => {
                write!(f, "a number of the key {key} is not finite, which JSON cannot say")
            }
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for KeyValuesWriteError {}

impl From<GrowError> for KeyValuesWriteError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

impl KeyValuesRef<'_> {
    /// Appends the store to a text as a JSON object, without space.
    ///
    /// Paths become objects again, in the order in which `names` came to know them. A key that
    /// `names` does not know is written last, as `"#89abcdef"`; so is one whose path leads through
    /// a key that has a value, as a name cannot have a value and an object.
    /// [`KeyValues::try_from_json_in`](super::KeyValues::try_from_json_in) reads the same store
    /// back.
    ///
    /// # Complexity
    ///
    /// O(bytes + keys log keys), times the depth of the paths. The text may grow; 8 bytes a key are
    /// allocated for the time.
    ///
    /// # Errors
    ///
    /// [`KeyValuesWriteError`]; the text is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::{Array, KeyValues, PathNames, text};
    /// use loligo_ids::IdString32;
    ///
    /// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
    /// let mut names: PathNames = PathNames::new(&MEMORY);
    /// let json = br#"{"name":"The One","stats":{"health":100.0,"mana":200.0}}"#;
    /// let mut sheet = KeyValues::try_from_json_with(json, &mut names, &MEMORY)?;
    /// sheet.set(IdString32::from_hash(0x89ab_cdef), true);
    ///
    /// let mut out: Array<u8, _> = Array::new(&MEMORY);
    /// sheet.view().try_write_json(&names, &mut out)?;
    /// let wanted = r##"{"name":"The One","stats":{"health":100.0,"mana":200.0},"#89abcdef":true}"##;
    /// assert_eq!(text::view(&out), Ok(wanted));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_write_json<B: Allocator + ?Sized, C: Allocator + ?Sized>(
        self,
        names: &PathNames<'_, B>,
        out: &mut Array<'_, u8, C>,
    ) -> Result<(), KeyValuesWriteError> {
        if let Some((key, _)) = self.iter().find(|(_, value)| !is_finite(value)) {
            return Err(KeyValuesWriteError::NotFinite(key));
        }
        let mut known = Array::try_with_capacity_in(self.len(), out.memory())?;
        let mut unknown = Array::try_with_capacity_in(self.len(), out.memory())?;
        for (key, _) in self.iter() {
            match self.entry(names, key) {
                Some(entry) => known.try_push(entry)?,
                None => unknown.try_push(key)?,
            }
        }
        known.sort_unstable_by(|&one, &other| by_path(names, one, other));
        let before = out.len();
        let mut writer = Writer::new(out);
        let mut output = Output { json: JsonWriter::new(&mut writer), names, open: ROOT };
        let written = output.write(self, &known, &unknown);
        match (written, writer.refusal()) {
            (Err(_), Some(error)) => {
                out.truncate(before);
                Err(error.into())
            }
            // Numbers are finite, so only memory is refused.
            _ => Ok(()),
        }
    }

    /// Returns the entry under which a key can be written.
    fn entry<B: Allocator + ?Sized>(
        self,
        names: &PathNames<'_, B>,
        key: IdString32,
    ) -> Option<u32> {
        let entry = names.find(key)?;
        let (mut above, mut outermost) = (names.object(entry), entry);
        while above != ROOT {
            if self.contains(names.key(above)) {
                return None;
            }
            outermost = above;
            above = names.object(above);
        }
        // A name that looks like a hash would be read as one.
        hash_in(names.name(outermost)).is_none().then_some(entry)
    }
}

/// Entries on their way into a text.
struct Output<'w, 'n, 'a, B: Allocator + ?Sized> {
    json: JsonWriter<'w>,
    names: &'n PathNames<'a, B>,
    /// The innermost object that is open.
    open: u32,
}

impl<B: Allocator + ?Sized> Output<'_, '_, '_, B> {
    fn write(
        &mut self,
        store: KeyValuesRef<'_>,
        known: &[u32],
        unknown: &[IdString32],
    ) -> fmt::Result {
        self.json.start(Nest::Object)?;
        for &entry in known {
            self.enter(self.names.object(entry))?;
            self.json.key(self.names.name(entry))?;
            self.value(store.get(self.names.key(entry)))?;
        }
        self.enter(ROOT)?;
        for &key in unknown {
            let mut name = PathText::default();
            write!(name, "#{key}")?;
            self.json.key(name.as_str())?;
            self.value(store.get(key))?;
        }
        self.json.end(Nest::Object)
    }

    /// Ends and begins objects until this one is the innermost.
    fn enter(&mut self, object: u32) -> fmt::Result {
        let names = self.names;
        let (mut depth, wanted) = (names.depth(self.open), names.depth(object));
        while depth > wanted || names.up(object, wanted - depth) != self.open {
            self.json.end(Nest::Object)?;
            self.open = names.object(self.open);
            depth -= 1;
        }
        for steps in (0..wanted - depth).rev() {
            self.open = names.up(object, steps);
            self.json.key(names.name(self.open))?;
            self.json.start(Nest::Object)?;
        }
        Ok(())
    }

    fn value(&mut self, value: Option<Value<'_>>) -> fmt::Result {
        match value {
            Some(Value::Bool(value)) => self.json.bool(value),
            Some(Value::F32(value)) => self.json.f32(value),
            Some(Value::Str(value)) => self.json.string(value),
            Some(Value::Array(numbers)) => {
                self.json.start(Nest::Array)?;
                for &number in numbers {
                    self.json.f32(number)?;
                }
                self.json.end(Nest::Array)
            }
            None => unreachable!("the keys were taken from the store"),
        }
    }
}

fn is_finite(value: &Value<'_>) -> bool {
    match value {
        Value::F32(number) => number.is_finite(),
        Value::Array(numbers) => numbers.iter().all(|number| number.is_finite()),
        _ => true,
    }
}

/// Compares paths so that all of one object are neighbours: by what leads out of the last object
/// that both are in.
fn by_path<B: Allocator + ?Sized>(names: &PathNames<'_, B>, one: u32, other: u32) -> Ordering {
    let (one_depth, other_depth) = (names.depth(one), names.depth(other));
    let depth = one_depth.min(other_depth);
    let (mut one, mut other) =
        (names.up(one, one_depth - depth), names.up(other, other_depth - depth));
    while one != other && names.object(one) != names.object(other) {
        (one, other) = (names.object(one), names.object(other));
    }
    one.cmp(&other).then(one_depth.cmp(&other_depth))
}
