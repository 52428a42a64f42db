//! A list for each page, linked through the freed blocks.
//!
//! From D. Leijen, B. Zorn and L. de Moura, "Mimalloc: Free List Sharding in Action", 2019: a thread
//! that frees a block of another one writes a link into it and exchanges the head of the page's list
//! of such blocks. The owner takes that list whole when the page has no other free block. A page
//! that has none at all is full and in no queue; the first free of another thread to it goes into a
//! list of the heap, so that the owner finds the page.
//!
//! The record of a page is one line here, with its lists for the owner and for others, because a
//! foreign free reads the page's flags as well; the owner writes it with each call.

use std::collections::VecDeque;

use crate::simulation::machine::Access::{Atomic, Read, Write};
use crate::simulation::machine::{Bill, Line, Machine, Place};
use crate::simulation::schemes::line_of_block;
use crate::simulation::{Block, Scheme, Thread};

/// Bytes of a page of small blocks.
const PAGE_BYTES: u32 = 64 << 10;

/// The heaps.
#[derive(Debug)]
pub(super) struct PageLists {
    heaps: Vec<Heap>,
    block_bytes: u32,
}

/// A heap with its pages.
#[derive(Debug, Default)]
struct Heap {
    pages: Vec<Page>,
    /// Pages that may have a free block; the first one is used.
    queue: VecDeque<u32>,
    /// Blocks of pages that were full.
    delayed: Vec<u32>,
}

/// A page with its lists.
#[derive(Debug, Default)]
struct Page {
    free: Vec<u32>,
    foreign: Vec<u32>,
    is_full: bool,
    /// Whether a block of the page is in the heap's list.
    is_delayed: bool,
}

impl PageLists {
    /// Returns heaps without pages.
    pub(super) fn new(heaps: u32, block_bytes: u32) -> Self {
        Self { heaps: (0..heaps).map(|_| Heap::default()).collect(), block_bytes }
    }

    fn page_of(&self, index: u32) -> u32 {
        index / (PAGE_BYTES / self.block_bytes)
    }

    /// Reads or writes the link in a block.
    fn link(&self, thread: Thread, block: Block, is_written: bool, machine: &mut Machine) {
        let access = if is_written { Write } else { Read };
        machine.access(thread.core, line_of_block(block, self.block_bytes), access);
    }

    /// Frees a block of the calling thread's heap.
    fn free_own(&mut self, thread: Thread, index: u32, machine: &mut Machine) {
        let Thread { heap, core } = thread;
        let number = self.page_of(index);
        self.link(thread, Block { heap, index }, true, machine);
        machine.access(core, Line(Place::Page, heap, number), Write);
        let own = &mut self.heaps[heap as usize];
        let page = &mut own.pages[number as usize];
        page.free.push(index);
        if core::mem::take(&mut page.is_full) {
            page.is_delayed = false;
            own.queue.push_back(number);
        }
    }

    fn free_foreign(&mut self, thread: Thread, block: Block, machine: &mut Machine) {
        let Block { heap, index } = block;
        let core = thread.core;
        let number = self.page_of(index);
        // The segment says which thread it belongs to.
        machine.access(core, Line(Place::Directory, heap, 0), Read);
        self.link(thread, block, true, machine);
        machine.access(core, Line(Place::Page, heap, number), Atomic);
        let own = &mut self.heaps[heap as usize];
        let page = &mut own.pages[number as usize];
        if page.is_full && !page.is_delayed {
            page.is_delayed = true;
            own.delayed.push(index);
            machine.access(core, Line(Place::Inbox, heap, 0), Atomic);
            machine.access(core, Line(Place::Page, heap, number), Atomic);
        } else {
            page.foreign.push(index);
        }
    }

    /// Frees the blocks of full pages that others freed.
    fn take_delayed(&mut self, thread: Thread, machine: &mut Machine) {
        let Thread { heap, core } = thread;
        machine.access(core, Line(Place::Inbox, heap, 0), Read);
        let delayed = core::mem::take(&mut self.heaps[heap as usize].delayed);
        if delayed.is_empty() {
            return;
        }
        machine.access(core, Line(Place::Inbox, heap, 0), Atomic);
        for index in delayed {
            self.link(thread, Block { heap, index }, false, machine);
            self.free_own(thread, index, machine);
        }
    }

    /// Takes the list of others' frees of a page.
    fn collect(&mut self, thread: Thread, number: u32, machine: &mut Machine) {
        let Thread { heap, core } = thread;
        let line = Line(Place::Page, heap, number);
        machine.access(core, line, Read);
        let page = &mut self.heaps[heap as usize].pages[number as usize];
        let foreign = core::mem::take(&mut page.foreign);
        if foreign.is_empty() {
            return;
        }
        machine.access(core, line, Atomic);
        for index in &foreign {
            self.link(thread, Block { heap, index: *index }, false, machine);
        }
        self.heaps[heap as usize].pages[number as usize].free.extend(foreign.iter().rev());
    }

    /// Makes the first page of the queue one with a free block.
    fn find_page(&mut self, thread: Thread, machine: &mut Machine) {
        let heap = thread.heap as usize;
        self.take_delayed(thread, machine);
        while let Some(&number) = self.heaps[heap].queue.front() {
            if self.heaps[heap].pages[number as usize].free.is_empty() {
                self.collect(thread, number, machine);
            }
            let own = &mut self.heaps[heap];
            if !own.pages[number as usize].free.is_empty() {
                return;
            }
            own.pages[number as usize].is_full = true;
            own.queue.pop_front();
            machine.access(thread.core, Line(Place::Page, thread.heap, number), Atomic);
        }
        let own = &mut self.heaps[heap];
        let (number, blocks) = (own.pages.len() as u32, PAGE_BYTES / self.block_bytes);
        let free = (number * blocks..(number + 1) * blocks).rev().collect();
        own.pages.push(Page { free, ..Page::default() });
        own.queue.push_back(number);
    }
}

impl Scheme for PageLists {
    fn allocate(&mut self, thread: Thread, machine: &mut Machine) -> Block {
        let Thread { heap, core } = thread;
        let first = |own: &Heap| {
            let number = *own.queue.front()?;
            (!own.pages[number as usize].free.is_empty()).then_some(number)
        };
        let number = first(&self.heaps[heap as usize]).unwrap_or_else(|| {
            machine.billed(Bill::HandOver, |machine| self.find_page(thread, machine));
            first(&self.heaps[heap as usize]).expect("a page with a free block was found")
        });
        machine.access(core, Line(Place::Page, heap, number), Write);
        let page = &mut self.heaps[heap as usize].pages[number as usize];
        let block = Block { heap, index: page.free.pop().expect("as found") };
        self.link(thread, block, false, machine);
        block
    }

    fn free(&mut self, thread: Thread, block: Block, machine: &mut Machine) {
        if thread.heap == block.heap {
            self.free_own(thread, block.index, machine);
        } else {
            self.free_foreign(thread, block, machine);
        }
    }
}
