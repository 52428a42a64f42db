//! A buffer that grows by `realloc`, as a vector does, to sizes that pages serve.

use crate::blocks::{Blocks, words, write_first};
use crate::clock;
use crate::contender::Pass;

/// What it grows from and to.
const FROM_BYTES: u32 = 4 << 10;
const TO_BYTES: u32 = 256 << 20;

/// Grows one buffer by half of its size at a time and frees it. The first word of each size is
/// written, so that contents which move are copied and the rest stays untouched; a growth is an
/// operation.
pub(crate) fn grow_by_halves<B: Blocks>(allocator: &mut B) -> Pass {
    let mut operations = 0;
    let ns = clock::time(|| {
        let mut bytes = FROM_BYTES;
        let mut buffer = allocator.allocate(words(bytes));
        while bytes < TO_BYTES {
            // SAFETY: the buffer is live and more than 8 bytes long.
            unsafe { write_first(buffer, u64::from(bytes)) };
            let more = bytes + bytes / 2;
            // SAFETY: the buffer is live with this size; the new one is larger.
            buffer = unsafe { allocator.grow(buffer, words(bytes), words(more)) };
            bytes = more;
            operations += 1;
        }
        // SAFETY: the buffer is live, has grown to this size, and is freed once.
        unsafe { allocator.free(buffer, words(bytes)) };
    });
    Pass { ns, operations }
}
