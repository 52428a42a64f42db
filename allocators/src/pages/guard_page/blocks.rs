//! Allocating and freeing guarded blocks: pages are opened and closed without the lock, the table
//! is changed under it.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::GuardPageAllocator;
use super::shape::{Opened, Shape, requested};
use super::state::{Known, Stage};
use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::{Misuse, Report, misuse};

impl GuardPageAllocator<'_> {
    /// Serves a request, guarded if possible.
    pub(super) fn take(
        &self,
        layout: Layout,
        zeroed: bool,
        site: &'static Location<'static>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let guards = self.state.with(|state| {
            let guards = state.guarded < self.guarded_max;
            let count = if guards { &mut state.guarded } else { &mut state.forwarded };
            *count += 1;
            guards
        });
        if guards {
            if let Ok(block) = self.take_guarded(layout, site) {
                if zeroed {
                    mark::defined(block.cast(), block.len());
                } else {
                    mark::undefined(block.cast(), block.len());
                }
                return Ok(block);
            }
            self.state.with(|state| {
                state.guarded -= 1;
                state.forwarded += 1;
            });
        }
        let taken = self.forward(layout, site);
        if taken.is_err() {
            self.state.with(|state| state.forwarded -= 1);
        }
        taken
    }

    /// Retries while waiting blocks are released.
    fn take_guarded(
        &self,
        layout: Layout,
        site: &'static Location<'static>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let shape = Shape::new(layout, self.side)?;
        let span_layout = shape.span()?;
        loop {
            if let Ok(block) = self.guard(layout, shape, span_layout, site) {
                return Ok(block);
            }
            if !self.let_go_beyond(0) {
                return Err(AllocError);
            }
        }
    }

    /// Maps a block between guards.
    fn guard(
        &self,
        layout: Layout,
        shape: Shape,
        span_layout: Layout,
        site: &'static Location<'static>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let span = self.pages.allocate_closed(span_layout)?;
        // SAFETY: the lead is less than the span's length.
        let data = unsafe { span.cast::<u8>().add(shape.lead) };
        // SAFETY: the data are in the span, which is closed.
        if unsafe { self.pages.open(data, shape.data) }.is_err() {
            // SAFETY: the span is not yet used, and all of it is closed.
            unsafe { self.pages.deallocate_closed(span, 0) };
            return Err(AllocError);
        }
        let opened = Opened { data, shape, bytes: requested(layout) };
        // SAFETY: the data are open, and not yet used.
        unsafe { opened.fill() };
        // SAFETY: the offset is less than the data's length.
        let block = unsafe { data.add(shape.offset) };
        let known = Known { block, layout, span, site, stage: Stage::Guarded(shape) };
        if self.state.with(|state| state.enter(known, self.pages)).is_err() {
            opened.unmark();
            // SAFETY: the span is not yet used, and its data are open.
            unsafe { self.pages.deallocate_closed(span, shape.data) };
            return Err(AllocError);
        }
        Ok(NonNull::slice_from_raw_parts(block, requested(layout)))
    }

    /// Serves a request without guards.
    fn forward(
        &self,
        layout: Layout,
        site: &'static Location<'static>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let span = self.pages.allocate(layout)?;
        let known = Known { block: span.cast(), layout, span, site, stage: Stage::Forwarded };
        if self.state.with(|state| state.enter(known, self.pages)).is_err() {
            // SAFETY: the block was just allocated with this layout, and is not yet used.
            unsafe { self.pages.deallocate_sized(span.cast(), layout) };
            return Err(AllocError);
        }
        Ok(NonNull::slice_from_raw_parts(span.cast(), requested(layout)))
    }

    /// Frees a block.
    ///
    /// # Safety
    ///
    /// As [`Allocator::deallocate_sized`].
    pub(super) unsafe fn free(
        &self,
        block: NonNull<u8>,
        layout: Option<Layout>,
        site: &'static Location<'static>,
    ) {
        let known = self.expect(block, layout, site);
        match known.opened() {
            Some(opened) => {
                self.check(&known, opened, site);
                self.free_guarded(&known, opened, site);
            }
            None => {
                let taken = self.state.with(|state| state.take_forwarded(block));
                self.unraced(taken, block, site);
                // SAFETY: the block is the pages' and live, was last asked with this layout, and
                // the caller of the free has given it up.
                unsafe { self.pages.deallocate_sized(block, known.layout) };
            }
        }
    }

    fn free_guarded(&self, known: &Known, opened: Opened, site: &'static Location<'static>) {
        let block = known.block;
        // Before its pages close, so that another thread that also frees it finds it freed.
        let marked = self.state.with(|state| state.mark_freed(block, site));
        self.unraced(marked, block, site);
        opened.unmark();
        // SAFETY: the data are open, and the caller of the free has given the block up.
        let closed = unsafe { self.pages.close(opened.data, opened.shape.data) };
        if closed.is_ok() && self.waiting_max > 0 {
            self.state.with(|state| state.keep(block));
            while self.let_go_beyond(self.waiting_max) {}
        } else {
            self.state.with(|state| state.give_up(block));
            let open = if closed.is_ok() { 0 } else { opened.shape.data };
            // SAFETY: the span is out of the table, so this is the only one to give it back.
            unsafe { self.pages.deallocate_closed(known.span, open) };
        }
    }

    /// Releases the addresses of the oldest waiting block if more than `most` wait.
    pub(super) fn let_go_beyond(&self, most: usize) -> bool {
        let oldest = self.state.with(|state| state.pop_beyond(most));
        if let Some(known) = oldest {
            // SAFETY: the span is closed and out of the table, so this is the only one to give it
            // back.
            unsafe { self.pages.deallocate_closed(known.span, 0) };
        }
        oldest.is_some()
    }

    /// Changes a block's layout if its guards can stay.
    ///
    /// # Safety
    ///
    /// As [`Allocator::resize_in_place`]; `known` is the block's.
    pub(super) unsafe fn resize(
        &self,
        known: &Known,
        new: Layout,
        site: &'static Location<'static>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.align() > known.layout.align() {
            return Err(AllocError);
        }
        let mut now = Known { layout: new, site, ..*known };
        match known.opened() {
            Some(opened) => {
                let shape = Shape::new(new, self.side)?;
                if (shape.data, shape.offset) != (opened.shape.data, opened.shape.offset) {
                    return Err(AllocError);
                }
                self.check(known, opened, site);
                // Under the lock, since `verify` in another thread reads the bytes filled here.
                self.state.with(|state| {
                    opened.unmark();
                    // SAFETY: the data are open; bytes that a smaller block gives up are the
                    // allocator's again, and bytes that a larger one gains are the block's.
                    unsafe { Opened { bytes: requested(new), ..opened }.fill() };
                    state.exchange(known, now);
                });
            }
            None => {
                // SAFETY: the block is the pages' and live, and was last asked with this layout;
                // the caller expects the new one.
                now.span = unsafe { self.pages.resize_in_place(known.block, known.layout, new) }?;
                self.state.with(|state| state.exchange(known, now));
            }
        }
        Ok(NonNull::slice_from_raw_parts(now.block, requested(new)))
    }

    /// Returns the record of a live block that `layout` fits; anything else is misuse.
    pub(super) fn expect(
        &self,
        block: NonNull<u8>,
        layout: Option<Layout>,
        site: &'static Location<'static>,
    ) -> Known {
        match self.state.with(|state| state.find(block, layout)) {
            Ok(known) => known,
            Err(what) => self.wrong(what, block, layout, site),
        }
    }

    /// Reports a block that another thread has freed since it was looked up.
    fn unraced(
        &self,
        result: Result<(), Misuse>,
        block: NonNull<u8>,
        site: &'static Location<'static>,
    ) {
        if let Err(what) = result {
            self.wrong(what, block, None, site);
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong(
        &self,
        what: Misuse,
        block: NonNull<u8>,
        layout: Option<Layout>,
        site: &'static Location<'static>,
    ) -> ! {
        let bytes = layout.map(|layout| layout.size());
        let report = Report::new(what, self.name, block.as_ptr()).with_site(site);
        let report = Report { bytes, ..report };
        match self.describe(block.as_ptr()) {
            Some(known) => misuse(&report.with_detail(format_args!("{known}"))),
            None => misuse(&report),
        }
    }

    /// Reports bytes that were written next to a block.
    pub(super) fn check(&self, known: &Known, opened: Opened, site: &'static Location<'static>) {
        // SAFETY: the block is live, so its pages are open, and the bytes around it were filled.
        if let Some(stray) = unsafe { opened.stray() } {
            let start = known.block.as_ptr();
            let (what, side, address) = if stray.before {
                (Misuse::Underrun, "before", start.wrapping_sub(stray.distance))
            } else {
                let end = start.wrapping_add(known.requested());
                (Misuse::Overrun, "after", end.wrapping_add(stray.distance - 1))
            };
            let plural = if stray.changed == 1 { "" } else { "s" };
            misuse(
                &Report::new(what, self.name, address)
                    .with_bytes(known.requested())
                    .with_site(site)
                    .with_detail(format_args!(
                        "{} byte{plural} changed {side} the block, the nearest being number {}; the \
                         block was allocated from {}",
                        stray.changed, stray.distance, known.site
                    )),
            );
        }
    }
}
