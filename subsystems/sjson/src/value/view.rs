//! Looking into a value.

use crate::path::{Missing, Path, PathError};
use crate::value::Node;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// An integer or a float.
    Number,
    /// A string.
    String,
    /// Keys and values.
    Object,
    /// Values in order.
    Array,
}

/// A value in a [`Value`](crate::Value), or all of it.
///
/// What is asked of a value of another kind is `None`, so questions can be asked one after the
/// other.
///
/// # Memory
///
/// 40 bytes, borrowed.
#[derive(Clone, Copy)]
pub struct ValueRef<'v> {
    nodes: &'v [Node],
    text: &'v [u8],
    index: u32,
}

impl<'v> ValueRef<'v> {
    pub(super) const fn new(nodes: &'v [Node], text: &'v [u8], index: u32) -> Self {
        Self { nodes, text, index }
    }

    /// Returns what the value is.
    #[must_use]
    pub fn kind(&self) -> ValueKind {
        match self.node() {
            Node::Bool(_) => ValueKind::Bool,
            Node::I64(_) | Node::U64(_) | Node::F64(_) => ValueKind::Number,
            Node::String(_) => ValueKind::String,
            Node::Object(..) => ValueKind::Object,
            Node::Array(..) => ValueKind::Array,
            // A view begins at none of the others.
            Node::Null | Node::Key(_) | Node::End(..) => ValueKind::Null,
        }
    }

    /// Returns `true` if this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.kind() == ValueKind::Null
    }

    /// Returns `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.node() {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns an integer that fits. `None` for every float, whatever its value.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.node() {
            Node::I64(number) => Some(number),
            _ => None,
        }
    }

    /// Returns an integer that is not negative. `None` for every float, whatever its value.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.node() {
            Node::I64(number) => u64::try_from(number).ok(),
            Node::U64(number) => Some(number),
            _ => None,
        }
    }

    /// Returns a number; an integer that no float is, as the nearest that is one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self.node() {
            Node::I64(number) => Some(number as f64),
            Node::U64(number) => Some(number as f64),
            Node::F64(number) => Some(number),
            _ => None,
        }
    }

    /// Returns a string.
    ///
    /// # Complexity
    ///
    /// O(bytes): that it is UTF-8 is looked up again.
    #[must_use]
    pub fn as_str(&self) -> Option<&'v str> {
        match self.node() {
            Node::String(piece) => Some(piece.of(self.text)),
            _ => None,
        }
    }

    /// Returns how many items an object or an array has; any other value has none.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.node() {
            Node::Object(count, _) | Node::Array(count, _) => count as usize,
            _ => 0,
        }
    }

    /// Returns `true` if this has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a key, the last one where it comes twice.
    ///
    /// # Complexity
    ///
    /// O(keys).
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Self> {
        let mut found = None;
        for (name, value) in self.pairs() {
            if self.text[name.range()] == *key.as_bytes() {
                found = Some(value);
            }
        }
        found
    }

    /// Returns an item of an array.
    ///
    /// # Complexity
    ///
    /// O(index).
    #[must_use]
    pub fn at(&self, index: usize) -> Option<Self> {
        self.items().nth(index)
    }

    /// Returns the value that a path leads to.
    ///
    /// # Complexity
    ///
    /// O(items of the objects and arrays on the way).
    ///
    /// # Errors
    ///
    /// [`PathError`] says how far it leads.
    pub fn find<'p>(&self, path: Path<'p>) -> Result<Self, PathError<'p>> {
        let mut value = *self;
        for (start, step) in path.steps() {
            let next = match value.node() {
                Node::Object(..) => {
                    let pairs = value.pairs().filter(|(key, _)| step.is(key.of(self.text)));
                    pairs.last().map(|(_, found)| found).ok_or(Missing::Key)
                }
                Node::Array(count, _) => {
                    let item = step.index().and_then(|index| value.at(index as usize));
                    item.ok_or(Missing::Item(count))
                }
                _ => Err(Missing::Nest),
            };
            value = next.map_err(|why| PathError::new(path, start, why))?;
        }
        Ok(value)
    }

    /// Returns the items of an array, in order; any other value has none.
    ///
    /// # Complexity
    ///
    /// O(1) for each.
    #[must_use]
    pub fn items(&self) -> Items<'v> {
        let end = match self.node() {
            Node::Array(_, end) => end,
            _ => 0,
        };
        Items { at: Self { index: self.index + 1, ..*self }, end }
    }

    /// Returns the keys and values of an object, in order; any other value has none.
    ///
    /// # Complexity
    ///
    /// O(1) for each, and O(bytes) of the keys.
    #[must_use]
    pub fn members(&self) -> Members<'v> {
        Members { pairs: self.pairs() }
    }

    fn pairs(&self) -> Pairs<'v> {
        let end = match self.node() {
            Node::Object(_, end) => end,
            _ => 0,
        };
        Pairs(Items { at: Self { index: self.index + 1, ..*self }, end })
    }

    fn node(&self) -> Node {
        self.nodes[self.index as usize]
    }

    /// Returns the index after this value.
    fn behind(&self) -> u32 {
        match self.node() {
            Node::Object(_, end) | Node::Array(_, end) => end + 1,
            _ => self.index + 1,
        }
    }
}

impl core::fmt::Debug for ValueRef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.node() {
            Node::String(piece) => write!(f, "{:?}", piece.of(self.text)),
            Node::Object(count, _) => write!(f, "an object of {count}"),
            Node::Array(count, _) => write!(f, "an array of {count}"),
            node => write!(f, "{node:?}"),
        }
    }
}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct Items<'v> {
    at: ValueRef<'v>,
    end: u32,
}

impl<'v> Iterator for Items<'v> {
    type Item = ValueRef<'v>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = (self.at.index < self.end).then_some(self.at)?;
        self.at.index = item.behind();
        Some(item)
    }
}

/// The keys, as pieces of the text, and values of an object.
#[derive(Clone, Debug)]
struct Pairs<'v>(Items<'v>);

impl<'v> Iterator for Pairs<'v> {
    type Item = (super::Piece, ValueRef<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        let Node::Key(key) = self.0.next()?.node() else {
            return None;
        };
        Some((key, self.0.next()?))
    }
}

/// The keys and values of an object.
#[derive(Clone, Debug)]
pub struct Members<'v> {
    pairs: Pairs<'v>,
}

impl<'v> Iterator for Members<'v> {
    type Item = (&'v str, ValueRef<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.pairs.0.at.text;
        self.pairs.next().map(|(key, value)| (key.of(text), value))
    }
}
