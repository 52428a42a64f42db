//! The destination of a recording.

use core::error::Error;
use core::fmt;

/// Receives the bytes of a recording, in order.
///
/// A sink gets about a hundred records a call, during a request to the recorded allocator and
/// before that has changed anything; it must not use that allocator. It is reached through a shared
/// reference and is `Sync`, so that it outlives a move of the allocator to another thread.
pub trait TraceSink: Sync {
    /// Receives the next bytes, all of them.
    ///
    /// # Errors
    ///
    /// [`SinkError`] ends the recording. The recorded program continues.
    fn write(&self, bytes: &[u8]) -> Result<(), SinkError>;

    /// Returns the time of the next event, in nanoseconds since the recording began. It is called
    /// once for each event, before anything has changed.
    ///
    /// Without a clock it returns 0, and the recording has no times.
    fn now_ns(&self) -> u64 {
        0
    }

    /// Ends the recording: no more bytes follow.
    ///
    /// # Errors
    ///
    /// [`SinkError`] if bytes that were accepted before are lost.
    fn finish(&self) -> Result<(), SinkError> {
        Ok(())
    }
}

/// Why a recording ended before it was finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinkError {
    what: &'static str,
    #[cfg(feature = "std")]
    cause: Option<Cause>,
}

/// The system's error: its number if it has one, else the kind.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cause {
    kind: std::io::ErrorKind,
    code: Option<i32>,
}

impl SinkError {
    /// Creates an error with a description.
    #[must_use]
    pub const fn new(what: &'static str) -> Self {
        Self {
            what,
            #[cfg(feature = "std")]
            cause: None,
        }
    }

    /// Returns the kind of the system's error that caused this one, if any.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn kind(&self) -> Option<std::io::ErrorKind> {
        self.cause.map(|cause| cause.kind)
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the recording ended early: {}", self.what)?;
        #[cfg(feature = "std")]
        match self.cause {
            Some(Cause { code: Some(code), .. }) => {
                write!(f, ": {}", std::io::Error::from_raw_os_error(code))?;
            }
            Some(Cause { kind, code: None }) => write!(f, ": {kind}")?,
            None => {}
        }
        Ok(())
    }
}

impl Error for SinkError {}

#[cfg(feature = "std")]
pub use write_sink::WriteSink;

#[cfg(feature = "std")]
mod write_sink {
    use core::fmt;
    use std::io::{Error, Write};
    use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
    use std::time::Instant;

    use super::{Cause, SinkError, TraceSink};

    /// A sink that writes to any [`Write`](std::io::Write), such as a file. Its clock is the
    /// system's monotonic one.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use loligo_allocators::{Allocator, PageAllocator, TraceAllocator, WriteSink};
    ///
    /// // `WriteSink::new(std::fs::File::create("run.altrace")?)` for a file.
    /// let sink = WriteSink::new(Vec::new());
    /// let pages = PageAllocator::new("pages");
    /// let trace = TraceAllocator::new("trace", &pages, &pages);
    /// trace.start_recording(&sink)?;
    /// let block = trace.allocate(Layout::new::<[u64; 8]>())?;
    /// // SAFETY: the block is live and is not used again.
    /// unsafe { trace.deallocate(block.cast()) };
    /// trace.finish_recording()?;
    /// drop(trace);
    /// let bytes = sink.into_inner();
    /// assert!(bytes.starts_with(b"ALTRACE2"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct WriteSink<W> {
        out: Mutex<W>,
        began: OnceLock<Instant>,
    }

    impl<W: Write + Send> WriteSink<W> {
        /// Creates a sink that writes to `out`.
        pub const fn new(out: W) -> Self {
            Self { out: Mutex::new(out), began: OnceLock::new() }
        }

        /// Returns the writer.
        #[must_use]
        pub fn into_inner(self) -> W {
            self.out.into_inner().unwrap_or_else(PoisonError::into_inner)
        }

        fn out(&self) -> MutexGuard<'_, W> {
            // A thread that panicked while writing has reported it; the bytes written so far are
            // there.
            self.out.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl<W> fmt::Debug for WriteSink<W> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("WriteSink").finish_non_exhaustive()
        }
    }

    impl<W: Write + Send> TraceSink for WriteSink<W> {
        fn write(&self, bytes: &[u8]) -> Result<(), SinkError> {
            self.out().write_all(bytes).map_err(SinkError::from)
        }

        fn now_ns(&self) -> u64 {
            let began = self.began.get_or_init(Instant::now);
            // More than five hundred years fit.
            began.elapsed().as_nanos() as u64
        }

        fn finish(&self) -> Result<(), SinkError> {
            self.out().flush().map_err(SinkError::from)
        }
    }

    impl From<Error> for SinkError {
        fn from(error: Error) -> Self {
            let cause = Cause { kind: error.kind(), code: error.raw_os_error() };
            Self { what: "writing failed", cause: Some(cause) }
        }
    }
}
