//! A program whose allocators are before `main` and are torn down at its end.
#![expect(unsafe_code, reason = "it runs before main, and deletes what it made")]

use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Mutex;

use loligo_allocators::{Allocator, Make, MemoryGlobals, MemoryOptions, StaticHeap};

static BOOT: StaticHeap<{ MemoryGlobals::BOOT_BYTES }> = StaticHeap::new("program");

/// The constructor puts the root here and `main` takes it out, so that it ends.
static GLOBALS: Mutex<Option<MemoryGlobals<'static>>> = Mutex::new(None);

/// What the constructor made.
static NUMBERS: AtomicPtr<[u32; 3]> = AtomicPtr::new(core::ptr::null_mut());

extern "C" fn before_main() {
    let Ok(globals) = MemoryGlobals::init(&BOOT, &MemoryOptions::new()) else { return };
    {
        let loader = globals.proxy("loader");
        if let Ok(passing) = loader.create([0_u64; 100]) {
            // SAFETY: just made, deleted once.
            unsafe { loader.destroy(passing) };
        }
    }
    if let Ok(numbers) = globals.default_allocator().create([1, 2, 3]) {
        NUMBERS.store(numbers.as_ptr(), Ordering::SeqCst);
    }
    if let Ok(mut place) = GLOBALS.lock() {
        *place = Some(globals);
    }
}

// SAFETY: the loader calls what this section lists, with the arguments of `main`, which a function
// of no arguments may ignore; it needs nothing that is not there yet.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

fn main() {
    let globals = GLOBALS.lock().expect("nobody has panicked").take();
    let globals = globals.expect("the constructor made it");
    let numbers = NonNull::new(NUMBERS.load(Ordering::SeqCst)).expect("it made them, too");
    // SAFETY: they are live, and nothing changes them.
    println!("made before main: {:?}", unsafe { numbers.as_ref() });
    let job = std::env::args().nth(1).unwrap_or_default();
    let frees = match job.as_str() {
        "leak" => 0,
        "double-free" => 2,
        _ => 1,
    };
    if frees == 2 {
        println!("misused address: {numbers:p}");
    }
    for _ in 0..frees {
        // SAFETY: right once; the second time is the misuse.
        unsafe { globals.default_allocator().destroy(numbers) };
    }
    drop(globals);
    assert_eq!(BOOT.stats().live, 0, "the boot heap has everything back");
    println!("nothing is left");
}
