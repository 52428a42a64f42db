//! Names in lines of the log, for people: the program itself has hashes alone.

use std::path::Path;

use loligo_allocators::{Allocator, SharedRef};
use loligo_containers::{Array, text};
use loligo_diagnostics::{LogLine, LogSink};
use loligo_resources::Names;

/// Passes lines on, with names added after the hashes in them.
///
/// The table of names is read for each line that has a hash: such lines are rare, and say that
/// something is wrong.
pub(crate) struct NamingSink<'e, 'm> {
    to: &'e dyn LogSink,
    data: &'e Path,
    memory: SharedRef<'m>,
}

impl<'e, 'm> NamingSink<'e, 'm> {
    pub(crate) const fn new(to: &'e dyn LogSink, data: &'e Path, memory: SharedRef<'m>) -> Self {
        Self { to, data, memory }
    }
}

impl LogSink for NamingSink<'_, '_> {
    fn line(&self, line: &LogLine<'_>) {
        if !line.text.contains('#') {
            return self.to.line(line);
        }
        let names = Names::read_in(self.data, self.memory);
        let mut named: Array<'_, u8, dyn Allocator + Sync> = Array::new_in(self.memory);
        let written = text::try_format(&mut named, format_args!("{}", names.show(&line.text)));
        // Without memory for the names the line goes as it is.
        let text = text::view(&named).ok().filter(|_| written.is_ok());
        self.to.line(&line.with_text(text.unwrap_or(line.text)));
    }
}
