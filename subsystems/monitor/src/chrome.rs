//! Traces as JSON, in the Trace Event Format that chrome://tracing, ui.perfetto.dev and others
//! open.

use core::fmt;
use std::io::{self, Write};

use loligo_allocators::Allocator;
use loligo_containers::GrowError;

use crate::error::ExportError;
use crate::event::{Consumer, Event, NO_CORE, What};
use crate::trace_file::TraceFile;

/// The only process of a trace.
const PROCESS: u32 = 1;

/// A consumer that writes the Trace Event Format: JSON with an object for each event.
///
/// | event | `ph` | |
/// |---|---|---|
/// | scope | `B`, `E` | the core in `args` |
/// | float, counter | `C` | one value |
/// | vector | `C` | `x`, `y`, `z` |
/// | allocation, free | `C` | live bytes of the heap, named after it |
/// | frame | `i` | across all threads |
/// | lost events | `i` | on their thread, with their number |
/// | thread | `M` | its name, before its first event |
///
/// Times are microseconds with three decimals. What JSON has no number for (infinite, not a number)
/// is left out.
///
/// # Complexity
///
/// An event is O(threads), about 100 bytes written.
///
/// # Memory
///
/// Tables for `limit` threads, counters and heaps, when it is made. The writer should be buffered.
///
/// # Examples
///
/// ```
/// use loligo_allocators::PageAllocator;
/// use loligo_monitor::{ChromeTrace, Monitor, Options, name};
///
/// let debug = PageAllocator::new("debug");
/// let monitor = Monitor::try_new(&Options::default(), &debug)?;
/// let main = monitor.try_recorder("main")?;
/// drop(main.scope(name!("say \"hello\"")));
/// drop(main);
/// let mut json = Vec::new();
/// let mut trace = ChromeTrace::try_new(&mut json, 64, &debug)?;
/// assert_eq!(monitor.drain(&mut [&mut trace]).events, 2);
/// trace.finish()?;
/// assert!(String::from_utf8(json)?.contains(r#"{"ph":"B","name":"say \"hello\"","pid":1,"tid":1,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ChromeTrace<'a, W: Write, A: Allocator + ?Sized = dyn Allocator + 'a> {
    file: TraceFile<'a, W, A>,
}

impl<'a, W: Write> ChromeTrace<'a, W> {
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

impl<'a, W: Write, A: Allocator + ?Sized> ChromeTrace<'a, W, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(writer: W, limit: u32, memory: &'a A) -> Result<Self, GrowError> {
        Ok(Self { file: TraceFile::try_new_in(writer, limit, memory)? })
    }

    /// Ends the trace and gives the writer back.
    ///
    /// # Errors
    ///
    /// [`ExportError`] if not all of it was written.
    pub fn finish(self) -> Result<W, ExportError> {
        let end = if self.file.has_begun() { "\n]}\n" } else { "{\"traceEvents\":[]}\n" };
        self.file.finish(end.as_bytes())
    }

    /// Writes an event.
    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Some((thread, new)) = self.file.thread(event) else { return Ok(()) };
        let tid = thread + 1;
        if new {
            let (name, line) = (Text(event.thread_name), self.line());
            write!(
                self.file.writer,
                "{line}{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{PROCESS},\"tid\":{tid},\
                 \"args\":{{\"name\":{name}}}}}"
            )?;
        }
        let at = Place { tid, time_ns: event.time_ns };
        match event.what {
            What::Enter { name, core } => self.enter(Text(name), core, at),
            What::Leave { name, .. } => {
                let (name, line) = (Text(name), self.line());
                write!(self.file.writer, "{line}{{\"ph\":\"E\",\"name\":{name},{at}}}")
            }
            What::Frame { number } => {
                let line = self.line();
                write!(
                    self.file.writer,
                    "{line}{{\"ph\":\"i\",\"name\":\"frame\",{at},\"s\":\"g\",\
                     \"args\":{{\"number\":{number}}}}}"
                )
            }
            What::Lost { events } => {
                let line = self.line();
                write!(
                    self.file.writer,
                    "{line}{{\"ph\":\"i\",\"name\":\"events were lost\",{at},\"s\":\"t\",\
                     \"args\":{{\"events\":{events}}}}}"
                )
            }
            What::Counter { name, value } => {
                self.counter(Text(name), at, format_args!("\"value\":{value}"))
            }
            What::Float { value, .. } if !value.is_finite() => Ok(()),
            What::Float { name, value } => {
                self.counter(Text(name), at, format_args!("\"value\":{value}"))
            }
            What::Vector { value, .. } if !value.iter().all(|part| part.is_finite()) => Ok(()),
            What::Vector { name, value: [x, y, z] } => {
                self.counter(Text(name), at, format_args!("\"x\":{x},\"y\":{y},\"z\":{z}"))
            }
            What::Allocate { heap, bytes, .. } => self.heap(heap, bytes.cast_signed(), at),
            What::Free { heap, bytes, .. } => {
                self.heap(heap, bytes.cast_signed().wrapping_neg(), at)
            }
        }
    }

    fn enter(&mut self, name: Text<'_>, core: u32, at: Place) -> io::Result<()> {
        let line = self.line();
        write!(self.file.writer, "{line}{{\"ph\":\"B\",\"name\":{name},{at}")?;
        if core != NO_CORE {
            write!(self.file.writer, ",\"args\":{{\"core\":{core}}}")?;
        }
        self.file.writer.write_all(b"}")
    }

    fn counter(&mut self, name: Text<'_>, at: Place, values: fmt::Arguments<'_>) -> io::Result<()> {
        let line = self.line();
        write!(
            self.file.writer,
            "{line}{{\"ph\":\"C\",\"name\":{name},{at},\"args\":{{{values}}}}}"
        )
    }

    fn heap(&mut self, name: &str, bytes: i64, at: Place) -> io::Result<()> {
        let Some((_, live)) = self.file.heap(name, bytes) else { return Ok(()) };
        self.counter(Text(name), at, format_args!("\"live bytes\":{live}"))
    }

    /// Returns what comes before an event.
    fn line(&mut self) -> &'static str {
        match self.file.begin() {
            true => "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n",
            false => ",\n",
        }
    }
}

impl<W: Write, A: Allocator + ?Sized> Consumer for ChromeTrace<'_, W, A> {
    fn event(&mut self, event: &Event<'_>) {
        if !self.file.has_failed() {
            let written = self.write(event);
            self.file.keep(written);
        }
    }
}

impl<W: Write, A: Allocator + ?Sized> fmt::Debug for ChromeTrace<'_, W, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.debug("ChromeTrace", f)
    }
}

/// Where and when, as members of an object.
#[derive(Clone, Copy)]
struct Place {
    tid: u32,
    time_ns: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (us, ns) = (self.time_ns / 1000, self.time_ns % 1000);
        write!(f, "\"pid\":{PROCESS},\"tid\":{},\"ts\":{us}.{ns:03}", self.tid)
    }
}

/// A text as a string of JSON.
struct Text<'t>(&'t str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        let mut rest = self.0;
        while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
            f.write_str(&rest[..at])?;
            match rest.as_bytes()[at] {
                b'"' => f.write_str("\\\"")?,
                b'\\' => f.write_str("\\\\")?,
                control => write!(f, "\\u{control:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        f.write_str(rest)?;
        f.write_str("\"")
    }
}
