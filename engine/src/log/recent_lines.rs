//! The last lines of the log, for tools.

use core::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError, Ring};
use loligo_diagnostics::{Level, LogLine, LogSink};

use crate::memory::SharedAllocator;

/// How many lines are kept, and how many bytes of text in all.
const LINES: usize = 512;
const TEXT_BYTES: usize = 64 << 10;

/// The bytes of one line that are kept.
const LINE_BYTES_MAX: usize = 4 << 10;

/// Passes lines on to another sink and keeps the last ones.
///
/// # Memory
///
/// 76 KiB when it is made, nothing afterwards. Without an allocator it keeps nothing.
pub(crate) struct RecentLines<'e, 'm> {
    to: &'e dyn LogSink,
    kept: Option<Mutex<Kept<'m>>>,
    since: Instant,
}

/// A line that was kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecentLine<'l> {
    /// How many lines were logged before it.
    pub(crate) number: u64,
    pub(crate) level: Level,
    /// When it was logged, in milliseconds since the engine booted.
    pub(crate) ms: u64,
    pub(crate) text: &'l str,
    /// Whether it was longer.
    pub(crate) is_cut: bool,
}

struct Kept<'m> {
    rows: Ring<'m, Row, SharedAllocator<'m>>,
    /// The texts of all rows, one after another.
    text: Array<'m, u8, SharedAllocator<'m>>,
    /// How many lines were logged.
    count: u64,
}

#[derive(Clone, Copy)]
struct Row {
    level: Level,
    ms: u64,
    bytes: usize,
    is_cut: bool,
}

impl<'e, 'm> RecentLines<'e, 'm> {
    /// Makes a sink that passes lines on to `to`, and keeps them where there is memory for that.
    pub(crate) fn try_new(
        to: &'e dyn LogSink,
        memory: Option<SharedRef<'m>>,
    ) -> Result<Self, GrowError> {
        let kept = |memory| {
            let rows = Ring::try_with_capacity_in(LINES, memory)?;
            let text = Array::try_with_capacity_in(TEXT_BYTES, memory)?;
            Ok::<_, GrowError>(Mutex::new(Kept { rows, text, count: 0 }))
        };
        Ok(Self { to, kept: memory.map(kept).transpose()?, since: Instant::now() })
    }

    /// Returns how many lines were logged.
    pub(crate) fn count(&self) -> u64 {
        self.kept().map_or(0, |kept| kept.count)
    }

    /// Calls `each` with the lines from a number on that are still kept.
    pub(crate) fn visit(
        &self,
        from: u64,
        each: &mut dyn FnMut(RecentLine<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let Some(kept) = self.kept() else { return Ok(()) };
        let first = kept.count - kept.rows.len() as u64;
        let mut begin = 0;
        for (number, row) in (first..).zip(kept.rows.iter()) {
            let bytes = &kept.text[begin..][..row.bytes];
            begin += row.bytes;
            if number >= from {
                // Whole characters were kept.
                let text = core::str::from_utf8(bytes).unwrap_or_default();
                let Row { level, ms, is_cut, .. } = *row;
                each(RecentLine { number, level, ms, text, is_cut })?;
            }
        }
        Ok(())
    }

    fn kept(&self) -> Option<MutexGuard<'_, Kept<'m>>> {
        // Rows and text are changed together, by calls that do not panic.
        Some(self.kept.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl LogSink for RecentLines<'_, '_> {
    fn line(&self, line: &LogLine<'_>) {
        let ms = self.since.elapsed().as_millis() as u64;
        if let Some(mut kept) = self.kept() {
            kept.keep(line, ms);
        }
        self.to.line(line);
    }
}

impl Kept<'_> {
    fn keep(&mut self, line: &LogLine<'_>, ms: u64) {
        let bytes = line.text.floor_char_boundary(LINE_BYTES_MAX);
        if self.rows.len() == LINES || self.text.len() + bytes > TEXT_BYTES {
            self.drop_half();
        }
        let row = Row { level: line.level, ms, bytes, is_cut: bytes < line.text.len() };
        // There is room, which was reserved.
        self.text.extend_from_slice(&line.text.as_bytes()[..bytes]);
        self.rows.push_over(row);
        self.count += 1;
    }

    /// Drops the older half of the text, and of the lines.
    fn drop_half(&mut self) {
        let mut dropped = 0;
        let rows = self.rows.len() / 2;
        while self.rows.len() > rows || self.text.len() - dropped > TEXT_BYTES / 2 {
            let Some(row) = self.rows.pop_front() else { break };
            dropped += row.bytes;
        }
        let len = self.text.len();
        self.text.as_mut_slice().copy_within(dropped..len, 0);
        self.text.truncate(len - dropped);
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::{String, ToString as _};
    use std::vec::Vec;

    use loligo_allocators::{Allocator as _, HeapAllocator, Locked, PageAllocator};
    use loligo_diagnostics::Log;

    use super::*;

    /// Goes nowhere.
    struct Nowhere;

    impl LogSink for Nowhere {
        fn line(&self, _: &LogLine<'_>) {}
    }

    fn all(lines: &RecentLines<'_, '_>, from: u64) -> Vec<(u64, String, bool)> {
        let mut all = Vec::new();
        let each = &mut |line: RecentLine<'_>| {
            all.push((line.number, line.text.to_string(), line.is_cut));
            Ok(())
        };
        lines.visit(from, each).expect("nothing fails");
        all
    }

    #[test]
    fn the_last_lines_are_kept_and_numbered() {
        let pages = PageAllocator::new("pages");
        let heap = Locked::new(HeapAllocator::new_in("heap", &pages));
        {
            let lines = RecentLines::try_new(&Nowhere, Some(&heap)).expect("there is memory");
            let log = Log::try_new(&heap).expect("there is memory");
            log.try_add_sink(Level::Info, &lines).expect("there is memory");
            let before = heap.stats().allocations_total;
            for number in 0..2000 {
                log.write(Level::Info, format_args!("line {number}"));
            }
            assert_eq!(lines.count(), 2000, "all are counted");
            let found = all(&lines, 0);
            assert!((LINES / 2..=LINES).contains(&found.len()), "{} lines", found.len());
            assert_eq!(found.last(), Some(&(1999, "line 1999".to_string(), false)), "the last one");
            for (number, text, _) in &found {
                assert_eq!(*text, format!("line {number}"), "of its number");
            }
            assert_eq!(all(&lines, 1998).len(), 2, "from a number on");
            log.write(Level::Info, format_args!("{}", "ä".repeat(LINE_BYTES_MAX)));
            let found = all(&lines, 2000);
            assert_eq!((found[0].1.len(), found[0].2), (LINE_BYTES_MAX, true), "it is cut");
            (0..40).for_each(|_| log.write(Level::Info, format_args!("{}", "x".repeat(4000))));
            assert!(all(&lines, 0).len() < 20, "as many as there is room for");
            // The log itself needs room for its longest line.
            assert!(heap.stats().allocations_total <= before + 2, "lines take no memory");
        }
        assert_eq!(heap.stats().live, 0, "nothing is left");
    }
}
