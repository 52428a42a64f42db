//! Two subsystems over one heap, each with a trace allocator; one leaks a block when it unloads.
//! The report names the line and the number of the allocation, and a second run stops right there.
//!
//! Run it with `cargo run -p loligo-allocators --example find_a_leak`; with `--features stacks` it
//! also shows the stack that reached the line.
#![expect(
    unsafe_code,
    reason = "deleting is unsafe, as only the caller knows that nothing uses the object any more"
)]

use core::panic::Location;
use core::ptr::NonNull;

use loligo_allocators::{
    AllocError, Allocator, HeapAllocator, Make, PageAllocator, TraceAllocator,
};

/// A texture or a mesh, of a typical size.
type Resource = [u8; 2000];

/// A sound that plays.
type Voice = [f32; 8];

/// A level: its loaded resources, to be freed when it is left.
struct Level {
    textures: Vec<NonNull<Resource>>,
    meshes: Vec<NonNull<Resource>>,
}

impl Level {
    fn load(memory: &dyn Allocator) -> Result<Self, AllocError> {
        let mut level = Self { textures: Vec::new(), meshes: Vec::new() };
        for _ in 0..4 {
            level.textures.push(load_resource(memory)?);
        }
        for _ in 0..3 {
            level.meshes.push(load_resource(memory)?);
        }
        // The level keeps no track of its sky: here is the leak.
        let _sky = memory.create([0_u8; 5000])?;
        Ok(level)
    }

    fn unload(self, memory: &dyn Allocator) {
        for resource in self.textures.into_iter().chain(self.meshes) {
            // SAFETY: it was loaded from this memory, is destroyed once, and is not used
            // afterwards.
            unsafe { memory.destroy(resource) };
        }
    }
}

/// Textures and meshes are allocated on one line: only a stack distinguishes them.
fn load_resource(memory: &dyn Allocator) -> Result<NonNull<Resource>, AllocError> {
    memory.create([0; 2000])
}

fn main() -> Result<(), AllocError> {
    println!("the first run:\n");
    let leaked = run(None)?;
    println!("\nthe second run, which stops at allocation #{leaked}:\n");
    run(Some(leaked))?;
    Ok(())
}

/// Plays a level. Returns the number of the oldest allocation left at the end.
fn run(stop_at: Option<u64>) -> Result<u64, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    // The tables of both are in separate pages, so the heap's figures are the game's.
    let sound = TraceAllocator::new("sound", &heap, &pages);
    let level = TraceAllocator::new("level", &heap, &pages);
    #[cfg(feature = "stacks")]
    let level = level.with_stacks();
    if let Some(number) = stop_at {
        // A debugger's breakpoint would be in this function; the program is deterministic, so the
        // number is the same in each run.
        level.break_at(number, about_to_leak);
    }

    let voice = sound.create(Voice::default())?;
    let played = Level::load(&level)?;
    if stop_at.is_none() {
        println!("while the level is played:\n{}\n{}\n", sound.report(), level.report());
    }
    played.unload(&level);
    // SAFETY: it was made by this allocator, is destroyed once, and is not used afterwards.
    unsafe { sound.destroy(voice) };

    // Everything is unloaded, so every live block is leaked. If we left it, dropping the allocator
    // would panic and list the same sites.
    println!("after it was left:\n{}\n{}", sound.report(), level.report());
    let mut oldest = u64::MAX;
    level.walk_sites(&mut |usage| oldest = oldest.min(usage.oldest));
    free_what_is_left(&level);
    Ok(oldest)
}

/// Called when the allocation that leaked in the first run is requested again.
fn about_to_leak(number: u64, site: &'static Location<'static>) {
    println!("allocation #{number} is asked for by {site}; look at the caller");
}

/// Frees the remaining blocks of an allocator: this example has already shown the leak.
fn free_what_is_left(memory: &dyn Allocator) {
    let mut left = Vec::new();
    memory.walk(&mut |block| left.push(block.address));
    for block in left {
        // SAFETY: the walk shows live blocks, and they are not used any more.
        unsafe { memory.deallocate(block) };
    }
}
