//! Checking that a set is whole.

use loligo_allocators::Allocator;

use super::KeyValuesSet;
use super::room::FREE;
use super::slots::NO_SLOT;
use crate::keyed::key_values::open::{DamagedKeyValues, check_block};
use crate::keyed::key_values::view::head_words;

impl<A: Allocator + ?Sized> KeyValuesSet<'_, A> {
    /// Checks that the set and each of its stores are whole.
    ///
    /// # Complexity
    ///
    /// O(bytes + stores^2): for tests.
    ///
    /// # Errors
    ///
    /// [`DamagedKeyValues`] names the first thing that is wrong, with its offset in the set's
    /// block.
    pub fn validate(&self) -> Result<(), DamagedKeyValues> {
        let words = self.words.as_slice();
        let damage = |word: usize, reason| Err(DamagedKeyValues::at_word(word, reason));
        let (used, slots) = (self.used as usize, 2 * self.slots as usize);
        if used + slots > words.len() {
            return damage(used, "stores and slots overlap");
        }
        self.check_slots()?;
        let (mut at, mut garbage, mut blocks) = (0, 0, 0);
        while at < used {
            let owner = (0..self.slots)
                .map(|number| self.slot(number))
                .find(|slot| slot.is_live() && slot.count() != 0 && slot.at as usize == at);
            let size = match owner {
                Some(slot) => {
                    let front = usize::from(slot.is_tailed());
                    let tail = if slot.is_tailed() { words[at] as usize } else { 0 };
                    let size = front + head_words(slot.count()) + tail;
                    if at + size > used {
                        return damage(at, "a store ends behind the last one");
                    }
                    check_block(&words[at + front..at + size], slot.count(), tail).map_err(
                        |wrong| {
                            DamagedKeyValues::new(4 * (at + front) + wrong.offset, wrong.reason)
                        },
                    )?;
                    blocks += 1;
                    size
                }
                None if words[at] & FREE == 0 || words[at] == FREE => {
                    return damage(at, "there is neither a store nor garbage");
                }
                None => {
                    garbage += (words[at] & !FREE) as usize;
                    (words[at] & !FREE) as usize
                }
            };
            at += size;
        }
        if at != used || garbage != self.garbage as usize {
            return damage(used, "the garbage is miscounted");
        }
        let with_keys = (0..self.slots)
            .filter(|&number| self.slot(number).is_live())
            .filter(|&number| self.slot(number).count() != 0);
        if with_keys.count() != blocks {
            return damage(used, "a slot leads to no store");
        }
        Ok(())
    }

    fn check_slots(&self) -> Result<(), DamagedKeyValues> {
        let damage = |number: u32, reason| {
            let words = self.words.as_slice().len();
            Err(DamagedKeyValues::at_word(words.saturating_sub(2 * number as usize + 2), reason))
        };
        let mut live = 0;
        for number in 0..self.slots {
            let slot = self.slot(number);
            live += u32::from(slot.is_live());
            if slot.generation() == 0 {
                return damage(number, "a slot has no generation");
            }
        }
        if live != self.live {
            return damage(self.slots, "the stores are miscounted");
        }
        let (mut number, mut seen) = (self.free, 0);
        while number != NO_SLOT {
            seen += 1;
            if number >= self.slots || self.slot(number).is_live() || seen > self.slots {
                return damage(number, "the list of free slots leads astray");
            }
            number = self.slot(number).at;
        }
        Ok(())
    }
}
