//! A game's frame loop whose working memory costs nothing to free: each turn of the loop allocates
//! from a frame allocator, and one reset frees all of it.
//!
//! Run it with `cargo run -p loligo-allocators --example frame_loop`.
#![expect(unsafe_code, reason = "a block of raw memory is made into a slice in one small function")]

use core::alloc::Layout;
use core::slice;

use loligo_allocators::{AllocError, Allocator, FrameAllocator, PageAllocator};

/// The memory for one turn of the loop. It is allocated once, so no turn requests memory from the
/// system.
const FRAME_BYTES: usize = 256 << 10;

const OBJECTS: usize = 2_000;

/// Returns an array that lives until the frame is reset. Resetting borrows the frame mutably, so
/// the compiler refuses a reset while the array is in use.
#[expect(
    clippy::mut_from_ref,
    reason = "each call returns memory of its own, not a part of what the reference leads to"
)]
fn array<'f, T: Copy>(
    frame: &'f FrameAllocator<'_>,
    items: usize,
    fill: T,
) -> Result<&'f mut [T], AllocError> {
    let layout = Layout::array::<T>(items).map_err(|_| AllocError)?;
    let block = frame.allocate(layout)?.cast::<T>();
    for index in 0..items {
        // SAFETY: the block has room for that many items.
        let slot = unsafe { block.add(index) };
        // SAFETY: the slot is aligned, in the block, and no other code uses it.
        unsafe { slot.write(fill) };
    }
    // SAFETY: the block is aligned, every item was just written, no other code uses it, and it
    // stays live while the frame is borrowed, since freeing it singly is unsafe.
    Ok(unsafe { slice::from_raw_parts_mut(block.as_ptr(), items) })
}

/// Finds the visible objects and returns the number of draw calls: the temporary arrays are used
/// only in this turn.
fn draw(frame: &mut FrameAllocator<'_>, turn: usize) -> Result<usize, AllocError> {
    // The number of visible objects is not known before, so the array has the maximum length. All
    // of it is freed at the end of the turn, so it need not be counted or shrunk.
    let visible = array(frame, OBJECTS, 0_u32)?;
    let mut seen = 0;
    for object in 0..OBJECTS {
        if (object * 7 + turn * 13) % 100 < 30 {
            visible[seen] = object as u32;
            seen += 1;
        }
    }
    let keys = array(frame, seen, 0_u64)?;
    for (key, object) in keys.iter_mut().zip(&*visible) {
        *key = u64::from(*object % 16) << 32 | u64::from(*object);
    }
    keys.sort_unstable();
    let batches = keys.chunk_by(|a, b| a >> 32 == b >> 32).count();

    // A scope frees only the blocks allocated since it was opened: here those of a small job within
    // the turn. Opening one borrows the frame mutably, so the arrays above cannot be used again.
    let before = frame.stats().granted;
    {
        let scope = frame.scope();
        let text = array(&scope, 64, b' ')?;
        for (letter, batch) in text.iter_mut().zip(0..batches) {
            *letter = b'0' + (batch % 10) as u8;
        }
    }
    assert_eq!(frame.stats().granted, before, "the scope gave back what it took");
    Ok(batches)
}

fn main() -> Result<(), AllocError> {
    let pages = PageAllocator::new("pages");
    let mut frame = FrameAllocator::new("frame", FRAME_BYTES, &pages)?;
    let mappings = pages.stats().allocations_total;

    for turn in 0..60 {
        let batches = draw(&mut frame, turn)?;
        if turn % 20 == 0 {
            let used = frame.stats().granted;
            println!("turn {turn:>2}: {batches} batches, {used} bytes of {FRAME_BYTES}");
        }
        frame.reset();
        assert_eq!(frame.stats().live, 0, "a reset takes everything back");
    }

    println!("the most that a turn took: {} bytes", frame.stats().peak_granted);
    assert_eq!(pages.stats().allocations_total, mappings, "no turn asked for pages");
    Ok(())
}
