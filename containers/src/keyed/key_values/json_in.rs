//! A store from JSON.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use super::KeyValues;
use super::names::{PathCollision, PathNames, PathNamesError, ROOT, key_in};
use super::value::Value;
use crate::arrays::array::Array;
use crate::error::GrowError;
use crate::keyed::json::{JsonError, JsonReader, JsonString, Nest, Token};

/// Why JSON was not read. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyValuesJsonError {
    /// It is not JSON, or not of the kind that a store can hold.
    Json(JsonError),
    /// Two paths have one hash.
    Collision {
        /// Which byte of the text the second one's last name begins at.
        offset: u64,
        /// Both paths.
        paths: PathCollision,
    },
    /// There is no memory.
    Grow(GrowError),
}

impl fmt::Display for KeyValuesJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::Collision { offset, paths } => write!(f, "at byte {offset}: {paths}"),
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for KeyValuesJsonError {}

impl From<JsonError> for KeyValuesJsonError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

impl From<GrowError> for KeyValuesJsonError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

impl<'a> KeyValues<'a> {
    /// Returns the store that a JSON object describes. Values are `true` and `false`, numbers,
    /// strings, arrays of numbers, and objects of such values, whose names become paths.
    ///
    /// A number is rounded to 32 bits. An object without names leaves nothing. A name of the
    /// outermost object of the form `#89abcdef` is that key, not a name: so keys without a known
    /// name are [written](super::KeyValuesRef::try_write_json).
    ///
    /// # Complexity
    ///
    /// O(bytes + keys^2), the latter in moves of a few bytes. Allocates for the store, for the
    /// names of the objects that are open, and where a text has escapes or an array is read.
    ///
    /// # Errors
    ///
    /// [`KeyValuesJsonError`], with the offset: for what is not JSON, for `null` and other arrays,
    /// a number beyond 32 bits, a key that comes twice or has the hash of another, and more than
    /// 512 open objects.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::{KeyValues, path_key};
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let json = br#"{ "name": "The One", "stats": { "health": 100, "mana": 200 } }"#;
    /// let sheet = KeyValues::try_from_json(json, &MEMORY)?;
    /// assert_eq!(sheet.get_f32(path_key(&["stats", "mana"])), Some(200.0));
    ///
    /// let error = KeyValues::try_from_json(br#"{ "friends": ["Trinity"] }"#, &MEMORY);
    /// let error = error.expect_err("an array of strings");
    /// assert_eq!(error.to_string(), "at byte 14: an array holds numbers only");
    /// # Ok::<(), loligo_containers::KeyValuesJsonError>(())
    /// ```
    pub fn try_from_json(
        json: &[u8],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, KeyValuesJsonError> {
        Self::try_from_json_in(json, memory)
    }

    /// Returns the store that a JSON object describes, as
    /// [`try_from_json`](Self::try_from_json) does, and adds its paths to `names`.
    ///
    /// # Complexity
    ///
    /// As [`try_from_json_in`](Self::try_from_json_in). `names` may grow.
    ///
    /// # Errors
    ///
    /// As [`try_from_json_in`](Self::try_from_json_in), and [`KeyValuesJsonError::Collision`] names
    /// two paths, of this text or of others read before, that have one hash. `names` is then as it
    /// was.
    pub fn try_from_json_with<B: Allocator + ?Sized>(
        json: &[u8],
        names: &mut PathNames<'_, B>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, KeyValuesJsonError> {
        Self::try_from_json_with_in(json, names, memory)
    }
}

impl<'a, A: Allocator + ?Sized> KeyValues<'a, A> {
    /// As [`try_from_json`](Self::try_from_json), and keeps the type of the allocator, so that its
    /// calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_json`](Self::try_from_json).
    pub fn try_from_json_in(json: &[u8], memory: &'a A) -> Result<Self, KeyValuesJsonError> {
        Input::new(json, memory).read(&mut NoNames)
    }

    /// As [`try_from_json_with`](Self::try_from_json_with), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_json_with`](Self::try_from_json_with).
    pub fn try_from_json_with_in<B: Allocator + ?Sized>(
        json: &[u8],
        names: &mut PathNames<'_, B>,
        memory: &'a A,
    ) -> Result<Self, KeyValuesJsonError> {
        let mark = names.mark();
        Input::new(json, memory).read(names).inspect_err(|_| names.back_to(mark))
    }
}

/// The place of a value: its key, and its entry among the names.
#[derive(Clone, Copy)]
struct Node {
    entry: u32,
    key: IdString32,
}

/// What is informed of names.
trait Names {
    fn child(&mut self, object: Node, name: &str) -> Result<Node, PathNamesError>;
}

struct NoNames;

/// The entry of each name where none are kept.
const SOME: u32 = 0;

impl Names for NoNames {
    fn child(&mut self, object: Node, name: &str) -> Result<Node, PathNamesError> {
        Ok(Node { entry: SOME, key: key_in(object.entry, object.key, name) })
    }
}

impl<A: Allocator + ?Sized> Names for PathNames<'_, A> {
    fn child(&mut self, object: Node, name: &str) -> Result<Node, PathNamesError> {
        let (entry, key) = PathNames::child(self, object.entry, object.key, name)?;
        Ok(Node { entry, key })
    }
}

/// A text on its way into a store.
struct Input<'j, 'a, A: Allocator + ?Sized> {
    reader: JsonReader<'j>,
    store: KeyValues<'a, A>,
    /// The objects that are open.
    open: Array<'a, Node, A>,
    /// A text whose escapes are replaced.
    text: Array<'a, u8, A>,
    numbers: Array<'a, f32, A>,
}

impl<'j, 'a, A: Allocator + ?Sized> Input<'j, 'a, A> {
    fn new(json: &'j [u8], memory: &'a A) -> Self {
        Self {
            reader: JsonReader::new(json),
            store: KeyValues::new_in(memory),
            open: Array::new_in(memory),
            text: Array::new_in(memory),
            numbers: Array::new_in(memory),
        }
    }

    fn read(mut self, names: &mut dyn Names) -> Result<KeyValues<'a, A>, KeyValuesJsonError> {
        if self.reader.token()? != Token::Start(Nest::Object) {
            return Err(self.reader.refuse("a store is an object").into());
        }
        self.open.try_push(Node { entry: ROOT, key: IdString32::default() })?;
        while let Some(&object) = self.open.last() {
            match self.reader.token()? {
                Token::Key(name) => self.entry(object, name, names)?,
                // Between entries of an object there is nothing but its end.
                _ => drop(self.open.pop()),
            }
        }
        // Nothing may follow.
        self.reader.next()?;
        Ok(self.store)
    }

    /// Reads the value of a name.
    fn entry(
        &mut self,
        object: Node,
        name: JsonString<'_>,
        names: &mut dyn Names,
    ) -> Result<(), KeyValuesJsonError> {
        let offset = self.reader.offset();
        let name = unescaped(name, &mut self.text)?;
        let hash = hash_in(name).filter(|_| object.entry == ROOT);
        let node = match hash {
            Some(key) => Node { entry: SOME, key },
            None => names.child(object, name).map_err(|error| match error {
                PathNamesError::Collision(paths) => {
                    KeyValuesJsonError::Collision { offset: offset as u64, paths }
                }
                PathNamesError::Grow(error) => error.into(),
            })?,
        };
        let token = self.reader.token()?;
        if token == Token::Start(Nest::Object) {
            if hash.is_some() {
                return Err(self.reader.refuse("a hash is the key of no object").into());
            }
            return Ok(self.open.try_push(node)?);
        }
        if self.store.contains(node.key) {
            let reason = "this key comes twice, or another path has its hash";
            return Err(JsonError::new(offset, reason).into());
        }
        self.value(node.key, token)
    }

    /// Sets a key to the value that begins with a token.
    fn value(&mut self, key: IdString32, token: Token<'_>) -> Result<(), KeyValuesJsonError> {
        let value = match token {
            Token::Bool(value) => Value::Bool(value),
            Token::Number(number) => match number.f32() {
                Some(number) => Value::F32(number),
                None => return Err(self.reader.refuse(TOO_GREAT).into()),
            },
            Token::String(text) => Value::Str(unescaped(text, &mut self.text)?),
            Token::Start(Nest::Array) => {
                self.numbers()?;
                Value::Array(&self.numbers)
            }
            _ => return Err(self.reader.refuse("a store holds no null").into()),
        };
        Ok(self.store.try_set(key, value)?)
    }

    /// Reads the rest of an array.
    fn numbers(&mut self) -> Result<(), KeyValuesJsonError> {
        self.numbers.clear();
        loop {
            match self.reader.token()? {
                Token::Number(number) => match number.f32() {
                    Some(number) => self.numbers.try_push(number)?,
                    None => return Err(self.reader.refuse(TOO_GREAT).into()),
                },
                Token::End(_) => return Ok(()),
                _ => return Err(self.reader.refuse("an array holds numbers only").into()),
            }
        }
    }
}

const TOO_GREAT: &str = "the number is too great for 32 bits";

/// Returns a string of the text, its escapes replaced in `into` if it has some.
fn unescaped<'s, A: Allocator + ?Sized>(
    string: JsonString<'s>,
    into: &'s mut Array<'_, u8, A>,
) -> Result<&'s str, GrowError> {
    if let Some(plain) = string.plain() {
        return Ok(plain);
    }
    into.clear();
    string.unescape(|piece| into.try_extend_from_slice(piece.as_bytes()))?;
    Ok(str::from_utf8(into).unwrap_or_default())
}

/// Returns the key that a name of the form `#89abcdef` denotes.
pub(super) fn hash_in(name: &str) -> Option<IdString32> {
    let digits = name.strip_prefix('#').filter(|digits| digits.len() == 8)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok().map(IdString32::from_hash)
}
