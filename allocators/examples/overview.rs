//! The memory of a game as a tree of subsystems, shown as a table, as JSON and as a page.
//!
//! Run it with `cargo run -p loligo-allocators --example overview [FOLDER]`; it writes
//! `overview.html` and `overview.json` to the folder, or to the system's folder for temporary
//! files.

use core::alloc::Layout;
use core::error::Error;
use core::ptr::NonNull;
use std::env;
use std::fs;
use std::path::PathBuf;

use loligo_allocators::{
    AllocError, Allocator, FrameAllocator, HeapAllocator, Overview, PageAllocator, PoolAllocator,
    ProxyAllocator, ScratchAllocator,
};

/// A sound that plays.
type Voice = [u64; 20];
/// A rigid body.
type Body = [f32; 48];
/// The data of every entity.
type Entity = [u32; 16];

fn main() -> Result<(), Box<dyn Error>> {
    // Everything is on pages of the system, with a heap over them for all sizes.
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("heap", &pages);

    // Each subsystem allocates through a proxy, which names it and enforces its budget.
    let sound = ProxyAllocator::new("sound", &heap).with_budget(8 << 20);
    let graphics = ProxyAllocator::new("graphics", &heap).with_budget(48 << 20);
    let physics = ProxyAllocator::new("physics", &heap).with_budget(6 << 20);
    let entities = ProxyAllocator::new("entities", &heap).with_budget(4 << 20);

    // Below the proxies are allocators for each use: pools for objects of one size, frames for
    // memory that lives as long as a frame, a ring for short-lived memory.
    let voices = PoolAllocator::new_in("voices", Layout::new::<Voice>(), &sound);
    let mixer = FrameAllocator::new_in("mixer frame", 1 << 20, &sound)?;
    let commands = FrameAllocator::new_in("render commands", 4 << 20, &graphics)?;
    let bodies = PoolAllocator::new_in("bodies", Layout::new::<Body>(), &physics);
    let contacts = FrameAllocator::new_in("contacts", 1 << 20, &physics)?;
    let objects = PoolAllocator::new_in("entity pool", Layout::new::<Entity>(), &entities);
    let scratch = ScratchAllocator::new("scratch", 4 << 20, &pages)?;

    let samples = take(&sound, 8, 700 << 10)?;
    let textures = take(&graphics, 80, 300 << 10)?;
    let meshes = take(&graphics, 25, 90 << 10)?;
    let playing = take(&voices, 3000, size_of::<Voice>())?;
    let falling = take(&bodies, 9000, size_of::<Body>())?;
    let alive = take(&objects, 30_000, size_of::<Entity>())?;
    take(&mixer, 48, 8 << 10)?;
    take(&commands, 40_000, 64)?;
    take(&contacts, 1500, 320)?;
    let strings = take(&scratch, 400, 4000)?;

    let all: [&dyn Allocator; 13] = [
        &pages, &heap, &sound, &graphics, &physics, &entities, &voices, &mixer, &commands, &bodies,
        &contacts, &objects, &scratch,
    ];
    let overview = Overview::new(&all);
    println!("{overview}\n");
    let folder = env::args().nth(1).map_or_else(env::temp_dir, PathBuf::from);
    fs::create_dir_all(&folder)?;
    for (name, text) in [
        ("overview.html", overview.html().to_string()),
        ("overview.json", overview.json().to_string()),
    ] {
        let path = folder.join(name);
        fs::write(&path, text)?;
        println!("wrote {}", path.display());
    }

    // Frames and the ring release remaining blocks silently; all others would panic, with the
    // subsystem's name.
    for (allocator, blocks) in [
        (&sound as &dyn Allocator, samples),
        (&graphics, textures),
        (&graphics, meshes),
        (&voices, playing),
        (&bodies, falling),
        (&objects, alive),
        (&scratch, strings),
    ] {
        give_back(allocator, blocks);
    }
    Ok(())
}

/// Blocks of one allocator.
type Blocks = Vec<NonNull<u8>>;

fn take(allocator: &dyn Allocator, count: usize, bytes: usize) -> Result<Blocks, AllocError> {
    let layout = Layout::from_size_align(bytes, 4).map_err(|_| AllocError)?;
    (0..count).map(|_| allocator.allocate(layout).map(|block| block.cast())).collect()
}

#[expect(unsafe_code, reason = "only the caller knows that nothing uses the blocks any more")]
fn give_back(allocator: &dyn Allocator, blocks: Blocks) {
    for block in blocks {
        // SAFETY: the block came from this allocator, and is not used.
        unsafe { allocator.deallocate(block) };
    }
}
