//! Owners of texts.

use core::fmt;

use super::Own;
use crate::contract::allocator::{AllocError, Allocator};
use crate::owners::text_builder::{TextBuilder, as_text};

impl<'a> Own<'a, str> {
    /// Copies a text into a block of `memory`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    #[track_caller]
    pub fn new_str(text: &str, memory: &'a (dyn Allocator + 'a)) -> Result<Self, AllocError> {
        Self::new_str_in(text, memory)
    }

    /// Formats a text into a block of `memory`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    ///
    /// # Panics
    ///
    /// If a `Display` implementation returns an error without a cause.
    ///
    /// # Examples
    ///
    /// ```
    /// # use loligo_allocators::{AllocError, Own, PageAllocator};
    /// # let pages = PageAllocator::new("pages");
    /// let text = Own::format(format_args!("{} of {}", 3, 7), &pages)?;
    /// assert_eq!(&*text, "3 of 7");
    /// # Ok::<(), AllocError>(())
    /// ```
    #[track_caller]
    pub fn format(
        text: fmt::Arguments<'_>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, AllocError> {
        Self::format_in(text, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Own<'a, str, A> {
    /// As [`new_str`](Own::new_str), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`new_str`](Own::new_str).
    #[track_caller]
    pub fn new_str_in(text: &str, memory: &'a A) -> Result<Self, AllocError> {
        let bytes = Own::new_slice_copy_in(text.as_bytes(), memory)?;
        let text = as_text(Own::into_raw(bytes));
        // SAFETY: the value is a copy of a text, from an owner over this allocator.
        Ok(unsafe { Self::from_raw_in(text, memory) })
    }

    /// As [`format`](Own::format), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`format`](Own::format).
    ///
    /// # Panics
    ///
    /// As [`format`](Own::format).
    #[track_caller]
    pub fn format_in(text: fmt::Arguments<'_>, memory: &'a A) -> Result<Self, AllocError> {
        let text = TextBuilder::format(memory, text)?.finish_exact()?;
        // SAFETY: the text is in a block of `memory` with exactly its layout, which is used by no
        // other code.
        Ok(unsafe { Self::from_raw_in(text, memory) })
    }
}
