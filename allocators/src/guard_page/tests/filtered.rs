//! What is done where the kernel refuses a call, or a page for the table.

use super::{GuardPageAllocator, layout, page, take};
use crate::allocator::{AllocError, Allocator};
use crate::page::PageAllocator;
use crate::test_child::check;
use crate::test_filter::{Lengths, refuse, run};

#[test]
fn without_a_table_no_block_is_served_and_none_is_left() {
    run(|| {
        let pages = PageAllocator::new("pages");
        // The first table, which is larger than any block here.
        let guards = GuardPageAllocator::new("measured", &pages);
        let block = take(&guards, 1, 1);
        // SAFETY: the block is live and not used again.
        unsafe { guards.deallocate(block) };
        let table = guards.overhead_bytes().next_multiple_of(page());
        drop(guards);
        check!(table > page() && table != 3 * page());
        check!(refuse(libc::SYS_mmap, &Lengths::Of(&[table])));
        for most in [0, 5] {
            let guards = GuardPageAllocator::new("guards", &pages).with_guarded_max(most);
            check!(guards.allocate(layout(1, 1)) == Err(AllocError));
            check!((guards.guarded_blocks(), guards.forwarded_blocks()) == (0, 0));
            check!(guards.stats().reserved == 0 && guards.verify().is_ok());
            check!((pages.stats().live, pages.committed_bytes()) == (0, 0));
        }
        0
    });
}

#[test]
fn a_block_that_cannot_be_closed_does_not_wait() {
    run(|| {
        let pages = PageAllocator::new("pages");
        for waiting in [3, 0] {
            let guards = GuardPageAllocator::new("guards", &pages).with_quarantine(waiting);
            let bytes = (5 + waiting) * page();
            let block = take(&guards, bytes, 1);
            let table = guards.overhead_bytes().next_multiple_of(page());
            check!(pages.committed_bytes() == table + bytes);
            check!(refuse(libc::SYS_mprotect, &Lengths::Of(&[bytes])));
            // SAFETY: the block is live and not used again.
            unsafe { guards.deallocate(block) };
            check!((guards.waiting_blocks(), guards.stats().reserved) == (0, 0));
            check!(pages.committed_bytes() == table);
            check!(guards.verify().is_ok() && pages.verify().is_ok());
        }
        0
    });
}
