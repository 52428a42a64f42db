//! What the tests of hashes draw; they print the seed where they fail.
#![forbid(unsafe_code)]

use std::string::String;
use std::vec::Vec;

pub(super) use crate::test_backing::Random;

impl Random {
    /// The upper half, which is the better one.
    pub(super) fn next_32(&mut self) -> u32 {
        (self.next() >> 32) as u32
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
