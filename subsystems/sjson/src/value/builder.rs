//! Values that are made piece by piece.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::event::Nest;
use crate::value::{Node, Piece, Value};

/// Makes a [`Value`].
///
/// Calls come in the order in which a text would have the values: a start before what is within, a
/// key before its value. An operation that comes where it cannot does nothing and returns false
/// inside `Ok`: a key outside of an object or before another key, a value without a key in an
/// object, an end of what was not begun last, a second root, a number that is not finite.
///
/// # Complexity
///
/// O(1) amortised for each, O(bytes) for text.
///
/// # Memory
///
/// The value's, see there. Each operation may allocate; where there is no memory, nothing has
/// changed.
///
/// # Errors
///
/// Of every operation: [`GrowError`] if there is no memory.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_sjson::{Nest, Style, ValueBuilder};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut builder: ValueBuilder = ValueBuilder::new(&MEMORY);
/// builder.try_start(Nest::Object)?;
/// builder.try_key("lives")?;
/// builder.try_i64(3)?;
/// builder.try_end(Nest::Object)?;
/// let value = builder.finish().expect("all that was begun has ended");
/// let mut text = String::new();
/// value.write(Style::SJSON, &mut text).expect("a string takes all");
/// assert_eq!(text, "lives = 3\n");
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
pub struct ValueBuilder<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    value: Value<'a, A>,
    /// The innermost of what is open, by its start, which leads to the one around it until it ends.
    open: u32,
    after_key: bool,
}

/// What is open where nothing is.
const NOTHING: u32 = u32::MAX;

impl<'a> ValueBuilder<'a> {
    /// Returns a builder of a value in `memory`.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> ValueBuilder<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        let value = Value { nodes: Array::new_in(memory), text: Array::new_in(memory) };
        Self { value, open: NOTHING, after_key: false }
    }

    /// Begins an object or an array.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn try_start(&mut self, nest: Nest) -> Result<bool, GrowError> {
        let index = self.value.nodes.len() as u32;
        let node = match nest {
            Nest::Object => Node::Object(0, self.open),
            Nest::Array => Node::Array(0, self.open),
        };
        let started = self.push_value(node)?;
        if started {
            self.open = index;
        }
        Ok(started)
    }

    /// Ends the object or the array that was begun last.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn try_end(&mut self, nest: Nest) -> Result<bool, GrowError> {
        let end = self.value.nodes.len() as u32;
        let node = self.value.nodes.get(self.open as usize).copied();
        let (ended, around) = match (nest, node) {
            (Nest::Object, Some(Node::Object(count, around))) if !self.after_key => {
                (Node::Object(count, end), around)
            }
            (Nest::Array, Some(Node::Array(count, around))) => (Node::Array(count, end), around),
            _ => return Ok(false),
        };
        self.value.nodes.try_push(Node::End(nest, self.open))?;
        self.value.nodes[self.open as usize] = ended;
        self.open = around;
        Ok(true)
    }

    /// Adds the key of the value that comes next.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn try_key(&mut self, key: &str) -> Result<bool, GrowError> {
        self.try_key_with(|text| text.try_extend_from_slice(key.as_bytes()))
    }

    /// Adds a string.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn try_string(&mut self, string: &str) -> Result<bool, GrowError> {
        self.try_string_with(|text| text.try_extend_from_slice(string.as_bytes()))
    }

    /// Adds `null`.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn try_null(&mut self) -> Result<bool, GrowError> {
        self.push_value(Node::Null)
    }

    /// Adds `true` or `false`.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn try_bool(&mut self, value: bool) -> Result<bool, GrowError> {
        self.push_value(Node::Bool(value))
    }

    /// Adds an integer.
    ///
    /// # Errors
    ///
    /// As the type says.
    #[inline]
    pub fn try_i64(&mut self, number: i64) -> Result<bool, GrowError> {
        self.push_value(Node::I64(number))
    }

    /// Adds an integer.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn try_u64(&mut self, number: u64) -> Result<bool, GrowError> {
        let signed = i64::try_from(number);
        self.push_value(signed.map_or(Node::U64(number), Node::I64))
    }

    /// Adds a number.
    ///
    /// # Errors
    ///
    /// As the type says.
    #[inline]
    pub fn try_f64(&mut self, number: f64) -> Result<bool, GrowError> {
        if number.is_finite() { self.push_value(Node::F64(number)) } else { Ok(false) }
    }

    /// Returns the value, or `None` where it is not whole.
    #[must_use]
    pub fn finish(self) -> Option<Value<'a, A>> {
        let is_whole = self.open == NOTHING && !self.value.nodes.is_empty();
        is_whole.then_some(self.value)
    }

    /// Returns the value, which is whole: a parser has seen to it.
    pub(super) fn into_value(self) -> Value<'a, A> {
        self.value
    }

    pub(super) fn try_key_with(
        &mut self,
        put: impl FnOnce(&mut Array<'a, u8, A>) -> Result<(), GrowError>,
    ) -> Result<bool, GrowError> {
        let node = self.value.nodes.get(self.open as usize);
        if self.after_key || !matches!(node, Some(Node::Object(..))) {
            return Ok(false);
        }
        let start = self.value.text.len();
        let piece = self.piece(put)?;
        if let Err(error) = self.value.nodes.try_push(Node::Key(piece)) {
            self.value.text.truncate(start);
            return Err(error);
        }
        self.after_key = true;
        Ok(true)
    }

    pub(super) fn try_string_with(
        &mut self,
        put: impl FnOnce(&mut Array<'a, u8, A>) -> Result<(), GrowError>,
    ) -> Result<bool, GrowError> {
        let start = self.value.text.len();
        let piece = self.piece(put)?;
        let pushed = self.push_value(Node::String(piece));
        if pushed != Ok(true) {
            self.value.text.truncate(start);
        }
        pushed
    }

    /// Appends to the text, or leaves it as it was.
    fn piece(
        &mut self,
        put: impl FnOnce(&mut Array<'a, u8, A>) -> Result<(), GrowError>,
    ) -> Result<Piece, GrowError> {
        let start = self.value.text.len();
        if let Err(error) = put(&mut self.value.text) {
            self.value.text.truncate(start);
            return Err(error);
        }
        let len = self.value.text.len() - start;
        // The array counts in 32 bits.
        Ok(Piece { start: start as u32, len: len as u32 })
    }

    /// Appends a value where one is allowed.
    #[inline]
    fn push_value(&mut self, node: Node) -> Result<bool, GrowError> {
        let may_stand = match self.value.nodes.get(self.open as usize) {
            Some(Node::Object(..)) => self.after_key,
            Some(_) => true,
            None => self.value.nodes.is_empty(),
        };
        if !may_stand {
            return Ok(false);
        }
        self.value.nodes.try_push(node)?;
        self.after_key = false;
        if let Some(Node::Object(count, _) | Node::Array(count, _)) =
            self.value.nodes.get_mut(self.open as usize)
        {
            *count += 1;
        }
        Ok(true)
    }
}

impl<A: Allocator + ?Sized> core::fmt::Debug for ValueBuilder<'_, A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ValueBuilder")
            .field("nodes", &self.value.nodes.len())
            .field("bytes", &self.value.text.len())
            .field("after_key", &self.after_key)
            .finish_non_exhaustive()
    }
}
