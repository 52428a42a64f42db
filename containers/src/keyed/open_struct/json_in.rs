//! Open structs and arrays from JSON.

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use crate::keyed::json::{JsonError, JsonNumber, JsonReader, JsonString, Nest, Token};
use crate::keyed::open_struct::error::OpenError;
use crate::keyed::open_struct::field::FieldType;
use crate::keyed::open_struct::json_out::hash_in;
use crate::keyed::open_struct::value::{NEST_MAX, OpenList, OpenValue, TailWords};
use crate::keyed::open_struct::{OPEN_FIELDS_MAX, OpenArray, OpenLayout};

/// The longest name that is read, before its escapes are replaced.
const NAME_MAX: usize = 1024;

/// The fields that an object has named.
type Seen = [u64; OPEN_FIELDS_MAX as usize / 64];

impl<'a> OpenArray<'a> {
    /// Returns an array made of a JSON array of objects, as
    /// [`try_extend_from_json`](Self::try_extend_from_json) reads them.
    ///
    /// # Complexity
    ///
    /// As that of [`try_extend_from_json`](Self::try_extend_from_json).
    ///
    /// # Errors
    ///
    /// As those of [`try_extend_from_json`](Self::try_extend_from_json).
    pub fn try_from_json(
        json: &[u8],
        layout: OpenLayout,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, OpenError> {
        Self::try_from_json_in(json, layout, memory)
    }
}

impl<'a, A: Allocator + ?Sized> OpenArray<'a, A> {
    /// As [`try_from_json`](Self::try_from_json), and keeps the type of the allocator, so that its
    /// calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_json`](Self::try_from_json).
    pub fn try_from_json_in(
        json: &[u8],
        layout: OpenLayout,
        memory: &'a A,
    ) -> Result<Self, OpenError> {
        let mut array = Self::new_in(layout, memory);
        array.try_extend_from_json(json)?;
        Ok(array)
    }

    /// Appends a row for each object of a JSON array.
    ///
    /// A key that names a field is converted to its type: an integer becomes a float where one is
    /// expected, three or four numbers a vector or a quaternion, a string a hash. A key that names
    /// none adds a field of the type that the value looks like; it is 0 or empty in the other rows:
    ///
    /// | JSON | type |
    /// |---|---|
    /// | `true` | bool |
    /// | `1` | int |
    /// | `1.0`, `1e3` | float |
    /// | `[0.0, 1.5, 0.0]`, all with a point or an exponent | vector3; quaternion if there are four |
    /// | `[1, "x", []]` | list |
    /// | `"x"` | text |
    /// | `{"x": 1}` | dictionary |
    /// | `null` | the key of an object is passed over; refused further in |
    ///
    /// A name of the form `#89abcdef` is that hash, not its own.
    ///
    /// # Complexity
    ///
    /// O(JSON), and O(all data) for each field that it adds.
    ///
    /// # Errors
    ///
    /// [`OpenError::Json`] with the offset and the reason if it is not JSON, or not an array of
    /// objects, a value is not of its field's type, an integer does not fit 32 bits, a key comes
    /// twice in an object, there would be more than [`OPEN_FIELDS_MAX`] fields, or values are more
    /// than 32 deep. [`OpenError::Memory`] if there is no memory. In both cases nothing has
    /// changed.
    pub fn try_extend_from_json(&mut self, json: &[u8]) -> Result<(), OpenError> {
        let mut reader = JsonReader::new(json);
        self.undoing(|array| {
            if reader.token()? != Token::Start(Nest::Array) {
                return Err(reader.refuse("an array of objects was expected").into());
            }
            while let Token::Start(nest) = reader.token()? {
                if nest != Nest::Object {
                    return Err(reader.refuse("an object was expected").into());
                }
                let row = array.try_push()?;
                array.read_object(row, &mut reader)?;
            }
            match reader.depth() {
                0 => Ok(reader.next().map(drop)?),
                _ => Err(reader.refuse("an object was expected").into()),
            }
        })
    }

    /// Runs `read`, which may append rows, fields and contents, and takes them off again if it
    /// fails.
    pub(super) fn undoing(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<(), OpenError>,
    ) -> Result<(), OpenError> {
        let before = self.shape;
        let outcome = read(self);
        if outcome.is_err() {
            self.shape.rows = before.rows;
            while self.shape.fields > before.fields {
                self.take_out(self.shape.fields as usize - 1);
            }
            self.shape.dead = before.dead;
            self.cut_tail(before.tail);
        }
        outcome
    }

    /// Reads an object, which has been started, into a row.
    pub(super) fn read_object(
        &mut self,
        row: usize,
        reader: &mut JsonReader<'_>,
    ) -> Result<(), OpenError> {
        let mut seen: Seen = [0; _];
        while let Token::Key(key) = reader.token()? {
            let at = reader.offset();
            let name = name_of(key).ok_or(reader.refuse("this name is longer than 1024 bytes"))?;
            let value = reader.token()?;
            if value == Token::Null {
                continue;
            }
            let index = self.read_field(row, name, value, reader).map_err(|error| match error {
                OpenError::Fields => JsonError::new(at, "there are more than 256 fields").into(),
                error => error,
            })?;
            let (word, bit) = (index / 64, 1 << (index % 64));
            if seen[word] & bit != 0 {
                return Err(JsonError::new(at, "this key comes twice in an object").into());
            }
            seen[word] |= bit;
        }
        Ok(())
    }

    /// Reads a value into the field of a name, which is added where there is none. Returns its
    /// number.
    fn read_field(
        &mut self,
        row: usize,
        name: IdString32,
        value: Token<'_>,
        reader: &mut JsonReader<'_>,
    ) -> Result<usize, OpenError> {
        let known = self.index(name).map(|index| self.field_type(index));
        let start = self.shape.tail;
        let wrong = reader.refuse("this is not of the type of its field");
        let value = match value {
            Token::String(string) if known == Some(FieldType::Hash) => {
                let name = name_of(string);
                OpenValue::Hash(name.ok_or(reader.refuse("this name is longer than 1024 bytes"))?)
            }
            Token::String(string) => {
                let len = self.append_string(string)?;
                return self.give(row, name, FieldType::Text, start, len, wrong);
            }
            Token::Start(nest) => {
                self.append_nested(nest, reader)?;
                let list = OpenList::new(&self.words[self.shape.tail_start() + start as usize..]);
                match if nest == Nest::Array { vector_in(list, known) } else { None } {
                    Some(vector) => {
                        self.cut_tail(start);
                        vector
                    }
                    None => {
                        let len = self.shape.tail - start;
                        return self.give(row, name, nest_type(nest), start, len, wrong);
                    }
                }
            }
            Token::Number(number) if known == Some(FieldType::Float) => {
                OpenValue::Float(float(number, reader)?)
            }
            scalar => scalar_value(scalar, reader)?,
        };
        let index = self.place_for(name, value.field_type(), wrong)?;
        if let Some((words, count)) = value.block_words() {
            let at = self.shape.at(row, self.place(index));
            self.words[at..at + count].copy_from_slice(&words[..count]);
        }
        Ok(index)
    }

    /// Lets a field of a row have what was appended to the tail.
    fn give(
        &mut self,
        row: usize,
        name: IdString32,
        field_type: FieldType,
        start: u32,
        len: u32,
        wrong: JsonError,
    ) -> Result<usize, OpenError> {
        let index = self.place_for(name, field_type, wrong)?;
        self.set_content(row, index, start, len);
        Ok(index)
    }

    fn place_for(
        &mut self,
        name: IdString32,
        field_type: FieldType,
        wrong: JsonError,
    ) -> Result<usize, OpenError> {
        self.try_add(name, field_type).map_err(|error| match error {
            OpenError::Taken { .. } => wrong.into(),
            error => error,
        })
    }

    /// Appends a string to the tail and returns its bytes.
    fn append_string(&mut self, string: JsonString<'_>) -> Result<u32, OpenError> {
        if let Some(plain) = string.plain() {
            return Ok(self.try_append(TailWords::Bytes(plain.as_bytes()))?);
        }
        // Unescaped it is no longer than it is here.
        let start = self.shape.tail;
        let at = self.words.len();
        self.try_append(TailWords::Bytes(string.raw().as_bytes()))?;
        let room: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words[at..]);
        let len = string.unescape_to(room).map_or(0, str::len);
        let words = len.div_ceil(4);
        // What the raw text left past the end.
        room[len..4 * words].fill(0);
        self.cut_tail(start + words as u32);
        Ok(len as u32)
    }

    /// Appends what is in an array or an object, which has been started, to the tail.
    fn append_nested(
        &mut self,
        outermost: Nest,
        reader: &mut JsonReader<'_>,
    ) -> Result<(), OpenError> {
        // Where the length of each open one is, and its type; the outermost has none here.
        let mut open = [(0, outermost); NEST_MAX];
        let mut depth = 0;
        loop {
            match reader.token()? {
                Token::Key(key) => {
                    let name = name_of(key);
                    let name = name.ok_or(reader.refuse("this name is longer than 1024 bytes"))?;
                    self.try_append(TailWords::Words(&[name.hash()]))?;
                }
                Token::Start(nest) => {
                    depth += 1;
                    let Some(level) = open.get_mut(depth) else {
                        return Err(reader.refuse("values lie more than 32 deep").into());
                    };
                    self.try_append(TailWords::Words(&[nest_type(nest) as u32, 0]))?;
                    *level = (self.words.len(), nest);
                }
                Token::End(_) => {
                    let (start, nest) = open[depth];
                    let Some(outer) = depth.checked_sub(1) else { return Ok(()) };
                    depth = outer;
                    self.close_nested(start, nest)?;
                }
                Token::String(string) => {
                    self.try_append(TailWords::Words(&[FieldType::Text as u32, 0]))?;
                    let at = self.words.len();
                    self.words[at - 1] = self.append_string(string)?;
                }
                scalar => self.try_append_value(&scalar_value(scalar, reader)?)?,
            }
        }
    }

    /// Writes the length of a list or a dictionary whose words begin at `start`, or makes it a
    /// vector.
    fn close_nested(&mut self, start: usize, nest: Nest) -> Result<(), OpenError> {
        let words = &self.words[start..];
        match if nest == Nest::Array { vector_in(OpenList::new(words), None) } else { None } {
            Some(vector) => {
                let cut = (self.words.len() - (start - 2)) as u32;
                self.cut_tail(self.shape.tail - cut);
                self.try_append_value(&vector)?;
            }
            None => self.words[start - 1] = words.len() as u32,
        }
        Ok(())
    }
}

/// Returns the vector or quaternion that a list represents: all three or four values are floats, or
/// numbers where the field is `known` to be such a one.
fn vector_in(list: OpenList<'_>, known: Option<FieldType>) -> Option<OpenValue<'static>> {
    let mut numbers = [0.0; 4];
    let mut count = 0;
    for value in list {
        let place = numbers.get_mut(count)?;
        count += 1;
        *place = match value {
            OpenValue::Float(float) => float,
            OpenValue::Int(int) if known.is_some() => int as f32,
            _ => return None,
        };
    }
    let [x, y, z, _] = numbers;
    let vector = match count {
        3 => OpenValue::Vector3([x, y, z]),
        4 => OpenValue::Quaternion(numbers),
        _ => return None,
    };
    known.is_none_or(|known| known == vector.field_type()).then_some(vector)
}

fn scalar_value(
    token: Token<'_>,
    reader: &JsonReader<'_>,
) -> Result<OpenValue<'static>, JsonError> {
    match token {
        Token::Bool(value) => Ok(OpenValue::Bool(value)),
        Token::Number(number) if number.is_integer() => match number.i32() {
            Some(int) => Ok(OpenValue::Int(int)),
            None => Err(reader.refuse("this integer does not fit 32 bits")),
        },
        Token::Number(number) => Ok(OpenValue::Float(float(number, reader)?)),
        _ => Err(reader.refuse("null cannot stand here")),
    }
}

fn float(number: JsonNumber<'_>, reader: &JsonReader<'_>) -> Result<f32, JsonError> {
    number.f32().ok_or(reader.refuse("this number does not fit a float of 32 bits"))
}

fn nest_type(nest: Nest) -> FieldType {
    match nest {
        Nest::Array => FieldType::List,
        Nest::Object => FieldType::Dictionary,
    }
}

/// Returns the id of a name, or `None` where it is too long.
fn name_of(string: JsonString<'_>) -> Option<IdString32> {
    let mut room = [0; NAME_MAX];
    let name = match string.plain() {
        Some(name) => name,
        None => string.unescape_to(&mut room)?,
    };
    Some(hash_in(name).unwrap_or_else(|| IdString32::new(name)))
}
