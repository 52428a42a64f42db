//! What is accepted, and how much of it.

/// The most objects and arrays that may be open at once, whatever the options say.
pub const DEPTH_MAX: u32 = 1024;

/// A way of writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Simplified JSON, in which every text of strict JSON is good, too.
    #[default]
    Sjson,
    /// JSON as RFC 8259 has it, and nothing else.
    Json,
}

/// What a reader accepts.
///
/// # Memory
///
/// 12 bytes.
///
/// # Examples
///
/// ```
/// use loligo_sjson::{Options, Parser};
///
/// let narrow = Options { depth_max: 2, ..Options::SJSON };
/// let mut parser = Parser::new(b"a = [ [ ] ]", &narrow);
/// let refused = loop {
///     if let Err(error) = parser.next_event() {
///         break error;
///     }
/// };
/// assert_eq!((refused.line(), refused.column()), (1, 7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// What is accepted.
    pub dialect: Dialect,
    /// How many objects and arrays may be open at once; [`DEPTH_MAX`] is the limit of limits.
    pub depth_max: u32,
    /// How many bytes a text may have.
    pub bytes_max: u32,
}

impl Options {
    /// Simplified JSON, 512 levels, 256 MiB.
    pub const SJSON: Self = Self { dialect: Dialect::Sjson, depth_max: 512, bytes_max: 256 << 20 };

    /// Strict JSON within the same limits.
    pub const JSON: Self = Self { dialect: Dialect::Json, ..Self::SJSON };
}

impl Default for Options {
    fn default() -> Self {
        Self::SJSON
    }
}
