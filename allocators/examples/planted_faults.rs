//! Faults inside the memory of our allocators, one at a time, for AddressSanitizer and Valgrind to
//! find.
//!
//! `cargo run -p loligo-allocators --example planted_faults` uses every allocator correctly; with
//! `list` it lists the faults, and with the name of one it commits that one. Without a tool these
//! faults go unnoticed: docs/guide/sanitizers.md says how to build the program so that they are
//! reported. `cargo xtask sanitize` and `cargo xtask valgrind` run all of them and fail if one is
//! not reported.
#![expect(unsafe_code, reason = "it uses memory after it was freed, on purpose")]

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use loligo_allocators::{
    AllocError, Allocator, BuddyAllocator, FrameAllocator, HeapAllocator, PoolAllocator,
    SlabAllocator, StaticHeap,
};

type Outcome = Result<(), AllocError>;
type Fault = (&'static str, fn() -> Outcome);

/// Each fault by its name.
const FAULTS: [Fault; 17] = [
    ("pool-read-after-free", pool_read_after_free),
    ("pool-write-after-free", pool_write_after_free),
    ("pool-read-of-no-block-yet", pool_read_of_no_block_yet),
    ("frame-read-after-reset", frame_read_after_reset),
    ("frame-read-after-scope", frame_read_after_scope),
    ("frame-read-after-free", frame_read_after_free),
    ("frame-write-behind-the-last", frame_write_behind_the_last),
    ("buddy-write-to-free-space", buddy_write_to_free_space),
    ("buddy-read-after-free", buddy_read_after_free),
    ("buddy-read-after-merge", buddy_read_after_merge),
    ("buddy-read-of-half-given-back", buddy_read_of_half_given_back),
    ("heap-small-read-after-free", heap_small_read_after_free),
    ("heap-large-write-after-free", heap_large_write_after_free),
    ("heap-write-over-a-header", heap_write_over_a_header),
    ("slab-small-read-after-free", slab_small_read_after_free),
    ("slab-large-read-after-free", slab_large_read_after_free),
    ("static-heap-read-after-free", static_heap_read_after_free),
];

fn main() -> Outcome {
    let name = std::env::args().nth(1).unwrap_or_default();
    if name.is_empty() {
        rightly()?;
        println!("all is well");
    } else if name == "list" {
        FAULTS.iter().for_each(|(name, _)| println!("{name}"));
    } else if name == "leak" {
        // Faults that the tools report in any program, to check that they are active here.
        core::mem::forget(core::hint::black_box(Box::new([1_u8; 100])));
    } else {
        let (_, fault) = FAULTS.iter().find(|(known, _)| *known == name).expect("see `list`");
        fault()?;
        println!("nobody noticed");
    }
    Ok(())
}

fn bytes(size: usize) -> Layout {
    Layout::array::<u64>(size / 8).expect("a small size")
}

fn region() -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); 256 << 10]
}

/// Allocates a block and writes all of it.
fn written(allocator: &dyn Allocator, size: usize) -> Result<NonNull<u8>, AllocError> {
    let block = allocator.allocate(bytes(size))?;
    // SAFETY: the block is live and this long.
    unsafe { block.cast::<u8>().write_bytes(7, block.len()) };
    Ok(block.cast())
}

fn free(allocator: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: callers free live blocks once.
    unsafe { allocator.deallocate(block) };
}

/// Reads a byte `at` bytes into a former block, after printing its address.
fn read(block: NonNull<u8>, at: usize) {
    let place = block.as_ptr().wrapping_add(at);
    println!("touches {place:p}");
    // SAFETY: callers pass memory that is still in their region; reading it is the fault.
    let byte = unsafe { place.read_volatile() };
    core::hint::black_box(byte);
}

/// Writes a byte `at` bytes into a former block, or past it, after printing its address.
fn write(block: NonNull<u8>, at: usize) {
    let place = block.as_ptr().wrapping_add(at);
    println!("touches {place:p}");
    // SAFETY: as in `read`.
    unsafe { place.write_volatile(1) };
}

fn pool_read_after_free() -> Outcome {
    let mut memory = region();
    let pool = PoolAllocator::from_region("pool", bytes(48), &mut memory);
    let (first, second) = (written(&pool, 48)?, written(&pool, 48)?);
    free(&pool, first);
    free(&pool, second);
    read(second, 40);
    Ok(())
}

fn pool_write_after_free() -> Outcome {
    let mut memory = region();
    let heap = HeapAllocator::from_region("below", &mut memory);
    let pool = PoolAllocator::new_in("pool", bytes(24), &heap);
    let block = written(&pool, 24)?;
    free(&pool, block);
    write(block, 0);
    Ok(())
}

fn pool_read_of_no_block_yet() -> Outcome {
    let mut memory = region();
    let pool = PoolAllocator::from_region("pool", bytes(48), &mut memory);
    let first = written(&pool, 48)?;
    read(first, 96);
    free(&pool, first);
    Ok(())
}

fn frame_read_after_reset() -> Outcome {
    let mut memory = region();
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    let block = written(&frame, 1000)?;
    frame.reset();
    read(block, 999);
    Ok(())
}

fn frame_read_after_scope() -> Outcome {
    let mut memory = region();
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    written(&frame, 16)?;
    let scope = frame.scope();
    let block = written(&*scope, 32)?;
    drop(scope);
    read(block, 0);
    Ok(())
}

fn frame_read_after_free() -> Outcome {
    let mut memory = region();
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let (first, _second) = (written(&frame, 64)?, written(&frame, 64)?);
    free(&frame, first);
    read(first, 8);
    Ok(())
}

fn frame_write_behind_the_last() -> Outcome {
    let mut memory = region();
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let block = written(&frame, 64)?;
    write(block, 64);
    Ok(())
}

fn buddy_write_to_free_space() -> Outcome {
    let mut memory = region();
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("the leaf fits");
    let block = written(&buddy, 64)?;
    write(block, 64);
    free(&buddy, block);
    Ok(())
}

fn buddy_read_after_free() -> Outcome {
    let mut memory = region();
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("the leaf fits");
    let block = written(&buddy, 4096)?;
    free(&buddy, block);
    read(block, 4095);
    Ok(())
}

/// Reads the word in which the free block now has its links.
fn buddy_read_after_merge() -> Outcome {
    let mut memory = region();
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("the leaf fits");
    let block = written(&buddy, 4096)?;
    free(&buddy, block);
    buddy.settle();
    read(block, 0);
    Ok(())
}

fn buddy_read_of_half_given_back() -> Outcome {
    let mut memory = region();
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("the leaf fits");
    let block = written(&buddy, 4096)?;
    // SAFETY: the block is live and has this layout.
    unsafe { buddy.resize_in_place(block, bytes(4096), bytes(2048))? };
    read(block, 2048);
    free(&buddy, block);
    Ok(())
}

fn heap_small_read_after_free() -> Outcome {
    let mut memory = region();
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let block = written(&heap, 48)?;
    free(&heap, block);
    read(block, 47);
    Ok(())
}

fn heap_large_write_after_free() -> Outcome {
    let mut memory = region();
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let (block, next) = (written(&heap, 5000)?, written(&heap, 5000)?);
    free(&heap, block);
    write(block, 4);
    free(&heap, next);
    Ok(())
}

/// Writes one byte past a large block, where the header of the next one is.
fn heap_write_over_a_header() -> Outcome {
    let mut memory = region();
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let block = heap.allocate(bytes(5000))?;
    write(block.cast(), block.len());
    free(&heap, block.cast());
    Ok(())
}

fn slab_small_read_after_free() -> Outcome {
    let mut memory = region();
    let heap = HeapAllocator::from_region("below", &mut memory);
    let slab = SlabAllocator::with_region_bytes_in("slab", 64 << 10, &heap);
    let block = written(&slab, 96)?;
    free(&slab, block);
    read(block, 0);
    Ok(())
}

/// A block too large for the slab is its backing's, which marks it.
fn slab_large_read_after_free() -> Outcome {
    let mut memory = region();
    let heap = HeapAllocator::from_region("below", &mut memory);
    let slab = SlabAllocator::with_region_bytes_in("slab", 64 << 10, &heap);
    let block = written(&slab, 2000)?;
    free(&slab, block);
    read(block, 1000);
    Ok(())
}

fn static_heap_read_after_free() -> Outcome {
    static HEAP: StaticHeap<65536> = StaticHeap::new("static");
    let block = written(&HEAP, 200)?;
    free(&HEAP, block);
    read(block, 100);
    Ok(())
}

/// Uses every allocator correctly; the tools must report nothing.
fn rightly() -> Outcome {
    let mut memory = region();
    for _ in 0..2 {
        // Twice over the same memory, so the memory of a dropped allocator must be unpoisoned.
        use_all_of(&PoolAllocator::from_region("pool", bytes(200), &mut memory), 200)?;
        memory.fill(MaybeUninit::new(1));
        let mut frame = FrameAllocator::from_region("frame", &mut memory);
        use_all_of(&frame, 5000)?;
        frame.reset();
        use_all_of(&*frame.scope(), 5000)?;
        drop(frame);
        memory.fill(MaybeUninit::new(2));
        let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("the leaf fits");
        use_all_of(&buddy, 5000)?;
        // The bytes of an arena can be copied at any time.
        // SAFETY: the region is the arena's, and is not written meanwhile.
        let copy = unsafe { buddy.region().as_ref() }.to_vec();
        assert_eq!(copy.len(), 256 << 10, "all of it");
        use_all_of(&buddy, 5000)?;
        drop(buddy);
        memory.fill(MaybeUninit::new(3));
        let heap = HeapAllocator::from_region("heap", &mut memory);
        use_all_of(&heap, 5000)?;
        use_all_of(&PoolAllocator::new_in("pool", bytes(200), &heap), 200)?;
        use_all_of(&SlabAllocator::with_region_bytes_in("slab", 64 << 10, &heap), 2000)?;
        let inner = BuddyAllocator::new_in("inner", 64 << 10, 64, &heap).expect("there is room");
        use_all_of(&inner, 500)?;
        drop(inner);
        use_all_of(&FrameAllocator::new_in("inner", 64 << 10, &heap)?, 500)?;
        drop(heap);
        memory.fill(MaybeUninit::new(4));
        use_all_of(&StaticHeap::<65536>::new("here"), 500)?;
    }
    Ok(())
}

/// Allocates, writes, reads, resizes and frees blocks of many sizes, of which the largest is
/// `most`.
fn use_all_of(allocator: &dyn Allocator, most: usize) -> Outcome {
    let mut blocks = Vec::new();
    for step in 0..60 {
        let size = ((8 + step * 64) % most / 8 * 8).max(8);
        let block = if step % 3 == 0 {
            allocator.allocate_zeroed(bytes(size))?
        } else {
            allocator.allocate(bytes(size))?
        };
        let start = block.cast::<u8>();
        if step % 3 == 0 {
            // SAFETY: the block is live and all zero.
            assert!(unsafe { block.as_ref() }.iter().all(|&byte| byte == 0), "zeroed");
        }
        // SAFETY: the block is live and this long.
        unsafe { start.write_bytes(step as u8, block.len()) };
        blocks.push((start, size));
    }
    for (index, (block, size)) in blocks.iter_mut().enumerate() {
        let new = (*size * 2).min(most / 8 * 8);
        // SAFETY: the block is live and has the old layout.
        if let Ok(grown) = unsafe { allocator.reallocate(*block, bytes(*size), bytes(new)) } {
            let last = grown.cast::<u8>().as_ptr().wrapping_add(*size - 1);
            // SAFETY: the old contents were kept, including the last byte.
            let kept = unsafe { last.read() };
            assert_eq!(kept, index as u8, "byte {size} of block {index}");
            (*block, *size) = (grown.cast(), new);
        }
    }
    for (block, size) in blocks.iter().step_by(2).chain(blocks.iter().skip(1).step_by(2)) {
        // SAFETY: each block is live, has this layout and is freed once.
        unsafe { allocator.deallocate_sized(*block, bytes(*size)) };
    }
    allocator.verify().expect("the structure is whole");
    Ok(())
}
