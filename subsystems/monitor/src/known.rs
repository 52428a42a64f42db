//! What an export has announced already: threads, counters and heaps, each by a number.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::event::Event;
use crate::texts::Texts;

/// A number, and whether it was given out just now.
pub(crate) type Told = (u32, bool);

/// Numbers of what was seen, in tables of a fixed size.
pub(crate) struct Known<'a, A: Allocator + ?Sized> {
    thread_names: Texts<'a, A>,
    /// Number and name of each thread, as events have them.
    threads: Array<'a, (u32, u32), A>,
    counters: Texts<'a, A>,
    /// Four bits for each counter: whether it and its three parts were announced.
    told: Array<'a, u8, A>,
    heaps: Texts<'a, A>,
    /// Live bytes of each heap.
    live: Array<'a, i64, A>,
    pub(crate) limit: u32,
}

impl<'a, A: Allocator + ?Sized> Known<'a, A> {
    /// Returns tables for `limit` threads, as many counters and as many heaps.
    pub(crate) fn try_new_in(limit: u32, memory: &'a A) -> Result<Self, GrowError> {
        let limit = limit.max(1);
        Ok(Self {
            thread_names: Texts::try_new_in(limit, memory)?,
            threads: Array::try_with_capacity_in(limit as usize, memory)?,
            counters: Texts::try_new_in(limit, memory)?,
            told: Array::try_with_capacity_in(limit as usize, memory)?,
            heaps: Texts::try_new_in(limit, memory)?,
            live: Array::try_with_capacity_in(limit as usize, memory)?,
            limit,
        })
    }

    /// Returns the number of an event's thread, from 0: a thread of another name is another thread.
    pub(crate) fn thread(&mut self, event: &Event<'_>) -> Option<Told> {
        let thread = (event.thread, self.thread_names.number(event.thread_name)?);
        if let Some(number) = self.threads.iter().position(|known| *known == thread) {
            return Some((number as u32, false));
        }
        if self.threads.len() >= self.limit as usize {
            return None;
        }
        self.threads.try_push(thread).ok()?;
        Some((self.threads.len() as u32 - 1, true))
    }

    /// Returns the number of a part of a counter, 0 for the whole, 1 to 3 for those of a vector.
    pub(crate) fn counter(&mut self, name: &str, part: u32) -> Option<Told> {
        let number = self.counters.number(name)?;
        if self.told.len() <= number as usize {
            self.told.try_push(0).ok()?;
        }
        let told = &mut self.told[number as usize];
        let new = *told & (1 << part) == 0;
        *told |= 1 << part;
        Some((4 * number + part, new))
    }

    /// Returns the number of a heap, and its live bytes after `bytes` more.
    pub(crate) fn heap(&mut self, name: &str, bytes: i64) -> Option<(Told, i64)> {
        let before = self.heaps.len();
        let number = self.heaps.number(name)?;
        let new = self.heaps.len() > before;
        if new {
            self.live.try_push(0).ok()?;
        }
        let live = &mut self.live[number as usize];
        *live = live.saturating_add(bytes);
        Some(((number, new), *live))
    }
}
