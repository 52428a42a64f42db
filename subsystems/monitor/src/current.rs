//! Recording without a recorder at hand: what is recorded goes to the thread's current one, if it
//! has one.
//!
//! [`Recorder::run`](crate::Recorder::run) makes a recorder current for as long as a closure runs;
//! of several monitors the innermost is current. On a thread without one, the functions here do
//! nothing.

use core::cell::Cell;
use core::ptr;

use crate::error::MonitorError;
use crate::name::Name;
use crate::recorder::Recorder;

std::thread_local! {
    /// The recorder of the innermost `with`, null outside of all.
    static CURRENT: Cell<*const Recorder<'static>> = const { Cell::new(ptr::null()) };
}

/// Returns `true` if this thread records now.
#[inline]
#[must_use]
pub fn is_recording() -> bool {
    now(|recorder| recorder.is_recording()).unwrap_or(false)
}

/// Returns the name of a text that is not static, `None` on a thread without a recorder; see
/// [`Monitor::try_name`](crate::Monitor::try_name).
///
/// # Complexity
///
/// O(names).
///
/// # Errors
///
/// As there.
pub fn try_name(text: &str) -> Result<Option<Name>, MonitorError> {
    now(|recorder| recorder.try_name(text)).transpose()
}

/// Records a scope that ends when what is returned is dropped.
///
/// Where the recorder is no longer current by then, the scope ends with the one around it.
#[inline]
pub fn scope(name: Name) -> CurrentScope {
    CurrentScope {
        recorder: now(|recorder| {
            if recorder.try_enter(name) { ptr::from_ref(recorder).cast() } else { ptr::null() }
        })
        .unwrap_or(ptr::null()),
        name,
    }
}

/// Records that a scope begins; see [`Recorder::begin`].
#[inline]
pub fn begin(name: Name) {
    now(|recorder| recorder.begin(name));
}

/// Records that a scope ends; see [`Recorder::end`].
#[inline]
pub fn end(name: Name) {
    now(|recorder| recorder.end(name));
}

/// Records a whole number; see [`Recorder::counter`].
#[inline]
pub fn counter(name: Name, value: i64) {
    now(|recorder| recorder.counter(name, value));
}

/// Records a float; see [`Recorder::float`].
#[inline]
pub fn float(name: Name, value: f32) {
    now(|recorder| recorder.float(name, value));
}

/// Records a vector; see [`Recorder::vector3`].
#[inline]
pub fn vector3(name: Name, value: [f32; 3]) {
    now(|recorder| recorder.vector3(name, value));
}

/// Records that a heap gave out a block; see [`Recorder::allocated`].
#[inline]
pub fn allocated(heap: Name, address: usize, bytes: usize) {
    now(|recorder| recorder.allocated(heap, address, bytes));
}

/// Records that a heap took a block back; see [`Recorder::freed`].
#[inline]
pub fn freed(heap: Name, address: usize, bytes: usize) {
    now(|recorder| recorder.freed(heap, address, bytes));
}

/// Records the end of a frame; see [`Recorder::frame`].
pub fn frame() {
    now(|recorder| recorder.frame());
}

/// Hands in what this thread has recorded; see [`Recorder::flush`].
pub fn flush() {
    now(|recorder| recorder.flush());
}

/// A scope of the thread's current recorder that ends when this is dropped.
#[derive(Debug)]
#[must_use = "the scope ends when this is dropped: keep it in a variable"]
pub struct CurrentScope {
    /// Which recorder has its beginning, to be compared alone; null where none has.
    recorder: *const (),
    name: Name,
}

impl Drop for CurrentScope {
    #[inline]
    fn drop(&mut self) {
        if !self.recorder.is_null() {
            now(|recorder| {
                if ptr::addr_eq(self.recorder, recorder) {
                    recorder.end(self.name);
                }
            });
        }
    }
}

impl Recorder<'_> {
    /// Runs `work` with this recorder as the one of the functions in [`current`](self).
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::PageAllocator;
    /// use loligo_monitor::{Monitor, Options, current, name};
    ///
    /// let debug = PageAllocator::new("debug");
    /// let monitor = Monitor::try_new(&Options::default(), &debug)?;
    /// monitor.try_recorder("loader")?.run(|| {
    ///     let _load = current::scope(name!("load"));
    ///     current::counter(name!("files"), 12);
    /// });
    /// assert!(!current::is_recording(), "this thread has no recorder outside");
    /// # Ok::<(), loligo_monitor::MonitorError>(())
    /// ```
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        with(self, work)
    }
}

/// Runs `work` with `recorder` current, and makes the one from before current again, after a panic,
/// too.
fn with<R>(recorder: &Recorder<'_>, work: impl FnOnce() -> R) -> R {
    struct Before(*const Recorder<'static>);
    impl Drop for Before {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _before = Before(CURRENT.replace(ptr::from_ref(recorder).cast()));
    work()
}

/// Calls `use_it` with the current recorder, if there is one.
#[inline(always)]
fn now<R>(use_it: impl FnOnce(&Recorder<'_>) -> R) -> Option<R> {
    if !cfg!(feature = "recording") {
        return None;
    }
    let current = CURRENT.get();
    // SAFETY: it is null, or a recorder that `with` has borrowed on this thread and that it takes
    // away again before the borrow ends. What is called here cannot end that `with`, so the
    // reference ends before it.
    let recorder = unsafe { current.as_ref() }?;
    Some(use_it(recorder))
}
