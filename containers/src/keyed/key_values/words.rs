//! A block of 32-bit words, all of them initialised: what stores and sets of stores are in.

use loligo_allocators::Allocator;

use crate::arrays::buffer::Buffer;
use crate::error::GrowError;

/// A block of words that can be read to its end.
///
/// # Invariants
///
/// 1. All words of the buffer's capacity are initialised.
pub(super) struct Words<'a, A: Allocator + ?Sized> {
    buffer: Buffer<'a, u32, A>,
}

impl<'a, A: Allocator + ?Sized> Words<'a, A> {
    /// Returns no words.
    pub(super) const fn new(memory: &'a A) -> Self {
        Self { buffer: Buffer::new(memory) }
    }

    /// Returns a block with the same words.
    pub(super) fn copied(words: &[u32], memory: &'a A) -> Result<Self, GrowError> {
        let mut buffer = Buffer::<u32, A>::new(memory);
        buffer.grow_exact(0, words.len())?;
        let granted = buffer.capacity() as usize;
        let start = buffer.start().as_ptr();
        // SAFETY: the buffer is fresh, so the two do not overlap, and has room for that many words.
        unsafe { start.copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        // SAFETY: that many words were granted, so this is within the block or at its end.
        let rest = unsafe { start.add(words.len()) };
        // SAFETY: the words from there on are within the block.
        unsafe { rest.write_bytes(0, granted - words.len()) };
        Ok(Self { buffer })
    }

    /// Returns the allocator that the block is from.
    pub(super) const fn memory(&self) -> &'a A {
        self.buffer.memory()
    }

    #[inline(always)]
    pub(super) const fn as_slice(&self) -> &[u32] {
        // SAFETY: the block is aligned and this long, or dangles and has no words; all of them are
        // initialised (invariant 1), and the borrow keeps them.
        unsafe {
            core::slice::from_raw_parts(
                self.buffer.start().as_ptr(),
                self.buffer.capacity() as usize,
            )
        }
    }

    #[inline(always)]
    pub(super) const fn as_mut_slice(&mut self) -> &mut [u32] {
        // SAFETY: as in `as_slice`, and the borrow is exclusive.
        unsafe {
            core::slice::from_raw_parts_mut(
                self.buffer.start().as_ptr(),
                self.buffer.capacity() as usize,
            )
        }
    }

    /// Makes the block `words` long at least; if it must grow, by `slack` words more where they are
    /// to be had. New words are zero, old ones are kept.
    pub(super) fn grow(&mut self, words: usize, slack: usize) -> Result<(), GrowError> {
        let old = self.as_slice().len();
        let more = words.saturating_sub(old);
        let roomy = more.saturating_add(slack);
        if self.buffer.grow_exact(old as u32, roomy).is_err() {
            self.buffer.grow_exact(old as u32, more)?;
        }
        let new = self.buffer.capacity() as usize;
        // SAFETY: `old` is at most the capacity, so this is within the block or at its end.
        let fresh = unsafe { self.buffer.start().as_ptr().add(old) };
        // SAFETY: the words from there on are within the block.
        unsafe { fresh.write_bytes(0, new - old) };
        Ok(())
    }

    /// Cuts the block after `words` words, as far as the allocator does.
    pub(super) fn shrink(&mut self, words: usize) -> Result<(), GrowError> {
        let kept = words.min(self.as_slice().len());
        self.buffer.shrink(kept as u32)?;
        // What was granted beyond may be junk where the block moved.
        let left = self.buffer.capacity() as usize;
        // SAFETY: `kept` is at most the capacity, so this is within the block or at its end.
        let rest = unsafe { self.buffer.start().as_ptr().add(kept) };
        // SAFETY: the words from there on are within the block.
        unsafe { rest.write_bytes(0, left - kept) };
        Ok(())
    }
}
