//! Models: every interleaving of threads that hand blocks back and the owner that takes them.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use std::vec::Vec;

use crate::threads::hand_over::{Inbox, Link, Linked, Mail, Posted, Taking, WORD_BITS};
use crate::threads::sync::shared::AtomicUsize;
use crate::threads::sync::shared::model::{Fault, explore, must_fail};

/// Words of the plane.
const WORDS: usize = 2;

/// A region whose blocks are cells, so that a free that is not ordered before its reuse is found.
struct Region {
    plane: Vec<AtomicUsize>,
    summary: Vec<AtomicUsize>,
    top: Vec<AtomicUsize>,
    link: Link<Self>,
    blocks: Vec<UnsafeCell<usize>>,
}

impl Linked for Region {
    fn link(&self) -> &Link<Self> {
        &self.link
    }
}

struct World {
    regions: Vec<Region>,
    inbox: Inbox<Region>,
}

// SAFETY: the model checker watches over the cells, and all else is atomic.
unsafe impl Send for World {}
// SAFETY: as above.
unsafe impl Sync for World {}

impl World {
    fn new(regions: usize) -> Arc<Self> {
        let region = |_| Region {
            plane: (0..WORDS).map(|_| AtomicUsize::new(0)).collect(),
            summary: std::vec![AtomicUsize::new(0)],
            top: std::vec![AtomicUsize::new(0)],
            link: Link::new(),
            blocks: (0..WORDS * 2).map(|_| UnsafeCell::new(0)).collect(),
        };
        Arc::new(Self { regions: (0..regions).map(region).collect(), inbox: Inbox::new() })
    }

    /// The place of a block: two a word.
    fn place(block: usize) -> usize {
        block / 2 * WORD_BITS + block % 2
    }

    fn mail(&self, region: usize) -> Mail<'_> {
        let region = &self.regions[region];
        Mail { plane: &region.plane, summary: &region.summary, top: &region.top }
    }

    /// Uses a block and hands it back; `false` if another thread has.
    fn free(&self, region: usize, block: usize) -> bool {
        // SAFETY: the block is this thread's, as the model checker sees to.
        self.regions[region].blocks[block].with_mut(|cell| unsafe { *cell += 1 });
        self.post(region, block)
    }

    fn post(&self, region: usize, block: usize) -> bool {
        match self.mail(region).post(Self::place(block)) {
            Posted::Done => {}
            Posted::First => self.inbox.put(&self.regions[region]),
            Posted::Twice => return false,
        }
        true
    }

    /// Takes back what there is, at most `most` words of a region, and uses each block; returns how
    /// many.
    fn take_back(&self, most: usize) -> usize {
        let (mut taken, mut next) = (0, self.inbox.take());
        // SAFETY: what is in the inbox is one of the regions.
        while let Some(region) = unsafe { next.as_ref() } {
            next = region.link.begin();
            let mail = Mail { plane: &region.plane, summary: &region.summary, top: &region.top };
            let (mut at, mut words) = (Taking::default(), 0);
            while let Some((word, bits)) = mail.take(&mut at) {
                for bit in (0..2).filter(|bit| bits >> bit & 1 != 0) {
                    // SAFETY: the block came back, so it is the owner's.
                    region.blocks[word * 2 + bit].with_mut(|cell| unsafe { *cell += 1 });
                    taken += 1;
                }
                words += 1;
                if words == most {
                    mail.stop(at);
                    self.inbox.put(region);
                    break;
                }
            }
        }
        taken
    }
}

/// Two threads hand back `first` and `second`, which are regions and blocks, while the owner looks
/// twice.
fn model(regions: usize, first: &'static [(usize, usize)], second: &'static [(usize, usize)]) {
    model_at_most(usize::MAX, regions, first, second);
}

/// The same, where the owner takes at most `most` words the first time.
fn model_at_most(
    most: usize,
    regions: usize,
    first: &'static [(usize, usize)],
    second: &'static [(usize, usize)],
) {
    let world = World::new(regions);
    let threads: Vec<_> = [first, second]
        .map(|blocks| {
            let world = Arc::clone(&world);
            thread::spawn(move || {
                for &(region, block) in blocks {
                    assert!(world.free(region, block), "each block is freed once");
                }
            })
        })
        .into();
    let mut taken = world.take_back(most);
    for thread in threads {
        thread.join().expect("the thread ends well");
    }
    taken += world.take_back(usize::MAX);
    assert_eq!(taken, first.len() + second.len(), "a block was lost or came back twice");
    assert!(world.inbox.is_empty(), "the inbox is empty at the end");
}

#[test]
fn loom_hand_over_one_word() {
    explore("hand-over in one word", 3, 100, || model(1, &[(0, 0)], &[(0, 1)]));
}

#[test]
fn loom_hand_over_two_words() {
    explore("hand-over in two words", 2, 70, || model(1, &[(0, 0), (0, 1)], &[(0, 2)]));
}

#[test]
fn loom_hand_over_two_regions() {
    explore("hand-over in two regions", 2, 100, || model(2, &[(0, 0)], &[(1, 0)]));
}

#[test]
fn loom_hand_over_stops_and_goes_on() {
    explore("hand-over to an owner who stops", 2, 80, || {
        model_at_most(1, 1, &[(0, 0), (0, 2)], &[(0, 1)]);
    });
}

#[test]
fn loom_hand_over_is_ordered() {
    let words = ["Causality violation", "a block was lost", "cell", "ordered"];
    must_fail("hand-over", Fault::Relaxed, &words, || model(1, &[(0, 0)], &[(0, 1)]));
}

#[test]
fn loom_hand_over_needs_whole_steps() {
    let words = ["a block was lost", "the inbox is empty", "Causality violation"];
    must_fail("hand-over", Fault::SplitOr, &words, || model(1, &[(0, 0)], &[(0, 1)]));
    must_fail("hand-over", Fault::SplitExchange, &words, || model(2, &[(0, 0)], &[(1, 0)]));
}

#[test]
fn loom_hand_over_finds_a_second_free() {
    explore("a block freed by two threads", 3, 4, || {
        let world = World::new(1);
        let other = Arc::clone(&world);
        let thread = thread::spawn(move || other.post(0, 0));
        let mine = world.post(0, 0);
        let others = thread.join().expect("the thread ends well");
        assert!(mine != others, "one of the two is found: {mine} {others}");
        assert_eq!(world.take_back(usize::MAX), 1, "it comes back once");
    });
}
