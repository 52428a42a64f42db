//! A game's memory as a tree: a root, a proxy for each subsystem, and a deliberate leak that is
//! reported under the name of its subsystem.
//!
//! Run it with `cargo run -p loligo-allocators --example subsystem_tree`.
#![expect(
    unsafe_code,
    reason = "deleting is unsafe, as only the caller knows that nothing uses the object any more"
)]

use core::ptr::NonNull;
use std::panic;

use loligo_allocators::{
    AllocError, Allocator, Make, MemoryGlobals, MemoryOptions, Overview, PoolAllocator,
    SharedProxy, StaticHeap,
};

/// The first allocator is in a buffer of the program. All others are created in it.
static BOOT: StaticHeap<{ MemoryGlobals::BOOT_BYTES }> = StaticHeap::new("boot");

struct Body {
    position: [f32; 3],
    mass: f32,
}

struct Voice {
    samples: [i16; 512],
}

fn main() -> Result<(), AllocError> {
    println!("a game that cleans up after itself:\n");
    play(false)?;
    assert_eq!(BOOT.stats().live, 0, "the boot heap has everything back");

    println!("\nthe same, but one body of the physics is forgotten:\n");
    // A leak panics, so that no test and no run overlooks it. This program continues, to print it.
    panic::set_hook(Box::new(|_| {}));
    let Err(panic) = panic::catch_unwind(|| play(true)) else {
        unreachable!("the leak is reported")
    };
    let report = panic.downcast_ref::<String>().map_or("", String::as_str);
    println!("\nthe panic says: {report}");
    assert!(report.contains("`physics`"), "the subsystem that leaked, not the heap below it");
    println!("(on standard error, those it took its memory from said so on their way down)");
    assert_eq!(BOOT.stats().live, 0, "it was torn down to the end all the same");
    Ok(())
}

fn play(forgets_a_body: bool) -> Result<(), AllocError> {
    let globals = MemoryGlobals::init(&BOOT, &MemoryOptions::new())?;

    // Proxies only count and forward, so they can be stacked. The memory of `physics` is part of
    // that of `world`. The compiler ensures that a backing outlives all allocators over it.
    let world = globals.proxy("world").with_budget(8 << 20);
    let physics = SharedProxy::new("physics", &world);
    let creatures = SharedProxy::new("creatures", &world);
    let sound = globals.proxy("sound").with_budget(1 << 20);
    // All voices have one size, so the sound system keeps them in a separate pool.
    let voices = PoolAllocator::new_in("voices", core::alloc::Layout::new::<Voice>(), &sound);

    let mut bodies = Vec::new();
    for number in 0..200_u16 {
        let mass = 1.0 + f32::from(number % 7);
        bodies.push(physics.create(Body { position: [f32::from(number), 0.0, 9.0], mass })?);
    }
    let names: Vec<NonNull<[u8; 24]>> =
        (0..50).map(|n| creatures.create([n; 24])).collect::<Result<_, _>>()?;
    let voice = voices.create(Voice { samples: [0; 512] })?;
    // Short-lived memory comes from the scratch ring.
    let path = globals.scratch_allocator().create([0_u8; 256])?;

    let [boot, pages, heap, scratch] = globals.allocators();
    let tree: [&dyn Allocator; 9] =
        [boot, pages, heap, scratch, &world, &physics, &creatures, &sound, &voices];
    println!("{}", Overview::new(&tree));

    let heaviest = bodies.iter().map(|body| {
        // SAFETY: every body in the list is live, and is not changed.
        let body = unsafe { body.as_ref() };
        body.mass * body.position[2]
    });
    assert_eq!(heaviest.fold(0.0, f32::max), 63.0, "the bodies are where they were put");
    // SAFETY: the voice is live.
    assert_eq!(unsafe { voice.as_ref() }.samples[0], 0, "silence");

    if forgets_a_body {
        bodies.pop();
    }
    delete_all(&physics, bodies);
    delete_all(&creatures, names);
    delete_all(&voices, [voice]);
    delete_all(globals.scratch_allocator(), [path]);
    Ok(())
}

/// Destroys the objects created in `allocator`.
fn delete_all<T>(allocator: &dyn Allocator, objects: impl IntoIterator<Item = NonNull<T>>) {
    for object in objects {
        // SAFETY: each was made in this allocator, is in one list alone, and is not used again.
        unsafe { allocator.destroy(object) };
    }
}
