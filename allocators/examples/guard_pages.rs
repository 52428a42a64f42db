//! A write past the end of a buffer that guard pages stop at the instruction, and the resulting
//! report.
//!
//! Run it with `cargo run -p loligo-allocators --example guard_pages`.
#![expect(unsafe_code, reason = "raw memory is what is overflowed here")]

use core::alloc::Layout;
use core::error::Error;
use std::env;
use std::process::Command;

use loligo_allocators::{Allocator, GuardPageAllocator, HeapAllocator, PageAllocator};

const TILES: usize = 64;

/// Paints a row of tiles. The bug: it paints one more tile than fits.
fn paint_row(memory: &dyn Allocator) -> Result<(), loligo_allocators::AllocError> {
    let layout = Layout::new::<[u8; TILES]>();
    let row = memory.allocate(layout)?.cast::<u8>();
    for tile in 0..=TILES {
        // SAFETY: none for the last tile, which is the bug.
        let place = unsafe { row.as_ptr().add(tile) };
        // SAFETY: as above.
        unsafe { place.write_volatile(7) };
    }
    // SAFETY: the block is live, has this layout, and is not used again.
    unsafe { memory.deallocate_sized(row, layout) };
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    if env::args().nth(1).as_deref() == Some("guarded") {
        // The one line that changes: the painter's allocator.
        let pages = PageAllocator::new("pages");
        let guarded = GuardPageAllocator::new("painter", &pages);
        guarded.while_reporting_faults(|| paint_row(&guarded))??;
        return Ok(());
    }

    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    paint_row(&heap)?;
    println!("over a heap it goes unnoticed: the tile overwrites the next block");

    // A fault ends the program, so a separate process has to show it.
    let ended = Command::new(env::current_exe()?).arg("guarded").output()?;
    assert!(!ended.status.success(), "the guard page stops it");
    println!("over guard pages the program ends ({}):", ended.status);
    for line in String::from_utf8_lossy(&ended.stderr).lines() {
        println!("  {line}");
    }
    Ok(())
}
