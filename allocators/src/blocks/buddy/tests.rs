//! Unit tests of the buddy allocator, and their shared parts.

mod arena;
mod damage;
mod errors;
mod exhaustive;
mod figures;
mod parts;
mod random;
mod requests;
mod search;
mod wrong;

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;

use crate::blocks::buddy::memory::write_meta;
use crate::blocks::buddy::shape::Shape;
use crate::blocks::buddy::tree::{Parts, Tree};
use crate::contract::misuse::{Report, set_misuse_handler};

/// Memory whose first byte is `skew` bytes past a multiple of `ALIGN`.
pub(crate) struct Region {
    bytes: Vec<MaybeUninit<u8>>,
    from: usize,
    len: usize,
}

const ALIGN: usize = 1 << 20;

impl Region {
    pub(crate) fn new(len: usize, skew: usize) -> Self {
        let bytes = std::vec![MaybeUninit::new(0xa5); len + skew + ALIGN];
        let from = bytes.as_ptr().addr().wrapping_neg() % ALIGN + skew;
        Self { bytes, from, len }
    }

    pub(crate) fn get(&mut self) -> &mut [MaybeUninit<u8>] {
        &mut self.bytes[self.from..self.from + self.len]
    }

    /// The bytes around the region, which must not change.
    pub(crate) fn margins(&self) -> impl Iterator<Item = u8> + '_ {
        let after = self.from + self.len;
        let margins = self.bytes[..self.from].iter().chain(&self.bytes[after..]);
        // SAFETY: every byte was initialised when the region was made, and these never changed.
        margins.map(|byte| unsafe { byte.assume_init() })
    }
}

/// Pseudorandom numbers: the shift register of George Marsaglia.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 11) % limit as u64) as usize
    }
}

/// Returns the text of the panic that `act` ends in.
pub(crate) fn report_of(act: impl FnOnce()) -> String {
    fn panic_with(report: &Report<'_>) -> ! {
        panic!("{report}")
    }
    // Every test installs the same handler, so their order does not matter.
    set_misuse_handler(Some(panic_with));
    let caught = catch_unwind(AssertUnwindSafe(act)).expect_err("a report was expected");
    caught.downcast_ref::<String>().expect("the panic carries a text").clone()
}

/// A tree over separate arrays, with leaves of 16 bytes that do not exist.
pub(crate) struct Bare {
    pub(crate) tree: Tree<'static>,
    _meta: Vec<u128>,
    _links: Vec<u64>,
}

impl Bare {
    pub(crate) fn new(top: u32, first: u32, end: u32) -> Self {
        let shape = Shape { leaf_shift: 4, top, first, end };
        let mut meta = std::vec![0_u128; shape.meta_bytes().div_ceil(16)];
        let mut links = std::vec![0_u64; shape.leaves() as usize];
        let head = NonNull::from(meta.as_mut_slice()).cast();
        // SAFETY: the array is as long as the metadata and aligned to 16.
        unsafe { write_meta(head, &shape, 0, 0) };
        let parts = Parts {
            head,
            links: NonNull::from(links.as_mut_slice()).cast(),
            link_shift: 3,
            origin: core::ptr::null(),
            home: 0,
        };
        // SAFETY: the metadata was just written, and each leaf has a link of 8 bytes.
        let tree = unsafe { Tree::over("bare", shape, parts) };
        tree.plant();
        Self { tree, _meta: meta, _links: links }
    }
}

pub(crate) fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("the test asks for a layout that exists")
}
