//! Threads that read files of resources while frames go on.
//!
//! Separate threads, and no tasks: they wait for the disk, and what waits for a task helps to do
//! others, so a frame would wait for the disk, too. There are two, so that one waits for the disk
//! while the other checks and decompresses.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_render::TextureTail;
use loligo_resources::{DataFolder, FileRequest, Loaded, ResourceKey};

use super::tail_request::{TailBytes, TailRequest};
use crate::assets::{Prepared, TailFile};
use crate::error::EngineError;
use crate::memory::{Library, SharedAllocator};
use crate::world::Want;

/// Levels of a texture that are to be read: for which texture, by which of its files, and which.
#[derive(Clone, Copy)]
pub(crate) struct LevelsRequest {
    pub(crate) texture: u32,
    pub(crate) generation: u32,
    pub(crate) key: ResourceKey,
    pub(crate) file: FileRequest,
    pub(crate) tail: TextureTail,
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl LevelsRequest {
    /// Reads and checks them.
    pub(crate) fn read<'m>(
        &self,
        folder: &DataFolder<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Words<'m>, EngineError> {
        let file = TailFile { file: self.file, folder, is_streamed: true };
        file.try_read(self.key, &self.tail, self.first..self.end, memory)
    }
}

/// Pixels in words.
pub(crate) type Words<'m> = Array<'m, u32, SharedAllocator<'m>>;

/// What is asked for.
enum Asked {
    Tail(TailRequest),
    Resource(Want, FileRequest),
    Levels(LevelsRequest),
}

/// What was read of a resource, checked, and made ready for the render thread.
pub(crate) type ReadResult<'m> =
    Result<(Loaded<'m, SharedAllocator<'m>>, Prepared<'m, SharedAllocator<'m>>), EngineError>;

/// A resource that was read.
pub(crate) type Done<'m> = (Want, ReadResult<'m>);

/// How many threads read.
pub(crate) const READERS: usize = 2;

/// The most files that are under way, and the most levels of textures.
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

/// Where the main thread and those that read meet. No more than [`UNDER_WAY_MAX`] files, as many
/// levels and as many parts are asked for and not taken back, which the main thread counts.
pub(crate) struct Reader<'m> {
    state: Mutex<State<'m>>,
    changed: Condvar,
    memories: [SharedRef<'m>; 2],
    /// Whether the large levels of textures are read apart.
    is_streamed: bool,
}

struct State<'m> {
    /// These are read first: they are heard soon.
    asked_tails: Few<TailRequest>,
    done_tails: Few<(TailRequest, Result<TailBytes<'m>, EngineError>)>,
    asked: Few<(Want, FileRequest)>,
    done: Few<Done<'m>>,
    /// These are read when no file is asked for.
    asked_levels: Few<LevelsRequest>,
    done_levels: Few<(LevelsRequest, Result<Words<'m>, EngineError>)>,
    /// How many threads serve.
    served: usize,
    is_closed: bool,
}

impl<'m> Reader<'m> {
    /// Makes the meeting point for files that are read into one memory and made ready in another.
    pub(crate) const fn new(
        resources: SharedRef<'m>,
        render: SharedRef<'m>,
        is_streamed: bool,
    ) -> Self {
        let state = State {
            asked_tails: Few::new(),
            done_tails: Few::new(),
            asked: Few::new(),
            done: Few::new(),
            asked_levels: Few::new(),
            done_levels: Few::new(),
            served: 0,
            is_closed: false,
        };
        let memories = [resources, render];
        Self { state: Mutex::new(state), changed: Condvar::new(), memories, is_streamed }
    }

    /// Asks for a part of a file.
    pub(crate) fn ask_tail(&self, tail: TailRequest) {
        self.lock().asked_tails.push(tail);
        self.changed.notify_all();
    }

    /// Returns the part of a file that was read first of what is not taken back yet.
    pub(crate) fn take_tail(&self) -> Option<(TailRequest, Result<TailBytes<'m>, EngineError>)> {
        self.lock().done_tails.pop_first()
    }

    /// Asks for levels of a texture.
    pub(crate) fn ask_levels(&self, levels: LevelsRequest) {
        self.lock().asked_levels.push(levels);
        self.changed.notify_all();
    }

    /// Returns the levels that were read first of what is not taken back yet.
    pub(crate) fn take_levels(&self) -> Option<(LevelsRequest, Result<Words<'m>, EngineError>)> {
        self.lock().done_levels.pop_first()
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

    /// Waits until all threads serve: a thread that begins takes memory from the global heap, which
    /// may be guarded later.
    pub(crate) fn wait_until_served(&self) {
        let mut state = self.lock();
        while state.served < READERS {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets the threads end.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Reads what is asked for until it is closed: what each thread does.
    pub(crate) fn serve(&self, folder: &DataFolder<'_>) {
        self.lock().served += 1;
        self.changed.notify_all();
        while let Some(asked) = self.next() {
            match asked {
                Asked::Tail(tail) => {
                    let [resources, _] = self.memories;
                    let read = tail.read(folder, resources);
                    self.lock().done_tails.push((tail, read));
                }
                Asked::Resource(wanted, file) => {
                    let read = read(&file, (folder, self.is_streamed), self.memories);
                    self.lock().done.push((wanted, read));
                }
                Asked::Levels(levels) => {
                    let [_, render] = self.memories;
                    let read = levels.read(folder, render);
                    self.lock().done_levels.push((levels, read));
                }
            }
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<Asked> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(tail) = state.asked_tails.pop_first() {
                return Some(Asked::Tail(tail));
            }
            if let Some((wanted, file)) = state.asked.pop_first() {
                return Some(Asked::Resource(wanted, file));
            }
            if let Some(levels) = state.asked_levels.pop_first() {
                return Some(Asked::Levels(levels));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'m>> {
        // Nothing of it is changed in half.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the threads that read end, also where anything panics.
pub(crate) struct ClosingReader<'r, 'm>(pub(crate) &'r Reader<'m>);

impl Drop for ClosingReader<'_, '_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reads a file, checks it, and makes ready what the render thread needs of it.
pub(super) fn read<'m>(
    file: &FileRequest,
    (folder, is_streamed): (&DataFolder<'_>, bool),
    [resources, render]: [SharedRef<'m>; 2],
) -> ReadResult<'m> {
    // Paths are on the global heap.
    let loaded = Library::Std.run(|| file.read(folder, resources))?;
    let resource = loaded.resource();
    let tail = TailFile { file: *file, folder, is_streamed };
    let prepared = Prepared::try_new(resource.key(), resource.payload(), &tail, render)?;
    Ok((loaded, prepared))
}
