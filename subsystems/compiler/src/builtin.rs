//! Compilers of types that no subsystem owns.

mod config;
mod copy;
mod package;

pub use config::{CONFIG_VERSION, ConfigCompiler};
pub use copy::CopyCompiler;
pub use package::PackageCompiler;

pub(crate) use config::unread;
pub(crate) use package::unescaped;

/// Returns the line and column of a byte of a text, both from 1 on, columns in characters.
pub(crate) fn place_of(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
    let column = 1 + before[line_start..].chars().count();
    (line as u32, column as u32)
}
