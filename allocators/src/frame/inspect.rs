//! How the records of a frame are searched, walked and verified.

use core::ptr::NonNull;

use super::FrameAllocator;
use super::record::Record;
use crate::allocator::{Allocator, Block, Damage};
use crate::misuse::Misuse;

impl<B: Allocator + ?Sized> FrameAllocator<'_, B> {
    /// Returns the `n`th oldest record and its place.
    fn record(&self, n: usize) -> (*mut Record, Record) {
        // SAFETY: callers pass numbers below `records`; that many records lie below the ground.
        let place = unsafe { self.ground.sub(n + 1) };
        // SAFETY: as above.
        (place, unsafe { place.read() })
    }

    /// Returns the record of the block at `block`, dead or alive, or what is wrong with the address.
    ///
    /// # Complexity
    ///
    /// O(1) for the last block, O(log blocks) for others.
    pub(super) fn find(&self, block: NonNull<u8>) -> Result<(*mut Record, Record), Misuse> {
        let offset = self.offset_of(block);
        if offset >= self.table.get().addr() - self.memory.addr().get() {
            return Err(Misuse::ForeignFree);
        }
        if offset >= self.cursor.get().addr().get() - self.memory.addr().get() {
            // Free memory: a block was here, or may come here.
            return Err(Misuse::DoubleFree);
        }
        let records = self.records();
        if self.last().offset() == offset {
            return Ok(self.record(records - 1));
        }
        // The greatest record that starts at or before the offset is below `above`.
        let (mut at, mut above) = (0, records);
        while above - at > 1 {
            let middle = at + (above - at) / 2;
            if self.record(middle).1.offset() <= offset {
                at = middle;
            } else {
                above = middle;
            }
        }
        let found = self.record(at);
        match offset.checked_sub(found.1.offset()) {
            Some(0) => Ok(found),
            Some(inside) if inside < found.1.bytes() => Err(Misuse::InteriorFree),
            _ => Err(Misuse::ForeignFree),
        }
    }

    pub(super) fn walk_blocks(&self, visit: &mut dyn FnMut(Block)) {
        for n in 0..self.records() {
            let (_, record) = self.record(n);
            if !record.is_dead() {
                visit(Block {
                    address: self.at(record.offset()),
                    bytes: record.bytes(),
                    site: None,
                });
            }
        }
    }

    pub(super) fn verify_all(&self) -> Result<(), Damage> {
        let damage = |what, offset: usize| {
            let address = self.memory.as_ptr().wrapping_add(offset);
            Err(Damage { what, address })
        };
        // SAFETY: the ground is written when the frame is made and stands as long as it does.
        if unsafe { self.ground.read() } != Record::GROUND {
            return damage("the end of the table is overwritten", 0);
        }
        let cursor = self.cursor.get().addr().get() - self.memory.addr().get();
        let (mut end, mut dead, mut live_bytes) = (0, 0, 0);
        for n in 0..self.records() {
            let (_, record) = self.record(n);
            if record.offset() < end || record.end() > cursor {
                return damage("a record overlaps its neighbour", record.offset());
            }
            end = record.end();
            dead += usize::from(record.is_dead());
            live_bytes += record.bytes() as u64;
        }
        if self.last().is_dead() || self.last().end() != cursor {
            return damage("the cursor is not the end of the last block", cursor);
        }
        if dead != self.dead.get() || live_bytes != self.live_bytes() {
            return damage("the records and the counts differ", 0);
        }
        Ok(())
    }
}
