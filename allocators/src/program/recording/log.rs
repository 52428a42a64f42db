//! The one recording of the process: the slot of each block, and the unwritten records.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::file::File;
use crate::bookkeeping::address_table::AddressTable;
use crate::contract::allocator::AllocError;
use crate::contract::misuse::write_stderr;
use crate::pages::page::PageAllocator;
use crate::wrappers::trace::SinkError;
use crate::wrappers::trace::array::Array;
use crate::wrappers::trace::format::{self, Event, Name, Named, Op, UNIT_BYTES};

#[cfg(test)]
mod tests;

/// The buffer for unwritten records: 256 of them.
const BUFFER_BYTES: usize = 256 * UNIT_BYTES;

/// The number of the one allocator object.
const OBJECT: u16 = 1;

/// The process's recording. None of its calls allocates from the global heap, which it is part of.
pub(super) static LOG: Log = Log(Mutex::new(State::new()));

/// The memory of the tables.
static BOOKS: PageAllocator = PageAllocator::new("recording");

std::thread_local! {
    /// One more than the thread's number in the recording; 0 before its first event.
    /// Const-initialised and without a destructor, so it can be accessed until the thread's very
    /// end.
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// A recording with its lock.
pub(super) struct Log(Mutex<State>);

impl Log {
    /// Takes the lock; begins the recording if none has begun.
    pub(super) fn lock(&self, path: &str) -> MutexGuard<'_, State> {
        // Nothing in here unwinds halfway; after a panic elsewhere the state is consistent.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(state.phase, Phase::Waiting) {
            state.begin(path);
        }
        state
    }
}

enum Phase {
    /// Nothing was allocated yet.
    Waiting,
    On(File),
    /// Ended, with the error that ended it, if its owner did not.
    Over(Option<SinkError>),
}

/// # Invariants
///
/// 1. While on, each recorded live block has a distinct slot in `slots`; each slot below
///    `slots_next` is one of those, is lifted, or is in `slots_free`, which has room for all.
/// 2. The first `used` bytes of `buffer` are whole records, the next ones for the file.
pub(super) struct State {
    phase: Phase,
    slots: AddressTable<u32>,
    slots_free: Array<u32>,
    slots_next: u32,
    events: u64,
    threads: u32,
    began: Option<Instant>,
    used: usize,
    buffer: [u8; BUFFER_BYTES],
}

// SAFETY: the tables own their memory, which is reached through this object alone.
unsafe impl Send for State {}

impl State {
    const fn new() -> Self {
        Self {
            phase: Phase::Waiting,
            slots: AddressTable::new(),
            slots_free: Array::new(),
            slots_next: 0,
            events: 0,
            threads: 0,
            began: None,
            used: 0,
            buffer: [0; BUFFER_BYTES],
        }
    }

    #[cold]
    fn begin(&mut self, path: &str) {
        self.phase = match File::create(path) {
            Ok(file) => Phase::On(file),
            Err(error) => {
                write_stderr(format_args!("loligo: cannot record to `{path}`: {error}"));
                Phase::Over(Some(error))
            }
        };
        self.put(&format::MAGIC);
        self.put(Name::new(Named::Object, OBJECT.into(), "global", format_args!("")).as_bytes());
        if matches!(self.phase, Phase::On(_)) {
            // SAFETY: the function has the type that is asked for and stays where it is. Without
            // room for it the recording lacks its last records, as that of a killed program.
            unsafe { libc::atexit(at_exit) };
        }
    }

    /// Records an allocated block; null is ignored.
    pub(super) fn allocated(&mut self, op: Op, block: *mut u8, layout: Layout) {
        let Some(block) = NonNull::new(block) else { return };
        if !self.is_on() {
            return;
        }
        match self.slot_for(block) {
            Ok(slot) => self.put_event(op, slot, layout, layout.size()),
            Err(AllocError) => self.fail(SinkError::new("there is no memory for its tables")),
        }
    }

    /// Records a free that is about to happen.
    pub(super) fn freed(&mut self, block: *mut u8, layout: Layout) {
        if let Some(slot) = self.lift(block) {
            self.slots_free.push(slot);
            self.put_event(Op::Free, slot, layout, 0);
        }
    }

    /// Removes a block whose address another block can get from now on, and returns its slot.
    pub(super) fn lift(&mut self, block: *mut u8) -> Option<u32> {
        let block = NonNull::new(block)?;
        if self.is_on() { self.slots.remove(block) } else { None }
    }

    /// Restores a lifted block.
    pub(super) fn put_back(&mut self, block: *mut u8, slot: Option<u32>) {
        if let (Some(block), Some(slot), true) = (NonNull::new(block), slot, self.is_on()) {
            match self.slots.reserve(&BOOKS) {
                Ok(()) => self.slots.insert(block, slot),
                Err(AllocError) => self.fail(SinkError::new("there is no memory for its tables")),
            }
        }
    }

    /// Records a lifted block with its new address and size.
    pub(super) fn reallocated(
        &mut self,
        block: *mut u8,
        slot: Option<u32>,
        layout: Layout,
        bytes: usize,
    ) {
        self.put_back(block, slot);
        if let (Some(slot), true) = (slot, self.is_on()) {
            self.put_event(Op::Reallocate, slot, layout, bytes);
        }
    }

    pub(super) fn mark(&mut self, value: u64) {
        if self.is_on() {
            let (thread, time_ns) = (self.thread(), self.now_ns());
            self.put(&format::mark(thread, value, time_ns));
        }
    }

    /// Ends the recording, if it is on.
    pub(super) fn finish(&mut self) -> Result<(), SinkError> {
        if self.is_on() {
            self.put(&format::end(self.events));
            self.flush();
        }
        match core::mem::replace(&mut self.phase, Phase::Over(None)) {
            Phase::Over(Some(error)) => Err(error),
            _ => Ok(()),
        }
    }

    fn is_on(&self) -> bool {
        matches!(self.phase, Phase::On(_))
    }

    /// Ends the recording; the buffered records are written if possible.
    #[cold]
    fn fail(&mut self, error: SinkError) {
        self.flush();
        if self.is_on() {
            write_stderr(format_args!("loligo: {error}"));
            self.phase = Phase::Over(Some(error));
        }
    }

    /// Assigns a block its slot: the one freed last, or a new one.
    fn slot_for(&mut self, block: NonNull<u8>) -> Result<u32, AllocError> {
        self.slots.reserve(&BOOKS)?;
        let slot = match self.slots_free.pop() {
            Some(slot) => slot,
            None => {
                let count = self.slots_next.checked_add(1).ok_or(AllocError)?;
                self.slots_free.reserve(count as usize, &BOOKS)?;
                core::mem::replace(&mut self.slots_next, count)
            }
        };
        self.slots.insert(block, slot);
        Ok(slot)
    }

    fn put_event(&mut self, op: Op, slot: u32, layout: Layout, bytes: usize) {
        let event = Event {
            op,
            align_log2: layout.align().trailing_zeros() as u8,
            thread: self.thread(),
            slot,
            bytes: bytes as u64,
            site: 0,
            object: OBJECT,
            time_ns: self.now_ns(),
        };
        self.events += 1;
        self.put(&event.encode());
    }

    /// Returns the calling thread's number, in order of their first events. The format has room for
    /// 65 536; later threads share one number.
    fn thread(&mut self) -> u16 {
        THREAD.with(|thread| {
            if thread.get() == 0 {
                self.threads = self.threads.saturating_add(1);
                thread.set(self.threads);
            }
            u16::try_from(thread.get() - 1).unwrap_or(u16::MAX)
        })
    }

    fn now_ns(&mut self) -> u64 {
        let began = *self.began.get_or_insert_with(Instant::now);
        began.elapsed().as_nanos() as u64
    }

    fn put(&mut self, bytes: &[u8]) {
        if self.used + bytes.len() > BUFFER_BYTES {
            self.flush();
        }
        if self.is_on() {
            self.buffer[self.used..self.used + bytes.len()].copy_from_slice(bytes);
            self.used += bytes.len();
        }
    }

    /// Writes the buffered records; a full file ends the recording, and so does a process other
    /// than the one that began it.
    fn flush(&mut self) {
        let Phase::On(file) = &self.phase else { return };
        let written = file.write(&self.buffer[..self.used]);
        self.used = 0;
        if let Err(error) = written {
            self.phase = Phase::Over(error);
            if let Some(error) = error {
                write_stderr(format_args!("loligo: {error}"));
            }
        }
    }
}

/// Ends the recording with the program. An error can no longer be returned.
extern "C" fn at_exit() {
    let mut state = LOG.0.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = state.finish();
}
