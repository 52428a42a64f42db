//! Fields: their names, their types, and what finds them.

use core::fmt;
use core::marker::PhantomData;

use loligo_ids::IdString32;

/// What a field holds.
///
/// | type | in the block | in the tail |
/// |---|---|---|
/// | bool, int, float, hash | 4 bytes | |
/// | vector3 | 12 bytes | |
/// | quaternion | 16 bytes | |
/// | text, list, dictionary | 8 bytes: offset and length | the content, in whole words |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum FieldType {
    /// Yes or no; [`Flag`] in Rust.
    Bool = 1,
    /// An `i32`.
    Int = 2,
    /// An `f32`.
    Float = 3,
    /// A `[f32; 3]`.
    Vector3 = 4,
    /// A `[f32; 4]`.
    Quaternion = 5,
    /// A name, hashed; [`IdString32`] in Rust.
    Hash = 6,
    /// UTF-8 of any length.
    Text = 7,
    /// Values of any types in order.
    List = 8,
    /// Values of any types with names.
    Dictionary = 9,
}

impl FieldType {
    /// Returns how many words of 4 bytes a value takes in the block.
    #[must_use]
    pub const fn words(self) -> u32 {
        match self {
            Self::Bool | Self::Int | Self::Float | Self::Hash => 1,
            Self::Text | Self::List | Self::Dictionary => 2,
            Self::Vector3 => 3,
            Self::Quaternion => 4,
        }
    }

    /// Returns `true` if the content is in the tail.
    #[must_use]
    pub const fn in_tail(self) -> bool {
        matches!(self, Self::Text | Self::List | Self::Dictionary)
    }

    /// Returns the type that a word encodes.
    pub(super) const fn from_word(word: u32) -> Option<Self> {
        Some(match word {
            1 => Self::Bool,
            2 => Self::Int,
            3 => Self::Float,
            4 => Self::Vector3,
            5 => Self::Quaternion,
            6 => Self::Hash,
            7 => Self::Text,
            8 => Self::List,
            9 => Self::Dictionary,
            _ => return None,
        })
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Vector3 => "vector3",
            Self::Quaternion => "quaternion",
            Self::Hash => "hash",
            Self::Text => "text",
            Self::List => "list",
            Self::Dictionary => "dictionary",
        })
    }
}

/// A `bool` of 4 bytes, any bits of which are valid: 0 is no, all others are yes.
///
/// # Examples
///
/// ```
/// use loligo_containers::Flag;
///
/// assert!(Flag::from(true).get());
/// assert_eq!(Flag::default(), Flag::from(false));
/// ```
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Flag(u32);

impl Flag {
    /// Returns the flag as a `bool`.
    #[inline]
    #[must_use]
    pub const fn get(self) -> bool {
        self.0 != 0
    }

    pub(super) const fn from_word(word: u32) -> Self {
        Self(word)
    }

    /// Sets the flag.
    #[inline]
    pub const fn set(&mut self, value: bool) {
        self.0 = value as u32;
    }
}

impl From<bool> for Flag {
    #[inline]
    fn from(value: bool) -> Self {
        Self(value as u32)
    }
}

impl PartialEq for Flag {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Flag {}

impl fmt::Debug for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// A Rust type that is in the block as a field of a [`FieldType`].
///
/// Implement it for the vectors of your math library, and fields are read and written as those.
///
/// # Safety
///
/// The type has no padding, every pattern of bits is a valid value, its alignment is 4 at most, its
/// size is 4 times [`TYPE`](Self::TYPE)`.words()`, and the type is not in the tail. The last three
/// are checked when it is compiled.
pub unsafe trait FieldValue: Copy + 'static {
    /// The type of the field.
    const TYPE: FieldType;
}

// SAFETY: a transparent `u32`, of which all bits are valid.
unsafe impl FieldValue for Flag {
    const TYPE: FieldType = FieldType::Bool;
}

// SAFETY: one word, of which all bits are valid.
unsafe impl FieldValue for i32 {
    const TYPE: FieldType = FieldType::Int;
}

// SAFETY: one word, of which all bits are valid.
unsafe impl FieldValue for f32 {
    const TYPE: FieldType = FieldType::Float;
}

// SAFETY: three words without padding, of which all bits are valid.
unsafe impl FieldValue for [f32; 3] {
    const TYPE: FieldType = FieldType::Vector3;
}

// SAFETY: four words without padding, of which all bits are valid.
unsafe impl FieldValue for [f32; 4] {
    const TYPE: FieldType = FieldType::Quaternion;
}

// SAFETY: a transparent `u32`, of which all bits are valid.
unsafe impl FieldValue for IdString32 {
    const TYPE: FieldType = FieldType::Hash;
}

/// A field to be found: its name, its type, and where it was seen last.
///
/// It may be a constant, which is looked for once in every sweep, or come from
/// [`OpenArray::field`](crate::OpenArray::field), and is then found at once while the fields stay
/// as they are. It never leads to another field than the one of its name and type, in whatever
/// array it is used.
///
/// # Memory
///
/// 8 bytes.
pub struct Field<T> {
    name: IdString32,
    hint: u32,
    value: PhantomData<fn() -> T>,
}

impl<T: FieldValue> Field<T> {
    /// Names a field.
    #[inline]
    #[must_use]
    pub const fn new(name: IdString32) -> Self {
        Self::seen(name, 0)
    }

    pub(super) const fn seen(name: IdString32, hint: u32) -> Self {
        const {
            assert!(size_of::<T>() == 4 * T::TYPE.words() as usize, "the type has another size");
            assert!(align_of::<T>() <= 4, "values are aligned to 4 bytes");
            assert!(!T::TYPE.in_tail(), "the type lies in the tail");
        }
        Self { name, hint, value: PhantomData }
    }

    /// Returns the name.
    #[inline]
    #[must_use]
    pub const fn name(self) -> IdString32 {
        self.name
    }

    /// Returns the field, to be read in a sweep.
    #[inline]
    #[must_use]
    pub const fn read(self) -> ReadField<T> {
        ReadField(self)
    }

    /// Returns the field, to be changed in a sweep.
    #[inline]
    #[must_use]
    pub const fn write(self) -> WriteField<T> {
        WriteField(self)
    }

    pub(super) const fn hint(self) -> u32 {
        self.hint
    }
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

impl<T> fmt::Debug for Field<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field({})", self.name)
    }
}

/// A field that a sweep reads; the visitor gets a `&T`.
///
/// # Memory
///
/// 8 bytes.
#[derive(Clone, Copy, Debug)]
pub struct ReadField<T>(pub(super) Field<T>);

/// A field that a sweep changes; the visitor gets a `&mut T`.
///
/// # Memory
///
/// 8 bytes.
#[derive(Clone, Copy, Debug)]
pub struct WriteField<T>(pub(super) Field<T>);
