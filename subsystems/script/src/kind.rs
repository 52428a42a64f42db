//! What a bound function takes and returns.

/// The kind of an id that scripts hold: a small code that is in the id's marker, and a name for
/// people.
///
/// # Examples
///
/// ```
/// use loligo_script::IdKind;
///
/// const ENTITY: IdKind = IdKind::new(16, "Entity");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdKind {
    code: u8,
    name: &'static str,
}

/// The first code that is free for ids; those below are this crate's.
pub const ID_CODE_MIN: u8 = 16;

impl IdKind {
    /// Returns a kind.
    ///
    /// # Panics
    ///
    /// If the code is below [`ID_CODE_MIN`].
    #[must_use]
    pub const fn new(code: u8, name: &'static str) -> Self {
        assert!(code >= ID_CODE_MIN, "codes below 16 belong to temporary values");
        Self { code, name }
    }

    pub(crate) const fn own(code: u8, name: &'static str) -> Self {
        Self { code, name }
    }

    /// Returns its code.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.code
    }

    /// Returns its name, as errors show it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }
}

/// Vectors of three floats, from the pool of temporaries.
pub(crate) const VECTOR3: IdKind = IdKind::own(1, "Vector3");
/// Rotations.
pub(crate) const QUATERNION: IdKind = IdKind::own(2, "Quaternion");
/// Matrices of four columns.
pub(crate) const MATRIX4X4: IdKind = IdKind::own(3, "Matrix4x4");
/// Arrays of the engine, for one call.
pub(crate) const VIEW: IdKind = IdKind::own(4, "View");

/// What an argument or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// True or false; as an argument nothing else will do.
    Bool,
    /// A 64-bit float.
    Number,
    /// Bytes, by custom UTF-8.
    Text,
    /// An id: 32 bits, with its kind.
    Id(IdKind),
    /// An id or `nil`.
    OptionalId(IdKind),
    /// A temporary vector.
    Vector3,
    /// A temporary rotation.
    Quaternion,
    /// A temporary matrix.
    Matrix4x4,
    /// A table of numbers, from index 1 on; an argument alone, of a function that takes a
    /// [`Call`](crate::Call). Such a function is not compiled into its caller: it is for many
    /// numbers at once.
    Numbers,
    /// A table of names and texts, numbers or booleans, or `nil`; an argument alone, as
    /// [`Numbers`](Self::Numbers).
    Fields,
}

impl Kind {
    /// Returns the marker that a value of this kind carries, where it carries one.
    pub(crate) const fn marker(self) -> Option<IdKind> {
        match self {
            Self::Bool | Self::Number | Self::Text | Self::Numbers | Self::Fields => None,
            Self::Id(kind) | Self::OptionalId(kind) => Some(kind),
            Self::Vector3 => Some(VECTOR3),
            Self::Quaternion => Some(QUATERNION),
            Self::Matrix4x4 => Some(MATRIX4X4),
        }
    }

    /// Returns `true` for tables, which have no address for foreign functions.
    pub(crate) const fn is_table(self) -> bool {
        matches!(self, Self::Numbers | Self::Fields)
    }

    /// Returns `true` if both are of one variant, whatever ids they are of.
    #[inline]
    pub(crate) fn is_like(self, other: Self) -> bool {
        core::mem::discriminant(&self) == core::mem::discriminant(&other)
    }

    /// Returns what people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::Text => "string",
            Self::Id(kind) | Self::OptionalId(kind) => kind.name,
            Self::Vector3 => VECTOR3.name,
            Self::Quaternion => QUATERNION.name,
            Self::Matrix4x4 => MATRIX4X4.name,
            Self::Numbers => "table of numbers",
            Self::Fields => "table of names and values",
        }
    }
}
