//! The log of a game that runs: to standard error, and counted.

use core::sync::atomic::{AtomicU64, Ordering};

use loligo_diagnostics::{Level, LogLine, LogSink, StderrSink};

/// Passes lines on to standard error and counts warnings and errors.
#[derive(Debug, Default)]
pub(super) struct RunLog {
    warnings: AtomicU64,
    errors: AtomicU64,
}

impl RunLog {
    /// Returns how many warnings and errors there were.
    pub(super) fn counts(&self) -> [u64; 2] {
        // Relaxed: they count and order nothing.
        [&self.warnings, &self.errors].map(|count| count.load(Ordering::Relaxed))
    }
}

impl LogSink for RunLog {
    fn line(&self, line: &LogLine<'_>) {
        let count = match line.level {
            Level::Warning => Some(&self.warnings),
            Level::Error => Some(&self.errors),
            _ => None,
        };
        if let Some(count) = count {
            // Relaxed: as above.
            count.fetch_add(1, Ordering::Relaxed);
        }
        StderrSink.line(line);
    }
}
