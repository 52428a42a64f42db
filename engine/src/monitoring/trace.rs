//! The trace of a run: what all threads did, in a file that is written while the game runs.

use core::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError};
use loligo_monitor::{Consumer, Event, ExportError, PerfettoTrace, What};

use crate::memory::SharedAllocator;

/// A file that the trace of a run goes to, in Perfetto's format: see
/// [`EngineOptions::trace`](crate::EngineOptions::trace).
///
/// A thread that does nothing else writes it a few times a second, in whole packets: a run that is
/// interrupted leaves a trace that viewers open. Frames never wait for it. Where it is too slow, the
/// oldest events are lost, and counted.
pub struct TraceFile {
    file: File,
    report: Mutex<TraceReport>,
}

impl TraceFile {
    /// Makes the trace of a file that was opened to be written.
    #[must_use]
    pub const fn new(file: File) -> Self {
        let report = TraceReport { events: 0, scopes: 0, lost: 0, error: None };
        Self { file, report: Mutex::new(report) }
    }

    /// Returns what became of it, after the run.
    #[must_use]
    pub fn into_report(self) -> TraceReport {
        self.report.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_report(&self, report: TraceReport) {
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = report;
    }
}

impl fmt::Debug for TraceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceFile").field("file", &self.file).finish_non_exhaustive()
    }
}

/// What became of the trace of a run.
#[derive(Debug, Default)]
pub struct TraceReport {
    /// Events that were written: beginnings and ends of scopes, values, frames.
    pub events: u64,
    /// Scopes among them.
    pub scopes: u64,
    /// Events that were lost, as they came faster than they could be written.
    pub lost: u64,
    /// Why not all of it was written, if that is so.
    pub error: Option<ExportError>,
}

/// The most threads, counters and heaps of a trace.
const TRACKS_MAX: u32 = 1024;

/// The bytes that are collected before they are written. An event has about 40.
const CHUNK_BYTES: usize = 64 << 10;

/// Events after which whole packets are written.
const CHUNK_EVENTS: u64 = 1024;

/// Writes the trace of a run: a consumer of the monitor.
pub(crate) struct TraceWriter<'o, 'm> {
    trace: PerfettoTrace<'m, Chunk<'o, 'm>, SharedAllocator<'m>>,
    out: &'o TraceFile,
    report: TraceReport,
}

impl<'o, 'm> TraceWriter<'o, 'm> {
    pub(crate) fn try_new_in(out: &'o TraceFile, memory: SharedRef<'m>) -> Result<Self, GrowError> {
        let bytes = Array::try_with_capacity_in(CHUNK_BYTES, memory)?;
        let chunk = Chunk { bytes, file: &out.file };
        let trace = PerfettoTrace::try_new_in(chunk, TRACKS_MAX, memory)?;
        Ok(Self { trace, out, report: TraceReport::default() })
    }

    /// Writes what was passed on since the last time, of which `lost` events were lost before.
    pub(super) fn end_drain(&mut self, lost: u64) {
        self.report.lost += lost;
        self.trace.flush();
    }

    /// Ends the trace, and reports what became of it.
    pub(super) fn finish(self) {
        let Self { trace, out, report } = self;
        out.set_report(TraceReport { error: trace.finish().err(), ..report });
    }
}

impl Consumer for TraceWriter<'_, '_> {
    fn event(&mut self, event: &Event<'_>) {
        self.trace.event(event);
        self.report.events += 1;
        self.report.scopes += u64::from(matches!(event.what, What::Enter { .. }));
        if self.report.events.is_multiple_of(CHUNK_EVENTS) {
            self.trace.flush();
        }
    }
}

/// Bytes on their way to a file, which gets them in one call. They are in the monitor's memory: the
/// global heap may be guarded.
struct Chunk<'o, 'm> {
    bytes: Array<'m, u8, SharedAllocator<'m>>,
    file: &'o File,
}

impl Write for Chunk<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let kept = self.bytes.try_extend_from_slice(bytes);
        kept.map(|()| bytes.len()).map_err(|_| io::ErrorKind::OutOfMemory.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.bytes);
        self.bytes.clear();
        written
    }
}
