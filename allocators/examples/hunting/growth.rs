//! Memory grows from frame to frame: which subsystem is it?

use loligo_allocators::{
    AllocError, Allocator, HeapAllocator, Overview, PageAllocator, ProxyAllocator,
};

use crate::raw::{self, Block};

/// The blocks that a subsystem has.
type Blocks = Vec<Block>;

/// Steps all bodies, in memory for this frame alone.
fn physics(memory: &dyn Allocator) -> Result<(), AllocError> {
    let contacts = raw::take(memory, 6000)?;
    raw::free(memory, contacts);
    Ok(())
}

/// Starts a sound. The bug: those that have ended are kept as well.
fn sound(memory: &dyn Allocator, voices: &mut Blocks) -> Result<(), AllocError> {
    voices.push(raw::take(memory, 200)?);
    Ok(())
}

/// Over one heap there is one figure.
pub(crate) fn alone() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let mut voices = Blocks::new();
    for _ in 0..1000 {
        physics(&heap)?;
        sound(&heap, &mut voices)?;
    }
    let granted = heap.stats().granted;
    voices.into_iter().for_each(|voice| raw::free(&heap, voice));
    Ok(format!("after 1000 frames the heap has handed out {granted} bytes"))
}

/// Each subsystem has a proxy with a name and a budget; a subsystem over it is refused, in a known
/// frame.
pub(crate) fn hunted() -> Result<String, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    let for_physics = ProxyAllocator::new("physics", &heap).with_budget(64 << 10);
    let for_sound = ProxyAllocator::new("sound", &heap).with_budget(64 << 10);
    let mut voices = Blocks::new();
    let mut told = String::new();
    for frame in 0..1000 {
        physics(&for_physics)?;
        if sound(&for_sound, &mut voices).is_err() {
            told = format!("in frame {frame} sound is refused");
            break;
        }
    }
    println!("{}", Overview::new(&[&pages, &heap, &for_physics, &for_sound]));
    voices.into_iter().for_each(|voice| raw::free(&for_sound, voice));
    Ok(told)
}
