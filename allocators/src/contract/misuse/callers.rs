//! The program's own functions that led to a misuse which the global allocator found.
//!
//! The global allocator does not know its callers, so the site of its reports is a line of this
//! library. Its lock is held while it reports, and looking up names needs memory of the global heap:
//! from here on that is [`last_memory`]'s.

use core::fmt::Write as _;
use std::string::ToString;

use super::{Line, Report};
use crate::contract::last_memory;

/// The ends of the names by which Rust calls the global allocator. Frames up to the last of them are
/// the allocator's.
const GLOBAL: [&str; 8] = [
    "__rust_alloc",
    "__rust_alloc_zeroed",
    "__rust_dealloc",
    "__rust_realloc",
    "__rg_alloc",
    "__rg_alloc_zeroed",
    "__rg_dealloc",
    "__rg_realloc",
];

/// Above this function are std's frames that start the program or a thread.
const STARTUP: &str = "__rust_begin_short_backtrace";

/// How many frames are written at most: from the drop of a container to the subsystem.
const FRAMES_MAX: usize = 16;

/// Writes the frames that called the global allocator, the innermost first; nothing if the report is
/// of another allocator, or if it comes from the look-up itself.
pub(super) fn write(report: &Report<'_>) {
    let is_global = report.site.is_some_and(|site| is_of_global(site.file()));
    if !is_global || !last_memory::begin() {
        return;
    }
    let (mut seen, mut first) = (0, 0);
    each_symbol(&mut |symbol| {
        seen += 1;
        let name = symbol.name().map(|name| name.to_string()).unwrap_or_default();
        if GLOBAL.iter().any(|global| name.ends_with(global)) {
            first = seen;
        }
        true
    });
    let mut seen = 0;
    each_symbol(&mut |symbol| {
        seen += 1;
        if seen <= first {
            return true;
        }
        let name = symbol.name().map(|name| name.to_string()).unwrap_or_default();
        if seen > first + FRAMES_MAX || name.contains(STARTUP) {
            return false;
        }
        write_frame(seen - first - 1, symbol);
        true
    });
}

/// Returns `true` for `threads/global.rs`, which every call comes from that goes by a global
/// allocator. That module uses this one, so its name is made of the name of this file.
fn is_of_global(file: &str) -> bool {
    let source = file!().strip_suffix("contract/misuse/callers.rs");
    source.is_some() && file.strip_suffix("threads/global.rs") == source
}

fn write_frame(number: usize, symbol: &backtrace::Symbol) {
    let mut line = Line::new();
    // A name that is longer than the line is cut.
    let _ = write!(line, "{number:8}: ");
    let _ = match symbol.name() {
        // The alternate form omits the hash at the end of a name.
        Some(name) => write!(line, "{name:#}"),
        None => line.write_str("(no symbol)"),
    };
    if let (Some(file), Some(at)) = (symbol.filename(), symbol.lineno()) {
        let _ = write!(line, ", {}:{at}", file.display());
    }
    line.end();
    line.flush();
}

/// Shows each symbol from here up, inlined ones included, until `visit` returns `false`.
fn each_symbol(visit: &mut dyn FnMut(&backtrace::Symbol) -> bool) {
    backtrace::trace(|frame| {
        let mut goes_on = true;
        backtrace::resolve_frame(frame, |symbol| goes_on = goes_on && visit(symbol));
        goes_on
    });
}
