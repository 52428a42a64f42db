//! What all pages of the tools have in common, for pages that other crates put together.

/// Colours, type and spacing, light and dark.
pub const TOKENS: &str = include_str!("style/tokens.css");

/// The frame of a page: header, opening, sections, cards, buttons.
pub const FRAME: &str = include_str!("style/page.css");

/// Builds elements of text that is never read as markup: `h`, `s`, `Dom`.
pub const DOM: &str = include_str!("script/dom.js");

/// Numbers as people read them: `Units`.
pub const UNITS: &str = include_str!("script/units.js");

/// Light and dark: `Theme`.
pub const THEME: &str = include_str!("script/theme.js");
