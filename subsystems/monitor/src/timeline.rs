//! The timeline: which scopes each thread was in, when, and on which core.
//!
//! After Niklas Frykholm, "First profiler screenshot" (2009): a line for each thread, bars for
//! scopes, nested ones below each other, coloured by the core that the scope began on.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError, Ring};

use crate::balance::DEPTH_MAX;
use crate::event::{Consumer, Event, What};
use crate::texts::Texts;

/// How much a timeline holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineLimits {
    /// Threads.
    pub threads: u32,
    /// Ended scopes of each thread: the last ones are kept.
    pub spans: u32,
    /// Different names.
    pub names: u32,
}

impl Default for TimelineLimits {
    /// 16 threads of 4096 scopes each, 512 names.
    fn default() -> Self {
        Self { threads: 16, spans: 4096, names: 512 }
    }
}

/// A scope that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// When it began, in nanoseconds from when the monitor was made.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// Its name, for [`Timeline::name`].
    pub name: u32,
    /// The core that it began on, or [`NO_CORE`](crate::NO_CORE).
    pub core: u32,
    /// How many scopes are around it.
    pub depth: u16,
    /// Its end was not recorded: it is the end of one around it, or where events were lost.
    pub cut: bool,
}

/// A thread's scopes.
pub struct Track<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    thread: u32,
    name: u32,
    spans: Ring<'a, Span, A>,
    /// Open scopes, their ends not yet known. It has room for all from the start.
    open: Array<'a, Span, A>,
}

impl<A: Allocator + ?Sized> Track<'_, A> {
    /// Returns the thread's number.
    #[must_use]
    pub const fn thread(&self) -> u32 {
        self.thread
    }

    /// Returns the thread's name, for [`Timeline::name`].
    #[must_use]
    pub const fn name(&self) -> u32 {
        self.name
    }

    /// Returns the scopes that have ended, in the order of their ends: what is within a scope comes
    /// before it.
    pub fn spans(&self) -> impl DoubleEndedIterator<Item = &Span> {
        self.spans.iter()
    }

    /// Returns the scopes that are open, the outermost first; their ends are equal to their
    /// beginnings.
    #[must_use]
    pub fn open(&self) -> &[Span] {
        &self.open
    }

    /// Returns the scopes that have ended and were open at some time from `from_ns` to `to_ns`:
    /// what a window shows.
    ///
    /// # Complexity
    ///
    /// O(scopes that ended since `from_ns`).
    pub fn between(&self, from_ns: u64, to_ns: u64) -> impl Iterator<Item = &Span> {
        let ended_since = self.spans.iter().rev().take_while(move |span| span.end_ns >= from_ns);
        ended_since.filter(move |span| span.start_ns <= to_ns)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Track<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Track")
            .field("thread", &self.thread)
            .field("spans", &self.spans)
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

/// A consumer that keeps the last scopes of each thread, to be drawn.
///
/// # Complexity
///
/// An event is O(threads), and a look into a table for its name.
///
/// # Memory
///
/// All when it is made: 32 bytes for each scope, 128 scopes more for each thread, 44 bytes for each
/// name. Nothing is allocated afterwards; threads and names that there is no room for are left out
/// and counted.
///
/// # Examples
///
/// ```
/// use loligo_allocators::PageAllocator;
/// use loligo_monitor::{Monitor, Options, Timeline, TimelineLimits, name};
///
/// let debug = PageAllocator::new("debug");
/// let monitor = Monitor::try_new(&Options::default(), &debug)?;
/// let mut timeline = Timeline::try_new(&TimelineLimits::default(), &debug)?;
/// let main = monitor.try_recorder("main")?;
/// {
///     let _update = main.scope(name!("update"));
///     let _animate = main.scope(name!("animate"));
/// }
/// main.frame();
/// assert_eq!(monitor.drain(&mut [&mut timeline]).lost, 0);
/// for track in timeline.tracks() {
///     for span in track.spans() {
///         let ns = span.end_ns - span.start_ns;
///         println!("{}: {} {ns} ns, core {}", track.thread(), timeline.name(span.name), span.core);
///     }
/// }
/// # Ok::<(), loligo_monitor::MonitorError>(())
/// ```
pub struct Timeline<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    /// All tracks that there can be; those of threads that were seen come first.
    tracks: Array<'a, Track<'a, A>, A>,
    seen: usize,
    texts: Texts<'a, A>,
    left_out: u64,
    last_ns: u64,
}

impl<'a> Timeline<'a> {
    /// Makes an empty timeline.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is not enough memory.
    pub fn try_new(
        limits: &TimelineLimits,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_new_in(limits, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Timeline<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(limits: &TimelineLimits, memory: &'a A) -> Result<Self, GrowError> {
        let mut tracks = Array::try_with_capacity_in(limits.threads as usize, memory)?;
        for _ in 0..limits.threads {
            tracks.try_push(Track {
                thread: 0,
                name: 0,
                spans: Ring::try_with_capacity_in(limits.spans.max(1) as usize, memory)?,
                open: Array::try_with_capacity_in(DEPTH_MAX, memory)?,
            })?;
        }
        let texts = Texts::try_new_in(limits.names.max(1), memory)?;
        Ok(Self { tracks, seen: 0, texts, left_out: 0, last_ns: 0 })
    }

    /// Returns a line for each thread that was seen, in the order in which they were.
    #[must_use]
    pub fn tracks(&self) -> &[Track<'a, A>] {
        &self.tracks[..self.seen]
    }

    /// Returns the text of a name.
    ///
    /// # Panics
    ///
    /// If the number is not from this timeline.
    #[must_use]
    pub fn name(&self, name: u32) -> &str {
        assert!(
            name < self.texts.len(),
            "name {name} of {} is not this timeline's",
            self.texts.len()
        );
        self.texts.text(name)
    }

    /// Returns the latest time that was seen.
    #[must_use]
    pub const fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Returns how many events were left out as there was no room for their thread or name.
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the index of a thread's track, which is taken into use if there is one left.
    fn track(&mut self, event: &Event<'_>) -> Option<usize> {
        let name = self.texts.number(event.thread_name)?;
        let seen = &self.tracks[..self.seen];
        let is_it = |track: &Track<'a, A>| track.thread == event.thread && track.name == name;
        let found = seen.iter().position(is_it);
        if found.is_none() {
            let track = self.tracks.get_mut(self.seen)?;
            (track.thread, track.name) = (event.thread, name);
            self.seen += 1;
        }
        Some(found.unwrap_or(self.seen - 1))
    }

    /// Takes an event of scopes; `None` if it had to be left out.
    fn take(&mut self, event: &Event<'_>) -> Option<()> {
        match event.what {
            What::Enter { name, core } => {
                let index = self.track(event)?;
                let name = self.texts.number(name)?;
                let track = &mut self.tracks[index];
                let depth = track.open.len();
                if depth == DEPTH_MAX {
                    return None;
                }
                let (start_ns, end_ns) = (event.time_ns, event.time_ns);
                let span = Span { start_ns, end_ns, name, core, depth: depth as u16, cut: false };
                track.open.try_push(span).ok()
            }
            What::Leave { name, cut } => {
                let index = self.track(event)?;
                let name = self.texts.number(name)?;
                let track = &mut self.tracks[index];
                // What was not entered, as its name had no room, is not left.
                let span = *track.open.last().filter(|open| open.name == name)?;
                track.open.pop();
                track.spans.push_over(Span { end_ns: event.time_ns, cut, ..span });
                Some(())
            }
            _ => Some(()),
        }
    }
}

impl<A: Allocator + ?Sized> Consumer for Timeline<'_, A> {
    fn event(&mut self, event: &Event<'_>) {
        self.last_ns = self.last_ns.max(event.time_ns);
        if self.take(event).is_none() {
            self.left_out += 1;
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Timeline<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeline")
            .field("tracks", &self.tracks())
            .field("left_out", &self.left_out)
            .finish_non_exhaustive()
    }
}
