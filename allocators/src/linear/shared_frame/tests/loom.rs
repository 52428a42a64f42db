//! Every interleaving of two threads on a shared frame, up to a bound of preemptions.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::boxed::Box;
use std::vec::Vec;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use crate::contract::allocator::Allocator;
use crate::contract::misuse::Misuse;
use crate::linear::shared_frame::SharedFrame;
use crate::threads::sync::shared::model::{Fault, Gate, explore, must_fail};

/// The size of the region in words; fewer are left for blocks, as the model's atomics are larger.
const WORDS: usize = 40;

/// A frame in a region, and for each of its words a cell that the model checker watches: the owner
/// of the word writes it, so two owners, also one after the other without synchronisation, are
/// detected.
struct Watched {
    frame: SharedFrame<'static>,
    cells: Vec<UnsafeCell<u32>>,
    /// Dropped after the frame.
    _memory: Memory,
}

// SAFETY: only the owner of its word writes a cell; the test checks that this holds.
unsafe impl Sync for Watched {}

// SAFETY: as above.
unsafe impl Send for Watched {}

/// The region of a frame, freed with it.
struct Memory(NonNull<[MaybeUninit<u64>; WORDS]>);

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and the frame that used it is gone.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl Watched {
    fn new() -> Self {
        let memory = NonNull::from(Box::leak(Box::new([MaybeUninit::<u64>::uninit(); WORDS])));
        let bytes = NonNull::slice_from_raw_parts(memory.cast::<MaybeUninit<u8>>(), 8 * WORDS);
        // SAFETY: the words exist until the frame is gone, and no other code refers to them.
        let region = unsafe { &mut *bytes.as_ptr() };
        let frame = SharedFrame::from_region("model", region);
        assert!(frame.remaining() >= 48, "six words are enough for the models");
        let cells = (0..frame.remaining() / 8).map(|_| UnsafeCell::new(0)).collect();
        Self { frame, cells, _memory: Memory(memory) }
    }

    fn take(&self, words: usize) -> Option<Taken> {
        let layout = Layout::array::<u64>(words).expect("a valid layout");
        let block = self.frame.allocate(layout).ok()?.cast();
        let taken = Taken { block, words };
        self.own(taken);
        Some(taken)
    }

    fn own(&self, Taken { block, words }: Taken) {
        let first = (block.addr().get() - self.frame.memory.addr().get()) / 8;
        for cell in &self.cells[first..first + words] {
            cell.with_mut(|value| {
                // SAFETY: this thread owns the word.
                unsafe { *value += 1 }
            });
        }
    }

    fn free(&self, taken: Taken) {
        // SAFETY: the block is live.
        let bytes = unsafe { self.frame.allocated_size(taken.block) };
        assert_eq!(bytes, 8 * taken.words, "the size is remembered");
        self.own(taken);
        self.frame.free(taken.block, Some(bytes)).expect("the block is live");
    }
}

/// A block of the given number of words.
#[derive(Clone, Copy)]
struct Taken {
    block: NonNull<u8>,
    words: usize,
}

// SAFETY: only one thread uses it, but where two frees race on purpose.
unsafe impl Send for Taken {}

/// Runs `one` in a thread and `two` in this one, then checks the frame.
fn both<R: 'static>(
    watched: Watched,
    one: impl FnOnce(&Watched) -> R + 'static,
    two: impl FnOnce(&Watched) -> R,
) -> (Arc<Watched>, R, R) {
    let watched = Arc::new(watched);
    let gate = Gate::new();
    let (other, other_gate) = (Arc::clone(&watched), gate.clone());
    let thread = thread::spawn(move || {
        other_gate.pass();
        one(&other)
    });
    gate.pass();
    let mine = two(&watched);
    let theirs = thread.join().expect("the thread ends well");
    watched.frame.validate();
    (watched, mine, theirs)
}

/// Two threads take two blocks each, of which one crosses words of bits.
fn allocate() {
    let work = |watched: &Watched| [watched.take(1), watched.take(2)];
    let (watched, mine, theirs) = both(Watched::new(), work, work);
    assert_eq!(watched.frame.cursor(), 48, "six words are taken");
    assert_eq!((watched.frame.stats().live, watched.frame.stats().granted), (4, 48));
    for taken in mine.into_iter().chain(theirs) {
        watched.free(taken.expect("there is room for all"));
    }
    watched.frame.validate();
}

/// The last block is freed while another thread allocates after it, or in its place.
fn give_back() {
    let watched = Watched::new();
    let last = watched.take(2).expect("there is room");
    let (watched, _, theirs) = both(
        watched,
        move |watched| {
            watched.free(last);
            None
        },
        |watched| watched.take(3),
    );
    let _ = theirs;
    assert_eq!((watched.frame.stats().live, watched.frame.stats().granted), (1, 24));
    assert!([24, 40].contains(&watched.frame.cursor()), "in its place or after it");
}

/// Two threads allocate and free in turn, so the cursor goes up and down.
fn up_and_down() {
    let work = |watched: &Watched| {
        let taken = watched.take(1).expect("there is room");
        watched.free(taken);
    };
    let (watched, ..) = both(Watched::new(), work, work);
    assert_eq!(watched.frame.stats().live, 0, "all blocks are back");
    assert_eq!(watched.frame.stats().allocations_total, 2, "both are counted");
}

/// Two threads free one block: exactly one free is reported.
fn double_free() {
    let watched = Watched::new();
    let block = watched.take(3).expect("there is room");
    let free = move |watched: &Watched| match watched.frame.free({ block }.block, None) {
        Ok(()) => 0,
        Err(Misuse::DoubleFree) => 1,
        Err(other) => panic!("{other:?} is said of a double free"),
    };
    let (watched, mine, theirs) = both(watched, free, free);
    assert_eq!(mine + theirs, 1, "exactly one of two frees is reported");
    assert_eq!((watched.frame.stats().live, watched.frame.cursor()), (0, 0));
}

/// The last block grows while another thread allocates.
fn growth() {
    let watched = Watched::new();
    let last = watched.take(1).expect("there is room");
    let layout = |words| Layout::array::<u64>(words).expect("a valid layout");
    let (watched, mine, theirs) = both(
        watched,
        move |watched| {
            let Taken { block, .. } = { last };
            // SAFETY: the block is live and has this layout.
            let grown = unsafe { watched.frame.resize_in_place(block, layout(1), layout(3)) };
            let words = if grown.is_ok() { 3 } else { 1 };
            let taken = Taken { block, words };
            watched.own(taken);
            Some(taken)
        },
        |watched| watched.take(2),
    );
    for taken in [mine, theirs] {
        watched.free(taken.expect("there is room for both"));
    }
    watched.frame.validate();
}

#[test]
fn loom_shared_frame_allocate() {
    explore("shared_frame::allocate", 3, 1000, allocate);
}

#[test]
fn loom_shared_frame_give_back() {
    explore("shared_frame::give_back", 3, 35, give_back);
}

#[test]
fn loom_shared_frame_up_and_down() {
    explore("shared_frame::up_and_down", 2, 5000, up_and_down);
}

#[test]
fn loom_shared_frame_double_free() {
    explore("shared_frame::double_free", 3, 25, double_free);
}

#[test]
fn loom_shared_frame_growth() {
    explore("shared_frame::growth", 3, 80, growth);
}

#[test]
fn loom_shared_frame_faults_are_caught() {
    let owners = ["Causality violation"];
    must_fail("shared_frame::up_and_down", Fault::Relaxed, &owners, up_and_down);
    must_fail("shared_frame::allocate", Fault::SplitExchange, &owners, allocate);
    let told = ["exactly one of two frees is reported", "more was freed than allocated"];
    must_fail("shared_frame::double_free", Fault::SplitExchange, &told, double_free);
    let bits = ["is live", "is remembered", "bits and counters differ"];
    must_fail("shared_frame::allocate", Fault::SplitOr, &bits, allocate);
    let counted = ["bits and counters differ", "are counted", "are back", "more was freed"];
    must_fail("shared_frame::up_and_down", Fault::SplitAdd, &counted, up_and_down);
}
