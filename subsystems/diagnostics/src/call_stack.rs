//! The call stack of a thread that failed.

use core::ffi::c_void;
use core::fmt::{self, Write};

use crate::fixed_text::FixedText;

/// How many frames are kept.
const FRAMES_MAX: usize = 128;

/// In this function std's start of the program or of a thread ends.
const STARTUP: &str = "__rust_begin_short_backtrace";

/// Functions on the way from what failed to the panic hook.
const PANICKING: [&str; 3] =
    ["rust_begin_unwind", "core::panicking::", "loligo_diagnostics::failure::"];

/// How many functions that were inlined into one of those may be before it: they bear short names.
const INLINED_MAX: usize = 4;

/// The return addresses of the innermost frames.
#[derive(Clone)]
pub(crate) struct CallStack {
    frames: [*mut c_void; FRAMES_MAX],
    count: usize,
    /// How many frames there were beyond those.
    left_out: usize,
}

impl CallStack {
    /// Captures the stack of the caller.
    #[inline(never)]
    pub(crate) fn capture() -> Self {
        let mut stack = Self { frames: [core::ptr::null_mut(); FRAMES_MAX], count: 0, left_out: 0 };
        backtrace::trace(|frame| {
            if stack.count < FRAMES_MAX {
                stack.frames[stack.count] = frame.ip();
                stack.count += 1;
            } else {
                stack.left_out += 1;
            }
            true
        });
        stack
    }

    /// Writes the frames with the names of their functions, their files and their lines, from the
    /// one that failed at this place on. Where the program has no debug information for that, it
    /// begins with the caller of the panic functions.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, file: &str, line: u32) -> fmt::Result {
        let first = self.first(file, line);
        let mut seen = 0;
        let mut number = 0;
        let mut is_over = false;
        let mut result = Ok(());
        self.each_symbol(|address, symbol| {
            is_over |= names(symbol, &[STARTUP]);
            if seen >= first && !is_over && result.is_ok() {
                result = write_frame(f, number, address, symbol);
                number += 1;
            }
            seen += 1;
        });
        result?;
        match self.left_out {
            0 => Ok(()),
            more => writeln!(f, "    .. and {more} frames more"),
        }
    }

    /// Returns how many symbols are before the first that is written.
    fn first(&self, file: &str, line: u32) -> usize {
        let (mut at_place, mut behind_panic): (Option<usize>, Option<usize>) = (None, None);
        let mut seen = 0;
        self.each_symbol(|_, symbol| {
            if at_place.is_none() && symbol.is_some_and(|symbol| lies_at(symbol, file, line)) {
                at_place = Some(seen);
            }
            seen += 1;
            // Panic functions further out belong to another panic, during which this one happened.
            if behind_panic.is_none_or(|behind| seen <= behind + INLINED_MAX)
                && names(symbol, &PANICKING)
            {
                behind_panic = Some(seen);
            }
        });
        at_place.or(behind_panic).unwrap_or(0)
    }

    /// Shows each symbol of each frame, inlined ones included; nothing for a frame without.
    fn each_symbol(&self, mut visit: impl FnMut(*mut c_void, Option<&backtrace::Symbol>)) {
        for &frame in &self.frames[..self.count] {
            let mut any = false;
            backtrace::resolve(frame, |symbol| {
                any = true;
                visit(frame, Some(symbol));
            });
            if !any {
                visit(frame, None);
            }
        }
    }
}

impl fmt::Debug for CallStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.frames[..self.count]).finish()
    }
}

/// Returns `true` if a function's name, as it is in the source, has one of these parts.
fn names(symbol: Option<&backtrace::Symbol>, parts: &[&str]) -> bool {
    let Some(name) = symbol.and_then(backtrace::Symbol::name) else {
        return false;
    };
    let mut text = FixedText::<256>::new();
    // Of a long name the first part is enough: the parts are before any types.
    let _ = write!(text, "{name}");
    parts.iter().any(|part| text.as_str().contains(part))
}

/// Returns `true` if a symbol is at this place of the source.
fn lies_at(symbol: &backtrace::Symbol, file: &str, line: u32) -> bool {
    symbol.lineno() == Some(line)
        && symbol.filename().is_some_and(|found| !file.is_empty() && found.ends_with(file))
}

fn write_frame(
    f: &mut fmt::Formatter<'_>,
    number: usize,
    address: *mut c_void,
    symbol: Option<&backtrace::Symbol>,
) -> fmt::Result {
    write!(f, "    {number}: ")?;
    match symbol.and_then(backtrace::Symbol::name) {
        // The alternate form leaves out the hash at the end of a name.
        Some(name) => write!(f, "{name:#}")?,
        None => write!(f, "{address:p} (no symbol)")?,
    }
    if let Some(symbol) = symbol
        && let (Some(file), Some(line)) = (symbol.filename(), symbol.lineno())
    {
        write!(f, ", {}:{line}", file.display())?;
    }
    f.write_str("\n")
}
