//! The global buffer: blocks of events that wait for consumers, and the writers of the others.
//!
//! ```text
//! threads   | main: block | worker: block | ..            each writes into its own
//! filled    | oldest block | .. | newest block |          taken from the front; short runs are copied to the back
//! spare     | block | block | ..                          the last one used comes first: it is still in a cache
//! ```
//!
//! Blocks change hands. When all are filled, the oldest is taken and what was in it counted as
//! lost: nobody waits, and what remains is what came last.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError, Ring};

use crate::error::MonitorDamage;
use crate::name::Name;
use crate::options::Options;
use crate::sink::Room;
use crate::slot::{HEAD_SLOTS, Kind, SLOTS, Slot};

/// A block of 64 KiB, all of its slots written at least once.
pub(crate) struct Block<'a, A: Allocator + ?Sized> {
    slots: Array<'a, Slot, A>,
    /// How many slots hold runs, where the block is nobody's to write into.
    used: u32,
}

impl<'a, A: Allocator + ?Sized> Block<'a, A> {
    pub(crate) fn try_new_in(memory: &'a A) -> Result<Self, GrowError> {
        let mut slots = Array::try_with_capacity_in(SLOTS, memory)?;
        slots.extend(core::iter::repeat_n(Slot::EMPTY, SLOTS));
        Ok(Self { slots, used: 0 })
    }

    /// Returns the runs: thread, its name, and the slots after the head.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (u32, Name, &[Slot])> {
        let mut rest = &self.slots[..self.used as usize];
        core::iter::from_fn(move || {
            let head = *rest.first().filter(|head| head.kind() == Some(Kind::Run))?;
            let len = rest.get(1)?.word as usize;
            let run = rest.get(2..len)?;
            rest = &rest[len..];
            Some((head.value() as u32, head.name, run))
        })
    }

    /// Begins a run and returns where it is written.
    fn begin(&mut self, thread: u32, name: Name, core: u32, stamp: u64) -> Room {
        self.slots[..HEAD_SLOTS].copy_from_slice(&Slot::head(thread, name, core, stamp));
        self.used = 0;
        Room { start: self.slots.as_mut_slice().as_mut_ptr(), slots: SLOTS as u32 }
    }

    /// Ends the run that was begun.
    fn end(&mut self, used: u32) {
        self.slots[1].word = u64::from(used);
        self.used = used;
    }

    /// Appends the runs of another block if they are short and there is room.
    fn try_append(&mut self, other: &Self) -> bool {
        let (from, len) = (self.used as usize, other.used as usize);
        let fits = len <= SLOTS / 2 && from + len <= SLOTS;
        if fits {
            self.slots[from..from + len].copy_from_slice(&other.slots[..len]);
            self.used += other.used;
        }
        fits
    }
}

/// A thread.
struct Entry<'a, A: Allocator + ?Sized> {
    name: Name,
    /// What it writes into, while it lives: not to be looked into.
    block: Option<Block<'a, A>>,
    /// Slots lost that have not been reported to consumers.
    lost: u64,
}

/// What the monitor's lock guards.
///
/// # Invariants
///
/// 1. No list grows: `threads`, `filled` and `spare` have room for as many as there can be.
/// 2. Filled and spare blocks, with the one that a consumer looks into, are as many as the options
///    say.
/// 3. A filled block is nothing but whole runs, up to `used`.
pub(crate) struct Store<'a, A: Allocator + ?Sized> {
    threads: Array<'a, Entry<'a, A>, A>,
    filled: Ring<'a, Block<'a, A>, A>,
    spare: Array<'a, Block<'a, A>, A>,
    threads_max: u32,
    blocks: u32,
    /// Slots lost of all threads, ever.
    lost: u64,
    /// Whether a thread has lost slots that have not been reported to consumers.
    untold: bool,
}

impl<'a, A: Allocator + ?Sized> Store<'a, A> {
    pub(crate) fn try_new_in(options: &Options, memory: &'a A) -> Result<Self, GrowError> {
        // Without recording nothing is ever filled.
        let blocks = if cfg!(feature = "recording") { options.blocks.max(2) } else { 0 };
        let mut spare = Array::try_with_capacity_in(blocks as usize, memory)?;
        for _ in 0..blocks {
            spare.try_push(Block::try_new_in(memory)?)?;
        }
        let threads_max = options.threads.max(1);
        Ok(Self {
            threads: Array::try_with_capacity_in(threads_max as usize, memory)?,
            filled: Ring::try_with_capacity_in(blocks as usize, memory)?,
            spare,
            threads_max,
            blocks,
            lost: 0,
            untold: false,
        })
    }

    /// Returns how many threads there are, those that have ended and whose numbers are free
    /// included; how many live; how many blocks are filled; how many slots were lost.
    pub(crate) fn counts(&self) -> (u32, u32, u32, u64) {
        let live = self.threads.iter().filter(|entry| entry.block.is_some()).count();
        (self.threads.len() as u32, live as u32, self.filled.len() as u32, self.lost)
    }

    /// Returns the number that a new thread of this name gets: that of one that has ended, or the
    /// next.
    pub(crate) fn vacancy(&self, name: Name) -> Option<u32> {
        let ended = |entry: &Entry<'a, A>| entry.block.is_none() && entry.name == name;
        match self.threads.iter().position(ended) {
            Some(thread) => Some(thread as u32),
            None if (self.threads.len() as u32) < self.threads_max => {
                Some(self.threads.len() as u32)
            }
            // All numbers are given out: one that has ended and lost nothing is taken over.
            None => self
                .threads
                .iter()
                .position(|entry| entry.block.is_none() && entry.lost == 0)
                .map(|thread| thread as u32),
        }
    }

    /// Begins a thread with its own block at the number from [`vacancy`](Self::vacancy).
    pub(crate) fn open(
        &mut self,
        thread: u32,
        name: Name,
        mut block: Block<'a, A>,
        core: u32,
        stamp: u64,
    ) -> Result<Room, GrowError> {
        if self.threads.len() as u32 == thread {
            self.threads.try_push(Entry { name, block: None, lost: 0 })?;
        }
        let entry = &mut self.threads[thread as usize];
        let room = block.begin(thread, name, core, stamp);
        (entry.name, entry.block) = (name, Some(block));
        Ok(room)
    }

    /// Takes what a thread has written, and gives it a block to go on with.
    pub(crate) fn hand_in(&mut self, thread: u32, used: u32, core: u32, stamp: u64) -> Room {
        let block = self.take(thread, used);
        let name = self.threads[thread as usize].name;
        let entry = self.threads[thread as usize].block.insert(block);
        entry.begin(thread, name, core, stamp)
    }

    /// Takes what a thread that has ended has written, and its block.
    pub(crate) fn close(&mut self, thread: u32, used: u32) {
        drop(self.take(thread, used));
    }

    /// Takes the oldest filled block, and what each thread has lost before it.
    pub(crate) fn pop(&mut self, lost: &mut [u64]) -> Option<Block<'a, A>> {
        let block = self.filled.pop_front()?;
        self.tell(lost);
        Some(block)
    }

    /// Adds each thread's unreported losses to `lost`.
    pub(crate) fn tell(&mut self, lost: &mut [u64]) {
        if core::mem::take(&mut self.untold) {
            for (entry, lost) in self.threads.iter_mut().zip(lost) {
                *lost += core::mem::take(&mut entry.lost);
            }
        }
    }

    /// Returns the name of a thread.
    pub(crate) fn name(&self, thread: u32) -> Name {
        self.threads[thread as usize].name
    }

    /// Takes a block back that a consumer has looked into.
    pub(crate) fn give_back(&mut self, mut block: Block<'a, A>) {
        block.used = 0;
        let pushed = self.spare.try_push(block);
        debug_assert!(pushed.is_ok(), "there is room for every block (invariant 1)");
    }

    /// Takes what a thread has written out of its hands, and returns a block for it.
    fn take(&mut self, thread: u32, used: u32) -> Block<'a, A> {
        let Some(mut own) = self.threads[thread as usize].block.take() else {
            unreachable!("thread {thread} hands in and has no block");
        };
        own.end(used);
        let empty = used <= HEAD_SLOTS as u32;
        if empty || self.filled.back_mut().is_some_and(|newest| newest.try_append(&own)) {
            return own;
        }
        let oldest = |store: &mut Self| {
            let oldest = store.filled.pop_front()?;
            store.lose(&oldest);
            Some(oldest)
        };
        let Some(fresh) = self.spare.pop().or_else(|| oldest(self)) else {
            // The consumer has them all.
            self.lose(&own);
            return own;
        };
        let pushed = self.filled.try_push_back(own);
        debug_assert!(pushed.is_ok(), "there is room for every block (invariant 1)");
        fresh
    }

    fn lose(&mut self, block: &Block<'a, A>) {
        for (thread, _, slots) in block.runs() {
            // The first slot says where and when the run begins, and is not an event.
            let lost = slots.len().saturating_sub(1) as u64;
            self.lost += lost;
            self.threads[thread as usize].lost += lost;
        }
        self.untold = true;
    }

    /// Asserts the invariants; `out` blocks are with a consumer.
    pub(crate) fn validate(&self, out: u32) -> Result<(), MonitorDamage> {
        let blocks = (self.filled.len() + self.spare.len()) as u32;
        if blocks + out != self.blocks {
            return Err(MonitorDamage::Blocks { found: blocks + out, made: self.blocks });
        }
        for (index, block) in self.filled.iter().enumerate() {
            let slots: usize = block.runs().map(|(_, _, slots)| slots.len() + 2).sum();
            if slots != block.used as usize {
                let block = index as u32;
                return Err(MonitorDamage::Run { block, slots: slots as u32 });
            }
            if let Some((thread, _, _)) =
                block.runs().find(|(thread, _, _)| *thread as usize >= self.threads.len())
            {
                return Err(MonitorDamage::Thread { thread, threads: self.threads.len() as u32 });
            }
        }
        Ok(())
    }
}
