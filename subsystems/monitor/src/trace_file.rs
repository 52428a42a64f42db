//! A trace on its way to a writer: what was announced already, what was left out, and the first
//! error.

use core::fmt;
use std::io::{self, Write};

use loligo_allocators::Allocator;
use loligo_containers::GrowError;

use crate::error::ExportError;
use crate::event::Event;
use crate::known::{Known, Told};

/// What the writers of all formats have in common.
pub(crate) struct TraceFile<'a, W: Write, A: Allocator + ?Sized> {
    pub(crate) writer: W,
    known: Known<'a, A>,
    /// The first error, after which nothing is written.
    error: Option<io::Error>,
    left_out: u64,
    /// Whether something was written.
    begun: bool,
}

impl<'a, W: Write, A: Allocator + ?Sized> TraceFile<'a, W, A> {
    pub(crate) fn try_new_in(writer: W, limit: u32, memory: &'a A) -> Result<Self, GrowError> {
        let known = Known::try_new_in(limit, memory)?;
        Ok(Self { writer, known, error: None, left_out: 0, begun: false })
    }

    /// Writes what ends the trace and gives the writer back.
    pub(crate) fn finish(mut self, end: &[u8]) -> Result<W, ExportError> {
        let ended = self.writer.write_all(end).and_then(|()| self.writer.flush());
        if let Some(error) = self.error.or(ended.err()) {
            return Err(ExportError::Write(error));
        }
        if self.left_out > 0 {
            return Err(ExportError::Names { limit: self.known.limit, events: self.left_out });
        }
        Ok(self.writer)
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Notes that something is written; `true` where that is the first.
    pub(crate) fn begin(&mut self) -> bool {
        !core::mem::replace(&mut self.begun, true)
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    pub(crate) fn keep(&mut self, written: io::Result<()>) {
        self.error = self.error.take().or(written.err());
    }

    /// Returns the number of an event's thread; counts the event as left out where there is no room
    /// for another.
    pub(crate) fn thread(&mut self, event: &Event<'_>) -> Option<Told> {
        let told = self.known.thread(event);
        self.noted(told)
    }

    /// The same for a part of a counter.
    pub(crate) fn counter(&mut self, name: &str, part: u32) -> Option<Told> {
        let told = self.known.counter(name, part);
        self.noted(told)
    }

    /// The same for a heap, with its live bytes after `bytes` more.
    pub(crate) fn heap(&mut self, name: &str, bytes: i64) -> Option<(Told, i64)> {
        let told = self.known.heap(name, bytes);
        self.noted(told)
    }

    fn noted<T>(&mut self, told: Option<T>) -> Option<T> {
        self.left_out += u64::from(told.is_none());
        told
    }

    /// Writes the fields that a trace shows of itself.
    pub(crate) fn debug(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("error", &self.error)
            .field("left_out", &self.left_out)
            .finish_non_exhaustive()
    }
}
