//! A backing allocator for tests: the system's, with a list of all blocks and requests refused on
//! demand.

use core::alloc::{GlobalAlloc, Layout};
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::alloc::System;
use std::borrow::ToOwned;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::string::{String, ToString};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::misuse::{Report, set_misuse_handler};
use crate::contract::stats::Stats;

pub(crate) use crate::testing::test_random::Random;

/// The fill byte of every fresh block, so that no code relies on zeros.
const FRESH: u8 = 0xa5;
/// The fill byte of every freed block, so that a late read shows.
const FREED: u8 = 0x5a;

/// The system allocator under test conditions.
///
/// It is `Sync`, checks every free against its list, refuses chosen requests, and panics when
/// dropped with live blocks.
pub(crate) struct TestBacking {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    live: BTreeMap<usize, (NonNull<u8>, Layout)>,
    stats: Stats,
    requests: u64,
    /// The first and the last request (counted from 0) to refuse.
    refused: Option<(u64, u64)>,
    /// Requests for more bytes are refused.
    most: Option<usize>,
}

// SAFETY: the pointers are addresses of memory that the list owns; nothing is tied to a thread.
unsafe impl Send for State {}

impl TestBacking {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(State::default()) }
    }

    /// Refuses every request for more than `bytes` bytes.
    pub(crate) fn refuse_above(&self, bytes: usize) {
        self.lock().most = Some(bytes);
    }

    /// Refuses the `n`th request from now, counted from 0, and no other.
    pub(crate) fn refuse_nth(&self, n: u64) {
        let mut state = self.lock();
        let at = state.requests + n;
        state.refused = Some((at, at));
    }

    /// Refuses every request from the `n`th from now on.
    pub(crate) fn refuse_from(&self, n: u64) {
        let mut state = self.lock();
        state.refused = Some((state.requests + n, u64::MAX));
    }

    /// Stops refusing requests.
    pub(crate) fn refuse_none(&self) {
        self.lock().refused = None;
    }

    /// Returns the number of requests so far, refused ones included.
    pub(crate) fn requests(&self) -> u64 {
        self.lock().requests
    }

    /// Returns the layout of the live block at `address`.
    pub(crate) fn layout_at(&self, address: *const u8) -> Option<Layout> {
        self.lock().live.get(&address.addr()).map(|&(_, layout)| layout)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn release(&self, block: NonNull<u8>, given: Option<Layout>) {
        let mut state = self.lock();
        let Some((owned, layout)) = state.live.remove(&block.addr().get()) else {
            panic!("the test backing has no block at {block:p}");
        };
        if let Some(given) = given {
            assert_eq!(given, layout, "freed with another layout than asked");
        }
        state.stats.live -= 1;
        state.stats.requested -= layout.size();
        state.stats.granted -= layout.size();
        state.stats.reserved -= layout.size();
        mark::undefined(owned, layout.size());
        // SAFETY: the block is on the list, so it is live and this long.
        unsafe { owned.write_bytes(FREED, layout.size()) };
        // SAFETY: it came from `System` with this layout and has just left the list.
        unsafe { System.dealloc(owned.as_ptr(), layout) };
    }
}

// SAFETY: blocks come from the system's allocator and leave the list exactly once.
unsafe impl Allocator for TestBacking {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let mut state = self.lock();
        let request = state.requests;
        state.requests += 1;
        if state.refused.is_some_and(|(from, to)| (from..=to).contains(&request))
            || state.most.is_some_and(|most| layout.size() > most)
        {
            return Err(AllocError);
        }
        let layout = Layout::from_size_align(layout.size().max(1), layout.align())
            .map_err(|_| AllocError)?;
        // SAFETY: the size is not zero.
        let block = NonNull::new(unsafe { System.alloc(layout) }).ok_or(AllocError)?;
        // SAFETY: the block was just allocated with this size.
        unsafe { block.write_bytes(FRESH, layout.size()) };
        state.live.insert(block.addr().get(), (block, layout));
        let stats = &mut state.stats;
        stats.live += 1;
        stats.requested += layout.size();
        stats.granted += layout.size();
        stats.reserved += layout.size();
        stats.peak_requested = stats.peak_requested.max(stats.requested);
        stats.peak_granted = stats.peak_granted.max(stats.granted);
        stats.peak_reserved = stats.peak_reserved.max(stats.reserved);
        stats.allocations_total += 1;
        stats.requested_total += layout.size() as u64;
        stats.granted_total += layout.size() as u64;
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.release(block, None);
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let size = layout.size().max(1);
        let layout = Layout::from_size_align(size, layout.align())
            .expect("one byte of a valid alignment is a valid layout");
        self.release(block, Some(layout));
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        let layout = self.layout_at(block.as_ptr());
        layout.map_or(0, |layout| layout.size())
    }

    fn stats(&self) -> Stats {
        Stats { exact: true, ..self.lock().stats }
    }

    fn name(&self) -> &str {
        "test backing"
    }

    fn owns(&self, address: *const u8) -> bool {
        let state = self.lock();
        let below = state.live.range(..=address.addr()).next_back();
        below.is_some_and(|(&start, (_, layout))| address.addr() - start < layout.size())
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        for &(address, layout) in self.lock().live.values() {
            visit(Block { address, bytes: layout.size(), site: None });
        }
    }

    fn verify(&self) -> Result<(), Damage> {
        let state = self.lock();
        if state.live.len() == state.stats.live {
            Ok(())
        } else {
            Err(Damage {
                what: "the list and the count of live blocks differ",
                address: core::ptr::null(),
            })
        }
    }
}

impl Drop for TestBacking {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !std::thread::panicking() {
            assert!(
                state.live.is_empty(),
                "{} blocks of the test backing were never freed",
                state.live.len()
            );
        }
    }
}

/// Runs `wrong` and returns the misuse report that it ends in.
pub(crate) fn misuse_of(wrong: impl FnOnce()) -> String {
    fn handler(report: &Report<'_>) -> ! {
        // Not a panic, whose message would be printed each time.
        std::panic::resume_unwind(Box::new(report.to_string()))
    }
    set_misuse_handler(Some(handler));
    panic_of(wrong)
}

/// Runs `f` and returns the message of the panic that it ends in.
pub(crate) fn panic_of(f: impl FnOnce()) -> String {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(()) => panic!("nothing was reported"),
        Err(payload) => message(payload),
    }
}

fn message(payload: Box<dyn core::any::Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => match other.downcast::<&str>() {
            Ok(text) => (*text).to_owned(),
            Err(_) => "a panic without a message".to_owned(),
        },
    }
}
