//! Walking and verifying a pool.

use core::ptr::{self, NonNull};

use super::PoolAllocator;
use super::chunk::Chunk;
use super::group::{Group, NOWHERE};
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{Allocator, Block, Damage};

/// The sums over all chunks.
#[derive(Default)]
struct Sums {
    chunks: usize,
    blocks: usize,
    carved: usize,
    free: usize,
    /// Groups with free blocks, of chunks that are not parked.
    listed: usize,
    parked: usize,
}

impl<B: Allocator + ?Sized, S: SiteBook> PoolAllocator<'_, B, S> {
    fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        let mut at = self.oldest.get();
        core::iter::from_fn(move || {
            // SAFETY: invariant 1: null or an existing chunk.
            let chunk = unsafe { at.as_ref() }?;
            at = chunk.younger.get();
            Some(chunk)
        })
    }

    pub(super) fn walk_blocks(&self, visit: &mut dyn FnMut(Block)) {
        for group in self.chunks().flat_map(Chunk::groups) {
            for index in 0..group.carved() {
                let address = self.block_at(group, index).cast::<u8>();
                let set = group.free() >> index & 1 != 0;
                if !set && address.as_ptr() != self.held.get() {
                    visit(Block { address, bytes: self.size.bytes, site: None });
                }
            }
        }
    }

    pub(super) fn verify_all(&self) -> Result<(), Damage> {
        let mut sums = Sums::default();
        for chunk in self.chunks() {
            sums.chunks += 1;
            if sums.chunks > self.index.sorted().len() {
                return damage("more chunks are listed than the index has", chunk.first);
            }
            self.verify_chunk(chunk, &mut sums)?;
        }
        let here = ptr::from_ref(self).cast();
        if sums.chunks != self.index.sorted().len() {
            return damage("fewer chunks are listed than the index has", here);
        }
        if sums.carved != self.carved.get() || sums.blocks != self.blocks.get() {
            return damage("the chunks and the counts of blocks differ", here);
        }
        self.verify_held()?;
        if sums.free != self.marked() {
            return damage("the free bits and the count of live blocks differ", here);
        }
        self.verify_list(sums.listed)?;
        self.verify_parked(sums.parked)?;
        self.verify_index()
    }

    fn verify_chunk(&self, chunk: &Chunk, sums: &mut Sums) -> Result<(), Damage> {
        let shape = self.shape();
        let youngest = ptr::eq(chunk, self.youngest.get());
        let mut carving_seen = false;
        for (g, group) in chunk.groups().iter().enumerate() {
            let first = chunk.first_index(g, shape);
            let blocks = chunk.first_index(g + 1, shape) - first;
            let carved = group.carved();
            let free = group.free();
            if group.first != chunk.first.wrapping_add(first * shape.block_bytes) {
                return damage("a group does not start where its window does", group.first);
            }
            if blocks == 0 || blocks > 64 || carved > blocks {
                return damage("a group has given out more blocks than it has", group.first);
            }
            if carved < 64 && group.fresh.get() != u64::MAX << carved {
                return damage("a block was given out before one below it", group.first);
            }
            if carved < 64 && free >> carved != 0 {
                return damage("a block is free that was never given out", group.first);
            }
            let carving = youngest && ptr::eq(group, self.carving.get());
            let uncarved = if carving { self.uncarved.get() } else { 0 };
            let expected = if carving_seen { 0 } else { blocks - uncarved };
            if carved != expected {
                return damage("a group before the last has unused blocks", group.first);
            }
            carving_seen |= carving;
            sums.carved += carved;
            sums.free += free.count_ones() as usize;
            sums.listed += usize::from(free != 0 && !chunk.parked.get());
        }
        if chunk.parked.get() {
            sums.parked += 1;
            if !chunk.is_empty() {
                return damage("a parked chunk has a live block", chunk.first);
            }
        }
        sums.blocks += chunk.blocks;
        Ok(())
    }

    /// Checks the held block, if there is one.
    fn verify_held(&self) -> Result<(), Damage> {
        let held = self.held.get();
        if held.is_null() {
            return Ok(());
        }
        let address = held.addr();
        let window = address >> self.window_shift;
        let chunk = self.index.chunk_of(address, self.shape());
        let group = chunk.and_then(|chunk| chunk.groups().get(window - chunk.first_window));
        let is_block = group.is_some_and(|group| {
            let index = self.size.index_of(address.wrapping_sub(group.first.addr()));
            group.is_taken(index)
        });
        if is_block {
            Ok(())
        } else {
            let what = "the held block is not a free one or has its bit set";
            Err(Damage { what, address: held })
        }
    }

    /// Checks the list of groups with free blocks, of which there are `expected`.
    fn verify_list(&self, expected: usize) -> Result<(), Damage> {
        let mut at = self.free_groups.get();
        for _ in 0..expected {
            if at == NOWHERE {
                return damage("a group with free blocks is not on the list", at.cast());
            }
            // SAFETY: invariant 2: a group of an existing chunk.
            let group = unsafe { &*at };
            if group.free() == 0 {
                return damage("a group without free blocks is on the list", group.first);
            }
            at = group.next.get();
        }
        if at == NOWHERE {
            Ok(())
        } else {
            damage("the list of groups with free blocks does not end", at.cast())
        }
    }

    /// Checks the list of parked chunks, of which there are `expected`.
    fn verify_parked(&self, expected: usize) -> Result<(), Damage> {
        let mut at = self.parked.get();
        for _ in 0..expected {
            // SAFETY: invariant 6: null or an existing chunk.
            let Some(chunk) = (unsafe { at.as_ref() }) else {
                return damage("a parked chunk is not on its list", ptr::null());
            };
            if !chunk.parked.get() {
                return damage("a chunk on the list of parked ones is not parked", chunk.first);
            }
            at = chunk.next_parked.get();
        }
        if at.is_null() {
            Ok(())
        } else {
            damage("the list of parked chunks does not end", at.cast())
        }
    }

    fn verify_index(&self) -> Result<(), Damage> {
        let sorted = self.index.sorted();
        let first = |chunk: &NonNull<Chunk>| {
            // SAFETY: the chunks of the index exist.
            unsafe { chunk.as_ref() }.first
        };
        if let Some(pair) = sorted.windows(2).find(|pair| first(&pair[0]) >= first(&pair[1])) {
            return damage("the chunks are not sorted by address", first(&pair[0]));
        }
        let groups = self.chunks().map(|chunk| chunk.group_count).sum::<usize>();
        if groups != self.index.groups() || 2 * groups > self.index.table().len() {
            return damage("the index counts other groups than there are", ptr::null());
        }
        for (slot, group) in self.index.table().iter().enumerate() {
            let group: *const Group = group.get();
            if group == NOWHERE {
                continue;
            }
            // SAFETY: it is not the constant, so it is a group of an existing chunk.
            let address = unsafe { &*group }.first;
            let window = address.addr() >> self.window_shift;
            let mask = self.index.table().len() - 1;
            let known = self.index.chunk_of(address.addr(), self.shape());
            if window & mask != slot || known.is_none() {
                return damage("a slot of the table leads to another window", address);
            }
        }
        Ok(())
    }
}

fn damage(what: &'static str, address: *const u8) -> Result<(), Damage> {
    Err(Damage { what, address })
}
