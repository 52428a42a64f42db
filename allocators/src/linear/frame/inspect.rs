//! Walking and verifying a frame.

use super::FrameAllocator;
use super::growth::Growth;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{Allocator, Block, Damage};

impl<B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize>
    FrameAllocator<'_, B, S, MIN_ALIGN>
{
    pub(super) fn walk_blocks(&self, visit: &mut dyn FnMut(Block)) {
        self.close_span();
        self.chunk.walk(visit);
        for chunk in self.growth().into_iter().flat_map(Growth::older) {
            chunk.walk(visit);
        }
    }

    pub(super) fn verify_all(&self) -> Result<(), Damage> {
        self.close_span();
        let damage = |what| Err(Damage { what, address: self.chunk.memory.get().as_ptr() });
        let (mut live, mut live_bytes) = self.chunk.verify()?;
        if self.quick.get() != self.quick_aim() {
            return damage("the mark below which frees are quick is wrong");
        }
        if let Some(growth) = self.growth() {
            if !growth.is_sound() {
                return damage("the chunks and their counts differ");
            }
            for chunk in growth.older() {
                let (blocks, bytes) = chunk.verify()?;
                live += blocks;
                live_bytes += bytes;
            }
        }
        let counted = self.allocations_total.get() - self.frees_total.get();
        if live != counted || live_bytes != self.live_bytes() {
            return damage("the records and the counts differ");
        }
        Ok(())
    }
}
