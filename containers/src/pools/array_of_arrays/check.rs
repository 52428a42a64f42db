//! Walks the invariants of an array of arrays.

use loligo_allocators::Allocator;

use crate::pools::array_of_arrays::word::{Word, units_of};
use crate::pools::array_of_arrays::{ArrayOfArrays, RowDamage};

impl<T: Copy, A: Allocator + ?Sized> ArrayOfArrays<'_, T, A> {
    /// Checks the container's own structure, in release builds too.
    ///
    /// That blocks neither overlap nor leave gaps is shown without memory: sorted, each begins
    /// where another ends, so a hash summed over where blocks begin equals one over where they end.
    /// Blocks that are wrong pass with a chance of 1 in 2^64.
    ///
    /// # Complexity
    ///
    /// O(rows and free blocks).
    ///
    /// # Errors
    ///
    /// [`RowDamage`] names the first fault found.
    pub fn validate(&self) -> Result<(), RowDamage> {
        let mut tiles = Tiles::default();
        let mut live = 0;
        for (index, word) in (0..).zip(self.rows.iter()) {
            if word.is_live() {
                live += 1;
                self.check_row(index, *word, &mut tiles)?;
            }
        }
        if live != self.live {
            return damage("living rows are miscounted", self.rows.len());
        }
        self.check_dead()?;
        self.check_space(tiles)
    }

    fn check_row(&self, index: u32, word: Word, tiles: &mut Tiles) -> Result<(), RowDamage> {
        let index = index as usize;
        if word.len() > word.capacity() {
            return damage("a row has more elements than its block has room for", index);
        }
        if word.is_full() != (word.len() == word.capacity()) {
            return damage("a row is not full, or not seen to be", index);
        }
        if word.end() < word.len() || !word.start().is_multiple_of(Self::UNIT) {
            return damage("a row begins where no block does", index);
        }
        if word.capacity() == 0 {
            return if word.start() == 0 { Ok(()) } else { damage("no block is somewhere", index) };
        }
        let (class, offset) = Self::block(word);
        if u64::from(offset) + u64::from(units_of(class)) > u64::from(self.space.frontier()) {
            return damage("a block lies behind the frontier", index);
        }
        tiles.add(offset, units_of(class));
        Ok(())
    }

    /// Follows the list of dead rows. It cannot be longer than there are such rows.
    fn check_dead(&self) -> Result<(), RowDamage> {
        let dead = || self.rows.iter().filter(|word| !word.is_live());
        let listed = dead().filter(|word| Word::may_live_after(word.last_generation())).count();
        let mut next = self.dead;
        for _ in 0..listed {
            let index = next.wrapping_sub(1) as usize;
            match self.rows.get(index) {
                Some(word) if !word.is_live() && Word::may_live_after(word.last_generation()) => {
                    next = word.next_dead();
                }
                _ => return damage("the list of dead rows leads elsewhere", index),
            }
        }
        if next == 0 { Ok(()) } else { damage("the list of dead rows does not end", next as usize) }
    }

    fn check_space(&self, mut tiles: Tiles) -> Result<(), RowDamage> {
        let space = &self.space;
        if space.frontier() > space.units() || !space.stacks_are_marked() {
            return damage("the buffer's own counters are wrong", self.rows.len());
        }
        let mut free = 0;
        let mut outside = false;
        space.each_free(|offset, class| {
            free += units_of(class);
            outside |= offset + units_of(class) > space.frontier();
            tiles.add(offset, units_of(class));
        });
        if outside || free != space.free() {
            return damage("free blocks are miscounted", self.rows.len());
        }
        tiles.add(space.frontier(), u32::MAX - space.frontier());
        if tiles.begins.wrapping_sub(mix(0)) != tiles.ends.wrapping_sub(mix(u32::MAX)) {
            return damage("blocks overlap or are lost", self.rows.len());
        }
        Ok(())
    }
}

/// Sums of hashes of where blocks begin and end.
#[derive(Default)]
struct Tiles {
    begins: u64,
    ends: u64,
}

impl Tiles {
    fn add(&mut self, offset: u32, units: u32) {
        self.begins = self.begins.wrapping_add(mix(offset));
        self.ends = self.ends.wrapping_add(mix(offset + units));
    }
}

/// Spreads a number over 64 bits (the finisher of splitmix).
fn mix(number: u32) -> u64 {
    let word = u64::from(number).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

fn damage(what: &'static str, index: usize) -> Result<(), RowDamage> {
    Err(RowDamage { what, index: u32::try_from(index).unwrap_or(u32::MAX) })
}
