//! A per-thread recorder of events: a cursor into a private block.
//!
//! After Niklas Frykholm, "Monitoring your game" (2011): each thread writes plain structs into a
//! private block of 64 KiB, and takes a lock when the block is full or the frame is over. Changes:
//!
//! - Events are 16 bytes each, name and stamp, so that four share a line of the cache.
//! - A full block changes hands, and is not copied.
//! - A thread notices by itself that a frame is over: the switch that it looks at anyway has
//!   changed.

use core::cell::Cell;
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::clock::ticks;
use crate::core_number::CoreNumber;
use crate::error::MonitorError;
use crate::name::Name;
use crate::sink::{Room, Sink};
use crate::slot::{COUNTER_MAX, HEAD_SLOTS, Kind, Slot};

/// The bit of the pulse that says that recording is on; the others count frames.
pub(crate) const ON: u32 = 1;

/// How a thread records: made by [`Monitor::try_recorder`](crate::Monitor::try_recorder) on the
/// thread itself.
///
/// Recording never fails, waits or allocates. Each call looks at the monitor's switch first; when
/// recording is off that is all. Without the feature `recording` all calls are empty.
///
/// What has no duration (counters, values, allocations) carries no stamp: it belongs to the moment
/// of the scope's begin or end before it, or of the frame. Reading the time would cost several
/// times as much as the rest.
///
/// # Complexity
///
/// O(1): two stores, two comparisons, and for scopes a time stamp. A full block is handed in under
/// a lock, in O(1); at most half a block is copied at the end of a frame.
///
/// # Memory
///
/// One block of 64 KiB, from the monitor's allocator; the object itself is 72 bytes.
///
/// # Threads
///
/// It stays on the thread that made it. Dropping it hands in what is in its block.
///
/// # Examples
///
/// ```
/// use loligo_allocators::PageAllocator;
/// use loligo_monitor::{Monitor, Options, name};
///
/// let debug = PageAllocator::new("debug");
/// let monitor = Monitor::try_new(&Options::default(), &debug)?;
/// let main = monitor.try_recorder("main")?;
/// {
///     let _update = main.scope(name!("update"));
///     main.float(name!("delta time"), 1.0 / 60.0);
/// }
/// main.frame();
/// # Ok::<(), loligo_monitor::MonitorError>(())
/// ```
///
/// # Invariants
///
/// 1. `start` is the first slot of a block that lives as long as the monitor, and that only this
///    object touches until it hands it in.
/// 2. `next` is within them, at or after the head of a run; from `start` up to it is one run but
///    for its length.
/// 3. `last` is the last of them: from any `next` before it, two slots are free.
pub struct Recorder<'m> {
    next: Cell<*mut Slot>,
    last: Cell<*mut Slot>,
    start: Cell<*mut Slot>,
    pulse: &'m AtomicU32,
    /// The pulse when this thread handed in last.
    seen: Cell<u32>,
    /// The core of the scope before.
    core: Cell<u32>,
    core_number: CoreNumber,
    thread: u32,
    sink: &'m dyn Sink,
}

impl<'m> Recorder<'m> {
    /// Returns a recorder that writes into `room`, which begins with the head of a run already.
    pub(crate) fn new(
        thread: u32,
        room: Room,
        core: u32,
        core_number: CoreNumber,
        pulse: &'m AtomicU32,
        sink: &'m dyn Sink,
    ) -> Self {
        let nowhere = core::ptr::null_mut();
        let recorder = Self {
            next: Cell::new(nowhere),
            last: Cell::new(nowhere),
            start: Cell::new(nowhere),
            pulse,
            seen: Cell::new(pulse.load(Ordering::Relaxed)),
            core: Cell::new(core),
            core_number,
            thread,
            sink,
        };
        recorder.settle(room);
        recorder
    }

    /// Returns the thread's number in events.
    #[must_use]
    pub const fn thread(&self) -> u32 {
        self.thread
    }

    /// Returns the name of a text that is not static; see
    /// [`Monitor::try_name`](crate::Monitor::try_name).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn try_name(&self, text: &str) -> Result<Name, MonitorError> {
        self.sink.name(text)
    }

    /// Returns `true` if recording is on and compiled in.
    #[inline]
    #[must_use]
    pub fn is_recording(&self) -> bool {
        // Relaxed: the switch guards no data.
        cfg!(feature = "recording") && self.pulse.load(Ordering::Relaxed) & ON != 0
    }

    /// Records a scope that ends when what is returned is dropped, by a panic, too.
    ///
    /// # Examples
    ///
    /// See [`Recorder`].
    #[inline(always)]
    pub fn scope(&self, name: Name) -> Scope<'_> {
        Scope { recorder: self.try_enter(name).then_some(self), name }
    }

    /// Records that a scope begins; [`end`](Self::end) with the same name ends it. Where the end is
    /// forgotten, the end of the scope around it ends it, too.
    #[inline]
    pub fn begin(&self, name: Name) {
        if self.ready() {
            self.enter(name);
        }
    }

    /// Records that the scope that [`begin`](Self::begin) began ends. An end without a beginning is
    /// left out.
    #[inline]
    pub fn end(&self, name: Name) {
        if self.ready() {
            self.leave(name);
        }
    }

    /// Records that a scope began at the stamp `ticks`, which must not be before the thread's last
    /// event: it is moved there otherwise. For work whose times are known afterwards.
    pub fn begin_at(&self, name: Name, ticks: u64) {
        if self.ready() {
            self.put(Slot::new(name, Kind::Enter, ticks));
        }
    }

    /// Records that the scope of [`begin_at`](Self::begin_at) ended at the stamp `ticks`.
    pub fn end_at(&self, name: Name, ticks: u64) {
        if self.ready() {
            self.put(Slot::new(name, Kind::Leave, ticks));
        }
    }

    /// Records a whole number, such as how many units there are; what is beyond 60 bits is recorded
    /// as the bound.
    #[inline]
    pub fn counter(&self, name: Name, value: i64) {
        if self.ready() {
            let value = value.clamp(-COUNTER_MAX - 1, COUNTER_MAX);
            self.put(Slot::new(name, Kind::Counter, value.cast_unsigned()));
        }
    }

    /// Records a float, such as the time of a frame.
    #[inline]
    pub fn float(&self, name: Name, value: f32) {
        if self.ready() {
            self.put(Slot::new(name, Kind::Float, u64::from(value.to_bits())));
        }
    }

    /// Records a vector, such as where the camera is.
    #[inline]
    pub fn vector3(&self, name: Name, [x, y, z]: [f32; 3]) {
        if self.ready() {
            let yz = u64::from(y.to_bits()) | u64::from(z.to_bits()) << 32;
            self.put_two(Slot::new(name, Kind::Vector, u64::from(x.to_bits())), Slot::bits(yz));
        }
    }

    /// Records that a heap gave out a block.
    #[inline]
    pub fn allocated(&self, heap: Name, address: usize, bytes: usize) {
        if self.ready() {
            self.put_two(Slot::new(heap, Kind::Allocate, bytes as u64), Slot::bits(address as u64));
        }
    }

    /// Records that a heap took a block back.
    #[inline]
    pub fn freed(&self, heap: Name, address: usize, bytes: usize) {
        if self.ready() {
            self.put_two(Slot::new(heap, Kind::Free, bytes as u64), Slot::bits(address as u64));
        }
    }

    /// Records the end of a frame and hands in what is in this thread's block. One thread calls it
    /// for all: each of the others hands in when it next records something, or with
    /// [`flush`](Self::flush).
    ///
    /// Scopes may be open: they go on in the next frame.
    pub fn frame(&self) {
        if self.ready() {
            // Relaxed: the count guards no data; the lock of handing in does.
            let frame = self.pulse.fetch_add(2 * ON, Ordering::Relaxed) / (2 * ON);
            self.seen.set((frame.wrapping_add(1) * (2 * ON)) | ON);
            self.put(Slot::new(Name::numbered(frame), Kind::Frame, ticks()));
            self.flush();
        }
    }

    /// Hands in what is in this thread's block, so that consumers see it. A thread that is about to
    /// sleep for long should do so.
    pub fn flush(&self) {
        if self.used() > HEAD_SLOTS as u32 {
            self.hand_in();
        }
    }

    /// Records that a scope begins; returns whether it did.
    #[inline(always)]
    pub(crate) fn try_enter(&self, name: Name) -> bool {
        let ready = self.ready();
        if ready {
            self.enter(name);
        }
        ready
    }

    /// Returns `true` if something is to be recorded, and hands in what is of the frame before.
    #[inline(always)]
    fn ready(&self) -> bool {
        if !cfg!(feature = "recording") {
            return false;
        }
        // Relaxed: the switch guards no data, and a thread that sees it late records a little more
        // or less.
        let pulse = self.pulse.load(Ordering::Relaxed);
        if pulse & ON == 0 {
            return false;
        }
        if pulse != self.seen.get() {
            self.next_frame(pulse);
        }
        true
    }

    #[inline(always)]
    fn enter(&self, name: Name) {
        let core = self.core_number.now();
        let stamp = ticks();
        if core != self.core.get() {
            self.moved(core, stamp);
        }
        self.put(Slot::new(name, Kind::Enter, stamp));
    }

    #[inline(always)]
    fn leave(&self, name: Name) {
        self.put(Slot::new(name, Kind::Leave, ticks()));
    }

    #[inline(always)]
    fn put(&self, slot: Slot) {
        if self.next.get() >= self.last.get() {
            self.hand_in();
        }
        let next = self.next.get();
        // SAFETY: it is before the last slot of this object's own block (invariants 1 to 3).
        unsafe { next.write(slot) };
        // SAFETY: there was a slot, so the place after it is within the block or at its end.
        self.next.set(unsafe { next.add(1) });
    }

    #[inline(always)]
    fn put_two(&self, first: Slot, second: Slot) {
        if self.next.get() >= self.last.get() {
            self.hand_in();
        }
        let next = self.next.get();
        // SAFETY: it is before the last slot of this object's own block (invariants 1 to 3).
        unsafe { next.write(first) };
        // SAFETY: so the place after it is within the block, too.
        let behind = unsafe { next.add(1) };
        // SAFETY: as above.
        unsafe { behind.write(second) };
        // SAFETY: there was a slot, so the place after it is within the block or at its end.
        self.next.set(unsafe { behind.add(1) });
    }

    #[cold]
    #[inline(never)]
    fn moved(&self, core: u32, stamp: u64) {
        self.core.set(core);
        self.put(Slot::new(Name::numbered(core), Kind::Core, stamp));
    }

    #[cold]
    #[inline(never)]
    fn next_frame(&self, pulse: u32) {
        self.seen.set(pulse);
        self.flush();
    }

    #[cold]
    #[inline(never)]
    fn hand_in(&self) {
        let core = self.core_number.now();
        self.core.set(core);
        self.settle(self.sink.hand_in(self.thread, self.used(), core, ticks()));
    }

    /// Begins to write after the head of the run in `room`.
    fn settle(&self, room: Room) {
        self.start.set(room.start);
        // SAFETY: a block has more slots than a head.
        self.next.set(unsafe { room.start.add(HEAD_SLOTS) });
        // SAFETY: as above: it has that many slots.
        self.last.set(unsafe { room.start.add(room.slots as usize - 1) });
    }

    /// Returns how many slots of the block are written.
    fn used(&self) -> u32 {
        // SAFETY: both are in one block, `next` not before `start` (invariant 2).
        let used = unsafe { self.next.get().offset_from(self.start.get()) };
        used as u32
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        if cfg!(feature = "recording") {
            self.put(Slot::new(Name::none(), Kind::Ended, ticks()));
        }
        self.sink.close(self.thread, self.used());
    }
}

impl fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("thread", &self.thread)
            .field("slots", &self.used())
            .finish_non_exhaustive()
    }
}

/// A scope that ends when this is dropped.
#[derive(Debug)]
#[must_use = "the scope ends when this is dropped: keep it in a variable"]
pub struct Scope<'r> {
    /// None where nothing was recorded when it began.
    recorder: Option<&'r Recorder<'r>>,
    name: Name,
}

impl Drop for Scope<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(recorder) = self.recorder {
            recorder.leave(self.name);
        }
    }
}
