//! Events of this frame and of the last.

use loligo_allocators::Allocator;

use crate::events::event_stream::EventStream;
use crate::events::event_stream::reader::EventReader;

/// Two streams of events: one is written in this frame, the other was written in the last and is
/// read.
///
/// ```text
/// frame 1   writer ->  | A |      last ->  | B, empty |
///           swap
/// frame 2   writer ->  | B |      last ->  | A |            what A held is read while B is written
///           swap: B is what is read, A is cleared and written
/// ```
///
/// So a reader sees each event of the last frame once, in whatever order the systems of a frame
/// run, and what the handling of an event causes is an event of the next frame.
///
/// # Complexity
///
/// The exchange is O(1). All else costs what it costs with an [`EventStream`].
///
/// # Memory
///
/// Two streams, which keep their blocks: after the busiest frame it allocates no more.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`. The exchange needs `&mut`, so no thread reads
/// meanwhile.
///
/// # When not to use it
///
/// Where the writer always runs before the reader: one stream that the reader clears is half of
/// this.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::DoubleBufferedEvents;
///
/// const FELL_OVER: u32 = 1;
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut dominoes: DoubleBufferedEvents = DoubleBufferedEvents::new(&MEMORY);
/// dominoes.writer().try_push_bytes(FELL_OVER, &[])?;
/// let mut fallen = 0;
/// for _frame in 0..5 {
///     dominoes.swap();
///     let (last, writer) = dominoes.both();
///     for event in last {
///         fallen += 1;
///         // It pushes the next one over, which falls in the next frame.
///         writer.try_push_bytes(event.kind(), &[])?;
///     }
/// }
/// assert_eq!(fallen, 5);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
#[derive(Debug)]
pub struct DoubleBufferedEvents<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    writer: EventStream<'a, A>,
    last: EventStream<'a, A>,
}

impl<'a> DoubleBufferedEvents<'a> {
    /// Returns two empty streams, which take their memory from `memory` when they need some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> DoubleBufferedEvents<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { writer: EventStream::new_in(memory), last: EventStream::new_in(memory) }
    }

    /// Returns the stream of this frame, to append to.
    #[inline]
    pub const fn writer(&mut self) -> &mut EventStream<'a, A> {
        &mut self.writer
    }

    /// Returns the events of the last frame.
    #[inline]
    #[must_use]
    pub fn last(&self) -> EventReader<'_> {
        self.last.reader()
    }

    /// Returns the events of the last frame and the stream of this one, for systems that answer
    /// events by events.
    #[inline]
    pub fn both(&mut self) -> (EventReader<'_>, &mut EventStream<'a, A>) {
        (self.last.reader(), &mut self.writer)
    }

    /// Begins a frame: what was written is the last frame's now, and what was the last frame's is
    /// gone.
    ///
    /// # Complexity
    ///
    /// O(1). Allocates and frees nothing.
    #[inline]
    pub const fn swap(&mut self) {
        core::mem::swap(&mut self.writer, &mut self.last);
        self.writer.clear();
    }
}
