//! Traces in Perfetto's own format, protocol buffers, which ui.perfetto.dev and its trace processor
//! open.
//!
//! Few messages are needed, so their fields are written by hand (`perfetto/wire.rs`); their numbers
//! are Perfetto's and are never changed there.

use core::fmt;
use std::io::{self, Write};

use loligo_allocators::Allocator;
use loligo_containers::GrowError;

use crate::error::ExportError;
use crate::event::{Consumer, Event, NO_CORE, What};
use crate::trace_file::TraceFile;

mod wire;

use wire::{Fields, write_packet};

/// Numbers of fields, by message.
mod field {
    pub(super) mod packet {
        pub(crate) const TIMESTAMP: u32 = 8;
        pub(crate) const SEQUENCE: u32 = 10;
        pub(crate) const TRACK_EVENT: u32 = 11;
        pub(crate) const TRACK_DESCRIPTOR: u32 = 60;
    }
    pub(super) mod track {
        pub(crate) const UUID: u32 = 1;
        pub(crate) const NAME: u32 = 2;
        pub(crate) const PROCESS: u32 = 3;
        pub(crate) const THREAD: u32 = 4;
        pub(crate) const PARENT: u32 = 5;
        pub(crate) const COUNTER: u32 = 8;
    }
    pub(super) mod process {
        pub(crate) const PID: u32 = 1;
        pub(crate) const NAME: u32 = 6;
    }
    pub(super) mod thread {
        pub(crate) const PID: u32 = 1;
        pub(crate) const TID: u32 = 2;
        pub(crate) const NAME: u32 = 5;
    }
    pub(super) mod counter {
        pub(crate) const UNIT: u32 = 3;
    }
    pub(super) mod event {
        pub(crate) const ANNOTATION: u32 = 4;
        pub(crate) const TYPE: u32 = 9;
        pub(crate) const TRACK: u32 = 11;
        pub(crate) const NAME: u32 = 23;
        pub(crate) const INTEGER: u32 = 30;
        pub(crate) const DOUBLE: u32 = 44;
    }
    pub(super) mod annotation {
        pub(crate) const UNSIGNED: u32 = 3;
        pub(crate) const NAME: u32 = 10;
    }
}

/// `TrackEvent.Type`.
const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// `CounterDescriptor.Unit`.
const UNIT_SIZE_BYTES: u64 = 3;

/// The only sequence of packets, the only process, and its track.
const SEQUENCE: u64 = 1;
const PROCESS: u64 = 1;
const PROCESS_TRACK: u64 = 1;

/// Numbers of tracks: kinds of them do not share numbers.
const THREAD_TRACKS: u64 = 1 << 32;
const COUNTER_TRACKS: u64 = 2 << 32;
const HEAP_TRACKS: u64 = 3 << 32;

/// A consumer that writes Perfetto's format: a packet for each event, a track for each thread,
/// counter and heap.
///
/// Scopes are slices on their thread's track, with the core as an annotation; floats, counters, the
/// three parts of a vector, and the live bytes of heaps are counters; ends of frames and lost
/// events are instants. What is infinite or no number is left out.
///
/// # Complexity
///
/// An event is O(threads), about 40 bytes written.
///
/// # Memory
///
/// Tables for `limit` threads, counters and heaps, when it is made. The writer should be buffered.
///
/// # Examples
///
/// ```
/// use loligo_allocators::PageAllocator;
/// use loligo_monitor::{Monitor, Options, PerfettoTrace, name};
///
/// let debug = PageAllocator::new("debug");
/// let monitor = Monitor::try_new(&Options::default(), &debug)?;
/// drop(monitor.try_recorder("main")?.scope(name!("update")));
/// let mut trace = PerfettoTrace::try_new(Vec::new(), 64, &debug)?;
/// assert_eq!(monitor.drain(&mut [&mut trace]).lost, 0);
/// let bytes = trace.finish()?;
/// assert!(bytes.windows(6).any(|text| text == b"update"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PerfettoTrace<'a, W: Write, A: Allocator + ?Sized = dyn Allocator + 'a> {
    file: TraceFile<'a, W, A>,
}

impl<'a, W: Write> PerfettoTrace<'a, W> {
    /// Makes a trace that goes to `writer` and has numbers for `limit` threads, counters and heaps.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is not enough memory.
    pub fn try_new(
        writer: W,
        limit: u32,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_new_in(writer, limit, memory)
    }
}

impl<'a, W: Write, A: Allocator + ?Sized> PerfettoTrace<'a, W, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(writer: W, limit: u32, memory: &'a A) -> Result<Self, GrowError> {
        Ok(Self { file: TraceFile::try_new_in(writer, limit, memory)? })
    }

    /// Flushes the writer. What it has then is whole packets, which viewers open as they are: a
    /// program that is interrupted later leaves a trace up to here. A failure is reported by
    /// [`finish`](Self::finish).
    pub fn flush(&mut self) {
        if !self.file.has_failed() {
            let flushed = self.file.writer.flush();
            self.file.keep(flushed);
        }
    }

    /// Ends the trace and gives the writer back.
    ///
    /// # Errors
    ///
    /// [`ExportError`] if not all of it was written.
    pub fn finish(self) -> Result<W, ExportError> {
        self.file.finish(&[])
    }

    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Some((thread, new)) = self.file.thread(event) else { return Ok(()) };
        let track = THREAD_TRACKS | u64::from(thread);
        if self.file.begin() {
            self.describe_process()?;
        }
        if new {
            self.describe_thread(track, u64::from(thread) + 1, event.thread_name)?;
        }
        let time_ns = event.time_ns;
        match event.what {
            What::Enter { name, core } => self.slice(time_ns, track, name, core),
            What::Leave { .. } => {
                let head = event_head(SLICE_END, track);
                self.packet(time_ns, head, None)
            }
            What::Frame { number } => {
                let mut head = event_head(INSTANT, PROCESS_TRACK);
                annotate(&mut head, "number", u64::from(number));
                self.packet(time_ns, head, Some("frame"))
            }
            What::Lost { events } => {
                let mut head = event_head(INSTANT, track);
                annotate(&mut head, "events", events);
                self.packet(time_ns, head, Some("events were lost"))
            }
            What::Counter { name, value } => {
                self.counters(time_ns, name, &[(Value::Whole(value), "")])
            }
            What::Float { name, value } => {
                self.counters(time_ns, name, &[(Value::Float(value), "")])
            }
            What::Vector { name, value: [x, y, z] } => {
                let parts =
                    [(Value::Float(x), ".x"), (Value::Float(y), ".y"), (Value::Float(z), ".z")];
                self.counters(time_ns, name, &parts)
            }
            What::Allocate { heap, bytes, .. } => self.heap(time_ns, heap, bytes.cast_signed()),
            What::Free { heap, bytes, .. } => {
                self.heap(time_ns, heap, bytes.cast_signed().wrapping_neg())
            }
        }
    }

    fn describe_process(&mut self) -> io::Result<()> {
        let mut track = Fields::new();
        track.number(field::track::UUID, PROCESS_TRACK);
        let mut process = Fields::new();
        process.number(field::process::PID, PROCESS);
        let levels = [
            (field::packet::TRACK_DESCRIPTOR, sequence()),
            (field::track::PROCESS, track),
            (field::process::NAME, process),
        ];
        write_packet(&mut self.file.writer, &levels, &["loligo"])
    }

    fn describe_thread(&mut self, uuid: u64, tid: u64, name: &str) -> io::Result<()> {
        let mut track = Fields::new();
        track.number(field::track::UUID, uuid);
        track.number(field::track::PARENT, PROCESS_TRACK);
        let mut thread = Fields::new();
        thread.number(field::thread::PID, PROCESS);
        thread.number(field::thread::TID, tid);
        let levels = [
            (field::packet::TRACK_DESCRIPTOR, sequence()),
            (field::track::THREAD, track),
            (field::thread::NAME, thread),
        ];
        write_packet(&mut self.file.writer, &levels, &[name])
    }

    fn describe_counter(&mut self, uuid: u64, name: &[&str], unit: Option<u64>) -> io::Result<()> {
        let mut counter = Fields::new();
        if let Some(unit) = unit {
            counter.number(field::counter::UNIT, unit);
        }
        let mut track = Fields::new();
        track.number(field::track::UUID, uuid);
        track.number(field::track::PARENT, PROCESS_TRACK);
        track.message(field::track::COUNTER, &counter);
        let levels = [(field::packet::TRACK_DESCRIPTOR, sequence()), (field::track::NAME, track)];
        write_packet(&mut self.file.writer, &levels, name)
    }

    fn slice(&mut self, time_ns: u64, track: u64, name: &str, core: u32) -> io::Result<()> {
        let mut head = event_head(SLICE_BEGIN, track);
        if core != NO_CORE {
            annotate(&mut head, "core", u64::from(core));
        }
        self.packet(time_ns, head, Some(name))
    }

    /// Writes values of a counter whose parts have names that end in different ways.
    fn counters(&mut self, time_ns: u64, name: &str, parts: &[(Value, &str)]) -> io::Result<()> {
        for (index, (value, end)) in parts.iter().enumerate() {
            let mut field = Fields::new();
            match *value {
                Value::Whole(value) => field.number(field::event::INTEGER, value.cast_unsigned()),
                Value::Float(value) if !value.is_finite() => continue,
                Value::Float(value) => field.double(field::event::DOUBLE, f64::from(value)),
            }
            // The parts of a vector are counters of their own.
            let part = if end.is_empty() { 0 } else { index as u32 + 1 };
            let Some((number, new)) = self.file.counter(name, part) else { continue };
            let track = COUNTER_TRACKS | u64::from(number);
            if new {
                self.describe_counter(track, &[name, end], None)?;
            }
            let mut head = event_head(COUNTER, track);
            head.append(field.bytes());
            self.packet(time_ns, head, None)?;
        }
        Ok(())
    }

    fn heap(&mut self, time_ns: u64, name: &str, bytes: i64) -> io::Result<()> {
        let Some(((number, new), live)) = self.file.heap(name, bytes) else { return Ok(()) };
        let track = HEAP_TRACKS | u64::from(number);
        if new {
            self.describe_counter(track, &[name, " live bytes"], Some(UNIT_SIZE_BYTES))?;
        }
        let mut head = event_head(COUNTER, track);
        head.number(field::event::INTEGER, live.cast_unsigned());
        self.packet(time_ns, head, None)
    }

    /// Writes an event.
    fn packet(&mut self, time_ns: u64, event: Fields, name: Option<&str>) -> io::Result<()> {
        let mut packet = sequence();
        packet.number(field::packet::TIMESTAMP, time_ns);
        let name_field = if name.is_some() { field::event::NAME } else { 0 };
        let levels = [(field::packet::TRACK_EVENT, packet), (name_field, event)];
        write_packet(&mut self.file.writer, &levels, &[name.unwrap_or_default()])
    }
}

/// A counter's value.
#[derive(Clone, Copy)]
enum Value {
    Whole(i64),
    Float(f32),
}

/// Returns the first fields of a packet.
fn sequence() -> Fields {
    let mut packet = Fields::new();
    packet.number(field::packet::SEQUENCE, SEQUENCE);
    packet
}

/// Returns the first fields of an event.
fn event_head(kind: u64, track: u64) -> Fields {
    let mut event = Fields::new();
    event.number(field::event::TYPE, kind);
    event.number(field::event::TRACK, track);
    event
}

/// Adds a number with a name to an event.
fn annotate(event: &mut Fields, name: &'static str, value: u64) {
    let mut annotation = Fields::new();
    annotation.text(field::annotation::NAME, name);
    annotation.number(field::annotation::UNSIGNED, value);
    event.message(field::event::ANNOTATION, &annotation);
}

impl<W: Write, A: Allocator + ?Sized> Consumer for PerfettoTrace<'_, W, A> {
    fn event(&mut self, event: &Event<'_>) {
        if !self.file.has_failed() {
            let written = self.write(event);
            self.file.keep(written);
        }
    }
}

impl<W: Write, A: Allocator + ?Sized> fmt::Debug for PerfettoTrace<'_, W, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.debug("PerfettoTrace", f)
    }
}
