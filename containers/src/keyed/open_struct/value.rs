//! Values whose type is known at run time, and what holds them in the tail.
//!
//! ```text
//! list        | type | value .. | type | value .. | ..
//! dictionary  | name | type | value .. | name | type | value .. | ..
//! value       bool, int, float, hash: 1 word; vector3: 3; quaternion: 4
//!             text: number of bytes, then the bytes in whole words
//!             list, dictionary: number of words, then the words
//! ```
//!
//! Nothing in it is an offset, so it may be copied anywhere.

use core::fmt;

use loligo_ids::IdString32;

use crate::keyed::open_struct::field::{FieldType, Flag};

/// How deep lists and dictionaries may be in each other.
pub(super) const NEST_MAX: usize = 32;

/// A value of any type that a field can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OpenValue<'t> {
    /// Yes or no.
    Bool(bool),
    /// An integer.
    Int(i32),
    /// A number.
    Float(f32),
    /// Three numbers.
    Vector3([f32; 3]),
    /// Four numbers.
    Quaternion([f32; 4]),
    /// A name, hashed.
    Hash(IdString32),
    /// Text.
    Text(&'t str),
    /// Values in order.
    List(OpenList<'t>),
    /// Values with names.
    Dictionary(OpenDictionary<'t>),
}

impl OpenValue<'_> {
    /// Returns the type.
    #[must_use]
    pub const fn field_type(&self) -> FieldType {
        match self {
            Self::Bool(_) => FieldType::Bool,
            Self::Int(_) => FieldType::Int,
            Self::Float(_) => FieldType::Float,
            Self::Vector3(_) => FieldType::Vector3,
            Self::Quaternion(_) => FieldType::Quaternion,
            Self::Hash(_) => FieldType::Hash,
            Self::Text(_) => FieldType::Text,
            Self::List(_) => FieldType::List,
            Self::Dictionary(_) => FieldType::Dictionary,
        }
    }

    /// Returns how many lists and dictionaries are in each other here, this one included.
    pub(super) fn depth(&self) -> usize {
        let mut walk = match *self {
            Self::List(list) => Walk::of_list(list),
            Self::Dictionary(dictionary) => Walk::of_dictionary(dictionary),
            _ => return 0,
        };
        let mut deepest = walk.depth;
        while let Ok(Some(_)) = walk.next() {
            deepest = deepest.max(walk.depth);
        }
        deepest
    }

    /// Returns the words of a value that is in the block, and how many of them count.
    pub(super) fn block_words(&self) -> Option<([u32; 4], usize)> {
        let one = |word| Some(([word, 0, 0, 0], 1));
        match *self {
            Self::Bool(value) => one(u32::from(value)),
            Self::Int(value) => one(value.cast_unsigned()),
            Self::Float(value) => one(value.to_bits()),
            Self::Hash(value) => one(value.hash()),
            Self::Vector3([x, y, z]) => Some(([x.to_bits(), y.to_bits(), z.to_bits(), 0], 3)),
            Self::Quaternion(value) => Some((value.map(f32::to_bits), 4)),
            Self::Text(_) | Self::List(_) | Self::Dictionary(_) => None,
        }
    }

    /// Returns the words of the content in the tail, or its bytes if it is text.
    pub(super) fn tail_words(&self) -> TailWords<'_> {
        match self {
            Self::Text(text) => TailWords::Bytes(text.as_bytes()),
            Self::List(list) => TailWords::Words(list.words),
            Self::Dictionary(dictionary) => TailWords::Words(dictionary.words),
            _ => TailWords::Words(&[]),
        }
    }
}

/// What a value has in the tail.
pub(super) enum TailWords<'t> {
    Bytes(&'t [u8]),
    Words(&'t [u32]),
}

/// Values in order, of any types. An iterator over them.
///
/// # Memory
///
/// A reference of 16 bytes into the tail.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenList<'t> {
    words: &'t [u32],
}

impl<'t> OpenList<'t> {
    pub(super) const fn new(words: &'t [u32]) -> Self {
        Self { words }
    }
}

impl<'t> Iterator for OpenList<'t> {
    type Item = OpenValue<'t>;

    fn next(&mut self) -> Option<OpenValue<'t>> {
        take_value(&mut self.words)
    }
}

impl fmt::Debug for OpenList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

/// Values with names, of any types. An iterator over both.
///
/// # Memory
///
/// A reference of 16 bytes into the tail.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenDictionary<'t> {
    words: &'t [u32],
}

impl<'t> OpenDictionary<'t> {
    pub(super) const fn new(words: &'t [u32]) -> Self {
        Self { words }
    }

    /// Returns the first value of a name.
    ///
    /// # Complexity
    ///
    /// O(values).
    #[must_use]
    pub fn get(mut self, name: IdString32) -> Option<OpenValue<'t>> {
        self.find(|(found, _)| *found == name).map(|(_, value)| value)
    }
}

impl<'t> Iterator for OpenDictionary<'t> {
    type Item = (IdString32, OpenValue<'t>);

    fn next(&mut self) -> Option<(IdString32, OpenValue<'t>)> {
        let name = take_word(&mut self.words)?;
        Some((IdString32::from_hash(name), take_value(&mut self.words)?))
    }
}

impl fmt::Debug for OpenDictionary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(*self).finish()
    }
}

/// What is met on a walk through lists and dictionaries.
pub(super) enum Event<'t> {
    Key(IdString32),
    /// A value that holds no others.
    Value(OpenValue<'t>),
    Start(FieldType),
    End(FieldType),
}

/// A walk through a list or a dictionary and all that is in it, without recursion. It ends with the
/// `End` of the outermost, or early where the words are damaged.
pub(super) struct Walk<'t> {
    levels: [Level<'t>; NEST_MAX],
    depth: usize,
}

#[derive(Clone, Copy)]
struct Level<'t> {
    rest: &'t [u32],
    nest: FieldType,
    /// Whether a value comes next, and not its name.
    value: bool,
}

impl<'t> Walk<'t> {
    /// Begins within a list.
    pub(super) const fn of_list(list: OpenList<'t>) -> Self {
        Self::within(FieldType::List, list.words)
    }

    /// Begins within a dictionary.
    pub(super) const fn of_dictionary(dictionary: OpenDictionary<'t>) -> Self {
        Self::within(FieldType::Dictionary, dictionary.words)
    }

    const fn within(nest: FieldType, words: &'t [u32]) -> Self {
        let level = Level { rest: words, nest, value: matches!(nest, FieldType::List) };
        Self { levels: [level; NEST_MAX], depth: 1 }
    }

    /// Returns what comes next; `Ok(None)` after the end.
    ///
    /// # Errors
    ///
    /// How many words are left of the damaged level, and what is wrong with it.
    pub(super) fn next(&mut self) -> Result<Option<Event<'t>>, (usize, &'static str)> {
        let Some(top) = self.depth.checked_sub(1) else { return Ok(None) };
        let level = &mut self.levels[top];
        if level.rest.is_empty() {
            self.depth = top;
            return Ok(Some(Event::End(level.nest)));
        }
        let left = level.rest.len();
        if !level.value {
            level.value = true;
            let name = take_word(&mut level.rest).ok_or((left, "a name was expected"))?;
            return Ok(Some(Event::Key(IdString32::from_hash(name))));
        }
        level.value = level.nest == FieldType::List;
        let value = take_value(&mut level.rest).ok_or((left, "this is no value of a list"))?;
        let (nest, words) = match value {
            OpenValue::List(list) => (FieldType::List, list.words),
            OpenValue::Dictionary(dictionary) => (FieldType::Dictionary, dictionary.words),
            value => return Ok(Some(Event::Value(value))),
        };
        let next = self.levels.get_mut(self.depth).ok_or((left, "values are nested too deep"))?;
        *next = Level { rest: words, nest, value: nest == FieldType::List };
        self.depth += 1;
        Ok(Some(Event::Start(nest)))
    }
}

fn take_word(words: &mut &[u32]) -> Option<u32> {
    let (first, rest) = words.split_first()?;
    *words = rest;
    Some(*first)
}

/// Takes the value at the front off, or returns `None` where there is none.
fn take_value<'t>(words: &mut &'t [u32]) -> Option<OpenValue<'t>> {
    let field_type = FieldType::from_word(take_word(words)?)?;
    if field_type.in_tail() {
        let len = take_word(words)? as usize;
        let count = if field_type == FieldType::Text { len.div_ceil(4) } else { len };
        let (content, rest) = words.split_at_checked(count)?;
        *words = rest;
        return from_tail(field_type, content, len);
    }
    let (value, rest) = words.split_at_checked(field_type.words() as usize)?;
    *words = rest;
    from_block(field_type, value)
}

/// Returns the value that the words of its content are; `len` is the bytes of a text.
pub(super) fn from_tail(
    field_type: FieldType,
    content: &[u32],
    len: usize,
) -> Option<OpenValue<'_>> {
    Some(match field_type {
        FieldType::Text => {
            let bytes: &[u8] = bytemuck::cast_slice(content);
            OpenValue::Text(core::str::from_utf8(bytes.get(..len)?).ok()?)
        }
        FieldType::List => OpenValue::List(OpenList::new(content)),
        FieldType::Dictionary => OpenValue::Dictionary(OpenDictionary::new(content)),
        _ => return None,
    })
}

/// Returns the value that is in words of a block.
pub(super) fn from_block(field_type: FieldType, words: &[u32]) -> Option<OpenValue<'static>> {
    let float = |index: usize| words.get(index).copied().map(f32::from_bits);
    let first = *words.first()?;
    Some(match field_type {
        FieldType::Bool => OpenValue::Bool(Flag::from_word(first).get()),
        FieldType::Int => OpenValue::Int(first.cast_signed()),
        FieldType::Float => OpenValue::Float(f32::from_bits(first)),
        FieldType::Hash => OpenValue::Hash(IdString32::from_hash(first)),
        FieldType::Vector3 => OpenValue::Vector3([float(0)?, float(1)?, float(2)?]),
        FieldType::Quaternion => {
            OpenValue::Quaternion([float(0)?, float(1)?, float(2)?, float(3)?])
        }
        FieldType::Text | FieldType::List | FieldType::Dictionary => return None,
    })
}
