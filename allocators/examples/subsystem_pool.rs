//! A pool over a heap over pages, a proxy between them that counts one subsystem's memory, and a
//! leak that is caught.
//!
//! Run it with `cargo run -p loligo-allocators --example subsystem_pool`.
#![expect(
    unsafe_code,
    reason = "deleting is unsafe, as only the caller knows that nothing uses the object any more"
)]

use core::alloc::Layout;
use std::panic;

use loligo_allocators::{
    AllocError, Allocator, HeapAllocator, Make, PageAllocator, PoolAllocator, ProxyAllocator,
};

/// The sound system's data of each playing sound.
struct Voice {
    frequency: f32,
    volume: f32,
}

fn main() -> Result<(), AllocError> {
    play()?;

    // A leak panics when the allocator is dropped, so it cannot be overlooked. A test would fail
    // here; this program catches the panic to print it.
    println!("\nnow the same with a voice forgotten:");
    let result = panic::catch_unwind(forget_a_voice);
    assert!(result.is_err(), "the pool reports the voice that was never deleted");
    println!("the leak was caught");
    Ok(())
}

fn play() -> Result<(), AllocError> {
    // Each allocator takes its memory only from its backing. Lifetimes ensure that none is dropped
    // before those that use it.
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    // The proxy only counts. Everything that the sound system allocates goes through it.
    let sound = ProxyAllocator::new("sound", &heap);
    // All voices have one size, so a pool serves them best: O(1), with at most one additional byte
    // for each block.
    let voices = PoolAllocator::new_in("voices", Layout::new::<Voice>(), &sound);

    let mut playing = Vec::new();
    for step in 0..1000 {
        let voice = Voice { frequency: 220.0 + step as f32, volume: 0.5 };
        playing.push(voices.create(voice)?);
    }

    let loudest = playing.iter().fold(0.0_f32, |loudest, voice| {
        // SAFETY: every voice in the list is live, and is not changed meanwhile.
        let voice = unsafe { voice.as_ref() };
        loudest.max(voice.volume * voice.frequency)
    });
    println!("{} voices play, the loudest at {loudest}", playing.len());
    print(&voices);
    print(&sound);
    print(&heap);
    print(&pages);

    for voice in playing {
        // SAFETY: it was made by this pool, is destroyed once, and is not used afterwards.
        unsafe { voices.destroy(voice) };
    }
    assert_eq!(voices.stats().live, 0, "every voice was deleted");
    Ok(())
}

fn forget_a_voice() {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let sound = ProxyAllocator::new("sound", &heap);
    let voices = PoolAllocator::new_in("voices", Layout::new::<Voice>(), &sound);
    let forgotten = voices.create(Voice { frequency: 440.0, volume: 1.0 });
    assert!(forgotten.is_ok(), "there is memory for one voice");
}

/// Prints how much an allocator has granted, and how much it has reserved for that.
fn print(allocator: &dyn Allocator) {
    let stats = allocator.stats();
    println!(
        "{:>8}: {:>5} live, {:>6} bytes granted, {:>9} reserved",
        allocator.name(),
        stats.live,
        stats.granted,
        stats.reserved
    );
}
