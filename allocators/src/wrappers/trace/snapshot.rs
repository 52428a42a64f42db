//! A copy of what is live, to be written once the allocator is no longer held.

use core::fmt;

use crate::contract::allocator::{AllocError, Allocator};
use crate::wrappers::trace::array::Array;
use crate::wrappers::trace::groups::Group;
use crate::wrappers::trace::ledger::Ledger;
use crate::wrappers::trace::report::write_report;
use crate::wrappers::trace::stack::Stack;

/// A report of a [`TraceAllocator`](crate::TraceAllocator) as it was when it was taken.
///
/// Its `Display` is that of [`report`](crate::TraceAllocator::report) and needs the allocator no
/// more. So it can be written where the allocator is the global one under a lock: names of frames
/// are looked up with memory of the global heap, which waits for that lock.
///
/// # Memory
///
/// A line of 48 bytes for each site, 176 with stacks, in the memory that it was given; freed when
/// it is dropped.
///
/// # Threads
///
/// Neither `Send` nor `Sync`.
pub struct TraceSnapshot<'m> {
    name: &'m str,
    /// Live blocks, and their bytes.
    live: [usize; 2],
    lines: Array<(Group, Option<Stack>)>,
    memory: &'m dyn Allocator,
}

impl<'m> TraceSnapshot<'m> {
    pub(super) fn take<K: Allocator + ?Sized>(
        name: &'m str,
        live: [usize; 2],
        ledger: &Ledger<'_, K>,
        memory: &'m dyn Allocator,
    ) -> Result<Self, AllocError> {
        let snapshot = Self { name, live, lines: Array::new(), memory };
        let mut taken = Ok(());
        ledger.each_group(&mut |number, group| {
            let lines = &snapshot.lines;
            if taken.is_ok() {
                taken = lines.reserve(lines.len() + 1, memory);
            }
            if taken.is_ok() {
                lines.push((group, ledger.stack(number)));
            }
        });
        taken.map(|()| snapshot)
    }
}

impl fmt::Display for TraceSnapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_report(f, self.name, self.live, &|visit| {
            for at in 0..self.lines.len() {
                let (group, stack) = self.lines.get(at);
                visit(group, stack);
            }
        })
    }
}

impl fmt::Debug for TraceSnapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceSnapshot")
            .field("name", &self.name)
            .field("live", &self.live)
            .finish_non_exhaustive()
    }
}

impl Drop for TraceSnapshot<'_> {
    fn drop(&mut self) {
        self.lines.release(self.memory);
    }
}

#[cfg(all(test, any(unix, windows)))]
mod tests {
    extern crate std;

    use core::alloc::Layout;
    use std::string::ToString;

    use crate::{Allocator, PageAllocator, TraceAllocator};

    #[test]
    fn it_is_the_report_of_its_moment() {
        let pages = PageAllocator::new("pages");
        let memory = PageAllocator::new("memory");
        let trace = TraceAllocator::new("trace", &pages, &pages);
        let sizes: [usize; 40] = core::array::from_fn(|at| at + 1);
        let take = |bytes: &usize| {
            let layout = Layout::from_size_align(*bytes, 1).expect("a layout");
            (trace.allocate(layout).expect("memory").cast::<u8>(), layout)
        };
        let blocks = sizes.each_ref().map(take);
        let expected = trace.report().to_string();
        let snapshot = trace.snapshot(&memory).expect("memory");
        for (block, layout) in blocks {
            // SAFETY: the block is live with this layout, and freed once.
            unsafe { trace.deallocate_sized(block, layout) };
        }
        assert_eq!(snapshot.to_string(), expected, "blocks that are gone are in it");
        assert!(memory.stats().live > 0, "it is in the memory that it was given");
        drop(snapshot);
        assert_eq!(memory.stats().live, 0);
        assert_eq!(
            trace.snapshot(&memory).expect("memory").to_string(),
            trace.report().to_string()
        );
    }
}
