//! The counters of each program that ran over the heap, appended to a file.
//!
//! If `LOLIGO_PRELOAD_COUNTERS` names a file, a program appends a line to it when it ends: the path
//! of the program, the number of its allocations and their bytes, separated by tabs. It proves that
//! the program ran over the heap. A program that is aborted or ends by `_exit` appends none.

use core::ffi::{CStr, c_char};
use core::fmt::{self, Write as _};

use loligo_allocators::Allocator as _;

use crate::heap::{self, HEAP};

const VARIABLE: &CStr = c"LOLIGO_PRELOAD_COUNTERS";

/// The longest path that Linux has, and two numbers.
const LINE_BYTES_MAX: usize = 4096 + 64;

// SAFETY: the loader calls each function of this section once, when the program ends.
#[unsafe(link_section = ".fini_array")]
#[used]
static AT_END: extern "C" fn() = append;

extern "C" fn append() {
    // SAFETY: the name ends with a zero, and at its end a program does not change its environment.
    let path = unsafe { libc::getenv(VARIABLE.as_ptr()) };
    if path.is_null() {
        return;
    }
    heap::settle();
    let stats = HEAP.stats();
    let mut line = Line { bytes: [0; LINE_BYTES_MAX], count: 0 };
    line.append_program();
    let counters = (stats.allocations_total, stats.requested_total);
    if writeln!(line, "\t{}\t{}", counters.0, counters.1).is_ok() {
        line.save(path);
    }
}

/// A line that needs no allocation.
struct Line {
    bytes: [u8; LINE_BYTES_MAX],
    count: usize,
}

impl Line {
    /// Appends the path of the running program, if the system names it.
    fn append_program(&mut self) {
        let link = c"/proc/self/exe".as_ptr();
        let place = self.bytes.as_mut_ptr().cast::<c_char>();
        // SAFETY: the path ends with a zero, and the line has that many bytes.
        let count = unsafe { libc::readlink(link, place, 4096) };
        self.count = usize::try_from(count).unwrap_or(0);
    }

    /// Appends the line to the file at `path`, which ends with a zero. An error is ignored: the
    /// line is missing then, which the reader notices.
    fn save(&self, path: *const c_char) {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
        // SAFETY: the path ends with a zero.
        let file = unsafe { libc::open(path, flags, 0o644) };
        if file < 0 {
            return;
        }
        // One call, so that lines of programs that end at the same time are not mixed.
        // SAFETY: the line has at least `count` bytes.
        let _ = unsafe { libc::write(file, self.bytes.as_ptr().cast(), self.count) };
        // SAFETY: the file was opened above and is not used again.
        let _ = unsafe { libc::close(file) };
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.count + text.len();
        self.bytes.get_mut(self.count..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.count = end;
        Ok(())
    }
}
