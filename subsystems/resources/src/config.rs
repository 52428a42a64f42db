//! Settings of any shape: the compiled form of an SJSON file whose type has no specific compiler.
//!
//! After Niklas Frykholm, "Simplified JSON notation" (2009) and "Strings Redux" (2011): people
//! write names, the program looks up hashes. Changes: a value's children are stored one after the
//! other, an object's in the order of their keys' hashes, so that a key is found by a binary
//! search.
//!
//! ```text
//! nodes   | object: 2 from 1 | size: array, 2 from 3 | name: string | 0.9 | 2.1 |      24 bytes each
//! text    | door |
//! ```

use core::error::Error;
use core::fmt;

use loligo_containers::{Blob, BlobArray, BlobError, BlobStr, blob_struct};
use loligo_ids::IdString64;

#[cfg(test)]
mod tests;

blob_struct! {
    /// Settings as they are saved: a blob.
    pub struct ConfigImage {
        /// Every value; the first is the root, and children come after their parent.
        pub nodes: BlobArray<ConfigNode>,
        /// All strings.
        pub text: BlobStr,
    }

    /// A value in saved settings.
    pub struct ConfigNode {
        /// The hash of its key, 0 where it is in an array or the root.
        pub key: IdString64,
        /// The bits of a number, the offset of a string in the text, the index of the first child,
        /// or a truth value.
        pub value: u64,
        /// Bytes of a string, or how many children there are.
        pub count: u32,
        /// What it is: a [`ConfigKind`].
        pub kind: u32,
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ConfigKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number that fits an `i64`.
    I64,
    /// A whole number that fits a `u64` alone.
    U64,
    /// Any other number.
    F64,
    /// A string.
    String,
    /// Values under keys.
    Object,
    /// Values in order.
    Array,
}

impl ConfigKind {
    const ALL: [Self; 8] = [
        Self::Null,
        Self::Bool,
        Self::I64,
        Self::U64,
        Self::F64,
        Self::String,
        Self::Object,
        Self::Array,
    ];

    fn of(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

/// Settings that were opened.
///
/// # Complexity
///
/// A key is found in O(log keys of its object), an item of an array in O(1). Nothing is allocated.
///
/// # Memory
///
/// In the file 24 bytes a value, and all strings. The object is two slices.
#[derive(Clone, Copy, Debug)]
pub struct Config<'b> {
    nodes: &'b [ConfigNode],
    text: &'b str,
}

impl<'b> Config<'b> {
    /// Opens the payload of a resource of type `config`.
    ///
    /// # Complexity
    ///
    /// O(bytes): that all leads where it should is checked once.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the bytes are not settings.
    pub fn open(payload: &'b [u8]) -> Result<Self, ConfigError> {
        let blob = Blob::<ConfigImage>::open_structure(payload).map_err(ConfigError::Blob)?;
        let image = blob.root();
        let config = Self { nodes: blob.array(&image.nodes), text: blob.str(&image.text) };
        if config.nodes.is_empty() {
            return Err(ConfigError::Node { index: 0, what: "there is no root" });
        }
        for (index, node) in config.nodes.iter().enumerate() {
            config.check(index, node).map_err(|what| ConfigError::Node { index, what })?;
        }
        Ok(config)
    }

    /// Returns the root.
    #[must_use]
    pub const fn root(&self) -> ConfigValue<'b> {
        ConfigValue { config: *self, index: 0 }
    }

    /// Checks that a node leads only to what is there, and only forward.
    fn check(&self, index: usize, node: &ConfigNode) -> Result<(), &'static str> {
        let Some(kind) = ConfigKind::of(node.kind) else { return Err("it is of no known kind") };
        let end = node.value.saturating_add(node.count.into());
        match kind {
            ConfigKind::Null | ConfigKind::I64 | ConfigKind::U64 | ConfigKind::F64 => Ok(()),
            ConfigKind::Bool if node.value <= 1 => Ok(()),
            ConfigKind::Bool => Err("it is neither true nor false"),
            ConfigKind::String => match self.text.get(node.value as usize..end as usize) {
                Some(_) => Ok(()),
                None => Err("its text is not there, or cuts a character"),
            },
            ConfigKind::Object | ConfigKind::Array if node.count == 0 => Ok(()),
            ConfigKind::Object | ConfigKind::Array => {
                if node.value <= index as u64 || end > self.nodes.len() as u64 {
                    return Err("its children are not there");
                }
                let children = &self.nodes[node.value as usize..end as usize];
                if kind == ConfigKind::Object && !children.is_sorted_by(|a, b| a.key < b.key) {
                    return Err("its keys are not in order");
                }
                Ok(())
            }
        }
    }
}

/// A value in settings. What is asked of a value of another kind is `None`.
///
/// # Memory
///
/// 40 bytes, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct ConfigValue<'b> {
    config: Config<'b>,
    index: u32,
}

impl<'b> ConfigValue<'b> {
    /// Returns what the value is.
    #[must_use]
    pub fn kind(&self) -> ConfigKind {
        // Every kind was checked.
        ConfigKind::of(self.node().kind).unwrap_or(ConfigKind::Null)
    }

    /// Returns the value of a key. O(log keys).
    #[must_use]
    pub fn get(&self, key: IdString64) -> Option<Self> {
        let children = self.children(ConfigKind::Object)?;
        let at = children.binary_search_by_key(&key, |child| child.key).ok()?;
        Some(self.child(at))
    }

    /// Returns an item of an array. O(1).
    #[must_use]
    pub fn at(&self, index: usize) -> Option<Self> {
        let children = self.children(ConfigKind::Array)?;
        (index < children.len()).then(|| self.child(index))
    }

    /// Returns how many items an object or an array has; any other value has none.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.kind() {
            ConfigKind::Object | ConfigKind::Array => self.node().count as usize,
            _ => 0,
        }
    }

    /// Returns `true` if this has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the items of an object or an array with the hashes of their keys, 0 in an array.
    pub fn items(&self) -> impl ExactSizeIterator<Item = (IdString64, Self)> + use<'b> {
        let parent = *self;
        (0..self.len()).map(move |index| {
            let child = parent.child(index);
            (child.node().key, child)
        })
    }

    /// Returns a truth value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        (self.kind() == ConfigKind::Bool).then(|| self.node().value == 1)
    }

    /// Returns a whole number.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        (self.kind() == ConfigKind::I64).then(|| self.node().value.cast_signed())
    }

    /// Returns a whole number that is not negative.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.kind() {
            ConfigKind::U64 => Some(self.node().value),
            _ => self.as_i64().and_then(|number| u64::try_from(number).ok()),
        }
    }

    /// Returns a number; one that no float is, as the nearest that is one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self.kind() {
            ConfigKind::I64 => Some(self.node().value.cast_signed() as f64),
            ConfigKind::U64 => Some(self.node().value as f64),
            ConfigKind::F64 => Some(f64::from_bits(self.node().value)),
            _ => None,
        }
    }

    /// Returns a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&'b str> {
        if self.kind() != ConfigKind::String {
            return None;
        }
        let (start, node) = (self.node().value as usize, self.node());
        self.config.text.get(start..start + node.count as usize)
    }

    fn node(&self) -> &'b ConfigNode {
        &self.config.nodes[self.index as usize]
    }

    fn children(&self, kind: ConfigKind) -> Option<&'b [ConfigNode]> {
        let (start, count) = (self.node().value as usize, self.node().count as usize);
        match self.kind() == kind {
            // Where an empty one leads was not checked.
            true if count == 0 => Some(&[]),
            true => self.config.nodes.get(start..start + count),
            false => None,
        }
    }

    fn child(&self, at: usize) -> Self {
        Self { config: self.config, index: self.node().value as u32 + at as u32 }
    }
}

/// Why bytes are not settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// They are not a blob of settings.
    Blob(BlobError),
    /// A value leads nowhere.
    Node {
        /// Which.
        index: usize,
        /// How.
        what: &'static str,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blob(error) => error.fmt(f),
            Self::Node { index, what } => write!(f, "value {index} of the settings: {what}"),
        }
    }
}

impl Error for ConfigError {}
