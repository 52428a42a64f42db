//! The task manager: its memory, and its threads while it runs.

use core::fmt;
use core::num::NonZero;
use std::format;
use std::thread;

use loligo_allocators::Allocator;
use loligo_containers::Array;

use crate::error::{StartError, TASKS_MAX, THREADS_MAX};
use crate::hub::{Hub, MainThread, Memory};
use crate::local::Local;
use crate::observer::Observer;
use crate::slot::Slot;
use crate::state::ThreadRecord;
use crate::sync::{AtomicU32, Bell, Lock};
use crate::table::Sizes;
use crate::task::ThreadIndex;

/// What a task manager is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many tasks may be open at once, at least: threads keep some places for themselves, and
    /// there are as many more.
    pub tasks: u32,
    /// How many main threads may be registered at once, the one that calls [`Tasks::run`] among
    /// them.
    pub main_threads: u32,
    /// How many threads it makes; `None` for the cores of the machine less the main threads.
    pub workers: Option<u32>,
}

impl Default for Settings {
    /// 4096 tasks, one main thread, workers for the other cores.
    fn default() -> Self {
        Self { tasks: 4096, main_threads: 1, workers: None }
    }
}

impl Settings {
    /// Returns how many workers there will be.
    #[must_use]
    pub fn worker_count(&self) -> u32 {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get) as u32;
        self.workers.unwrap_or_else(|| cores().min(THREADS_MAX).saturating_sub(self.main_threads))
    }
}

/// A task manager: tables for tasks and threads, and threads while it runs.
///
/// # Memory
///
/// 64 bytes a task and up to 17 KiB a thread for its queue, its counts and the places that it
/// keeps, taken when it is made. Nothing is allocated while tasks
/// are added and run. What the threads themselves need when [`run`](Self::run) begins is std's and
/// the system's.
///
/// # Examples
///
/// The README shows one.
pub struct Tasks<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    slots: Array<'a, Slot, A>,
    locals: Array<'a, Local, A>,
    entries: Array<'a, AtomicU32, A>,
    threads: Array<'a, ThreadRecord, A>,
    bells: Array<'a, Bell, A>,
    sizes: Sizes,
    main_threads: u32,
}

impl<'a> Tasks<'a> {
    /// Makes a task manager. It has no threads until it [runs](Self::run).
    ///
    /// # Complexity
    ///
    /// O(tasks); allocates five blocks.
    ///
    /// # Errors
    ///
    /// [`StartError`] if the allocator refuses, or the settings ask for what cannot be.
    pub fn try_new(
        settings: &Settings,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, StartError> {
        Self::try_new_in(settings, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Tasks<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(settings: &Settings, memory: &'a A) -> Result<Self, StartError> {
        let Settings { tasks, main_threads, .. } = *settings;
        let workers = settings.worker_count();
        if tasks == 0 || tasks > TASKS_MAX {
            return Err(StartError::Tasks { asked: tasks });
        }
        let count = main_threads.saturating_add(workers);
        if main_threads == 0 || count > THREADS_MAX {
            return Err(StartError::Threads { main_threads, workers });
        }
        let sizes = Sizes::of(tasks, count);
        let mut slots = Array::try_with_capacity_in(sizes.slots as usize, memory)?;
        for _ in 0..sizes.slots {
            slots.try_push(Slot::free())?;
        }
        let rings = count as usize * sizes.ring;
        let mut entries = Array::try_with_capacity_in(rings, memory)?;
        for _ in 0..rings {
            entries.try_push(AtomicU32::new(0))?;
        }
        let mut locals = Array::try_with_capacity_in(count as usize, memory)?;
        let mut threads = Array::try_with_capacity_in(count as usize, memory)?;
        let mut bells = Array::try_with_capacity_in(count as usize, memory)?;
        for _ in 0..count {
            locals.try_push(Local::new())?;
            threads.try_push(ThreadRecord::new())?;
            bells.try_push(Bell::default())?;
        }
        Ok(Self { slots, locals, entries, threads, bells, sizes, main_threads })
    }

    /// Starts the workers, registers the calling thread as the first main thread, runs `work` on
    /// it, and ends: tasks that have not started are given up, those that run are waited for, and
    /// so are the workers.
    ///
    /// When `work` begins, every worker serves: what a system thread takes from the heap as it
    /// starts, late where the machine is busy, falls in no frame.
    ///
    /// Where the system refuses a thread, there are fewer. The manager can run again.
    ///
    /// # Panics
    ///
    /// If `work` panics, once all has ended.
    pub fn run<R>(&mut self, work: impl FnOnce(&MainThread<'_>) -> R) -> R {
        self.run_with(None, work)
    }

    /// As [`run`](Self::run), and calls `observer` when tasks begin and end.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    pub fn run_observed<R>(
        &mut self,
        observer: &dyn Observer,
        work: impl FnOnce(&MainThread<'_>) -> R,
    ) -> R {
        self.run_with(Some(observer), work)
    }

    /// Returns how many tasks there is room for.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.sizes.tasks
    }

    /// Returns the bytes of its tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.slots[..])
            + size_of_val(&self.locals[..])
            + size_of_val(&self.entries[..])
            + size_of_val(&self.threads[..])
            + size_of_val(&self.bells[..])
    }

    fn run_with<R>(
        &mut self,
        observer: Option<&dyn Observer>,
        work: impl FnOnce(&MainThread<'_>) -> R,
    ) -> R {
        let (main_threads, threads) = (self.main_threads, self.threads.len());
        let memory = Memory {
            slots: &self.slots,
            locals: &mut self.locals,
            entries: &self.entries,
            threads: &mut self.threads,
            bells: &self.bells,
        };
        let hub = &Hub::new(memory, self.sizes, main_threads, observer);
        let main = || {
            hub.with(|turn| turn.register(0));
            work(&MainThread::new(hub, 0))
        };
        if threads == main_threads as usize {
            let _closing = Closing(hub);
            return main();
        }
        let start = &Start { begun: Lock::new(0), bell: Bell::default() };
        thread::scope(|scope| {
            let _closing = Closing(hub);
            for index in main_threads as usize..threads {
                let name = format!("worker {}", index - main_threads as usize);
                hub.with(|turn| turn.register(index as u8));
                let worker = NewWorker { hub, start, index: index as u8, has_served: false };
                let life = move || live(worker, observer);
                // If no thread can be started, the worker is dropped with the closure, and taken
                // off the count.
                let _ = thread::Builder::new().name(name).spawn_scoped(scope, life);
            }
            start.wait(threads - main_threads as usize);
            main()
        })
    }
}

/// All that a worker's thread does, within what an observer does around it.
fn live(mut worker: NewWorker<'_, '_>, observer: Option<&dyn Observer>) {
    match observer {
        Some(observer) => {
            observer.thread(ThreadIndex(worker.index), &mut || worker.serve());
        }
        None => worker.serve(),
    }
}

/// A worker that is counted and has not served yet. One that never does is taken off the count.
struct NewWorker<'h, 'm> {
    hub: &'h Hub<'m>,
    start: &'h Start,
    index: u8,
    has_served: bool,
}

impl NewWorker<'_, '_> {
    fn serve(&mut self) {
        if !self.has_served {
            self.has_served = true;
            let before = self.hub.arrive(self.index);
            self.start.tell();
            self.hub.serve(self.hub.table.me(self.index));
            self.hub.depart(self.index, before);
        }
    }
}

impl Drop for NewWorker<'_, '_> {
    fn drop(&mut self) {
        if !self.has_served {
            self.hub.with(|turn| turn.unregister(self.index));
            self.start.tell();
        }
    }
}

/// Where the thread that starts the workers waits until each serves, or will not.
struct Start {
    begun: Lock<usize>,
    bell: Bell,
}

impl Start {
    fn tell(&self) {
        *self.begun.lock() += 1;
        self.bell.ring();
    }

    fn wait(&self, workers: usize) {
        let mut begun = self.begun.lock();
        while *begun < workers {
            begun = self.bell.sleep(begun);
        }
    }
}

/// Shuts a hub down, also where its main thread panics.
struct Closing<'c>(&'c Hub<'c>);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.with(|turn| turn.close());
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Tasks<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks")
            .field("capacity", &self.capacity())
            .field("main_threads", &self.main_threads)
            .field("workers", &(self.threads.len() as u32 - self.main_threads))
            .finish_non_exhaustive()
    }
}
