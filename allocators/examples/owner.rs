//! Owners in allocators: each value is dropped and freed with its owner, without unsafe code.
//!
//! Run it with `cargo run -p loligo-allocators --example owner`.
#![forbid(unsafe_code)]

use core::alloc::Layout;

use loligo_allocators::{
    AllocError, Allocator, HeapAllocator, Own, PageAllocator, PoolAllocator, own_dyn,
};

trait Sound {
    fn volume(&self) -> f32;
}

/// A voice of the mixer, in a pool of blocks of one size.
struct Voice<'m> {
    name: Own<'m, str>,
    volume: f32,
}

impl Sound for Voice<'_> {
    fn volume(&self) -> f32 {
        self.volume
    }
}

impl Drop for Voice<'_> {
    fn drop(&mut self) {
        println!("{} ends", self.name);
    }
}

fn main() -> Result<(), AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let voices = PoolAllocator::new("voices", Layout::new::<Voice<'_>>(), &pages);

    // The names are in the heap, the voices in the pool, and the list of them in the heap again.
    let mut playing = Own::new_slice_fill_with(3, |_| None, &heap)?;
    for (number, place) in playing.iter_mut().enumerate() {
        let name = Own::format(format_args!("voice {number}"), &heap)?;
        let voice = Own::new(Voice { name, volume: 0.5 + number as f32 }, &voices)?;
        *place = Some(own_dyn!(voice => dyn Sound + '_));
    }
    println!("{} voices, {} blocks of the heap", voices.stats().live, heap.stats().live);

    let loudest = playing.iter().flatten().map(|sound| sound.volume()).fold(0.0, f32::max);
    println!("the loudest has {loudest}");
    playing[1] = None; // dropped and freed
    println!("{} voices, {} blocks of the heap", voices.stats().live, heap.stats().live);

    drop(playing);
    assert_eq!((voices.stats().live, heap.stats().live), (0, 0), "nothing is left");
    Ok(())
}
