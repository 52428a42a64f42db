//! A frame's messages.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::EventStream;

/// What happened to the objects of one world in one frame: messages in the order in which they were
/// recorded.
///
/// ```text
/// message  | type: u32 | size: u32 | handle: u32 | new values of the object |       4-byte words
/// ```
///
/// A [`StateRecorder`](crate::StateRecorder) fills it, a [`RenderWorld`](crate::RenderWorld)
/// applies it, and the recorder takes it back, with its memory and the handles that it had
/// destroyed.
///
/// # Memory
///
/// One block: 12 bytes a message and its values; kept while it goes back and forth.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`: it carries changes from one thread to another.
pub struct StateStream<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pub(super) events: EventStream<'a, A>,
    pub(super) world: u32,
    pub(super) number: u64,
    /// How many of the messages destroy an object.
    pub(super) destroyed: u32,
}

impl<'a, A: Allocator + ?Sized> StateStream<'a, A> {
    pub(super) const fn new_in(world: u32, memory: &'a A) -> Self {
        Self { events: EventStream::new_in(memory), world, number: 0, destroyed: 0 }
    }

    /// Returns the number of the world that it is for.
    #[must_use]
    pub const fn world(&self) -> u32 {
        self.world
    }

    /// Returns which stream of its world it is, from 0 on.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the messages, to keep them or to send them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.events.as_bytes()
    }

    /// Returns `true` if nothing has happened.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns how many bytes there is room for.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.events.capacity()
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for StateStream<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateStream")
            .field("world", &self.world)
            .field("number", &self.number)
            .field("messages", &self.events.iter().count())
            .finish()
    }
}
