//! Arrays of the engine that a script uses in place while one call runs.
//!
//! What a script holds is a number, as for temporaries: it has the stamp of the call and the place
//! of the array, so that nothing is made for it, and one that was kept is refused. Each access looks
//! at the stamp and the range, whether other checks are on or not.
//!
//! There are two ways to an element. This file has the one by a call; `views.lua` has the other,
//! which LuaJIT compiles into a load or a store, and which leaves all that is not right to the first.

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
    /// Whether compiled code may read its elements.
    is_plain: bool,
}

impl Entry {
    const EMPTY: Self =
        Self { data: Data::Numbers(ptr::null_mut()), len: 0, is_writable: false, is_plain: false };

    fn new(view: &mut View<'_>) -> Self {
        let is_writable = matches!(view, View::NumbersMut(_) | View::FloatsMut(_));
        let (data, len, is_plain) = match view {
            View::Ids(kind, ids) => {
                (Data::Ids(ids.as_ptr(), handle::pack(*kind, 0)), ids.len(), true)
            }
            View::Numbers(all) => {
                (Data::Numbers(all.as_ptr().cast_mut()), all.len(), are_plain(all))
            }
            View::NumbersMut(all) => (Data::Numbers(all.as_mut_ptr()), all.len(), are_plain(all)),
            View::Floats(all) => {
                (Data::Floats(all.as_ptr().cast_mut()), all.len(), are_plain_floats(all))
            }
            View::FloatsMut(all) => {
                (Data::Floats(all.as_mut_ptr()), all.len(), are_plain_floats(all))
            }
        };
        Self { data, len, is_writable, is_plain }
    }
}

/// What compiled code reads of a view, none of it 64-bit integers or pointers: reading these makes an
/// object where nothing is compiled. LuaJIT takes fields of other types than what is stored for
/// unchanged, so a loop that writes floats reads these once.
#[derive(Debug)]
#[repr(C)]
struct EntryState {
    len: Cell<f64>,
    /// The address before the first element, counted in elements: an index from 1 on is added.
    begin: Cell<f64>,
    /// What makes a handle of an id that is added.
    base: Cell<f64>,
    /// How elements are read and written, [`FLOATS`] for instance; 0 for by a call.
    read: Cell<u8>,
    write: Cell<u8>,
}

/// Addresses in elements below are exact floats, a sum with an index too.
const ADDRESS_END: usize = 1 << 50;

const FLOATS: u8 = 1;
const DOUBLES: u8 = 2;
const IDS: u8 = 3;

impl EntryState {
    const fn new() -> Self {
        Self {
            len: Cell::new(0.0),
            begin: Cell::new(0.0),
            base: Cell::new(0.0),
            read: Cell::new(0),
            write: Cell::new(0),
        }
    }

    fn set(&self, entry: &Entry) {
        let (address, element, base) = match entry.data {
            Data::Floats(data) => (data.expose_provenance() / size_of::<f32>(), FLOATS, 0.0),
            Data::Numbers(data) => (data.expose_provenance() / size_of::<f64>(), DOUBLES, 0.0),
            Data::Ids(data, base) => (data.expose_provenance() / size_of::<u32>(), IDS, base),
        };
        self.len.set(entry.len as f64);
        self.begin.set(address as f64 - 1.0);
        self.base.set(base);
        // Addresses with a tag in their high bits are no exact floats.
        let element = if entry.is_plain && address < ADDRESS_END { element } else { 0 };
        self.read.set(element);
        self.write.set(if entry.is_writable { element } else { 0 });
    }
}

/// What compiled code knows of views.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ViewState {
    /// The handle of the first view; a NaN while there are none.
    first: Cell<f64>,
    /// The index that was used last, 0 before the first.
    last: Cell<u32>,
    entries: [EntryState; VIEWS_MAX],
}

impl ViewState {
    /// The layout of this for the foreign function interface.
    pub(crate) const DECLARATION: &str = "typedef struct { double first; uint32_t last; \
        struct { double len, begin, base; uint8_t read, write; } entries[16]; } loligo_views;\n";
}

const _: () = assert!(VIEWS_MAX == 16, "as in the declaration, and in `views.lua`");

/// The views of the call that runs.
///
/// # Invariants
///
/// 1. The first `count` entries are arrays that the caller of [`begin`](Self::begin) has borrowed
///    until [`end`](Self::end), exclusively if they are writable; nobody else uses them meanwhile.
/// 2. The handle of the view at a place is `state.first` and the place, in sum.
/// 3. `state` says the same of each entry, and of the others that they have no elements. While there
///    are no views, no handle is there. So what compiled code reads and writes is in an array that
///    is borrowed. It does so inside of the call alone: it does not outlast it.
/// 4. Elements that compiled code reads are no NaN other than the one that Lua's values may hold:
///    it was looked for, and scripts have no other to write.
pub(crate) struct Views {
    entries: [Cell<Entry>; VIEWS_MAX],
    count: Cell<usize>,
    /// The number of the call, in 24 bits.
    stamp: Cell<u32>,
    state: ViewState,
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
            stamp: Cell::new(0),
            state: ViewState {
                first: Cell::new(f64::NAN),
                last: Cell::new(0),
                entries: [const { EntryState::new() }; VIEWS_MAX],
            },
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
        for ((entry, state), view) in self.entries.iter().zip(&self.state.entries).zip(views) {
            let new = Entry::new(view);
            state.set(&new);
            entry.set(new);
        }
        for state in &self.state.entries[count..] {
            state.len.set(0.0);
        }
        self.count.set(count);
        let stamp = self.stamp.get().wrapping_add(1) & (u32::MAX >> STAMP_SHIFT);
        self.stamp.set(stamp);
        self.state.first.set(handle::pack(VIEW, stamp << STAMP_SHIFT));
        self.state.last.set(0);
    }

    /// Closes them.
    pub(crate) fn end(&self) {
        self.count.set(0);
        self.state.first.set(f64::NAN);
    }

    /// Returns the address of what compiled code knows.
    pub(crate) fn state(&self) -> *const ViewState {
        &raw const self.state
    }

    /// Returns the index from 1 on that was used last, 0 if none was since [`begin`](Self::begin).
    pub(crate) fn last(&self) -> usize {
        self.state.last.get() as usize
    }

    /// Returns the handle of the view at a place.
    pub(crate) fn handle(&self, place: usize) -> f64 {
        self.state.first.get() + place as f64
    }

    /// Returns an element; `None` where [`error`](Self::error) says why.
    #[inline]
    pub(crate) fn get(&self, view: f64, key: f64) -> Option<f64> {
        let entry = self.entry(view)?;
        let index = index(entry, key)?;
        self.state.last.set(key as u32);
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
        self.state.last.set(key as u32);
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
        let offset = view - self.state.first.get();
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

/// Returns `true` if none is a NaN. All are looked at, which the compiler does for several at once.
fn are_plain(numbers: &[f64]) -> bool {
    !numbers.iter().fold(false, |is_any, number| is_any | number.is_nan())
}

/// As [`are_plain`].
fn are_plain_floats(numbers: &[f32]) -> bool {
    !numbers.iter().fold(false, |is_any, number| is_any | number.is_nan())
}
