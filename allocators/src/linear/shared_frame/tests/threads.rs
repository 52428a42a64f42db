//! Real threads: overlapping blocks would be written twice, and a frame is filled to its end.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Barrier;
use std::vec::Vec;
use std::{println, thread, vec};

use crate::contract::allocator::Allocator;
use crate::contract::misuse::Misuse;
use crate::linear::shared_frame::SharedFrame;
use crate::testing::test_backing::Random;

/// The number of threads.
const THREADS: u64 = 4;

fn words(count: usize) -> Layout {
    Layout::array::<u64>(count).expect("a valid layout")
}

/// A block of words that a thread has written its number to.
struct Marked {
    block: NonNull<u64>,
    words: usize,
    mark: u64,
}

impl Marked {
    fn take(frame: &dyn Allocator, words_wanted: usize, mark: u64) -> Option<Self> {
        let block = frame.allocate(words(words_wanted)).ok()?.cast::<u64>();
        for index in 0..words_wanted {
            // SAFETY: the block is this thread's and has this many words.
            unsafe { block.add(index).write(mark) };
        }
        Some(Self { block, words: words_wanted, mark })
    }

    fn check(&self) {
        for index in 0..self.words {
            // SAFETY: the block is this thread's, has this many words, and they were written.
            let word = unsafe { self.block.add(index).read() };
            assert_eq!(word, self.mark, "another thread has the block as well");
        }
    }

    fn free(self, frame: &dyn Allocator, sized: bool) {
        self.check();
        // SAFETY: the block is live and has this layout.
        unsafe {
            if sized {
                frame.deallocate_sized(self.block.cast(), words(self.words));
            } else {
                frame.deallocate(self.block.cast());
            }
        }
    }
}

/// Allocates and frees, mostly the newest block, which is the last unless another thread came in
/// between.
fn hammer(frame: &dyn Allocator, seed: u64, steps: u64) {
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut held: Vec<Marked> = Vec::new();
    for step in 0..steps {
        if random.below(2) == 0 || held.is_empty() {
            let size = 1 + random.below(if step % 10 == 0 { 100 } else { 4 });
            held.extend(Marked::take(frame, size, seed << 32 | step));
        } else {
            let nth = if random.below(8) == 0 { random.below(held.len()) } else { held.len() - 1 };
            held.remove(nth).free(frame, random.below(2) == 0);
        }
    }
    while let Some(block) = held.pop() {
        block.free(frame, true);
    }
}

#[test]
fn no_block_has_two_owners() {
    for round in 0..10 {
        let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
        let mut frame = SharedFrame::from_region("frame", &mut memory);
        for _ in 0..2 {
            let start = Barrier::new(THREADS as usize);
            thread::scope(|scope| {
                for seed in 0..THREADS {
                    let (frame, start) = (&frame, &start);
                    scope.spawn(move || {
                        start.wait();
                        hammer(frame, round * 100 + seed, 2000);
                    });
                }
            });
            frame.assert_empty();
            frame.validate();
            frame.reset();
        }
    }
}

#[test]
fn it_is_filled_to_its_end() {
    for _ in 0..50 {
        let mut memory = vec![MaybeUninit::uninit(); 10_000];
        let frame = SharedFrame::from_region("frame", &mut memory);
        let room = frame.remaining();
        let start = Barrier::new(THREADS as usize);
        let blocks: usize = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|seed| {
                    let (frame, start) = (&frame, &start);
                    scope.spawn(move || {
                        start.wait();
                        let take = |number| Marked::take(frame, 1, seed << 32 | number);
                        let blocks: Vec<_> = (0..).map_while(take).collect();
                        blocks.iter().for_each(Marked::check);
                        blocks.len()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("the thread ends well")).sum()
        });
        assert_eq!((blocks, frame.remaining()), (room / 8, 0));
        assert_eq!((frame.stats().live, frame.stats().granted), (blocks, room));
        frame.validate();
    }
}

#[test]
fn counters_keep_their_order_while_threads_work() {
    let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
    let frame = SharedFrame::from_region("frame", &mut memory);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|seed| {
                let frame = &frame;
                scope.spawn(move || hammer(frame, seed, 5000))
            })
            .collect();
        let (done, frame) = (&done, &frame);
        scope.spawn(move || {
            let mut last = frame.stats();
            while !done.load(Ordering::Acquire) {
                let stats = frame.stats();
                assert!(stats.requested <= stats.granted, "{stats:?}");
                assert!(stats.granted <= stats.reserved, "{stats:?}");
                assert!(stats.granted <= stats.peak_granted, "{stats:?}");
                assert!(stats.requested_total <= stats.granted_total, "{stats:?}");
                assert!(last.allocations_total <= stats.allocations_total, "it only grows");
                assert!(last.granted_total <= stats.granted_total, "it only grows");
                frame.verify().expect("sound");
                frame.walk(&mut |block| assert!(frame.owns(block.address.as_ptr()), "{block:?}"));
                last = stats;
            }
        });
        let ended: Vec<_> = workers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Release);
        assert!(ended.iter().all(Result::is_ok), "a worker failed");
    });
    frame.validate();
}

#[test]
fn of_two_frees_of_a_block_one_is_told() {
    /// A block that is sent to the threads.
    #[derive(Clone, Copy)]
    struct Sent(NonNull<u8>);
    // SAFETY: only its address is used.
    unsafe impl Send for Sent {}

    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let frame = SharedFrame::from_region("frame", &mut memory);
    let start = Barrier::new(2);
    for round in 0..1000 {
        let block = Sent(frame.allocate(words(1 + round % 50)).expect("there is room").cast());
        let told = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                let (frame, start, told) = (&frame, &start, &told);
                scope.spawn(move || {
                    let Sent(block) = { block };
                    start.wait();
                    if let Err(what) = frame.free(block, None) {
                        assert_eq!(what, Misuse::DoubleFree);
                        told.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(told.load(Ordering::Relaxed), 1, "exactly one free is wrong");
        assert_eq!((frame.stats().live, frame.cursor()), (0, 0));
    }
    frame.validate();
}
