//! A bit for each freed block: the protocol of `allocators/src/threads/hand_over.rs`.
//!
//! ```text
//!  free     | directory (2), record, kind, live bit: read; plane: atomic
//!           | first of a word of the plane: summary, atomic
//!           | first of a word of the summary: top, atomic
//!           | first of a word at the top: link and inbox, atomic
//!  take back| inbox, link: atomic; each word of the summary: top and it, atomic
//!           | each word of the plane: atomic; each block: live bit
//! ```
//!
//! A heap has one region of 64 MiB, as a thread of `ThreadHeap` has at first, and looks at its inbox
//! when it has no free block, but not at the next few times after a look that found little. Kinds of pages and the directory are read by all and written rarely:
//! here never.

use crate::simulation::machine::Access::{Atomic, Read, Write};
use crate::simulation::machine::{Bill, LINE_BYTES, Line, Machine, Place};
use crate::simulation::schemes::{FreeBlocks, PAGE_BYTES};
use crate::simulation::{Block, Scheme, Thread};

/// Bytes that a bit is for.
const GRANULE: u32 = 16;

/// Bits of a word, and of a line.
const WORD_BITS: u32 = 64;
const LINE_BITS: u32 = LINE_BYTES * 8;

/// Bytes of a region.
const REGION_BYTES: u32 = 64 << 20;

/// Words of a region's summary.
const SUMMARY_WORDS: u32 = REGION_BYTES / GRANULE / WORD_BITS / WORD_BITS;

/// Words at the top.
const TOP_WORDS: u32 = SUMMARY_WORDS / WORD_BITS;

/// Blocks that are taken back at once, about.
const TAKEN_MAX: u32 = 256;

/// After a look that found fewer, the next looks are left out.
const TAKEN_MIN: u32 = 64;

/// How many are.
const PAUSE: u32 = 4;

/// Lines of the directory that a free reads, apart from the region's record.
const DIRECTORY_LINES: u32 = 2;

/// The heaps.
#[derive(Debug)]
pub(super) struct Bits {
    heaps: Vec<Heap>,
    block_bytes: u32,
}

/// A heap with its region.
#[derive(Debug)]
struct Heap {
    blocks: FreeBlocks,
    /// A word for 64 granules.
    plane: Vec<u64>,
    summary: Vec<u64>,
    top: Vec<u64>,
    is_in_inbox: bool,
    /// Looks at the inbox that are left out.
    pause: u32,
}

impl Bits {
    /// Returns heaps without blocks.
    pub(super) fn new(heaps: u32, block_bytes: u32) -> Self {
        let heap = |_| Heap {
            blocks: FreeBlocks::default(),
            plane: vec![0; (SUMMARY_WORDS * WORD_BITS) as usize],
            summary: vec![0; SUMMARY_WORDS as usize],
            top: vec![0; TOP_WORDS as usize],
            is_in_inbox: false,
            pause: 0,
        };
        Self { heaps: (0..heaps).map(heap).collect(), block_bytes }
    }

    fn granule(&self, block: Block) -> u32 {
        let granule = block.index * (self.block_bytes / GRANULE);
        assert!(granule < REGION_BYTES / GRANULE, "block {} is in no region", block.index);
        granule
    }

    fn live_line(&self, block: Block) -> Line {
        Line(Place::Live, block.heap, self.granule(block) / LINE_BITS)
    }

    /// Frees a block of the calling thread.
    fn free_own(&mut self, core: u32, block: Block, machine: &mut Machine) {
        machine.access(core, self.live_line(block), Write);
        machine.access(core, Line(Place::Heap, block.heap, 0), Write);
        self.heaps[block.heap as usize].blocks.free.push(block.index);
    }

    /// Puts the region into its owner's inbox.
    fn put(&mut self, core: u32, heap: u32, machine: &mut Machine) {
        machine.access(core, Line(Place::Link, heap, 0), Atomic);
        if core::mem::replace(&mut self.heaps[heap as usize].is_in_inbox, true) {
            return;
        }
        machine.access(core, Line(Place::Inbox, heap, 0), Read);
        machine.access(core, Line(Place::Link, heap, 0), Write);
        machine.access(core, Line(Place::Inbox, heap, 0), Atomic);
    }

    /// Takes back what others freed, about [`TAKEN_MAX`] blocks at a time.
    fn take_back(&mut self, thread: Thread, machine: &mut Machine) {
        let Thread { heap, core } = thread;
        machine.access(core, Line(Place::Inbox, heap, 0), Atomic);
        machine.access(core, Line(Place::Link, heap, 0), Read);
        machine.access(core, Line(Place::Link, heap, 0), Atomic);
        self.heaps[heap as usize].is_in_inbox = false;
        let taken = self.take_words_of(core, heap, machine);
        if taken < TAKEN_MIN {
            self.heaps[heap as usize].pause = PAUSE;
        }
    }

    /// Takes back what is noted, about [`TAKEN_MAX`] blocks; returns how many.
    fn take_words_of(&mut self, core: u32, heap: u32, machine: &mut Machine) -> u32 {
        let (mut cursor, mut taken) = (0, 0);
        while cursor < TOP_WORDS {
            let top_line = Line(Place::Top, heap, cursor / (LINE_BYTES / 8));
            machine.access(core, top_line, Read);
            let noted = self.heaps[heap as usize].top[cursor as usize];
            if noted == 0 {
                cursor += 1;
                continue;
            }
            machine.access(core, top_line, Atomic);
            self.heaps[heap as usize].top[cursor as usize] = noted & (noted - 1);
            let summary = cursor * WORD_BITS + noted.trailing_zeros();
            taken += self.take_words(core, heap, summary, TAKEN_MAX - taken, machine);
            if taken >= TAKEN_MAX {
                self.put(core, heap, machine);
                break;
            }
        }
        taken
    }

    /// Takes back the blocks of a word of the summary, about `most`; returns how many.
    fn take_words(
        &mut self,
        core: u32,
        heap: u32,
        summary: u32,
        most: u32,
        machine: &mut Machine,
    ) -> u32 {
        machine.access(core, Line(Place::Summary, heap, summary / (LINE_BYTES / 8)), Atomic);
        let mut words = core::mem::take(&mut self.heaps[heap as usize].summary[summary as usize]);
        let mut taken = 0;
        while words != 0 && taken < most {
            let word = summary * WORD_BITS + words.trailing_zeros();
            words &= words - 1;
            machine.access(core, Line(Place::Plane, heap, word / (LINE_BYTES / 8)), Atomic);
            let mut bits = core::mem::take(&mut self.heaps[heap as usize].plane[word as usize]);
            taken += bits.count_ones();
            while bits != 0 {
                let granule = word * WORD_BITS + bits.trailing_zeros();
                bits &= bits - 1;
                let index = granule / (self.block_bytes / GRANULE);
                self.free_own(core, Block { heap, index }, machine);
            }
        }
        if words != 0 {
            self.note(core, heap, summary, words, machine);
        }
        taken
    }

    /// Notes words of the plane in the summary; whether the word at the top was empty.
    fn note(
        &mut self,
        core: u32,
        heap: u32,
        summary: u32,
        words: u64,
        machine: &mut Machine,
    ) -> bool {
        machine.access(core, Line(Place::Summary, heap, summary / (LINE_BYTES / 8)), Atomic);
        let own = &mut self.heaps[heap as usize];
        let before = own.summary[summary as usize];
        own.summary[summary as usize] |= words;
        if before != 0 {
            return false;
        }
        let at_top = summary / WORD_BITS;
        machine.access(core, Line(Place::Top, heap, at_top / (LINE_BYTES / 8)), Atomic);
        let before = own.top[at_top as usize];
        own.top[at_top as usize] |= 1 << (summary % WORD_BITS);
        before == 0
    }

    /// Sets the bit of a block that another heap owns.
    fn free_foreign(&mut self, core: u32, block: Block, machine: &mut Machine) {
        let Block { heap, .. } = block;
        for line in 0..DIRECTORY_LINES {
            machine.access(core, Line(Place::Directory, 0, line), Read);
        }
        // The record and the kind of the page.
        machine.access(core, Line(Place::Directory, heap, DIRECTORY_LINES), Read);
        let page = block.index * self.block_bytes / PAGE_BYTES;
        let kind_line = DIRECTORY_LINES + 1 + page / LINE_BYTES;
        machine.access(core, Line(Place::Directory, heap, kind_line), Read);
        machine.access(core, self.live_line(block), Read);
        let granule = self.granule(block);
        let word = granule / WORD_BITS;
        machine.access(core, Line(Place::Plane, heap, word / (LINE_BYTES / 8)), Atomic);
        let own = &mut self.heaps[heap as usize];
        let before = own.plane[word as usize];
        own.plane[word as usize] |= 1 << (granule % WORD_BITS);
        if before != 0 {
            return;
        }
        let bit = 1 << (word % WORD_BITS);
        if self.note(core, heap, word / WORD_BITS, bit, machine) {
            self.put(core, heap, machine);
        }
    }
}

impl Scheme for Bits {
    fn allocate(&mut self, thread: Thread, machine: &mut Machine) -> Block {
        let Thread { heap, core } = thread;
        machine.access(core, Line(Place::Heap, heap, 0), Write);
        if self.heaps[heap as usize].blocks.free.is_empty() {
            machine.billed(Bill::HandOver, |machine| {
                machine.access(core, Line(Place::Inbox, heap, 0), Read);
                let own = &mut self.heaps[heap as usize];
                if own.is_in_inbox && own.pause > 0 {
                    own.pause -= 1;
                } else if own.is_in_inbox {
                    self.take_back(thread, machine);
                }
            });
        }
        let blocks = &mut self.heaps[heap as usize].blocks;
        let index = blocks.free.pop().unwrap_or_else(|| {
            blocks.grow(PAGE_BYTES / self.block_bytes);
            blocks.free.pop().expect("a page has a block")
        });
        let block = Block { heap, index };
        machine.access(core, self.live_line(block), Write);
        block
    }

    fn free(&mut self, thread: Thread, block: Block, machine: &mut Machine) {
        if thread.heap == block.heap {
            self.free_own(thread.core, block, machine);
        } else {
            self.free_foreign(thread.core, block, machine);
        }
    }
}
