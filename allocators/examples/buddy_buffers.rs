//! Buffers that grow by doubling in a buddy allocator: where the right-hand neighbour is free they
//! grow where they lie, and the whole arena can be carried elsewhere as bytes.
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

/// A growing buffer of bytes, its capacity always a power of two.
struct Buffer {
    block: NonNull<u8>,
    layout: Layout,
    used: usize,
    moves: u32,
}

impl Buffer {
    fn new(buddy: &dyn Allocator) -> Result<Self, AllocError> {
        let layout = Layout::new::<[u8; LEAF_BYTES]>();
        let block = buddy.allocate(layout)?.cast();
        Ok(Self {
            block,
            layout,
            used: 0,
            moves: 0,
        })
    }

    fn push(&mut self, buddy: &dyn Allocator, byte: u8) -> Result<(), AllocError> {
        if self.used == self.layout.size() {
            self.double(buddy)?;
        }
        // SAFETY: the block has more than `used` bytes.
        unsafe { self.block.add(self.used).write(byte) };
        self.used += 1;
        Ok(())
    }

    /// Doubles the capacity: in place if the buddy to the right is free, else by moving. A copy of the
    /// contents is needed only then.
    fn double(&mut self, buddy: &dyn Allocator) -> Result<(), AllocError> {
        let new = Layout::array::<u8>(2 * self.layout.size()).map_err(|_| AllocError)?;
        // SAFETY: the block is live and has this layout; the old address is forgotten below.
        let grown = unsafe { buddy.reallocate(self.block, self.layout, new) }?.cast();
        self.moves += u32::from(grown != self.block);
        (self.block, self.layout) = (grown, new);
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut memory = vec![MaybeUninit::new(0); 1 << 20];
    let buddy = BuddyAllocator::from_region("streams", &mut memory, LEAF_BYTES)?;

    // Four streams grow by turns, as streams that load at once would.
    let mut buffers = Vec::new();
    for _ in 0..4 {
        buffers.push(Buffer::new(&buddy)?);
    }
    for turn in 0..20_000_u32 {
        for buffer in &mut buffers {
            buffer.push(&buddy, turn as u8)?;
        }
    }
    for (index, buffer) in buffers.iter().enumerate() {
        println!(
            "stream {index}: {} bytes in a block of {}, moved {} times",
            buffer.used,
            buffer.layout.size(),
            buffer.moves
        );
        assert!(buffer.moves < 9, "of nine doublings some were in place");
    }

    // The arena holds offsets and no address, so a copy of its bytes is an arena too: in a file, in
    // another process, or here.
    let offset = buddy
        .offset_of(buffers[0].block)
        .ok_or("the block is in the arena")?;
    let mut copy = buddy.into_region().to_vec();
    // SAFETY: every byte was zero before the arena was made in it.
    let carried = unsafe { BuddyAllocator::open("carried", &mut copy) }?;
    assert_eq!(carried.stats().live, 4, "the blocks came along");
    let block = carried.at_offset(offset).ok_or("the block came along")?;
    // SAFETY: the stream's bytes were copied with the arena; the second was written in turn 1.
    let second = unsafe { block.add(1).read() };
    assert_eq!(second, 1, "its contents came along");
    println!(
        "carried to another place: {} blocks live",
        carried.stats().live
    );

    // The blocks live on in the bytes, so giving the region back is no leak.
    drop(carried.into_region().len());
    Ok(())
}
