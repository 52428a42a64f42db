//! Tests of the leak report: its contents, its length, and writers that fail.

use core::alloc::Layout;
use core::fmt;
use core::mem::MaybeUninit;
#[cfg(target_os = "linux")]
use core::panic::AssertUnwindSafe;
#[cfg(target_os = "linux")]
use std::boxed::Box;
use std::format;
#[cfg(target_os = "linux")]
use std::panic::{catch_unwind, resume_unwind};
use std::string::ToString;
use std::vec::Vec;

use super::{Leak, assert_none};
use crate::blocks::pool::PoolAllocator;
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{TestBacking, panic_of};
#[cfg(target_os = "linux")]
use crate::testing::test_child::said;

const LAYOUT: Layout = Layout::new::<[u64; 3]>();

/// A writer that refuses one piece of text, counted from 0, and accepts the others.
struct Refusing(usize);

impl fmt::Write for Refusing {
    fn write_str(&mut self, _text: &str) -> fmt::Result {
        let refused = self.0 == 0;
        self.0 = self.0.wrapping_sub(1);
        if refused { Err(fmt::Error) } else { Ok(()) }
    }
}

#[test]
fn a_report_lists_16_blocks() {
    let mut memory = [MaybeUninit::uninit(); 4096];
    let pool = PoolAllocator::from_region("pool", LAYOUT, &mut memory);
    assert_none(&pool);
    let report = || Leak { allocator: &pool }.to_string();
    let mut blocks = Vec::new();
    for count in 1..=18 {
        blocks.push(pool.allocate(LAYOUT).expect("there is room").cast::<u8>());
        let report = report();
        let plural = if count == 1 { "" } else { "s" };
        let bytes = 24 * count;
        let head = format!(
            "allocator `pool` was dropped with {count} live block{plural} of {bytes} bytes"
        );
        assert_eq!(report.lines().next(), Some(head.as_str()), "{report}");
        assert_eq!(report.matches(", 24 bytes").count(), count.min(16), "{report}");
        let more = format!("\n  and {} more", count.saturating_sub(16));
        assert_eq!(report.ends_with(&more), count > 16, "{report}");
        assert_eq!(report.contains(" more"), count > 16, "{report}");
        assert_eq!(panic_of(|| assert_none(&pool)), report, "it is thrown as it is");
    }
    let first = format!("\n  {:p}, 24 bytes\n", blocks[0]);
    assert!(report().contains(&first), "without a site: {}", report());
    for block in blocks {
        // SAFETY: the block is live and freed once.
        unsafe { pool.deallocate(block) };
    }
}

#[test]
fn a_report_that_cannot_be_written_ends() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", LAYOUT, &backing).with_sites(Sites::new_in(&backing));
    let blocks = [(); 16].map(|()| pool.allocate(LAYOUT).expect("there is room").cast::<u8>());
    let leak = Leak { allocator: &pool };
    assert!(leak.to_string().contains(", 24 bytes, from "), "with sites: {leak}");
    let is_refused =
        |piece: usize| fmt::write(&mut Refusing(piece), format_args!("{leak}")).is_err();
    let pieces = (0..).take_while(|&piece| is_refused(piece)).count();
    assert!((64..1000).contains(&pieces), "each of {pieces} pieces is missed");
    for block in blocks {
        // SAFETY: the block is live and freed once.
        unsafe { pool.deallocate(block) };
    }
}

#[cfg(target_os = "linux")]
#[test]
fn while_a_panic_unwinds_the_report_is_written() {
    let text = said(|| {
        let mut memory = [MaybeUninit::uninit(); 4096];
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let pool = PoolAllocator::from_region("pool", LAYOUT, &mut memory);
            pool.allocate(LAYOUT).expect("there is room");
            resume_unwind(Box::new("the first reason"));
        }));
        let panic = unwound.expect_err("it unwinds");
        assert_eq!(panic.downcast_ref(), Some(&"the first reason"), "the leak is no panic");
    });
    let head = "allocator `pool` was dropped with 1 live block of 24 bytes\n  0x";
    assert!(text.starts_with(head) && text.ends_with(", 24 bytes\n"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}
