//! A small generator (xorshift64*) for tests, which print its seed where they fail.
#![forbid(unsafe_code)]

use std::string::String;
use std::vec::Vec;

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The upper half, which is the better one.
    pub(super) fn next_32(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// Draws a number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from((self.next() >> 11) % bound as u64).expect("below a usize")
    }

    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next_32() as u8).collect()
    }

    /// Draws text of visible ASCII.
    pub(super) fn visible(&mut self, len: usize) -> String {
        (0..len).map(|_| char::from(b'!' + self.below(94) as u8)).collect()
    }

    /// Draws a name such as assets have, different for each number.
    pub(super) fn name(&mut self, number: usize) -> String {
        const FOLDERS: [&str; 4] = ["textures", "units/larch", "sounds/\u{f6}l", "levels"];
        let folder = FOLDERS[self.below(FOLDERS.len())];
        std::format!("{folder}/{:x}_{number}", self.below(1 << 16))
    }
}
