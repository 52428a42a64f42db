//! Writing every event into an allocation trace of version 2, for a later replay.
//!
//! A slot is unique among live blocks, and the one freed last is reused first. Sizes of zero are
//! written as one byte, as they are served; alignments over 2^20, the format's maximum, as 2^20. A
//! reallocation record has the block's original alignment, so a change of alignment is written as
//! it looks to a replayer: a new block, then the end of the old one. The thread is always 0, as one
//! thread uses the allocator at a time.
//!
//! Allocation records have their call site, named before its first use by file, line and column;
//! reallocations and frees have none. The allocator itself is the one allocator object, named
//! first.

use core::cell::Cell;
use core::panic::Location;
use core::ptr::{self, NonNull};
use core::{alloc::Layout, slice};

use crate::contract::allocator::{AllocError, Allocator};
use crate::wrappers::trace::array::Array;
use crate::wrappers::trace::entry::Entry;
use crate::wrappers::trace::format::{self, Event, Name, Named, Op, UNIT_BYTES};
use crate::wrappers::trace::sink::{SinkError, TraceSink};

#[cfg(test)]
pub(super) mod tests;

/// The buffer that is filled before the sink is called.
const BUFFER: Layout = Layout::new::<[u8; 4096]>();

/// The most bytes of one event: two records.
const EVENT_BYTES_MAX: usize = 2 * UNIT_BYTES;

/// The number of the one allocator object.
const OBJECT: u16 = 1;

/// A recording, or none.
///
/// Only [`prepare`](Self::prepare) calls the sink, before a request has changed anything, so a sink
/// cannot interfere between taking a block and returning it.
///
/// # Invariants
///
/// 1. `buffer` is null, or a block of layout [`BUFFER`] of `books`, its first `used` bytes written.
///    It is not null while `on`.
/// 2. While `on`, `slots_next` is above every slot in use; each slot below it is in use or is once
///    in `slots_free`, which has room for all of them.
/// 3. While `on`, `sites` has the site number of each recorded group, and 0 for others;
///    `sites_named` is the greatest number.
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
    sites: Array<u32>,
    sites_named: Cell<u32>,
    events: Cell<u64>,
    /// The sink's time when the event was prepared.
    time_ns: Cell<u64>,
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
            sites: Array::new(),
            sites_named: Cell::new(0),
            events: Cell::new(0),
            time_ns: Cell::new(0),
        }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.on.get()
    }

    /// Returns `true` if the sink is being called at this moment.
    pub(super) fn is_busy(&self) -> bool {
        self.busy.get()
    }

    /// Returns the size of its memory.
    pub(super) fn bytes(&self) -> usize {
        let buffer = if self.buffer.get().is_null() { 0 } else { BUFFER.size() };
        buffer + self.slots_free.bytes() + self.sites.bytes()
    }

    /// Starts a recording of the allocator called `name` with `live` live blocks of `groups`
    /// groups; for each block [`prepare_records`](Self::prepare_records),
    /// [`name_site`](Self::name_site) and [`allocated`](Self::allocated) must be called next;
    /// naming cannot fail for them.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; nothing is recorded then.
    pub(super) fn start<K: Allocator + ?Sized>(
        &self,
        sink: &'a dyn TraceSink,
        name: &str,
        live: usize,
        groups: usize,
        books: &K,
    ) -> Result<(), AllocError> {
        self.slots_free.reserve(live, books)?;
        self.sites.reserve(groups, books)?;
        if self.buffer.get().is_null() {
            self.buffer.set(books.allocate(BUFFER)?.cast().as_ptr());
        }
        self.slots_free.clear();
        self.slots_next.set(0);
        self.sites.clear();
        self.sites_named.set(0);
        self.events.set(0);
        self.used.set(0);
        self.error.set(None);
        self.sink.set(Some(sink));
        self.on.set(true);
        self.put(&format::MAGIC);
        self.put(Name::new(Named::Object, OBJECT.into(), name, format_args!("")).as_bytes());
        Ok(())
    }

    /// Reserves room for the records of one event and for one more slot. A failure of the sink ends
    /// the recording.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; nothing has changed.
    #[inline]
    pub(super) fn prepare<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        if self.on.get() { self.prepare_slot(books) } else { Ok(()) }
    }

    /// Reserves room for the records of an event that needs no new slot.
    #[inline]
    pub(super) fn prepare_records(&self) {
        if self.on.get() {
            self.make_ready();
        }
    }

    /// Names the site of a group, if it was not named before.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; nothing has changed.
    #[inline]
    pub(super) fn name_site<K: Allocator + ?Sized>(
        &self,
        group: u32,
        site: &'static Location<'static>,
        books: &K,
    ) -> Result<(), AllocError> {
        if self.on.get() && self.site_of(group) == 0 {
            return self.name_new_site(group, site, books);
        }
        Ok(())
    }

    /// Writes a frame mark.
    pub(super) fn mark(&self, value: u64) {
        self.prepare_records();
        if self.on.get() {
            self.put(&format::mark(0, value, self.time_ns.get()));
        }
    }

    /// Writes that a block was allocated, and assigns its slot.
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

    /// Writes that a block got another size, or was replaced because its alignment changed.
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

    /// Ends the recording and returns its result. Without one, it returns `Ok`.
    ///
    /// # Errors
    ///
    /// The sink's error.
    pub(super) fn finish<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), SinkError> {
        if self.busy.get() {
            return Err(SinkError::new(REENTERED));
        }
        if self.on.get() {
            self.make_room(UNIT_BYTES);
        }
        if self.on.get() {
            self.put(&format::end(self.events.get()));
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
    /// The broken invariant, in words.
    pub(super) fn validate(&self, live: usize) -> Result<(), &'static str> {
        self.slots_free.validate()?;
        self.sites.validate()?;
        let slots = self.slots_next.get() as usize;
        if self.on.get() && slots != live + self.slots_free.len() {
            return Err("the slots of the recording are miscounted");
        }
        Ok(())
    }

    fn release<K: Allocator + ?Sized>(&self, books: &K) {
        self.used.set(0);
        self.slots_free.release(books);
        self.sites.release(books);
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
        self.make_ready();
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn name_new_site<K: Allocator + ?Sized>(
        &self,
        group: u32,
        site: &'static Location<'static>,
        books: &K,
    ) -> Result<(), AllocError> {
        let group = group as usize;
        self.sites.reserve(group + 1, books)?;
        while self.sites.len() <= group {
            self.sites.push(0);
        }
        let number = self.sites_named.get() + 1;
        let place = format_args!(":{}:{}", site.line(), site.column());
        let name = Name::new(Named::Site, number, site.file(), place);
        // The event's own room remains after the name.
        self.make_room(name.as_bytes().len() + EVENT_BYTES_MAX);
        if self.on.get() {
            self.put(name.as_bytes());
            self.sites_named.set(number);
            self.sites.update(group, |site| *site = number);
        }
        Ok(())
    }

    /// Reserves room for the records of one event and reads the clock for it.
    #[inline]
    fn make_ready(&self) {
        self.make_room(EVENT_BYTES_MAX);
        if let Some(sink) = self.sink.get() {
            self.call(|| {
                self.time_ns.set(sink.now_ns());
                Ok(())
            });
        }
    }

    #[inline]
    fn make_room(&self, bytes: usize) {
        if self.busy.get() {
            self.fail(SinkError::new(REENTERED));
        } else if self.used.get() + bytes > BUFFER.size() {
            self.flush();
        }
    }

    /// Returns the site number of a group, 0 if it has none yet.
    #[inline]
    fn site_of(&self, group: u32) -> u32 {
        let group = group as usize;
        if group < self.sites.len() { self.sites.get(group) } else { 0 }
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
        let asks = matches!(op, Op::Allocate | Op::AllocateZeroed);
        let event = Event {
            op,
            align_log2: entry.align_log2(),
            thread: 0,
            slot: entry.slot,
            bytes: entry.bytes as u64,
            site: if asks { self.site_of(entry.group) } else { 0 },
            object: OBJECT,
            time_ns: self.time_ns.get(),
        };
        self.events.set(self.events.get() + 1);
        self.put(&event.encode());
    }

    #[inline]
    fn put(&self, bytes: &[u8]) {
        let used = self.used.get();
        assert!(used + bytes.len() <= BUFFER.size(), "room is made before an event is written");
        // SAFETY: the buffer is there while recording (invariant 1), and `used` is within it.
        let end = unsafe { self.buffer.get().add(used) };
        // SAFETY: from there on the buffer has room for these bytes, which are in other memory.
        unsafe { end.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.used.set(used + bytes.len());
    }

    #[cold]
    #[inline(never)]
    fn flush(&self) {
        let used = self.used.get();
        let Some(sink) = self.sink.get() else { return };
        // SAFETY: the first `used` bytes of the buffer are written (invariant 1). While the sink is
        // called the buffer is neither written nor freed.
        let bytes = unsafe { slice::from_raw_parts(self.buffer.get(), used) };
        self.call(|| sink.write(bytes));
        self.used.set(0);
    }

    /// Calls the sink. An error ends the recording, and so does a panic.
    #[inline]
    fn call(&self, sink: impl FnOnce() -> Result<(), SinkError>) {
        self.busy.set(true);
        let mut call = Call { recorder: self, result: Err(SinkError::new(PANICKED)) };
        call.result = sink();
    }

    /// Ends the recording; the error is returned by the call that finishes it.
    #[cold]
    #[inline(never)]
    fn fail(&self, error: SinkError) {
        self.on.set(false);
        self.sink.set(None);
        self.error.set(Some(error));
    }
}

/// A call of the sink in progress; it ends when dropped, since the sink may panic.
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
    entry.align_log2().min(format::ALIGN_LOG2_MAX)
}
