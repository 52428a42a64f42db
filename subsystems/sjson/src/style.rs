//! How text is written.

use crate::options::Dialect;

/// How the items of a document are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// On one line, with no more space than is needed. Comments are left out.
    Compact,
    /// An item on each line, indented by a tab for each level.
    Tabs,
    /// An item on each line, indented by this number of spaces for each level.
    Spaces(u8),
}

/// A way to write a document.
///
/// Everything has one place: an item on each line, its key before it; arrays that hold numbers,
/// words and short strings alone on one line where they fit. Comments keep their words and stay
/// with their item; of several empty lines between items one is left.
///
/// # Memory
///
/// 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Style {
    /// What is written.
    pub dialect: Dialect,
    /// How it is laid out.
    pub layout: Layout,
    /// The column, of up to 200, up to which an array may be on one line; a tab counts four.
    pub width: u8,
}

impl Style {
    /// SJSON without braces around it, without commas, a tab for each level.
    pub const SJSON: Self = Self { dialect: Dialect::Sjson, layout: Layout::Tabs, width: 100 };

    /// JSON, two spaces for each level.
    pub const JSON: Self = Self { dialect: Dialect::Json, layout: Layout::Spaces(2), width: 100 };

    /// SJSON on one line.
    pub const SJSON_COMPACT: Self = Self { layout: Layout::Compact, ..Self::SJSON };

    /// JSON on one line.
    pub const JSON_COMPACT: Self = Self { layout: Layout::Compact, ..Self::JSON };
}

impl Default for Style {
    fn default() -> Self {
        Self::SJSON
    }
}
