//! Tests of filling, over an allocator whose every byte is known.

use super::*;

/// Slots of one size in one region, served from the lowest free one; it refuses other sizes once it
/// has a slot in use, as a pool would that cannot give memory to another class.
struct Slots {
    memory: Vec<u128>,
    used: Vec<bool>,
    bytes: usize,
}

impl Slots {
    fn new(memory_bytes: usize) -> Self {
        Self { memory: vec![0; memory_bytes / 16], used: Vec::new(), bytes: 0 }
    }
}

// SAFETY: slots do not overlap, and the region is not moved.
unsafe impl Subject for Slots {
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        if !self.used.contains(&true) {
            self.bytes = layout.size();
            self.used = vec![false; self.memory.len() * 16 / self.bytes];
        }
        let free = self.used.iter().position(|used| !used);
        match free.filter(|_| layout.size() == self.bytes) {
            Some(slot) => {
                self.used[slot] = true;
                self.memory.as_mut_ptr().cast::<u8>().wrapping_add(slot * self.bytes)
            }
            None => null_mut(),
        }
    }

    fn allocate_zeroed(&mut self, _: Layout) -> *mut u8 {
        null_mut()
    }

    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        assert_eq!(layout.size(), self.bytes, "freed with its layout");
        let slot = (block.addr() - self.memory.as_ptr().addr()) / self.bytes;
        assert!(core::mem::replace(&mut self.used[slot], false), "slot {slot} is freed once");
    }

    unsafe fn reallocate(&mut self, _: *mut u8, _: Layout, _: usize) -> *mut u8 {
        null_mut()
    }
}

#[test]
fn what_is_served_is_counted_and_what_stays_is_kept() {
    let mut slots = Slots::new(64 << 10);
    let mut chain = Chain { subject: &mut slots, budget_bytes: 1 << 20, held_bytes: 0 };
    let fill = chain.fill_and_refill();
    // Of 1024 slots every fiftieth stays, from the first: 21. Then the other size is refused.
    let expected = Fill { first: 64 << 10, other_class: 64 << 10, among_few: 21 * 64 };
    assert_eq!(fill, expected);
}

#[test]
fn no_more_than_the_budget_is_asked_for() {
    let mut slots = Slots::new(64 << 10);
    let mut chain = Chain { subject: &mut slots, budget_bytes: 32 << 10, held_bytes: 0 };
    let fill = chain.fill_and_refill();
    assert_eq!((fill.first, fill.other_class), (32 << 10, 32 << 10));
}
