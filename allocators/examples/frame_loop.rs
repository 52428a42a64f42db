//! A game's frame loop whose working memory costs nothing to free: each turn of the loop allocates
//! from a frame allocator, and one reset frees all of it.
//!
//! Run it with `cargo run -p loligo-allocators --example frame_loop`.
#![forbid(unsafe_code)]

use loligo_allocators::{AllocError, Allocator, Arena, FrameAllocator, PageAllocator};

/// The memory for one turn of the loop. It is allocated once, so no turn requests memory from the
/// system.
const FRAME_BYTES: usize = 256 << 10;

const OBJECTS: usize = 2_000;

/// Finds the visible objects and returns the number of draw calls: the temporary arrays are used
/// only in this turn.
fn draw(frame: &mut FrameAllocator<'_>, turn: usize) -> Result<usize, AllocError> {
    // How many objects are visible is not known before: the slice grows in place, as it is the
    // frame's last block, and takes only the bytes that it needs.
    let is_visible = |object: &u32| (*object as usize * 7 + turn * 13) % 100 < 30;
    let visible = frame.try_alloc_slice_fill_iter((0..OBJECTS as u32).filter(is_visible))?;
    let keys = frame.try_alloc_slice_fill_with(visible.len(), |at| {
        u64::from(visible[at] % 16) << 32 | u64::from(visible[at])
    })?;
    keys.sort_unstable();
    let batches = keys.chunk_by(|a, b| a >> 32 == b >> 32).count();

    // A scope frees only the blocks allocated since it was opened: here those of a small job within
    // the turn. Opening one borrows the frame mutably, so the slices above cannot be used again.
    let before = frame.stats().granted;
    {
        let scope = frame.scope();
        let text = scope.try_format(format_args!("{batches} batches"))?;
        assert!(text.ends_with(" batches"), "the text is `{text}`");
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
