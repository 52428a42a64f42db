//! Sinks for log lines: standard error, and whatever can be written to.

use core::sync::atomic::{AtomicU64, Ordering};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use crate::log::{LogLine, LogSink};

/// Writes lines to standard error, each after its level.
#[derive(Clone, Copy, Debug, Default)]
pub struct StderrSink;

impl LogSink for StderrSink {
    fn line(&self, line: &LogLine<'_>) {
        // Without a standard error there is no place to report the failure.
        let _ = writeln!(io::stderr().lock(), "{}: {}", line.level, line.text);
    }
}

/// Writes lines to a file or anything else that takes bytes, each after its level.
///
/// # Memory
///
/// What the writer takes; a [`BufWriter`](std::io::BufWriter) keeps lines from a crash, so pass the
/// file itself.
///
/// # Examples
///
/// See [`Log`](crate::Log).
#[derive(Debug)]
pub struct WriteSink<W> {
    writer: Mutex<W>,
    failures: AtomicU64,
}

impl<W: Write + Send> WriteSink<W> {
    /// Returns a sink for this writer.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { writer: Mutex::new(writer), failures: AtomicU64::new(0) }
    }

    /// Returns how many lines could not be written.
    #[must_use]
    pub fn failures(&self) -> u64 {
        // Relaxed: it counts and orders nothing.
        self.failures.load(Ordering::Relaxed)
    }

    /// Returns the writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + Send> LogSink for WriteSink<W> {
    fn line(&self, line: &LogLine<'_>) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writeln!(writer, "{}: {}", line.level, line.text).is_err() {
            // Relaxed: as above.
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }
}
