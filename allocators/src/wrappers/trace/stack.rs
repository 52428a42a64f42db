//! Stack traces: how they are captured and written.

use core::ffi::c_void;

#[cfg(test)]
mod tests;

/// How many frames of a stack are kept: from the inside of a container to the subsystem that uses
/// it, in 128 bytes a stack. The cost of a capture grows with them.
const FRAMES: usize = 16;

/// The return addresses of the innermost frames. They are only compared and looked up, never
/// followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stack {
    frames: [*mut c_void; FRAMES],
}

impl Stack {
    /// No frames: the stack of allocations from before stacks were kept.
    pub(super) const NONE: Self = Self { frames: [core::ptr::null_mut(); FRAMES] };

    /// Returns the frames, innermost first.
    #[inline]
    pub(super) fn frames(&self) -> &[*mut c_void] {
        let count = self.frames.iter().position(|frame| frame.is_null()).unwrap_or(FRAMES);
        &self.frames[..count]
    }

    /// Captures the stack of the caller. Allocates nothing.
    #[cfg(feature = "stacks")]
    #[inline(never)]
    pub(super) fn capture() -> Self {
        // The frames of the unwinder itself are deeper than this one, so their ends are below one
        // of its words. If the unwinder does not return them, they are kept here and left out of
        // the report.
        let mark = core::hint::black_box(0_u8);
        let mark = (&raw const mark).addr();
        let mut stack = Self { frames: [core::ptr::null_mut(); FRAMES] };
        let mut count = 0;
        backtrace::trace(|frame| {
            let end = frame.sp().addr();
            if (end == 0 || end > mark) && !frame.ip().is_null() {
                stack.frames[count] = frame.ip();
                count += 1;
            }
            count < FRAMES
        });
        stack
    }
}

#[cfg(feature = "stacks")]
pub(super) use named::write_frames;

#[cfg(feature = "stacks")]
mod named {
    use core::fmt;
    use core::panic::Location;

    use super::Stack;

    /// Above this function are std's frames that start the program or a thread.
    const STARTUP: &str = "__rust_begin_short_backtrace";

    /// How far frames are indented below the line of their site, their number included.
    const INDENT: usize = 8;

    /// The functions by which Rust calls the global allocator: frames before the last of them are
    /// the allocator's.
    const GLOBAL: [&str; 3] = ["__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc"];

    /// Writes the frames of a stack, a line each, from the one that called at `site`, or that asked
    /// the global allocator: frames before it are this library's. If the debug information has no
    /// such line, all are written.
    pub(in crate::wrappers::trace) fn write_frames(
        f: &mut fmt::Formatter<'_>,
        stack: &Stack,
        site: &Location<'_>,
    ) -> fmt::Result {
        let called = find_call(stack, site);
        let mut number = 0;
        let mut seen = 0;
        let mut ended = false;
        let mut result = Ok(());
        each_symbol(stack, |symbol| {
            let name = symbol.and_then(backtrace::Symbol::name);
            ended |= name
                .as_ref()
                .is_some_and(|name| name.as_str().is_some_and(|name| name.contains(STARTUP)));
            if seen >= called && !ended && result.is_ok() {
                result = write_frame(f, number, symbol, name);
                number += 1;
            }
            seen += 1;
        });
        result
    }

    fn write_frame(
        f: &mut fmt::Formatter<'_>,
        number: usize,
        symbol: Option<&backtrace::Symbol>,
        name: Option<backtrace::SymbolName<'_>>,
    ) -> fmt::Result {
        write!(f, "\n{number:INDENT$}: ")?;
        match name {
            // The alternate form omits the hash at the end of a name.
            Some(name) => write!(f, "{name:#}")?,
            None => f.write_str("(no symbol)")?,
        }
        if let Some(symbol) = symbol
            && let (Some(file), Some(line)) = (symbol.filename(), symbol.lineno())
        {
            write!(f, ", {}:{line}", file.display())?;
        }
        Ok(())
    }

    /// Returns how many symbols are before the one that called at `site`, or after which the global
    /// allocator was asked; 0 if there is none.
    fn find_call(stack: &Stack, site: &Location<'_>) -> usize {
        let mut seen = 0;
        let mut found = None;
        each_symbol(stack, |symbol| {
            let here = symbol.is_some_and(|symbol| {
                symbol.lineno() == Some(site.line())
                    && symbol.filename().is_some_and(|file| file.ends_with(site.file()))
            });
            if here && found.is_none() {
                found = Some(seen);
            }
            seen += 1;
            let name = symbol.and_then(backtrace::Symbol::name);
            let name = name.as_ref().and_then(backtrace::SymbolName::as_str).unwrap_or_default();
            // Such a function calls at a line of this library, so it comes after that line.
            if GLOBAL.iter().any(|global| name.ends_with(global)) {
                found = Some(seen);
            }
        });
        found.unwrap_or(0)
    }

    /// Shows each symbol of each frame, inlined ones included; `None` for a frame without one.
    fn each_symbol(stack: &Stack, mut visit: impl FnMut(Option<&backtrace::Symbol>)) {
        for &frame in stack.frames() {
            let mut any = false;
            backtrace::resolve(frame, |symbol| {
                any = true;
                visit(Some(symbol));
            });
            if !any {
                visit(None);
            }
        }
    }
}
