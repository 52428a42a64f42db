//! Buffers in a buddy allocator: allocated generously, shrunk in place, grown again in place, and
//! at last the whole arena copied elsewhere as bytes.
//!
//! Run it with `cargo run -p loligo-allocators --example buddy_buffers`.
#![expect(
    unsafe_code,
    reason = "blocks are raw memory: only the caller knows what it wrote there and who uses it"
)]

use core::alloc::Layout;
use core::error::Error;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, BuddyAllocator};

/// The smallest block. Every block has this size, doubled some number of times.
const LEAF_BYTES: usize = 64;

/// The reserved size for a stream whose size is not known before it has been read.
const GUESS_BYTES: usize = 64 << 10;

/// A buffer of bytes. Its block is the next power of two, which is its capacity.
struct Buffer {
    block: NonNull<u8>,
    layout: Layout,
}

impl Buffer {
    fn new(buddy: &dyn Allocator, bytes: usize) -> Result<Self, AllocError> {
        let layout = Layout::array::<u8>(bytes).map_err(|_| AllocError)?;
        let block = buddy.allocate(layout)?.cast();
        Ok(Self { block, layout })
    }

    /// Changes the size without moving. Cutting splits the block and frees its right halves.
    /// Growing joins it with the buddy to its right, and fails if that is in use.
    fn resize(&mut self, buddy: &dyn Allocator, bytes: usize) -> Result<(), AllocError> {
        let layout = Layout::array::<u8>(bytes).map_err(|_| AllocError)?;
        // SAFETY: the block is live and has this layout.
        unsafe { buddy.resize_in_place(self.block, self.layout, layout) }?;
        self.layout = layout;
        Ok(())
    }

    /// Pretends to read a stream: writes its number over the whole buffer.
    fn fill(&mut self, number: u8) {
        // SAFETY: the block has that many bytes, and they are this buffer's alone.
        unsafe { self.block.write_bytes(number, self.layout.size()) };
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut memory = vec![MaybeUninit::new(0); 1 << 20];
    let buddy = BuddyAllocator::from_region("streams", LEAF_BYTES, &mut memory)?;

    // Each stream turns out to be shorter than its guess, and is shrunk as soon as that is known,
    // so the rest of its block serves the next ones.
    let mut streams = Vec::new();
    for (number, bytes) in (0..).zip([30_000, 1_500, 12_000, 64, 48_000, 3_000]) {
        let mut stream = Buffer::new(&buddy, GUESS_BYTES)?;
        let guessed = stream.block;
        stream.resize(&buddy, bytes)?;
        assert_eq!(stream.block, guessed, "cutting moves nothing");
        stream.fill(number);
        streams.push(stream);
    }
    let stats = buddy.stats();
    println!(
        "{} streams in {} bytes; guessed as they were, {}",
        stats.live,
        stats.granted,
        streams.len() * GUESS_BYTES
    );

    // A stream that has become longer grows in place while the buddy to its right is free. If it is
    // not, `reallocate` would move it.
    for (number, stream) in streams.iter_mut().enumerate() {
        let bytes = 2 * stream.layout.size();
        match stream.resize(&buddy, bytes) {
            Ok(()) => println!("stream {number}: {bytes} bytes in place"),
            Err(AllocError) => println!("stream {number}: {bytes} bytes would have to move"),
        }
    }

    // The arena has offsets and no addresses, so a copy of its bytes is an arena too: in a file, in
    // another process, or here.
    let last = streams.pop().ok_or("there are six streams")?;
    let offset = buddy.offset_of(last.block).ok_or("the block is in the arena")?;
    let mut copy = buddy.into_region().to_vec();
    // SAFETY: every byte was zero before the arena was made in it.
    let carried = unsafe { BuddyAllocator::open("carried", &mut copy) }?;
    assert_eq!(carried.stats().live, 6, "the blocks came along");
    let block = carried.at_offset(offset).ok_or("the block came along")?;
    // SAFETY: the stream's bytes were copied with the arena.
    let first = unsafe { block.read() };
    assert_eq!(first, 5, "its contents came along");
    println!("carried to another place: {} blocks live", carried.stats().live);

    // The blocks live on in the bytes, so returning the region is not a leak.
    println!("and as bytes again: {}", carried.into_region().len());
    Ok(())
}
