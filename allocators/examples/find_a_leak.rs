//! Two subsystems over one heap, each behind a trace allocator; one forgets a block when it
//! unloads. The report names the line and the number of the allocation, and a second run stops
//! right there.
//!
//! Run it with `cargo run -p loligo-allocators --example find_a_leak`; with `--features stacks` it
//! also shows on which way the line was reached.
#![expect(
    unsafe_code,
    reason = "deleting is unsafe, as only the caller knows that nothing uses the object any more"
)]

use core::panic::Location;
use core::ptr::NonNull;

use loligo_allocators::{
    AllocError, Allocator, HeapAllocator, Make, PageAllocator, TraceAllocator,
};

/// A texture or a mesh, as large as such things are.
type Resource = [u8; 2000];

/// A sound that plays.
type Voice = [f32; 8];

/// A level: what it loaded, to be given back when it is left.
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
            // SAFETY: it was loaded from this memory, is deleted once, and nothing uses it
            // afterwards.
            unsafe { memory.destroy(resource) };
        }
    }
}

/// Textures and meshes come through one line: only a stack tells them apart.
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

/// Plays a level. Returns the number of the oldest allocation that is left in the end.
fn run(stop_at: Option<u64>) -> Result<u64, AllocError> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);
    // The tables of both take their memory from pages of their own, so the heap's figures are the
    // game's.
    let sound = TraceAllocator::new("sound", &heap, &pages);
    let level = TraceAllocator::new("level", &heap, &pages);
    #[cfg(feature = "stacks")]
    let level = level.with_stacks();
    if let Some(number) = stop_at {
        // A debugger's breakpoint goes into this function; the program is deterministic, so the
        // number is the same in each run.
        level.break_at(number, about_to_leak);
    }

    let voice = sound.create(Voice::default())?;
    let played = Level::load(&level)?;
    if stop_at.is_none() {
        println!("while the level is played:\n{}\n{}\n", sound.report(), level.report());
    }
    played.unload(&level);
    // SAFETY: it was made by this allocator, is deleted once, and nothing uses it afterwards.
    unsafe { sound.destroy(voice) };

    // Everything is unloaded, so whatever lives now was forgotten. Had we left it there, the drop
    // of the allocator would panic and list the same sites.
    println!("after it was left:\n{}\n{}", sound.report(), level.report());
    let mut oldest = u64::MAX;
    level.walk_sites(&mut |usage| oldest = oldest.min(usage.oldest));
    free_what_is_left(&level);
    Ok(oldest)
}

/// Is called when the allocation that leaked in the first run is asked for again.
fn about_to_leak(number: u64, site: &'static Location<'static>) {
    println!("allocation #{number} is asked for by {site}; look at the caller");
}

/// Frees the blocks that an allocator still has: for this example, which has told what it has to
/// tell.
fn free_what_is_left(memory: &dyn Allocator) {
    let mut left = Vec::new();
    memory.walk(&mut |block| left.push(block.address));
    for block in left {
        // SAFETY: the walk shows live blocks, and what used them is gone.
        unsafe { memory.deallocate(block) };
    }
}
