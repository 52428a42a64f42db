//! Texts of names, each kept once, by number: for what outlives the event that named them.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::murmur2_64a;

/// A place of the table that holds no number.
const VACANT: u32 = u32::MAX;

/// Texts in one block, and a table to find them by: all of a fixed size.
pub(crate) struct Texts<'a, A: Allocator + ?Sized> {
    bytes: Array<'a, u8, A>,
    bytes_max: usize,
    /// Where each text ends; it begins where the one before ends.
    ends: Array<'a, u32, A>,
    /// Numbers by hash, with linear probing; twice as many places as texts at least.
    table: Array<'a, u32, A>,
    count_max: u32,
}

impl<'a, A: Allocator + ?Sized> Texts<'a, A> {
    /// Returns a table for `count_max` texts of 32 bytes each on average.
    pub(crate) fn try_new_in(count_max: u32, memory: &'a A) -> Result<Self, GrowError> {
        let bytes_max = (count_max as usize).saturating_mul(32).min(u32::MAX as usize);
        let places = (count_max as usize * 2).next_power_of_two();
        let mut table = Array::try_with_capacity_in(places, memory)?;
        table.extend(core::iter::repeat_n(VACANT, places));
        Ok(Self {
            bytes: Array::try_with_capacity_in(bytes_max, memory)?,
            bytes_max,
            ends: Array::try_with_capacity_in(count_max as usize, memory)?,
            table,
            count_max,
        })
    }

    /// Returns the number of `text`, which is kept if it is new; `None` if there is no room.
    /// O(text).
    pub(crate) fn number(&mut self, text: &str) -> Option<u32> {
        let mask = self.table.len() - 1;
        let mut place = murmur2_64a(text.as_bytes(), 0) as usize & mask;
        // Half of the places are vacant, so this ends.
        while self.table[place] != VACANT {
            if self.text(self.table[place]) == text {
                return Some(self.table[place]);
            }
            place = (place + 1) & mask;
        }
        let number = self.ends.len() as u32;
        if number == self.count_max || self.bytes.len() + text.len() > self.bytes_max {
            return None;
        }
        self.bytes.try_extend_from_slice(text.as_bytes()).ok()?;
        self.ends.try_push(self.bytes.len() as u32).ok()?;
        self.table[place] = number;
        Some(number)
    }

    /// Returns the text of a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        let index = number as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        let bytes = &self.bytes[start as usize..self.ends[index] as usize];
        // They are from a text.
        core::str::from_utf8(bytes).unwrap_or("?")
    }

    /// Returns how many texts there are.
    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }
}

#[cfg(test)]
mod tests;
