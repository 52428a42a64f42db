//! Arrays of the engine that a script uses in place while one call runs.
//!
//! What a script holds is a number, as for temporaries: it has the stamp of the call and the place
//! of the array, so that nothing is made for it, and one that was kept is refused. Each access looks
//! at the stamp and the range, whether other checks are on or not.

use core::cell::Cell;
use core::fmt;
use core::ptr;

use crate::handle;
use crate::kind::{IdKind, VIEW};
use crate::slots::canonical;

/// The most views of one call.
pub const VIEWS_MAX: usize = 16;

/// Where the stamp of the call begins in the bits of a handle; below is the place.
const STAMP_SHIFT: u32 = 8;

const _: () = assert!(VIEWS_MAX <= 1 << STAMP_SHIFT, "places are below the stamp");

/// An array that a script reads, or reads and writes, during a
/// [`call_batch`](crate::Script::call_batch): `view[1]` is its first element, `#view` their count.
#[derive(Debug)]
#[non_exhaustive]
pub enum View<'v> {
    /// Ids of a kind, to be read.
    Ids(IdKind, &'v [u32]),
    /// Numbers to be read.
    Numbers(&'v [f64]),
    /// Numbers to be read and written.
    NumbersMut(&'v mut [f64]),
    /// Numbers of 32 bits to be read.
    Floats(&'v [f32]),
    /// Numbers of 32 bits to be read and written; what is written is rounded.
    FloatsMut(&'v mut [f32]),
}

/// Elements, by the address of the first.
#[derive(Clone, Copy)]
enum Data {
    /// With what makes a handle of an id that is added.
    Ids(*const u32, f64),
    Numbers(*mut f64),
    Floats(*mut f32),
}

#[derive(Clone, Copy)]
struct Entry {
    data: Data,
    len: usize,
    is_writable: bool,
}

impl Entry {
    const EMPTY: Self = Self { data: Data::Numbers(ptr::null_mut()), len: 0, is_writable: false };

    fn new(view: &mut View<'_>) -> Self {
        let (data, len, is_writable) = match view {
            View::Ids(kind, ids) => {
                (Data::Ids(ids.as_ptr(), handle::pack(*kind, 0)), ids.len(), false)
            }
            View::Numbers(all) => (Data::Numbers(all.as_ptr().cast_mut()), all.len(), false),
            View::NumbersMut(all) => (Data::Numbers(all.as_mut_ptr()), all.len(), true),
            View::Floats(all) => (Data::Floats(all.as_ptr().cast_mut()), all.len(), false),
            View::FloatsMut(all) => (Data::Floats(all.as_mut_ptr()), all.len(), true),
        };
        Self { data, len, is_writable }
    }
}

/// The views of the call that runs.
///
/// # Invariants
///
/// 1. The first `count` entries are arrays that the caller of [`begin`](Self::begin) has borrowed
///    until [`end`](Self::end), exclusively if they are writable; nobody else uses them meanwhile.
/// 2. The handle of the view at a place is `first` and the place, in sum.
pub(crate) struct Views {
    entries: [Cell<Entry>; VIEWS_MAX],
    count: Cell<usize>,
    first: Cell<f64>,
    /// The number of the call, in 24 bits.
    stamp: Cell<u32>,
    /// The index that was used last, 0 before the first.
    last: Cell<usize>,
}

/// Why a view gives no element, or takes none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ViewError {
    /// It is of a call that is over.
    Over,
    /// It has no such index.
    Range { key: f64, len: usize },
    /// It cannot be written.
    ReadOnly,
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str(
                "this view is of a call that is over; copy what you need of it while the call runs",
            ),
            Self::Range { key, len } => {
                write!(f, "the view has no index {key}: they are whole numbers from 1 to {len}")
            }
            Self::ReadOnly => f.write_str("this view can be read, not written"),
        }
    }
}

impl Views {
    pub(crate) fn new() -> Self {
        Self {
            entries: [const { Cell::new(Entry::EMPTY) }; VIEWS_MAX],
            count: Cell::new(0),
            first: Cell::new(0.0),
            stamp: Cell::new(0),
            last: Cell::new(0),
        }
    }

    /// Opens arrays to scripts. Those of the call before, if any, are over.
    ///
    /// # Safety
    ///
    /// The arrays stay borrowed, and nobody uses `views` or them, until [`end`](Self::end).
    ///
    /// # Panics
    ///
    /// If there are more than [`VIEWS_MAX`].
    pub(crate) unsafe fn begin(&self, views: &mut [View<'_>]) {
        let count = views.len();
        assert!(count <= VIEWS_MAX, "{count} views are more than the {VIEWS_MAX} of a call");
        for (entry, view) in self.entries.iter().zip(views) {
            entry.set(Entry::new(view));
        }
        self.count.set(count);
        let stamp = self.stamp.get().wrapping_add(1) & (u32::MAX >> STAMP_SHIFT);
        self.stamp.set(stamp);
        self.first.set(handle::pack(VIEW, stamp << STAMP_SHIFT));
        self.last.set(0);
    }

    /// Closes them.
    pub(crate) fn end(&self) {
        self.count.set(0);
    }

    /// Returns the index from 1 on that was used last, 0 if none was since [`begin`](Self::begin).
    pub(crate) fn last(&self) -> usize {
        self.last.get()
    }

    /// Returns the handle of the view at a place.
    pub(crate) fn handle(&self, place: usize) -> f64 {
        self.first.get() + place as f64
    }

    /// Returns an element; `None` where [`error`](Self::error) says why.
    #[inline]
    pub(crate) fn get(&self, view: f64, key: f64) -> Option<f64> {
        let entry = self.entry(view)?;
        let index = index(entry, key)?;
        self.last.set(index + 1);
        Some(read(entry, index))
    }

    /// Sets an element; `None` where [`error`](Self::error) says why.
    #[inline]
    pub(crate) fn set(&self, view: f64, key: f64, value: f64) -> Option<()> {
        let entry = self.entry(view)?;
        let index = index(entry, key)?;
        if !entry.is_writable {
            return None;
        }
        self.last.set(index + 1);
        match entry.data {
            Data::Numbers(data) => {
                // SAFETY: `index` is in the range of the array.
                let place = unsafe { data.add(index) };
                // SAFETY: by invariant 1 the array is borrowed exclusively: it is writable.
                unsafe { place.write(value) };
            }
            Data::Floats(data) => {
                // SAFETY: `index` is in the range of the array.
                let place = unsafe { data.add(index) };
                // SAFETY: by invariant 1 the array is borrowed exclusively: it is writable.
                unsafe { place.write(value as f32) };
            }
            Data::Ids(..) => return None,
        }
        Some(())
    }

    /// Returns the count of elements; `None` where the view is over.
    #[inline]
    pub(crate) fn len(&self, view: f64) -> Option<f64> {
        self.entry(view).map(|entry| entry.len as f64)
    }

    /// Returns why [`get`](Self::get), [`set`](Self::set) or [`len`](Self::len) gave nothing.
    #[cold]
    pub(crate) fn error(&self, view: f64, key: f64) -> ViewError {
        match self.entry(view) {
            None => ViewError::Over,
            Some(entry) if index(entry, key).is_none() => ViewError::Range { key, len: entry.len },
            Some(_) => ViewError::ReadOnly,
        }
    }

    #[inline]
    fn entry(&self, view: f64) -> Option<Entry> {
        // By invariant 2; both are exact.
        let offset = view - self.first.get();
        let place = offset as u8;
        let is_one = f64::from(place) == offset && usize::from(place) < self.count.get();
        if is_one { self.entries.get(usize::from(place)).map(Cell::get) } else { None }
    }
}

/// Returns the index from 0 on of a key from 1 on, if the array has it.
#[inline]
fn index(entry: Entry, key: f64) -> Option<usize> {
    let whole = key as i64;
    let index = (whole as usize).wrapping_sub(1);
    (index < entry.len && whole as f64 == key).then_some(index)
}

/// Returns an element as the number that scripts have for it. The index is in range.
#[inline]
fn read(entry: Entry, index: usize) -> f64 {
    debug_assert!(index < entry.len, "{index} is not below {}", entry.len);
    match entry.data {
        Data::Ids(data, base) => {
            // SAFETY: `index` is in the range of the array.
            let place = unsafe { data.add(index) };
            // SAFETY: by invariant 1 of the views the array is borrowed.
            base + f64::from(unsafe { place.read() })
        }
        Data::Numbers(data) => {
            // SAFETY: `index` is in the range of the array.
            let place = unsafe { data.add(index) };
            // SAFETY: by invariant 1 of the views the array is borrowed.
            canonical(unsafe { place.read() })
        }
        Data::Floats(data) => {
            // SAFETY: `index` is in the range of the array.
            let place = unsafe { data.add(index) };
            // SAFETY: by invariant 1 of the views the array is borrowed.
            canonical(f64::from(unsafe { place.read() }))
        }
    }
}
