//! The last lines of all logs, for the report of an error.

use core::fmt::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Level, LogLine};
use crate::fixed_text::FixedText;

/// How many lines are kept.
pub(super) const LINES: usize = 32;

/// How much of each, in bytes.
pub(super) const BYTES: usize = 240;

#[derive(Clone, Copy)]
struct Kept {
    level: Level,
    text: FixedText<BYTES>,
}

/// A ring: line `n` is at `n % LINES`.
struct Recent {
    lines: [Kept; LINES],
    count: u64,
}

static RECENT: Mutex<Recent> = Mutex::new(Recent {
    lines: [Kept { level: Level::Debug, text: FixedText::new() }; LINES],
    count: 0,
});

/// No code of other crates runs while it is held, so no panic can wait for itself.
fn recent() -> MutexGuard<'static, Recent> {
    RECENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a line, in place of the oldest.
pub(super) fn keep(line: &LogLine<'_>) {
    let mut recent = recent();
    let index = (recent.count % LINES as u64) as usize;
    recent.count += 1;
    let kept = &mut recent.lines[index];
    kept.level = line.level;
    kept.text.clear();
    // A long line is cut, which the report shows.
    let _ = kept.text.write_str(line.text);
}

/// Writes the part of a report about logs: the last lines, oldest first.
pub(crate) fn write_recent(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let count = recent().count;
    if count == 0 {
        return Ok(());
    }
    f.write_str("Last log lines, oldest first:\n")?;
    for number in count.saturating_sub(LINES as u64)..count {
        // Copied out, as `f` may be anybody's.
        let kept = recent().lines[(number % LINES as u64) as usize];
        write!(f, "    {}: ", kept.level)?;
        for (index, line) in kept.text.as_str().lines().enumerate() {
            let before = if index == 0 { "" } else { "\n        " };
            write!(f, "{before}{line}")?;
        }
        f.write_str(if kept.text.is_cut() { ".. (cut)\n" } else { "\n" })?;
    }
    Ok(())
}
