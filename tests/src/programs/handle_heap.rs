//! Programs on a heap of blocks that may move, compared with vectors.

use std::collections::VecDeque;

use loligo_allocators::Allocator;
use loligo_containers::{BlockError, BlockId, GrowError, HandleHeap, HandleHeapError};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on a heap of blocks that may move. Each block is filled with its own number;
    /// `which` is taken modulo the number of blocks that there are and of some that there were.
    HandleHeapOp of 32 by run_handle_heap {
        /// Takes a block of the given number of bytes, at one of the alignments that there are.
        0..=7 => Allocate { count: u8, at: u16 },
        /// Takes one that holds copies of several elements.
        8..=9 => AllocateFrom { count: u8 },
        /// Gives a block back.
        10..=15 => Free { which: u16 },
        /// Writes a block again.
        16..=17 => Write { which: u16 },
        /// Makes a block longer or shorter.
        18..=21 => Resize { count: u8, which: u16, at: u16 },
        /// Pins a block.
        22..=23 => Pin { which: u16 },
        /// Takes a pin back.
        24..=26 => Unpin { which: u16 },
        /// Closes holes with a budget of the given number of bytes.
        27..=29 => Compact { at: u16 },
        /// Asks for an alignment that there is not.
        30..=30 => Misalign { count: u8 },
        /// Gives back what follows the last block.
        31..=31 => Shrink,
    }
}

/// Runs a program on a heap and on vectors, and returns how many operations were refused memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, a pinned block moves, or the heap finds itself damaged.
pub fn run_handle_heap(program: &[HandleHeapOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

/// The number of pinned blocks from which on they may hold too many parts of the buffer.
const PARTS_PINNED: usize = 16;

/// How many ids are remembered of blocks that are gone.
const GONE: usize = 50;

/// A block of the model.
struct Held {
    id: BlockId,
    bytes: Vec<u8>,
    align: usize,
    pins: u16,
    /// Where it was when it got its first pin.
    pinned_at: usize,
}

pub(super) struct Both<'a> {
    heap: HandleHeap<'a>,
    live: Vec<Held>,
    gone: VecDeque<BlockId>,
    next: u8,
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        let heap = HandleHeap::new_in(memory);
        Self { heap, live: Vec::new(), gone: VecDeque::new(), next: 0 }
    }
}

impl Beside for Both<'_> {
    type Op = HandleHeapOp;

    fn lose(&mut self) {
        if let Some(bytes) = self.live.first().and_then(|held| self.heap.bytes_mut(held.id)) {
            bytes.reverse();
            bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        }
    }

    fn step(&mut self, op: HandleHeapOp) -> Result<bool, String> {
        use HandleHeapOp as Op;
        self.next = self.next.wrapping_add(41);
        match op {
            Op::Allocate { count, at } => {
                let (bytes, align) = size_and_align(count, at);
                let taken = self.heap.try_allocate(bytes, align);
                self.took(taken, bytes, align)
            }
            Op::AllocateFrom { count } => {
                let elements: Vec<u32> = (0..count.into()).map(|n| n * 77).collect();
                let taken = self.heap.try_allocate_from(&elements);
                if let Ok(id) = taken {
                    same("copies", self.heap.slice_of::<u32>(id), Some(&elements[..]))?;
                }
                self.took(taken, 4 * elements.len(), 4)
            }
            Op::Misalign { count } => {
                let align = [0, 3, 128, 4096][usize::from(count) % 4];
                let taken = self.heap.try_allocate(16, align);
                let is_refused = matches!(taken, Err(HandleHeapError::Align { .. }));
                same("refused as misaligned", is_refused, true).map(|()| true)
            }
            Op::Compact { at } => {
                let done = self.heap.compact(at.into());
                let budget = done.moved_bytes <= at.into();
                same("moves within its budget", budget, true).map(|()| true)
            }
            Op::Shrink => {
                let outcome = self.heap.try_shrink_to_fit();
                self.served(outcome)
            }
            Op::Free { which }
            | Op::Write { which }
            | Op::Resize { which, .. }
            | Op::Pin { which }
            | Op::Unpin { which } => self.change(op, which),
        }
    }

    fn compare(&self) -> Result<(), String> {
        self.heap.validate().map_err(|damage| damage.to_string())?;
        for held in &self.live {
            let bytes = self.heap.bytes(held.id);
            same("bytes", bytes, Some(&held.bytes[..]))?;
            let address = bytes.map_or(0, |bytes| bytes.as_ptr().addr());
            same("aligned", address.is_multiple_of(held.align), true)?;
            same("pins", self.heap.pins(held.id), Some(held.pins))?;
            same("stays while pinned", held.pins == 0 || address == held.pinned_at, true)?;
        }
        for id in &self.gone {
            same("gone", self.heap.bytes(*id), None)?;
        }
        let stats = self.heap.stats();
        same("blocks", stats.live_blocks as usize, self.live.len())?;
        let bytes: usize = self.live.iter().map(|held| held.bytes.len()).sum();
        same("live bytes", stats.live_bytes, bytes as u64)?;
        same("pinned blocks", stats.pinned_blocks as usize, self.pinned())
    }
}

fn size_and_align(count: u8, at: u16) -> (usize, usize) {
    // Few are long, so that blocks that need a hole of their own are among many small ones.
    let bytes = if count < 200 { usize::from(count) } else { 16 * usize::from(count) };
    (bytes, 1 << (at % 7))
}

impl Both<'_> {
    fn pinned(&self) -> usize {
        self.live.iter().filter(|held| held.pins > 0).count()
    }

    /// Returns `true` if memory was had, and whether any other refusal is right.
    fn served(&self, outcome: Result<(), HandleHeapError>) -> Result<bool, String> {
        match outcome {
            Ok(()) => Ok(true),
            // Parts of the buffer in which a block is pinned are not joined, and are limited.
            Err(HandleHeapError::Memory { cause: GrowError::Length { .. }, .. })
                if self.pinned() >= PARTS_PINNED =>
            {
                Ok(true)
            }
            Err(HandleHeapError::Memory { .. } | HandleHeapError::Ids(_)) => Ok(false),
            Err(HandleHeapError::Pinned { pinned_blocks, .. }) => {
                same("pinned blocks", pinned_blocks as usize, self.pinned())?;
                same("some are pinned", pinned_blocks > 0, true).map(|()| true)
            }
            Err(other) => Err(format!("refused: {other}")),
        }
    }

    fn took(
        &mut self,
        taken: Result<BlockId, HandleHeapError>,
        bytes: usize,
        align: usize,
    ) -> Result<bool, String> {
        if let Ok(id) = taken {
            let mut held = Held { id, bytes: vec![0; bytes], align, pins: 0, pinned_at: 0 };
            write(&mut self.heap, &mut held, self.next)?;
            self.live.push(held);
        }
        self.served(taken.map(drop))
    }

    fn change(&mut self, op: HandleHeapOp, which: u16) -> Result<bool, String> {
        use HandleHeapOp as Op;
        let at = usize::from(which) % (self.live.len() + self.gone.len()).max(1);
        let Some(held) = self.live.get_mut(at) else {
            return self.change_gone(op, at - self.live.len()).map(|()| true);
        };
        let id = held.id;
        match op {
            Op::Free { .. } => {
                let pins = held.pins;
                let expected = if pins > 0 { Err(BlockError::Pinned { id, pins }) } else { Ok(()) };
                same("freed", self.heap.free(id), expected)?;
                if pins == 0 {
                    self.live.swap_remove(at);
                    self.gone.push_back(id);
                    self.gone.truncate(GONE);
                }
            }
            Op::Write { .. } => write(&mut self.heap, held, self.next)?,
            Op::Resize { count, at, .. } => {
                let (bytes, _) = size_and_align(count, at);
                let outcome = self.heap.try_resize(id, bytes);
                if outcome.is_ok() {
                    let kept = held.bytes.len().min(bytes);
                    let now = self.heap.bytes(id).unwrap_or_default();
                    same("length", now.len(), bytes)?;
                    same("kept", &now[..kept], &held.bytes[..kept])?;
                    held.bytes = now.to_vec();
                    write(&mut self.heap, held, self.next)?;
                }
                return self.served(outcome);
            }
            Op::Pin { .. } => {
                held.pins += 1;
                same("pins", self.heap.pin(id), Ok(held.pins))?;
                let address = self.heap.pinned_address(id).map_or(0, |block| block.addr().get());
                if held.pins == 1 {
                    held.pinned_at = address;
                }
                same("address", address, held.pinned_at)?;
            }
            _ => {
                let expected = held.pins.checked_sub(1).ok_or(BlockError::NotPinned { id });
                same("pins", self.heap.unpin(id), expected)?;
                held.pins = held.pins.saturating_sub(1);
            }
        }
        Ok(true)
    }

    /// An id of a block that is gone is refused by whatever it is given to.
    fn change_gone(&mut self, op: HandleHeapOp, at: usize) -> Result<(), String> {
        use HandleHeapOp as Op;
        let Some(&id) = self.gone.get(at) else { return Ok(()) };
        let stale = BlockError::Stale { id };
        match op {
            Op::Free { .. } => same("freed", self.heap.free(id), Err(stale)),
            Op::Resize { .. } => {
                let expected = Err(HandleHeapError::Block(stale));
                same("resized", self.heap.try_resize(id, 8), expected)
            }
            Op::Pin { .. } => same("pinned", self.heap.pin(id), Err(stale)),
            Op::Unpin { .. } => same("unpinned", self.heap.unpin(id), Err(stale)),
            _ => same("bytes", self.heap.bytes_mut(id).map(|bytes| bytes.len()), None),
        }
    }
}

/// Writes a block, and its model, so that no two bytes that may be exchanged are alike.
fn write(heap: &mut HandleHeap<'_>, held: &mut Held, number: u8) -> Result<(), String> {
    for (index, byte) in held.bytes.iter_mut().enumerate() {
        *byte = number.wrapping_add((index * 7 + index / 256) as u8);
    }
    let bytes = heap.bytes_mut(held.id).ok_or("a block is lost")?;
    same("length", bytes.len(), held.bytes.len())?;
    bytes.copy_from_slice(&held.bytes);
    Ok(())
}
