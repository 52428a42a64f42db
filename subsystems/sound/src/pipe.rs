//! Messages from one thread to another.

#[cfg(all(test, loom))]
pub(crate) mod loom;
pub(crate) mod sync;

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use sync::{AtomicU32, AtomicU64, Ordering, handed_on};

/// A message: plain words.
pub(crate) type Message = [u64; WORDS];

const WORDS: usize = 7;

/// The most messages that may wait.
const WAITING_MAX: u32 = 1 << 20;

/// A ring of messages from one thread to another, without a lock, in which neither ever waits.
///
/// Each word is an atomic that is written and read without any order; a count of messages hands them on.
/// So there is no unsafe code, and a message costs seven plain writes and seven plain reads.
///
/// # Memory
///
/// 56 bytes a message. The counts of both threads are in different cache lines.
pub struct Pipe<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    places: Array<'a, [AtomicU64; WORDS], A>,
    pushed: Count,
    taken: Count,
}

/// A count of messages in its own cache line.
#[derive(Default)]
#[repr(align(64))]
struct Count(AtomicU32);

/// The end of a [`Pipe`] into which messages are put.
pub struct PipeIn<'p> {
    shared: Shared<'p>,
    pushed: u32,
    /// The count of what was taken when it was last looked at.
    taken: u32,
}

/// The end of a [`Pipe`] from which messages are taken.
pub struct PipeOut<'p> {
    shared: Shared<'p>,
    taken: u32,
    /// The count of what was pushed when it was last looked at.
    pushed: u32,
}

/// What both ends share.
#[derive(Clone)]
enum Shared<'p> {
    /// A pipe that is elsewhere.
    Lent(Parts<'p>),
    /// A pipe that goes with the last of its ends.
    #[cfg(feature = "std")]
    Own(std::sync::Arc<Pipe<'p, dyn Allocator + Sync + 'p>>),
}

#[derive(Clone, Copy)]
struct Parts<'p> {
    places: &'p [[AtomicU64; WORDS]],
    pushed: &'p AtomicU32,
    taken: &'p AtomicU32,
}

impl Shared<'_> {
    #[inline]
    fn parts(&self) -> Parts<'_> {
        match self {
            Self::Lent(parts) => *parts,
            #[cfg(feature = "std")]
            Self::Own(pipe) => pipe.parts(),
        }
    }
}

impl<'a> Pipe<'a> {
    /// Returns a pipe in which a number of messages may wait, a power of two up to 1 048 576.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(waiting: u32, memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_new_in(waiting, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Pipe<'a, A> {
    /// As [`try_new`](Pipe::try_new), over any allocator.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new_in(waiting: u32, memory: &'a A) -> Result<Self, GrowError> {
        let len = waiting.clamp(1, WAITING_MAX).next_power_of_two();
        let mut places = Array::new_in(memory);
        places.try_extend_with(len as usize, |_| core::array::from_fn(|_| AtomicU64::new(0)))?;
        Ok(Self { places, pushed: Count::default(), taken: Count::default() })
    }

    /// Returns both ends, each for one thread.
    pub fn split(&mut self) -> (PipeIn<'_>, PipeOut<'_>) {
        ends(Shared::Lent(self.parts()))
    }

    fn parts(&self) -> Parts<'_> {
        Parts { places: &self.places, pushed: &self.pushed.0, taken: &self.taken.0 }
    }
}

#[cfg(feature = "std")]
impl<'a> Pipe<'a, dyn Allocator + Sync + 'a> {
    /// Returns both ends of a pipe that is theirs: it goes with the last of them. What counts them is on the
    /// global heap.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_shared(
        waiting: u32,
        memory: &'a (dyn Allocator + Sync + 'a),
    ) -> Result<(PipeIn<'a>, PipeOut<'a>), GrowError> {
        Ok(ends(Shared::Own(std::sync::Arc::new(Self::try_new_in(waiting, memory)?))))
    }
}

/// Returns both ends of a pipe of which there are no others.
fn ends(shared: Shared<'_>) -> (PipeIn<'_>, PipeOut<'_>) {
    let Parts { pushed, taken, .. } = shared.parts();
    let [pushed, taken] = [pushed, taken].map(|count| count.load(Ordering::Relaxed));
    (PipeIn { shared: shared.clone(), pushed, taken }, PipeOut { shared, taken, pushed })
}

impl PipeIn<'_> {
    /// Puts a message in. Returns `false` if as many wait as there is room for.
    pub(crate) fn push(&mut self, message: &Message) -> bool {
        let parts = self.shared.parts();
        let room = parts.places.len() as u32;
        if self.pushed.wrapping_sub(self.taken) == room {
            self.taken = parts.taken.load(Ordering::Acquire);
            if self.pushed.wrapping_sub(self.taken) == room {
                return false;
            }
        }
        let place = &parts.places[(self.pushed & (room - 1)) as usize];
        for (place, word) in place.iter().zip(message) {
            place.store(*word, Ordering::Relaxed);
        }
        self.pushed = self.pushed.wrapping_add(1);
        parts.pushed.store(self.pushed, handed_on());
        true
    }
}

impl PipeOut<'_> {
    /// Takes the oldest message out.
    pub(crate) fn take(&mut self) -> Option<Message> {
        let parts = self.shared.parts();
        if self.pushed == self.taken {
            self.pushed = parts.pushed.load(Ordering::Acquire);
            if self.pushed == self.taken {
                return None;
            }
        }
        let room = parts.places.len() as u32;
        let place = &parts.places[(self.taken & (room - 1)) as usize];
        let message = core::array::from_fn(|at| place[at].load(Ordering::Relaxed));
        self.taken = self.taken.wrapping_add(1);
        parts.taken.store(self.taken, Ordering::Release);
        Some(message)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Pipe<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipe").field("room", &self.places.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for PipeIn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipeIn").field("pushed", &self.pushed).finish_non_exhaustive()
    }
}

impl fmt::Debug for PipeOut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipeOut").field("taken", &self.taken).finish_non_exhaustive()
    }
}
