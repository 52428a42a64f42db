//! The monitor: the global buffer that threads hand their events in to, and that consumers drain.
//!
//! After Niklas Frykholm, "Monitoring your game" (2011): buffers of concatenated structs in memory
//! of their own, apart from the game's; threads write into their own and flush under a lock; names
//! are addresses of static texts. Changes: see `docs/decisions/0020-monitor.md`.

use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use loligo_allocators::Allocator;

use crate::clock::{Clock, ticks};
use crate::core_number::CoreNumber;
use crate::drain::{Drained, Drainer};
use crate::error::{MonitorDamage, MonitorError};
use crate::event::Consumer;
use crate::name::Name;
use crate::names::Names;
use crate::options::Options;
use crate::recorder::{ON, Recorder};
use crate::sink::{Room, Sink};
use crate::store::{Block, Store};

/// Counts of a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonitorStats {
    /// Threads that record.
    pub threads: u32,
    /// Names that were made at run time.
    pub names: u32,
    /// Blocks that wait for a consumer.
    pub blocks_filled: u32,
    /// Frames that have ended.
    pub frames: u32,
    /// Events that were lost as nobody drained in time, a vector, an allocation or a free counted
    /// twice.
    pub lost: u64,
    /// Ends of scopes without a beginning, as far as consumers have come.
    pub stray_ends: u64,
    /// Scopes whose end was missing.
    pub cut_scopes: u64,
    /// Scopes more than [`DEPTH_MAX`](crate::DEPTH_MAX) deep.
    pub deep_scopes: u64,
}

/// The maximum number of different names of events.
const NAMES_MAX: u32 = 1 << 30;

/// The switch and the count of frames, on lines of the cache of their own: every thread reads it
/// all the time.
#[derive(Debug)]
#[repr(align(128))]
struct Pulse(AtomicU32);

/// Collects what threads record, and passes it on to consumers.
///
/// ```text
/// thread  --16 bytes an event-->  private 64 KiB  --full, or end of frame-->  global buffer
/// --drain-->  consumers
/// ```
///
/// A consumer is a [`Timeline`](crate::Timeline), [`Graphs`](crate::Graphs), a
/// [`ChromeTrace`](crate::ChromeTrace), a [`PerfettoTrace`](crate::PerfettoTrace), or your own.
/// When consumers are slower than the threads, the oldest events are lost, and their number is
/// reported; no thread ever waits for a consumer.
///
/// # Complexity
///
/// See [`Recorder`] for recording. Draining is O(events).
///
/// # Memory
///
/// All from the allocator passed in, when it is made: `blocks` times 64 KiB, about 1.2 KiB for each
/// of `threads`, 40 bytes for each of `names`. Then 64 KiB for each thread that records, when it
/// starts, and the texts of names. Give it a heap that the game does not use, so that what is
/// recorded does not disturb what is measured.
///
/// # Threads
///
/// `Sync` where the allocator is. Threads meet at one lock, held for as long as it takes to pass a
/// block from hand to hand, or to copy half of one at the most.
///
/// # When not to use it
///
/// To find where in a function the time goes: that is a sampling profiler's work. In what takes
/// less than 100 ns: the two time stamps of a scope alone are a good part of that.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, Locked, PageAllocator};
/// use loligo_monitor::{Consumer, Event, Monitor, Options, What, name};
///
/// struct Count(u32);
/// impl Consumer for Count {
///     fn event(&mut self, event: &Event<'_>) {
///         self.0 += u32::from(matches!(event.what, What::Enter { .. }));
///     }
/// }
///
/// let pages = PageAllocator::new("pages");
/// let debug = Locked::new(HeapAllocator::new("debug heap", &pages));
/// let monitor = Monitor::try_new(&Options::default(), &debug)?;
/// std::thread::scope(|threads| {
///     threads.spawn(|| {
///         let worker = monitor.try_recorder("worker")?;
///         let _work = worker.scope(name!("animate"));
///         Ok::<(), loligo_monitor::MonitorError>(())
///     });
/// });
/// let mut count = Count(0);
/// let drained = monitor.drain(&mut [&mut count]);
/// assert_eq!((count.0, drained.lost), (1, 0));
/// # Ok::<(), loligo_monitor::MonitorError>(())
/// ```
pub struct Monitor<'a, A: Allocator + ?Sized = dyn Allocator + Sync + 'a> {
    pulse: Pulse,
    clock: Clock,
    names: Names<'a, A>,
    store: Mutex<Store<'a, A>>,
    /// Held for a whole drain, so it is taken before the store's.
    drainer: Mutex<Drainer<'a, A>>,
    memory: &'a A,
}

impl<'a> Monitor<'a> {
    /// Makes a monitor that records from now on.
    ///
    /// `memory` must be `Sync`; [`try_new_in`](Self::try_new_in) takes any allocator.
    ///
    /// # Complexity
    ///
    /// O(its memory), and 2 ms for the first one in a program, to measure the time stamps' rate.
    ///
    /// # Errors
    ///
    /// [`MonitorError::Memory`] if there is not enough.
    pub fn try_new(
        options: &Options,
        memory: &'a (dyn Allocator + Sync + 'a),
    ) -> Result<Self, MonitorError> {
        Self::try_new_in(options, memory)
    }

    /// As [`try_new_in`](Self::try_new_in), with a clock of one's own: for stamps from elsewhere,
    /// and for tests.
    ///
    /// `memory` must be `Sync`; [`try_with_clock_in`](Self::try_with_clock_in) takes any allocator.
    ///
    /// # Errors
    ///
    /// As [`try_new_in`](Self::try_new_in).
    pub fn try_with_clock(
        options: &Options,
        clock: Clock,
        memory: &'a (dyn Allocator + Sync + 'a),
    ) -> Result<Self, MonitorError> {
        Self::try_with_clock_in(options, clock, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Monitor<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(options: &Options, memory: &'a A) -> Result<Self, MonitorError> {
        Self::try_with_clock_in(options, Clock::start(), memory)
    }

    /// As [`try_with_clock`](Self::try_with_clock), and keeps the type of the allocator, so that
    /// its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_clock`](Self::try_with_clock).
    pub fn try_with_clock_in(
        options: &Options,
        clock: Clock,
        memory: &'a A,
    ) -> Result<Self, MonitorError> {
        Ok(Self {
            pulse: Pulse(AtomicU32::new(ON)),
            clock,
            names: Names::try_new_in(options.names.min(NAMES_MAX), memory)?,
            store: Mutex::new(Store::try_new_in(options, memory)?),
            drainer: Mutex::new(Drainer::try_new_in(options.threads.max(1), memory)?),
            memory,
        })
    }

    /// Returns what this thread records with. Threads of one name that live at the same time have
    /// different numbers.
    ///
    /// # Complexity
    ///
    /// O(threads + names), and the writing of 64 KiB.
    ///
    /// # Errors
    ///
    /// [`MonitorError`] if there is no memory, or there are too many threads or names.
    pub fn try_recorder(&self, name: &str) -> Result<Recorder<'_>, MonitorError> {
        let name = self.names.try_name(name)?;
        let core_number = CoreNumber::of_this_thread();
        let core = core_number.now();
        // Made before the lock is taken, so that others need not wait for the allocator.
        let block = Block::try_new_in(self.memory)?;
        let mut store = self.store();
        let Some(thread) = store.vacancy(name) else {
            return Err(MonitorError::Threads { limit: store.counts().0 });
        };
        let room = store.open(thread, name, block, core, ticks())?;
        Ok(Recorder::new(thread, room, core, core_number, &self.pulse.0, self))
    }

    /// Returns the name of a text that is not static, which is kept for as long as the monitor
    /// lives. Names are made once and kept; a text that was made before gives the same name. To be
    /// used with this monitor alone: with another it shows as another name, or as a question mark.
    ///
    /// # Complexity
    ///
    /// O(names).
    ///
    /// # Errors
    ///
    /// [`MonitorError`] if there is no memory, or there are too many names, or it is longer than 1
    /// KiB.
    pub fn try_name(&self, text: &str) -> Result<Name, MonitorError> {
        self.names.try_name(text)
    }

    /// Switches recording on or off for all threads. A scope that was begun while it was on still
    /// ends.
    pub fn set_recording(&self, on: bool) {
        // Relaxed: the switch guards no data.
        if on {
            self.pulse.0.fetch_or(ON, Ordering::Relaxed);
        } else {
            self.pulse.0.fetch_and(!ON, Ordering::Relaxed);
        }
    }

    /// Returns `true` if recording is on and compiled in.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        // Relaxed: the switch guards no data.
        cfg!(feature = "recording") && self.pulse.0.load(Ordering::Relaxed) & ON != 0
    }

    /// Returns the clock that makes nanoseconds of stamps.
    #[must_use]
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Passes everything that was handed in until now on to each of `consumers`. Events are then
    /// gone.
    ///
    /// One thread at a time can do so. What consumers do to the monitor from within is allowed;
    /// draining it from there does nothing.
    ///
    /// # Complexity
    ///
    /// O(events). Nothing is allocated, and no thread that records waits for a consumer.
    pub fn drain(&self, consumers: &mut [&mut dyn Consumer]) -> Drained {
        let mut drained = Drained::default();
        let mut drainer = match self.drainer.try_lock() {
            Ok(drainer) => drainer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Drained { busy: true, ..drained },
        };
        // What comes in meanwhile is left for the next time, or threads could keep us here.
        let (_, _, filled, _) = self.store().counts();
        for _ in 0..filled {
            let Some(block) = self.store().pop(&mut drainer.lost) else {
                break;
            };
            // It goes back also if a consumer panics.
            let block = Lent { store: &self.store, block: Some(block) };
            for run in block.block.iter().flat_map(Block::runs) {
                drainer.run(run, &self.names, &self.clock, consumers, &mut drained);
            }
        }
        // Losses that are still unreported belong to no filled block: those of a thread that has
        // ended, for instance.
        self.store().tell(&mut drainer.lost);
        for thread in 0..drainer.lost.len() as u32 {
            if drainer.lost[thread as usize] > 0 {
                let name = self.store().name(thread);
                let run = (thread, name, &[][..]);
                drainer.run(run, &self.names, &self.clock, consumers, &mut drained);
            }
        }
        drained
    }

    /// Returns the current counts. Those of scopes are as of the last drain, and 0 while one is
    /// under way.
    #[must_use]
    pub fn stats(&self) -> MonitorStats {
        let (_, threads, blocks_filled, lost) = self.store().counts();
        let scopes = self.drainer.try_lock().map(|drainer| drainer.counts()).unwrap_or_default();
        MonitorStats {
            threads,
            names: self.names.count(),
            blocks_filled,
            // Relaxed: a momentary view.
            frames: self.pulse.0.load(Ordering::Relaxed) / (2 * ON),
            lost,
            stray_ends: scopes.stray,
            cut_scopes: scopes.cut,
            deep_scopes: scopes.deep,
        }
    }

    /// Walks everything that was handed in, and says what is broken. To be called while no other
    /// thread drains.
    ///
    /// # Complexity
    ///
    /// O(runs), under the lock that threads hand in under.
    ///
    /// # Errors
    ///
    /// [`MonitorDamage`]; then memory was overwritten, or the monitor has a fault.
    pub fn validate(&self) -> Result<(), MonitorDamage> {
        self.store().validate(0)
    }

    fn store(&self) -> MutexGuard<'_, Store<'a, A>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Allocator + ?Sized> Sink for Monitor<'_, A> {
    fn hand_in(&self, thread: u32, used: u32, core: u32, stamp: u64) -> Room {
        self.store().hand_in(thread, used, core, stamp)
    }

    fn close(&self, thread: u32, used: u32) {
        self.store().close(thread, used);
    }

    fn name(&self, text: &str) -> Result<Name, MonitorError> {
        self.names.try_name(text)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Monitor<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// A block that a consumer looks into.
struct Lent<'m, 'a, A: Allocator + ?Sized> {
    store: &'m Mutex<Store<'a, A>>,
    block: Option<Block<'a, A>>,
}

impl<A: Allocator + ?Sized> Drop for Lent<'_, '_, A> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.store.lock().unwrap_or_else(PoisonError::into_inner).give_back(block);
        }
    }
}
