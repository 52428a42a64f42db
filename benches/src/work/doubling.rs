//! Buffers that grow by doubling.

use core::ptr::NonNull;

use crate::blocks::{Blocks, words, write_first};
use crate::clock;
use crate::contender::Pass;

/// How many buffers grow.
const BUFFERS: usize = 256;

/// What they grow from and to.
const FROM_BYTES: u32 = 64;
const TO_BYTES: u32 = 1 << 20;

/// What holds all buffers while the last of them moves, with as much again for what is between.
pub(crate) const REGION_BYTES: usize = 2 * BUFFERS * TO_BYTES as usize;

/// Grows all buffers in turns: each by one doubling, then each by the next. Allocating the first 64
/// bytes, growing and freeing at the end are what is timed; a doubling is an operation.
pub(crate) fn double_in_turns<B: Blocks>(allocator: &mut B) -> Pass {
    let mut buffers = [NonNull::<u8>::dangling(); BUFFERS];
    let mut operations = 0;
    let ns = clock::time(|| {
        for buffer in &mut buffers {
            *buffer = allocator.allocate(words(FROM_BYTES));
        }
        let mut bytes = FROM_BYTES;
        while bytes < TO_BYTES {
            for buffer in &mut buffers {
                // SAFETY: the buffer is live with this size; the new one is larger.
                *buffer = unsafe { allocator.grow(*buffer, words(bytes), words(2 * bytes)) };
                // SAFETY: the buffer is live and more than 8 bytes long.
                unsafe { write_first(*buffer, u64::from(bytes)) };
            }
            bytes *= 2;
            operations += BUFFERS as u64;
        }
        for buffer in buffers {
            // SAFETY: the buffer is live, has grown to this size, and is freed once.
            unsafe { allocator.free(buffer, words(bytes)) };
        }
    });
    Pass { ns, operations }
}
