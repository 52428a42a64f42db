//! Values of an arena that follow one another: one block, which grows by each of them.
//!
//! Such a value is never freed or resized singly, so it needs neither a record nor a counter: while
//! a span is open, a value costs a comparison and one store. Any other operation closes the span,
//! which counts its bytes. Allocating and freeing a block need not look for it: the cursor is then
//! at the table, so there is no room, and no free is quick.

use core::alloc::Layout;
use core::ptr::{self, NonNull};

use super::FrameAllocator;
use super::chunk::Chunk;
use super::record::Record;
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{AllocError, Allocator};

/// The address of a closed span, which has no bytes.
pub(super) const CLOSED: usize = 1;

/// The place of a closed span.
pub(super) const NOWHERE: NonNull<u8> = match NonNull::new(ptr::without_provenance_mut(CLOSED)) {
    Some(place) => place,
    None => unreachable!(),
};

impl<B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize>
    FrameAllocator<'_, B, S, MIN_ALIGN>
{
    /// Returns memory for a value that is not freed singly. The size is not zero.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn place_value(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        if S::KEEPS {
            return self.allocate(layout).map(NonNull::cast);
        }
        let place = self.span.get();
        let padding = if layout.align() > MIN_ALIGN {
            place.addr().get().wrapping_neg() & (layout.align() - 1)
        } else {
            0
        };
        let bytes = Chunk::<MIN_ALIGN>::stride(layout.size());
        // A closed span has no room.
        if padding + bytes > self.span_end.get() - place.addr().get() {
            return self.open_span(layout);
        }
        // SAFETY: both fit before the span's end.
        let value = unsafe { place.add(padding) };
        // SAFETY: as above.
        self.span.set(unsafe { value.add(bytes) });
        mark::undefined(value, layout.size());
        Ok(value)
    }

    #[inline]
    pub(super) fn span_is_open(&self) -> bool {
        self.span_end.get() != CLOSED
    }

    /// Opens a span, in a further chunk if there is no room, and places a value in it.
    #[cold]
    #[inline(never)]
    fn open_span(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.close_span();
        let (bytes, align) = (layout.size(), layout.align());
        match self.span_with(bytes, align) {
            Err(AllocError) => {
                self.grow(bytes, align)?;
                self.span_with(bytes, align)
            }
            placed => placed,
        }
    }

    fn span_with(&self, bytes: usize, align: usize) -> Result<NonNull<u8>, AllocError> {
        let chunk = &self.chunk;
        let cursor = chunk.cursor.get();
        let padding = cursor.addr().get().wrapping_neg() & (align - 1);
        let record = if chunk.youngest().is_span() { 0 } else { size_of::<Record>() };
        // A size rounded up to its alignment is at most `isize::MAX`, so the sum does not overflow.
        if padding + Chunk::<MIN_ALIGN>::stride(bytes) + record > chunk.room() {
            return Err(AllocError);
        }
        if record != 0 {
            chunk.push(Record::span(cursor));
            self.allocations_total.set(self.allocations_total.get() + 1);
        }
        // SAFETY: both fit below the table.
        let value = unsafe { cursor.add(padding) };
        // SAFETY: as above.
        self.span.set(unsafe { value.add(Chunk::<MIN_ALIGN>::stride(bytes)) });
        self.span_end.set(chunk.table.get().addr());
        self.span_from.set(cursor);
        // SAFETY: the cursor is at most at the table.
        chunk.cursor.set(unsafe { cursor.add(chunk.room()) });
        self.aim_quick();
        mark::undefined(value, bytes);
        Ok(value)
    }

    /// Closes the span if one is open: the cursor is at its end, and all is counted.
    #[inline]
    pub(super) fn close_span(&self) {
        if self.span_is_open() {
            self.count_span();
        }
    }

    #[inline(never)]
    fn count_span(&self) {
        let end = self.span.replace(NOWHERE);
        self.span_end.set(CLOSED);
        self.chunk.cursor.set(end);
        let bytes = end.addr().get() - self.span_from.get().addr().get();
        self.allocated_total.set(self.allocated_total.get() + bytes as u64);
        self.aim_quick();
    }
}
