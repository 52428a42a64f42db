//! Animations that come and go as the player walks on, in one buffer that is compacted a little
//! each frame.
//!
//! Run it with `cargo run -p loligo-containers --example streamed_animations`.

use core::error::Error;

use loligo_allocators::{PageAllocator, ProxyAllocator};
use loligo_containers::{BlockId, HandleHeap, HandleHeapError};

/// A key of an animation's curve.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
struct Key {
    time: f32,
    angle: f32,
}

/// An animation that is loaded.
struct Animation {
    number: u32,
    keys: BlockId,
}

/// How much a frame may move: about a tenth of what a core copies in a millisecond.
const BUDGET_BYTES: usize = 256 << 10;

fn keys_of(number: u32) -> Vec<Key> {
    let count = 200 + number.wrapping_mul(2_654_435_761) % 4_000;
    (0..count).map(|key| Key { time: key as f32 / 30.0, angle: (number + key) as f32 }).collect()
}

fn load(heap: &mut HandleHeap<'_>, number: u32) -> Result<Animation, HandleHeapError> {
    Ok(Animation { number, keys: heap.try_allocate_from(&keys_of(number))? })
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let memory = ProxyAllocator::new("animations", &pages).with_budget(5 << 20);
    let mut heap = HandleHeap::try_with_capacity(4 << 20, &memory)?;
    let mut loaded: Vec<Animation> = Vec::new();
    let (mut moved, mut most, mut pauses) = (0, 0, 0);

    for number in 0..2_000 {
        // The game keeps about 190 animations. Which of them goes depends on where the player
        // turns.
        if loaded.len() > 190 {
            let gone = loaded.swap_remove((number as usize * 7919) % loaded.len());
            heap.free(gone.keys)?;
        }
        let animation = match load(&mut heap, number) {
            Ok(animation) => animation,
            Err(HandleHeapError::Memory { bytes, hole_bytes, .. }) if hole_bytes >= bytes => {
                // The budget was too small for once: close the holes at a stroke rather than fail.
                pauses += 1;
                while !heap.compact(8 << 20).done {}
                load(&mut heap, number)?
            }
            Err(error) => return Err(error.into()),
        };
        loaded.push(animation);

        let step = heap.compact(BUDGET_BYTES);
        moved += step.moved_bytes;
        most = most.max(step.moved_bytes);
        assert!(step.moved_bytes <= BUDGET_BYTES as u64, "a frame moves no more than it may");
    }
    let stats = heap.stats();
    println!(
        "{} animations, {} KiB in a buffer of {} KiB; {} KiB moved, {} KiB a frame at most, {pauses} pauses",
        stats.live_blocks,
        stats.live_bytes >> 10,
        stats.buffer_bytes >> 10,
        moved >> 10,
        most >> 10,
    );
    assert!(moved > 0, "holes were closed");

    // Wherever they are now, the ids lead to them, and the keys are what was loaded.
    for animation in &loaded {
        let keys = heap.slice_of::<Key>(animation.keys);
        assert_eq!(keys, Some(&keys_of(animation.number)[..]), "animation {}", animation.number);
    }

    // A curve that a library in C plays from stays where it is, whatever happens around it.
    let playing = loaded[40].keys;
    heap.pin(playing)?;
    let address = heap.pinned_address(playing);
    for animation in loaded.drain(..40) {
        heap.free(animation.keys)?;
    }
    while !heap.compact(1 << 20).done {}
    assert_eq!(heap.pinned_address(playing), address, "it stayed");
    println!("around the pinned one {} holes are left", heap.stats().holes);
    heap.unpin(playing)?;
    while !heap.compact(1 << 20).done {}
    assert_eq!(heap.stats().holes, 1, "one hole, at the end");
    Ok(())
}
