//! Reports of misuse: every wrong free and every damaged word ends here.

use core::fmt::{self, Write};
use core::panic::Location;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, Ordering};

#[cfg(all(feature = "stacks", unix))]
mod callers;
#[cfg(test)]
mod tests;

/// The kind of misuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Misuse {
    /// A block that is already free was freed.
    DoubleFree,
    /// An address that the allocator never returned was freed.
    ForeignFree,
    /// An address inside a block was freed.
    InteriorFree,
    /// A block was freed or resized with a size or alignment that is not its own.
    WrongSize,
    /// Memory that belongs to the allocator has been overwritten.
    Damaged,
    /// Bytes past the end of a block were overwritten.
    Overrun,
    /// Bytes before the start of a block were overwritten.
    Underrun,
    /// A block was written to after it was freed.
    WriteAfterFree,
    /// The global heap was reached by code that must not use it.
    GlobalAllocation,
}

impl Misuse {
    /// Returns the name and the remedy in words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::DoubleFree => "double free: the block is already free; free it once",
            Self::ForeignFree => {
                "foreign free: the address is not a block of this allocator; \
                 free it where it was allocated"
            }
            Self::InteriorFree => {
                "interior free: the address is inside a block; \
                 free the address that allocate returned"
            }
            Self::WrongSize => {
                "wrong size: the layout is not the block's; pass the layout it was allocated with"
            }
            Self::Damaged => {
                "damage: memory of the allocator was overwritten; look for a write past a block or \
                 after its free"
            }
            Self::Overrun => {
                "overrun: bytes past the block's end were overwritten; look for an index or a \
                 length that is too large"
            }
            Self::Underrun => {
                "underrun: bytes before the block were overwritten; look for an index below zero, or \
                 for a write past the block before it"
            }
            Self::WriteAfterFree => {
                "write after free: the block was written to after it was freed; look for a pointer \
                 that outlives it"
            }
            Self::GlobalAllocation => {
                "global allocation: armed code reached the global heap; give it an allocator, or \
                 exempt it"
            }
        }
    }
}

/// A report of misuse: the kind, the address, the allocator, and the caller if known.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Misuse, Report};
///
/// let report = Report::new(Misuse::DoubleFree, "sound", core::ptr::null()).with_bytes(16);
/// assert!(report.to_string().starts_with("allocator `sound`: double free"));
/// assert!(report.to_string().ends_with("; 16 bytes"));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Report<'a> {
    /// The kind of misuse.
    pub misuse: Misuse,
    /// The allocator's name.
    pub allocator: &'a str,
    /// The address that was passed in or found damaged; null if there is none.
    pub address: *const u8,
    /// The size that was passed in, or the block's own, if known.
    pub bytes: Option<usize>,
    /// The caller.
    pub site: Option<&'static Location<'static>>,
    /// Further details, in words.
    pub detail: Option<fmt::Arguments<'a>>,
}

impl<'a> Report<'a> {
    /// Creates a report with only these details.
    #[must_use]
    pub const fn new(misuse: Misuse, allocator: &'a str, address: *const u8) -> Self {
        Self { misuse, allocator, address, bytes: None, site: None, detail: None }
    }

    /// Adds the size that was passed in, or the block's own.
    #[must_use]
    pub const fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Adds the caller.
    #[must_use]
    pub const fn with_site(mut self, site: &'static Location<'static>) -> Self {
        self.site = Some(site);
        self
    }

    /// Adds further details, in words.
    #[must_use]
    pub const fn with_detail(mut self, detail: fmt::Arguments<'a>) -> Self {
        self.detail = Some(detail);
        self
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "allocator `{}`: {}", self.allocator, self.misuse.describe())?;
        let mut before = "; ";
        if !self.address.is_null() {
            write!(f, "{before}address {:p}", self.address)?;
            before = ", ";
        }
        if let Some(bytes) = self.bytes {
            write!(f, "{before}{bytes} bytes")?;
            before = ", ";
        }
        if let Some(site) = self.site {
            write!(f, "{before}called from {site}")?;
        }
        if let Some(detail) = self.detail {
            write!(f, "; {detail}")?;
        }
        Ok(())
    }
}

/// The installed handler, or null. A function pointer is stored as a data pointer, which every
/// target of this crate allows.
static HANDLER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Installs a handler that [`misuse()`] calls instead of aborting; `None` restores the abort.
///
/// For tests: a handler that panics lets a test see the report. It must not return, and it must not
/// allocate from the allocator that reports.
pub fn set_misuse_handler(handler: Option<fn(&Report<'_>) -> !>) {
    let pointer = handler.map_or(core::ptr::null_mut(), |f| f as *mut ());
    // Release pairs with the Acquire in `misuse`: all that the handler reads was written before.
    HANDLER.store(pointer, Ordering::Release);
}

/// Reports a misuse and does not return.
///
/// Writes the report to file descriptor 2 from a buffer on the stack, without allocating, and
/// aborts. With the feature `stacks`, what the global allocator has found is followed by the
/// functions of the program that called it; their names are looked up with memory from the system. Without std and without Unix it panics with the report. A handler installed by
/// [`set_misuse_handler`] is called instead of either.
///
/// # Panics
///
/// Where neither std nor Unix provides an abort.
#[cold]
#[inline(never)]
pub fn misuse(report: &Report<'_>) -> ! {
    let handler = HANDLER.load(Ordering::Acquire);
    if !handler.is_null() {
        // SAFETY: the only non-null values stored are `fn(&Report<'_>) -> !` pointers.
        let handler = unsafe { core::mem::transmute::<*mut (), fn(&Report<'_>) -> !>(handler) };
        handler(report);
    }
    write_stderr(format_args!("loligo: {report}\n"));
    #[cfg(all(feature = "stacks", unix))]
    callers::write(report);
    die(report)
}

/// Reports a wrong free or resize.
#[cold]
#[inline(never)]
pub(crate) fn wrong_free(
    what: Misuse,
    allocator: &str,
    block: NonNull<u8>,
    bytes: Option<usize>,
    site: &'static Location<'static>,
) -> ! {
    let report = Report::new(what, allocator, block.as_ptr()).with_site(site);
    misuse(&Report { bytes, ..report })
}

/// Writes a line to standard error without allocating; does nothing where there is none.
pub(crate) fn write_stderr(message: fmt::Arguments<'_>) {
    let mut line = Line::new();
    // A line longer than the buffer is cut, which is better than no report.
    let _ = line.write_fmt(message);
    line.flush();
}

/// A line on the stack; text that does not fit is cut.
struct Line {
    bytes: [u8; 1024],
    used: usize,
}

impl Line {
    const fn new() -> Self {
        Self { bytes: [0; 1024], used: 0 }
    }

    /// Ends the line, in place of its last byte where it is full.
    #[cfg(all(feature = "stacks", unix))]
    fn end(&mut self) {
        let at = self.used.min(self.bytes.len() - 1);
        self.bytes[at] = b'\n';
        self.used = at + 1;
    }

    #[cfg(unix)]
    fn flush(&self) {
        let mut from = 0;
        while from < self.used {
            let rest = &self.bytes[from..self.used];
            // SAFETY: the pointer and length are those of a live slice.
            let written = unsafe { libc::write(2, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(written) {
                Ok(count) if count > 0 => from += count,
                _ => return,
            }
        }
    }

    #[cfg(all(not(unix), feature = "std"))]
    fn flush(&self) {
        use std::io::Write;
        let _ = std::io::stderr().write_all(&self.bytes[..self.used]);
    }

    #[cfg(all(not(unix), not(feature = "std")))]
    fn flush(&self) {
        let _ = (&self.bytes, self.used);
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - self.used;
        let taken = text.len().min(room);
        self.bytes[self.used..self.used + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.used += taken;
        if taken == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(unix)]
fn die(_report: &Report<'_>) -> ! {
    // SAFETY: abort takes nothing and does not return.
    unsafe { libc::abort() }
}

#[cfg(all(not(unix), feature = "std"))]
fn die(_report: &Report<'_>) -> ! {
    std::process::abort()
}

#[cfg(all(not(unix), not(feature = "std")))]
fn die(report: &Report<'_>) -> ! {
    panic!("{report}")
}
