//! A thread that reads files of resources while frames go on.
//!
//! A separate thread, and no task: it waits for the disk, and what waits for a task helps to do
//! others, so a frame would wait for the disk, too.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use loligo_allocators::SharedRef;
use loligo_resources::{DataFolder, FileRequest, Loaded};

use crate::assets::Prepared;
use crate::error::EngineError;
use crate::memory::{Library, SharedAllocator};
use crate::world::Want;

/// What was read of a resource, checked, and made ready for the render thread.
pub(crate) type ReadResult<'m> =
    Result<(Loaded<'m, SharedAllocator<'m>>, Prepared<'m, SharedAllocator<'m>>), EngineError>;

/// A resource that was read.
pub(crate) type Done<'m> = (Want, ReadResult<'m>);

/// The most files that are under way.
pub(crate) const UNDER_WAY_MAX: usize = 16;

/// A few of something in order, without memory of their own.
struct Few<T> {
    items: [Option<T>; UNDER_WAY_MAX],
    count: usize,
}

impl<T> Few<T> {
    const fn new() -> Self {
        Self { items: [const { None }; UNDER_WAY_MAX], count: 0 }
    }

    /// Appends one, for which there is room.
    fn push(&mut self, item: T) {
        self.items[self.count] = Some(item);
        self.count += 1;
    }

    fn pop_first(&mut self) -> Option<T> {
        let first = self.items[0].take()?;
        self.items.rotate_left(1);
        self.count -= 1;
        Some(first)
    }
}

/// Where the main thread and the one that reads meet. No more than [`UNDER_WAY_MAX`] files are asked
/// for and not taken back, which the main thread counts.
pub(crate) struct Reader<'m> {
    state: Mutex<State<'m>>,
    changed: Condvar,
    memories: [SharedRef<'m>; 2],
}

struct State<'m> {
    asked: Few<(Want, FileRequest)>,
    done: Few<Done<'m>>,
    is_served: bool,
    is_closed: bool,
}

impl<'m> Reader<'m> {
    /// Makes the meeting point for files that are read into one memory and made ready in another.
    pub(crate) const fn new(resources: SharedRef<'m>, render: SharedRef<'m>) -> Self {
        let state =
            State { asked: Few::new(), done: Few::new(), is_served: false, is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), memories: [resources, render] }
    }

    /// Asks for a file.
    pub(crate) fn ask(&self, wanted: Want, file: FileRequest) {
        self.lock().asked.push((wanted, file));
        self.changed.notify_all();
    }

    /// Returns what was read first of what is not taken back yet; waits for it where `waits`.
    pub(crate) fn take(&self, waits: bool) -> Option<Done<'m>> {
        let mut state = self.lock();
        while waits && state.done.count == 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.done.pop_first()
    }

    /// Waits until the thread serves: a thread that begins takes memory from the global heap, which
    /// may be guarded later.
    pub(crate) fn wait_until_served(&self) {
        let mut state = self.lock();
        while !state.is_served {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets the thread end.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Reads what is asked for until it is closed: what the thread does.
    pub(crate) fn serve(&self, folder: &DataFolder<'_>) {
        self.lock().is_served = true;
        self.changed.notify_all();
        while let Some((wanted, file)) = self.next() {
            let read = read(&file, folder, self.memories);
            self.lock().done.push((wanted, read));
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<(Want, FileRequest)> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(asked) = state.asked.pop_first() {
                return Some(asked);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'m>> {
        // Nothing of it is changed in half.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the thread that reads end, also where anything panics.
pub(crate) struct ClosingReader<'r, 'm>(pub(crate) &'r Reader<'m>);

impl Drop for ClosingReader<'_, '_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reads a file, checks it, and makes ready what the render thread needs of it.
pub(super) fn read<'m>(
    file: &FileRequest,
    folder: &DataFolder<'_>,
    [resources, render]: [SharedRef<'m>; 2],
) -> ReadResult<'m> {
    // Paths are on the global heap.
    let loaded = Library::Std.run(|| file.read(folder, resources))?;
    let resource = loaded.resource();
    let prepared = Prepared::try_new(resource.key(), resource.payload(), render)?;
    Ok((loaded, prepared))
}
