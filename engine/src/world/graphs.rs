//! What a game asks of the graphs of the monitor.

use core::fmt::{self, Write as _};

use loligo_containers::{Array, GrowError};

use super::World;
use crate::error::EngineError;
use crate::memory::SharedAllocator;

impl<'m> World<'m> {
    /// Does what a line of text says to the graphs, after this update: `graph make NAME`,
    /// `graph add NAME VALUE`, and the others of [`Graphs`](loligo_monitor::Graphs). A line that is
    /// wrong is logged. Without the monitor there are no graphs, and nothing happens.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory.
    pub fn graph(&mut self, line: &str) -> Result<(), EngineError> {
        self.graph_line(format_args!("{line}"))
    }

    pub(crate) fn graph_line(&mut self, line: fmt::Arguments<'_>) -> Result<(), EngineError> {
        let before = self.graph_lines.len();
        let mut appended = Appended { lines: &mut self.graph_lines, done: Ok(()) };
        // The error is in `done`.
        let _ = appended.write_fmt(line).and_then(|()| appended.write_str("\n"));
        let done = appended.done;
        if done.is_err() {
            self.graph_lines.truncate(before);
        }
        Ok(done?)
    }

    /// Returns the lines of this update; they come back by
    /// [`give_back_graph_lines`](Self::give_back_graph_lines).
    pub(crate) fn take_graph_lines(&mut self) -> Array<'m, u8, SharedAllocator<'m>> {
        let empty = Array::new_in(self.graph_lines.memory());
        core::mem::replace(&mut self.graph_lines, empty)
    }

    /// Takes back the memory of lines that were read.
    pub(crate) fn give_back_graph_lines(&mut self, mut lines: Array<'m, u8, SharedAllocator<'m>>) {
        lines.clear();
        self.graph_lines = lines;
    }
}

/// Appends texts to lines.
struct Appended<'l, 'm> {
    lines: &'l mut Array<'m, u8, SharedAllocator<'m>>,
    done: Result<(), GrowError>,
}

impl fmt::Write for Appended<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.done = self.lines.try_extend_from_slice(text.as_bytes());
        self.done.map_err(|_| fmt::Error)
    }
}
