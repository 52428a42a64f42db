//! The memory for arguments and results of a call: the same for both routes.

use core::ffi::{c_int, c_void};
use core::{ptr, slice};

use crate::field_value::FieldValue;

/// The most arguments of a bound function.
pub const ARGUMENTS_MAX: usize = 16;

/// The most results of a bound function.
pub const RESULTS_MAX: usize = 4;

// Of `numbers.c`.
unsafe extern "C" {
    fn loligo_numbers(table: *const c_void, first: usize, to: *mut f64, count: usize) -> usize;
}

// Of `fields.c`.
unsafe extern "C" {
    fn loligo_field(
        table: *const c_void,
        name: *const u8,
        length: usize,
        text: *mut *const u8,
        bytes: *mut usize,
        number: *mut f64,
    ) -> c_int;
}

/// A text, by its address; or a table, with the count of its elements.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct TextSlot {
    pub(crate) data: *const u8,
    pub(crate) bytes: usize,
}

impl TextSlot {
    const EMPTY: Self = Self { data: ptr::null(), bytes: 0 };
}

/// Arguments and results. Texts aside, all are 64-bit floats: booleans are 0 or 1, ids and
/// temporaries handles, and `nil` is 0.
///
/// # Invariants
///
/// 1. A result is never a NaN other than [`NAN`]: LuaJIT takes the bits of some for a reference.
/// 2. While a bound function runs, a text argument is in a string that the calling script holds, and
///    an argument that is a table of numbers is one that it holds; no script runs meanwhile.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Slots {
    pub(crate) arguments: [f64; ARGUMENTS_MAX],
    pub(crate) results: [f64; RESULTS_MAX],
    pub(crate) argument_texts: [TextSlot; ARGUMENTS_MAX],
    pub(crate) result_texts: [TextSlot; RESULTS_MAX],
    /// 1 from where a direct foreign function failed until its error is raised.
    pub(crate) failed: c_int,
}

/// The only NaN that Lua's values may hold.
pub(crate) const NAN: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// Returns `number`, or the NaN that may be a value.
#[inline]
pub(crate) fn canonical(number: f64) -> f64 {
    // A branch, which costs nothing where it is foreseen; a choice of two values would delay the
    // result.
    if number.is_nan() { not_a_number() } else { number }
}

#[cold]
#[inline(never)]
fn not_a_number() -> f64 {
    NAN
}

impl Slots {
    /// Returns the bytes of a text argument.
    pub(crate) fn argument_text(&self, argument: usize) -> &[u8] {
        let TextSlot { data, bytes } = self.argument_texts[argument];
        if data.is_null() {
            return &[];
        }
        // SAFETY: by invariant 2 the text is in a string of `bytes` bytes that lives and does not
        // change while the bound function runs, and `self` is borrowed no longer than that.
        unsafe { slice::from_raw_parts(data, bytes) }
    }

    /// Copies numbers of a table argument, from an index on that begins at 0; returns how many there are
    /// until something else.
    ///
    /// # Safety
    ///
    /// The argument is a table of numbers of the bound function that runs.
    pub(crate) unsafe fn argument_numbers(
        &self,
        argument: usize,
        first: usize,
        to: &mut [f64],
    ) -> usize {
        let TextSlot { data, bytes: len } = self.argument_texts[argument];
        let count = to.len().min(len.saturating_sub(first));
        // SAFETY: by the caller's promise and invariant 2 it is a table that lives and is not
        // changed meanwhile; there is room for `count` numbers.
        unsafe { loligo_numbers(data.cast(), first, to.as_mut_ptr(), count) }
    }

    /// Returns the value of a name in a table argument; `None` where there is no table, or no such name.
    ///
    /// # Safety
    ///
    /// The argument is a table of names and values of the bound function that runs, or `nil`.
    pub(crate) unsafe fn argument_field(
        &self,
        argument: usize,
        name: &str,
    ) -> Option<FieldValue<'_>> {
        let table = self.argument_texts[argument].data;
        if table.is_null() {
            return None;
        }
        let (mut text, mut bytes, mut number) = (ptr::null(), 0, 0.0);
        // SAFETY: by the caller's promise and invariant 2 it is a table that lives and is not
        // changed meanwhile; the name has that many bytes, and each result has a place.
        let kind = unsafe {
            loligo_field(
                table.cast(),
                name.as_ptr(),
                name.len(),
                &raw mut text,
                &raw mut bytes,
                &raw mut number,
            )
        };
        match kind {
            0 => None,
            // SAFETY: it is in a string of the table, which lives as long as that; `self` is borrowed
            // no longer than the bound function runs.
            1 => Some(FieldValue::Text(unsafe { slice::from_raw_parts(text, bytes) })),
            2 => Some(FieldValue::Number(number)),
            3 => Some(FieldValue::Bool(false)),
            4 => Some(FieldValue::Bool(true)),
            _ => Some(FieldValue::Other),
        }
    }

    /// The layout of this for the foreign function interface.
    pub(crate) const DECLARATION: &str = "typedef struct { const char *data; size_t bytes; } loligo_text;\n\
        typedef struct { double arguments[16]; double results[4]; loligo_text argument_texts[16]; \
        loligo_text result_texts[4]; int failed; } loligo_slots;\n";

    pub(crate) const fn new() -> Self {
        Self {
            arguments: [0.0; ARGUMENTS_MAX],
            results: [0.0; RESULTS_MAX],
            argument_texts: [TextSlot::EMPTY; ARGUMENTS_MAX],
            result_texts: [TextSlot::EMPTY; RESULTS_MAX],
            failed: 0,
        }
    }
}

const _: () = assert!(ARGUMENTS_MAX == 16 && RESULTS_MAX == 4, "as in the declaration");
