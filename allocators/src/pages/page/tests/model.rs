//! Random programs against a naive model.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::vec::Vec;

use super::{Random, bytes, fill, layout, page, seeded};
use crate::contract::allocator::Allocator;
use crate::pages::page::PageAllocator;

/// A live block in the model.
struct Known {
    block: NonNull<[u8]>,
    layout: Layout,
    mark: u8,
}

impl Known {
    /// Marks a block: the first and last requested byte of each page.
    fn mark(&mut self, mark: u8) {
        self.mark = mark;
        let block = NonNull::slice_from_raw_parts(self.block.cast(), self.layout.size());
        if self.block.len() <= 64 * page() {
            fill(block, mark);
        } else if !block.is_empty() {
            let head = NonNull::slice_from_raw_parts(block.cast(), block.len().min(page()));
            fill(head, mark);
        }
    }

    fn check(&self, upto: usize) {
        let seen = upto.min(self.layout.size());
        let seen = if self.block.len() <= 64 * page() { seen } else { seen.min(page()) };
        let slice = &bytes(self.block)[..seen];
        assert!(slice.iter().all(|&b| b == self.mark), "a block lost its bytes");
    }
}

fn any_layout(random: &mut Random) -> Layout {
    // Sizes are drawn by their bit length, up to 16 MiB; alignments up to 2 MiB.
    let bits = random.below(25);
    let bytes = random.below(1 << bits);
    layout(bytes, 1 << random.below(22))
}

/// The allocator under test and its model.
struct Model {
    pages: PageAllocator,
    random: Random,
    known: Vec<Known>,
    /// The numbers of blocks and of requested bytes so far.
    total: u64,
    asked: u64,
}

impl Model {
    fn new(seed: u64, huge: bool) -> Self {
        let pages = PageAllocator::new("model");
        Self {
            pages: if huge { pages.with_huge_pages() } else { pages },
            random: seeded(seed),
            known: Vec::new(),
            total: 0,
            asked: 0,
        }
    }

    fn step(&mut self, mark: u8) {
        let pick = self.random.below(100);
        if self.known.is_empty() || self.known.len() < 60 && pick < 45 {
            self.allocate(mark);
            return;
        }
        let index = self.random.below(self.known.len());
        let old = self.known.swap_remove(index);
        old.check(usize::MAX);
        match pick {
            // SAFETY: every block of the model is live and has its layout.
            0..70 => unsafe { self.pages.deallocate(old.block.cast()) },
            // SAFETY: as above.
            70..80 => unsafe { self.pages.deallocate_sized(old.block.cast(), old.layout) },
            _ => self.resize(old, pick < 90, mark),
        }
    }

    fn allocate(&mut self, mark: u8) {
        let layout = any_layout(&mut self.random);
        let block = self.pages.allocate_zeroed(layout).unwrap();
        assert!(block.len() >= layout.size(), "large enough");
        assert_eq!(block.addr().get() % layout.align(), 0, "aligned");
        assert_eq!(bytes(block)[layout.size() / 2], 0, "zero");
        let mut new = Known { block, layout, mark: 0 };
        new.mark(mark);
        self.known.push(new);
        self.count(layout);
    }

    fn resize(&mut self, mut old: Known, in_place: bool, mark: u8) {
        let mut new = any_layout(&mut self.random);
        let start = old.block.cast();
        let result = if in_place {
            new = layout(new.size(), old.layout.align());
            // SAFETY: every block of the model is live and has its layout.
            unsafe { self.pages.resize_in_place(start, old.layout, new) }
        } else {
            // SAFETY: as above.
            unsafe { self.pages.reallocate(start, old.layout, new) }
        };
        if let Ok(block) = result {
            assert!(!in_place || block.cast() == start, "in place");
            let kept = old.layout.size();
            old.block = block;
            old.layout = new;
            old.check(kept.min(page()));
            old.mark(mark);
            self.count(new);
        } else {
            assert!(in_place, "moving is never refused here");
            old.check(usize::MAX);
        }
        self.known.push(old);
    }

    fn count(&mut self, layout: Layout) {
        self.total += 1;
        self.asked += layout.size().max(1) as u64;
    }

    fn check(&self) {
        assert_eq!(self.pages.verify(), Ok(()), "whole");
        let stats = self.pages.stats();
        assert_eq!(stats.live, self.known.len(), "live");
        let requested: usize = self.known.iter().map(|k| k.layout.size().max(1)).sum();
        assert_eq!(stats.requested, requested, "requested");
        let granted: usize = self.known.iter().map(|k| k.block.len()).sum();
        assert_eq!(stats.granted, granted, "granted");
        assert_eq!(stats.reserved, granted, "reserved");
        assert_eq!(self.pages.committed_bytes(), granted, "committed");
        let totals = (stats.allocations_total, stats.requested_total);
        assert_eq!(totals, (self.total, self.asked), "totals");
    }

    fn end(mut self) {
        let mut shown = 0;
        self.pages.walk(&mut |_| shown += 1);
        assert_eq!(shown, self.known.len(), "all are shown");
        for old in self.known.drain(..) {
            old.check(usize::MAX);
            // SAFETY: every block of the model is live and has its layout.
            unsafe { self.pages.deallocate_sized(old.block.cast(), old.layout) };
        }
        self.check();
    }
}

fn program(seed: u64, huge: bool) {
    let mut model = Model::new(seed, huge);
    for step in 0..1500 {
        model.step(step as u8);
        model.check();
    }
    model.end();
}

#[test]
fn programs_of_small_pages() {
    (1..=4).for_each(|seed| program(seed, false));
}

#[test]
fn programs_of_huge_pages() {
    (5..=7).for_each(|seed| program(seed, true));
}
