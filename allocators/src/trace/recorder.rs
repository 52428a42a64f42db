//! Writing every event into an allocation trace of version 1, for whoever replays it.
//!
//! ```text
//! file     | 8 bytes `ALTRACE1` | records of 16 bytes, little endian |
//! record   | operation u8 | log2 of the alignment u8 | thread u16 | slot u32 | bytes u64 |
//! ```
//!
//! Operations: 1 allocate, 2 free, 3 reallocate, 4 allocate zeroed. A slot is unique among live
//! blocks, and the one freed last is the next given out. Sizes of zero are written as one byte,
//! which they are served as; alignments over 2^20, which the format has no room for, as 2^20. A
//! record of a reallocation bears the alignment that the block was allocated with, so a change of
//! alignment is written as what it is to a replayer: a new block, then the end of the old one. The
//! thread is always 0, as the allocator is used from one at a time.

use core::cell::Cell;
use core::ptr::{self, NonNull};
use core::{alloc::Layout, slice};

use crate::allocator::{AllocError, Allocator};
use crate::trace::array::Array;
use crate::trace::entry::Entry;
use crate::trace::sink::{SinkError, TraceSink};

const MAGIC: [u8; 8] = *b"ALTRACE1";
const RECORD_BYTES: usize = 16;
const ALIGN_LOG2_MAX: u8 = 20;

/// What is collected before the sink is called: the magic and 255 records, or 256 records.
const BUFFER: Layout = Layout::new::<[u8; 4096]>();

/// The most records that one event makes.
const RECORDS_AN_EVENT: usize = 2;

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Op {
    Allocate = 1,
    Free = 2,
    Reallocate = 3,
    AllocateZeroed = 4,
}

/// A recording, or none.
///
/// The sink is called by [`prepare`](Self::prepare) alone, that is before a request has changed
/// anything, so whatever a sink does cannot come between taking a block and giving it out.
///
/// # Invariants
///
/// 1. `buffer` is null, or a block of layout [`BUFFER`] of the allocator for books, its first `used`
///    bytes written. It is not null while `on`.
/// 2. While `on`, `slots_next` is above every slot in use, each slot below it is in use or stands
///    once in `slots_free`, which has room for all of them.
pub(super) struct Recorder<'a> {
    on: Cell<bool>,
    /// Whether the sink is being called at this moment.
    busy: Cell<bool>,
    sink: Cell<Option<&'a dyn TraceSink>>,
    error: Cell<Option<SinkError>>,
    buffer: Cell<*mut u8>,
    used: Cell<usize>,
    slots_free: Array<u32>,
    slots_next: Cell<u32>,
}

impl<'a> Recorder<'a> {
    pub(super) const fn new() -> Self {
        Self {
            on: Cell::new(false),
            busy: Cell::new(false),
            sink: Cell::new(None),
            error: Cell::new(None),
            buffer: Cell::new(ptr::null_mut()),
            used: Cell::new(0),
            slots_free: Array::new(),
            slots_next: Cell::new(0),
        }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.on.get()
    }

    /// Tells whether the sink is being called at this moment.
    pub(super) fn is_busy(&self) -> bool {
        self.busy.get()
    }

    /// Returns the bytes taken from the allocator for books.
    pub(super) fn bytes(&self) -> usize {
        let buffer = if self.buffer.get().is_null() { 0 } else { BUFFER.size() };
        buffer + self.slots_free.bytes()
    }

    /// Starts a recording with `live` blocks alive, for each of which [`prepare`](Self::prepare)
    /// and [`allocated`](Self::allocated) must be called next; the former cannot fail for them.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; nothing is recorded then.
    pub(super) fn start<K: Allocator + ?Sized>(
        &self,
        sink: &'a dyn TraceSink,
        live: usize,
        books: &K,
    ) -> Result<(), AllocError> {
        self.slots_free.reserve(live, books)?;
        if self.buffer.get().is_null() {
            self.buffer.set(books.allocate(BUFFER)?.cast().as_ptr());
        }
        self.slots_free.clear();
        self.slots_next.set(0);
        self.used.set(0);
        self.error.set(None);
        self.sink.set(Some(sink));
        self.on.set(true);
        self.put(&MAGIC);
        Ok(())
    }

    /// Makes room for the records of one event and for one more slot. What cannot be had from the
    /// sink ends the recording.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; nothing has changed.
    #[inline]
    pub(super) fn prepare<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        if self.on.get() { self.prepare_slot(books) } else { Ok(()) }
    }

    /// Makes room for the records of an event that needs no new slot.
    #[inline]
    pub(super) fn prepare_records(&self) {
        if self.on.get() {
            self.make_room();
        }
    }

    /// Writes that a block was allocated, and gives it its slot.
    #[inline]
    pub(super) fn allocated(&self, entry: &mut Entry, zeroed: bool) {
        if self.on.get() {
            entry.slot = self.take_slot();
            let op = if zeroed { Op::AllocateZeroed } else { Op::Allocate };
            self.put_event(op, entry);
        }
    }

    /// Writes that a block was freed.
    #[inline]
    pub(super) fn freed(&self, entry: &Entry) {
        if self.on.get() {
            self.put_event(Op::Free, entry);
            self.slots_free.push(entry.slot);
        }
    }

    /// Writes that a block took another size, or became another where the alignment changed.
    #[inline]
    pub(super) fn resized(&self, old: &Entry, new: &mut Entry) {
        if !self.on.get() {
            return;
        }
        if recorded_align(old) == recorded_align(new) {
            self.put_event(Op::Reallocate, new);
        } else {
            self.allocated(new, false);
            self.freed(old);
        }
    }

    /// Ends the recording and tells how it went. With none, there is nothing to tell.
    ///
    /// # Errors
    ///
    /// What the sink said.
    pub(super) fn finish<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), SinkError> {
        if self.busy.get() {
            return Err(SinkError::new(REENTERED));
        }
        if self.on.get() {
            self.flush();
        }
        if let Some(sink) = self.sink.get() {
            self.call(|| sink.finish());
        }
        self.on.set(false);
        self.sink.set(None);
        self.release(books);
        self.error.take().map_or(Ok(()), Err)
    }

    /// Checks the slots of a recording against the number of live blocks.
    ///
    /// # Errors
    ///
    /// What is broken, in words.
    pub(super) fn validate(&self, live: usize) -> Result<(), &'static str> {
        self.slots_free.validate()?;
        let slots = self.slots_next.get() as usize;
        if self.on.get() && slots != live + self.slots_free.len() {
            return Err("the slots of the recording are miscounted");
        }
        Ok(())
    }

    fn release<K: Allocator + ?Sized>(&self, books: &K) {
        self.used.set(0);
        self.slots_free.release(books);
        if let Some(buffer) = NonNull::new(self.buffer.replace(ptr::null_mut())) {
            // SAFETY: invariant 1; the sink is not being called, so nothing refers to the buffer.
            unsafe { books.deallocate_sized(buffer, BUFFER) };
        }
    }

    #[inline(never)]
    fn prepare_slot<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        if self.slots_free.len() == 0 {
            let count = self.slots_next.get().checked_add(1).ok_or(AllocError)?;
            self.slots_free.reserve(count as usize, books)?;
        }
        self.make_room();
        Ok(())
    }

    #[inline]
    fn make_room(&self) {
        if self.busy.get() {
            self.fail(SinkError::new(REENTERED));
        } else if self.used.get() + RECORDS_AN_EVENT * RECORD_BYTES > BUFFER.size() {
            self.flush();
        }
    }

    #[inline]
    fn take_slot(&self) -> u32 {
        self.slots_free.pop().unwrap_or_else(|| {
            let slot = self.slots_next.get();
            self.slots_next.set(slot + 1);
            slot
        })
    }

    #[inline]
    fn put_event(&self, op: Op, entry: &Entry) {
        let bytes = if op == Op::Free { 0 } else { entry.bytes.max(1) as u64 };
        let mut record = [0; RECORD_BYTES];
        record[0] = op as u8;
        record[1] = recorded_align(entry);
        record[4..8].copy_from_slice(&entry.slot.to_le_bytes());
        record[8..16].copy_from_slice(&bytes.to_le_bytes());
        self.put(&record);
    }

    #[inline]
    fn put(&self, bytes: &[u8]) {
        let used = self.used.get();
        assert!(used + bytes.len() <= BUFFER.size(), "room is made before an event is written");
        // SAFETY: the buffer is there while recording (invariant 1), and `used` lies within it.
        let end = unsafe { self.buffer.get().add(used) };
        // SAFETY: from there on the buffer has room for these bytes, which lie elsewhere.
        unsafe { end.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.used.set(used + bytes.len());
    }

    #[cold]
    #[inline(never)]
    fn flush(&self) {
        let used = self.used.get();
        let Some(sink) = self.sink.get() else { return };
        // SAFETY: the first `used` bytes of the buffer are written (invariant 1). While the sink is
        // busy the buffer is neither written nor given back.
        let bytes = unsafe { slice::from_raw_parts(self.buffer.get(), used) };
        self.call(|| sink.write(bytes));
        self.used.set(0);
    }

    /// Calls the sink. An error ends the recording, and so does a panic.
    fn call(&self, sink: impl FnOnce() -> Result<(), SinkError>) {
        self.busy.set(true);
        let mut call = Call { recorder: self, result: Err(SinkError::new(PANICKED)) };
        call.result = sink();
    }

    /// Ends the recording; the error waits for whoever finishes it.
    #[cold]
    #[inline(never)]
    fn fail(&self, error: SinkError) {
        self.on.set(false);
        self.sink.set(None);
        self.error.set(Some(error));
    }
}

/// A call of the sink that is under way; its end is its drop, since the sink may panic.
struct Call<'r, 'a> {
    recorder: &'r Recorder<'a>,
    result: Result<(), SinkError>,
}

impl Drop for Call<'_, '_> {
    fn drop(&mut self) {
        self.recorder.busy.set(false);
        if let Err(error) = self.result {
            self.recorder.fail(error);
        }
    }
}

const REENTERED: &str = "the sink used the allocator that it records";
const PANICKED: &str = "the sink panicked";

fn recorded_align(entry: &Entry) -> u8 {
    entry.align_log2().min(ALIGN_LOG2_MAX)
}
