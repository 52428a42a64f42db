//! A text that is formatted into a block.
//!
//! After `String` of Rust's standard library, which formats in the same way. Change: memory that
//! runs out is an error.

use core::fmt;
use core::ptr::NonNull;

use super::slice_builder::SliceBuilder;
use crate::contract::allocator::{AllocError, Allocator};

/// A text under construction.
///
/// # Invariants
///
/// 1. The bytes are those of whole `str`s, so they are UTF-8.
pub(super) struct TextBuilder<'m, A: Allocator + ?Sized> {
    bytes: SliceBuilder<'m, u8, A>,
    /// Whether memory was refused, also if an implementation of `Display` ignored that.
    is_refused: bool,
}

impl<'m, A: Allocator + ?Sized> TextBuilder<'m, A> {
    /// Formats `text`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    ///
    /// # Panics
    ///
    /// If a `Display` implementation returns an error without a cause.
    #[track_caller]
    pub(super) fn format(memory: &'m A, text: fmt::Arguments<'_>) -> Result<Self, AllocError> {
        let mut builder = Self { bytes: SliceBuilder::new(memory), is_refused: false };
        if let Some(text) = text.as_str() {
            builder.bytes = SliceBuilder::with_capacity(memory, text.len())?;
            builder.bytes.extend_copy(text.as_bytes())?;
            return Ok(builder);
        }
        let result = fmt::write(&mut builder, text);
        if builder.is_refused {
            return Err(AllocError);
        }
        if result.is_err() {
            no_cause();
        }
        Ok(builder)
    }

    /// Leaves the text to an arena.
    #[track_caller]
    pub(super) fn finish(self) -> NonNull<str> {
        as_text(self.bytes.finish())
    }

    /// Leaves the text to an owner, in a block of exactly its size.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if a block is needed and refused.
    #[track_caller]
    pub(super) fn finish_exact(self) -> Result<NonNull<str>, AllocError> {
        Ok(as_text(self.bytes.finish_exact()?))
    }
}

impl<A: Allocator + ?Sized> fmt::Write for TextBuilder<'_, A> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.bytes.extend_copy(part.as_bytes()).map_err(|AllocError| {
            self.is_refused = true;
            fmt::Error
        })
    }
}

/// Returns the same bytes as a text. They are UTF-8, or using the text is not sound.
pub(super) fn as_text(bytes: NonNull<[u8]>) -> NonNull<str> {
    let text = bytes.as_ptr() as *mut str;
    // SAFETY: it is the address of `bytes`, so it is not null.
    unsafe { NonNull::new_unchecked(text) }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_cause() -> ! {
    panic!(
        "a `Display` implementation returned an error, but memory was not refused; return only \
         errors of the formatter"
    );
}
