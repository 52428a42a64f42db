//! Log lines, and the sinks that they are passed on to.

mod recent;
#[cfg(test)]
mod tests;

use core::cell::Cell;
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

pub(crate) use recent::write_recent;

/// How long a line may be without more memory, in bytes.
const LINE_BYTES: usize = 512;

/// How much a line matters, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For hunting a fault.
    Debug,
    /// What a person may want to know.
    Info,
    /// Something is wrong, probably, and the program goes on.
    Warning,
    /// Something failed, and the program goes on.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A line, as a sink gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine<'l> {
    /// How much it matters.
    pub level: Level,
    /// The whole text, without a newline at its end; there may be some within.
    pub text: &'l str,
    /// How many lines the log had before.
    pub number: u64,
}

impl LogLine<'_> {
    /// Returns the line with another text, for sinks that pass lines on.
    #[must_use]
    pub const fn with_text<'t>(&self, text: &'t str) -> LogLine<'t> {
        LogLine { level: self.level, text, number: self.number }
    }
}

/// Where log lines go: a file, a console, a tool.
pub trait LogSink: Sync {
    /// Takes a line. The log is locked meanwhile: lines arrive in order, one at a time, from any
    /// thread.
    ///
    /// What a sink itself writes to a log is counted ([`Log::unheard`]) and goes nowhere.
    fn line(&self, line: &LogLine<'_>);
}

/// A sink that was registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SinkId(u32);

struct Entry<'a> {
    id: SinkId,
    least: Level,
    sink: &'a dyn LogSink,
}

/// Takes lines and passes them on to the sinks that were registered with it.
///
/// Programs pass it to what logs; there may be several. The last 32 lines of all logs together are
/// kept for the report of an error, 240 bytes of each, in static memory.
///
/// # Complexity
///
/// A line is formatted once, under a lock, and passed to n sinks.
///
/// # Memory
///
/// From the allocator passed in: 24 bytes a sink, and room for the longest line so far, 512 bytes
/// at least.
///
/// # Threads
///
/// `Sync` where the allocator is.
///
/// # Examples
///
/// ```
/// use loligo_allocators::PageAllocator;
/// use loligo_diagnostics::{Level, Log, StderrSink, WriteSink, log};
///
/// let pages = PageAllocator::new("log");
/// let file = WriteSink::new(Vec::new()); // or a file
/// let log = Log::try_new(&pages)?;
/// log.try_add_sink(Level::Warning, &StderrSink)?;
/// log.try_add_sink(Level::Debug, &file)?;
/// log!(log, Info, "{} units spawned", 12);
/// drop(log);
/// assert_eq!(file.into_inner(), b"info: 12 units spawned\n");
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
pub struct Log<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    inner: Mutex<Inner<'a, A>>,
    unheard: AtomicU64,
}

struct Inner<'a, A: Allocator + ?Sized> {
    sinks: Array<'a, Entry<'a>, A>,
    /// The line that is being written; its capacity is what matters.
    text: Array<'a, u8, A>,
    added: u32,
    lines: u64,
    cut: u64,
}

std::thread_local! {
    /// Whether this thread holds a log's lock.
    static IS_LOGGING: Cell<bool> = const { Cell::new(false) };
}

impl<'a> Log<'a> {
    /// Returns a log without sinks.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for a line.
    pub fn try_new(memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Log<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(memory: &'a A) -> Result<Self, GrowError> {
        let inner = Inner {
            sinks: Array::new_in(memory),
            text: Array::try_with_capacity_in(LINE_BYTES, memory)?,
            added: 0,
            lines: 0,
            cut: 0,
        };
        Ok(Self { inner: Mutex::new(inner), unheard: AtomicU64::new(0) })
    }

    /// Has lines of a level and above passed on to `sink`, from now on.
    ///
    /// # Complexity
    ///
    /// O(1) amortised.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for it; it is not registered then.
    ///
    /// # Panics
    ///
    /// If a sink, or the `Display` of what is logged, calls it.
    pub fn try_add_sink(&self, least: Level, sink: &'a dyn LogSink) -> Result<SinkId, GrowError> {
        let mut inner = self.locked();
        let id = SinkId(inner.added);
        inner.sinks.try_push(Entry { id, least, sink })?;
        inner.added += 1;
        Ok(id)
    }

    /// Has no more lines passed on to a sink; returns whether it was registered.
    ///
    /// # Complexity
    ///
    /// O(n) for n sinks.
    ///
    /// # Panics
    ///
    /// If a sink, or the `Display` of what is logged, calls it.
    pub fn remove_sink(&self, id: SinkId) -> bool {
        let mut inner = self.locked();
        let index = inner.sinks.iter().position(|entry| entry.id == id);
        index.map(|index| inner.sinks.remove(index)).is_some()
    }

    /// Writes a line. [`log!`](crate::log) is shorter.
    ///
    /// A line for which there is no memory is cut, which [`cut`](Self::cut) counts.
    pub fn write(&self, level: Level, text: fmt::Arguments<'_>) {
        // Without memory the line is cut, and counted.
        let _ = self.write_or(level, text, true);
    }

    /// Writes a line, or nothing.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the whole line; no sink has got anything of it then.
    pub fn try_write(&self, level: Level, text: fmt::Arguments<'_>) -> Result<(), GrowError> {
        self.write_or(level, text, false)
    }

    /// Returns how many lines were written.
    ///
    /// # Panics
    ///
    /// If a sink, or the `Display` of what is logged, calls it. So do the others that ask.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.locked().lines
    }

    /// Returns how many lines were cut for lack of memory.
    ///
    /// # Panics
    ///
    /// As [`lines`](Self::lines).
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.locked().cut
    }

    /// Returns how many sinks are registered.
    ///
    /// # Panics
    ///
    /// As [`lines`](Self::lines).
    #[must_use]
    pub fn sinks(&self) -> usize {
        self.locked().sinks.len()
    }

    /// Returns how many lines went nowhere, as a sink or the `Display` of what is logged wrote
    /// them.
    #[must_use]
    pub fn unheard(&self) -> u64 {
        // Relaxed: it counts and orders nothing.
        self.unheard.load(Ordering::Relaxed)
    }

    fn write_or(
        &self,
        level: Level,
        text: fmt::Arguments<'_>,
        may_cut: bool,
    ) -> Result<(), GrowError> {
        if IS_LOGGING.get() {
            self.unheard.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let mut inner = self.locked();
        let _busy = Busy::new();
        inner.text.clear();
        let mut line = Line { text: &mut inner.text, refused: None };
        // A `Display` that fails by itself leaves what it wrote.
        let _ = line.write_fmt(text);
        if let Some(refused) = line.refused {
            if !may_cut {
                return Err(refused);
            }
            inner.cut += 1;
        }
        let text = core::str::from_utf8(&inner.text).unwrap_or_default();
        let line = LogLine { level, text, number: inner.lines };
        recent::keep(&line);
        for entry in inner.sinks.iter().filter(|entry| entry.least <= level) {
            entry.sink.line(&line);
        }
        inner.lines += 1;
        Ok(())
    }

    fn locked(&self) -> MutexGuard<'_, Inner<'a, A>> {
        assert!(
            !IS_LOGGING.get(),
            "a sink called the log that it gets its lines from, which is locked; do it elsewhere"
        );
        // A sink that panicked has changed nothing here: the text is cleared before it is used
        // again.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Log<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("unheard", &self.unheard()).finish_non_exhaustive()
    }
}

/// Marks the thread as one that holds the lock, also while a sink's panic unwinds.
struct Busy;

impl Busy {
    fn new() -> Self {
        IS_LOGGING.set(true);
        Self
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        IS_LOGGING.set(false);
    }
}

/// A line that grows as it is formatted.
struct Line<'l, 'a, A: Allocator + ?Sized> {
    text: &'l mut Array<'a, u8, A>,
    refused: Option<GrowError>,
}

impl<A: Allocator + ?Sized> Write for Line<'_, '_, A> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.refused.is_some() {
            return Err(fmt::Error);
        }
        let Err(refused) = self.text.try_extend_from_slice(part.as_bytes()) else {
            return Ok(());
        };
        self.refused = Some(refused);
        let room = self.text.capacity() - self.text.len();
        let fits = &part.as_bytes()[..part.floor_char_boundary(room)];
        // There is room for as much.
        let _ = self.text.try_extend_from_slice(fits);
        Err(fmt::Error)
    }
}

/// Writes a line to a [`Log`]: `log!(LOG, LEVEL, "message", ..)`, the level by its bare name.
///
/// # Examples
///
/// ```
/// use loligo_allocators::PageAllocator;
/// use loligo_diagnostics::{Log, log};
///
/// let pages = PageAllocator::new("log");
/// let log = Log::try_new(&pages).unwrap();
/// log!(log, Info, "{} units", 12);
/// assert_eq!(log.lines(), 1);
/// ```
#[macro_export]
macro_rules! log {
    ($log:expr, $level:ident, $($message:tt)+) => {
        $log.write($crate::Level::$level, format_args!($($message)+))
    };
}
