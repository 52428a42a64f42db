//! The stack of a thread's contexts.

use core::cell::Cell;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use super::data::sealed::Held;
use crate::stack_bounds::StackBounds;

/// How many contexts a thread keeps, one within the other.
pub const CONTEXTS_MAX: usize = 64;

std::thread_local! {
    /// The contexts of this thread. Without a destructor, so they are there until the thread is
    /// gone.
    pub(super) static STACK: Stack = const { Stack::new() };
}

/// How many contexts found no room.
static LOST: AtomicU64 = AtomicU64::new(0);

/// Returns how many contexts of all threads were not kept so far, because more than
/// [`CONTEXTS_MAX`] were nested.
#[must_use]
pub fn contexts_lost() -> u64 {
    // Relaxed: it counts and orders nothing.
    LOST.load(Ordering::Relaxed)
}

/// What all contexts of a place in the source share.
pub(super) struct Site {
    name: &'static str,
    show: unsafe fn(*const (), &mut dyn fmt::Write) -> fmt::Result,
}

impl Site {
    pub(super) const fn new<H: Held>(name: &'static str) -> Self {
        Self { name, show: show_data::<H> }
    }
}

/// Writes the data of a slot.
///
/// # Safety
///
/// There is what a live slot holds, an `H`, at `slot`.
unsafe fn show_data<H: Held>(slot: *const (), out: &mut dyn fmt::Write) -> fmt::Result {
    // SAFETY: it is there, as the caller promises.
    let data = unsafe { *slot.cast::<H>() };
    data.show(out)
}

/// The contexts of a thread: of each one pointer to what is known when the program is compiled, and
/// one into the frame of its scope.
///
/// ```text
/// depth | site 0 | site 1 | .. | site 63 | slot 0 | slot 1 | .. | slot 63 |
///                                              |
///                                              +--> in a frame: &data, or a number
/// ```
///
/// Sites and slots are in separate arrays: an address of 8-byte steps is one operand of a store,
/// and one of 16-byte steps takes two instructions.
///
/// # Invariants
///
/// 1. Entries below the depth have been written by this thread, each by the guard that has its
///    index.
/// 2. A guard that is dropped leaves a depth of its index at most, whatever the order in which
///    guards are dropped. So the guard of an entry below the depth has not been dropped.
pub(super) struct Stack {
    depth: Cell<usize>,
    sites: [Cell<Option<&'static Site>>; CONTEXTS_MAX],
    slots: [Cell<*const ()>; CONTEXTS_MAX],
}

impl Stack {
    const fn new() -> Self {
        Self {
            depth: Cell::new(0),
            sites: [const { Cell::new(None) }; CONTEXTS_MAX],
            slots: [const { Cell::new(core::ptr::null()) }; CONTEXTS_MAX],
        }
    }

    /// Returns how many contexts there are, those without room included.
    pub(super) const fn depth(&self) -> usize {
        self.depth.get()
    }

    /// Asserts what can be seen of invariant 1.
    ///
    /// # Panics
    ///
    /// If an entry below the depth was never written.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        let written = self.sites.iter().take_while(|entry| entry.get().is_some()).count();
        let depth = self.depth.get().min(CONTEXTS_MAX);
        assert!(depth <= written, "{depth} contexts, of which {written} were written");
    }

    /// Pushes a context and returns its index.
    #[inline(always)]
    pub(super) fn push(&self, site: &'static Site, slot: *const ()) -> usize {
        let index = self.depth.get();
        if let (Some(own_site), Some(own_slot)) = (self.sites.get(index), self.slots.get(index)) {
            own_site.set(Some(site));
            own_slot.set(slot);
        } else {
            lose();
        }
        self.depth.set(index + 1);
        index
    }

    /// Takes a context off, and all that are above it.
    ///
    /// Guards in futures may be dropped in any order, so the depth must not grow here. It is a
    /// branch, as the number to store is then known before the depth is: the next push waits for
    /// one load less.
    #[inline(always)]
    pub(super) fn pop(&self, index: usize) {
        if self.depth.get() <= index {
            core::hint::cold_path();
            return;
        }
        self.depth.set(index);
    }

    /// Writes the data of the context with this index, if its slot is on the stack, and returns its
    /// name and whether the data was written.
    pub(super) fn show(
        &self,
        index: usize,
        bounds: Option<StackBounds>,
        out: &mut dyn fmt::Write,
    ) -> Option<(&'static str, bool)> {
        if index >= self.depth.get() {
            return None;
        }
        let site = self.sites.get(index)?.get()?;
        let slot = self.slots.get(index)?.get();
        let is_shown = bounds.is_some_and(|bounds| bounds.hold(slot.cast::<&()>()));
        if is_shown {
            // Data that is too long is cut, which `out` remembers. SAFETY: by invariant 2 the guard
            // has not been dropped, and neither has the slot, which its body drops after it. The
            // slot is on this thread's stack and is pinned there, and what is pinned is dropped
            // before its memory is used otherwise: so the slot is still there. What it refers to is,
            // too, as the guard has the lifetime of the slot's borrow. That the slot holds what
            // `show` reads follows from the site, which the slot chose by its own type.
            let _ = unsafe { (site.show)(slot, out) };
        }
        Some((site.name, is_shown))
    }
}

/// Counts a context that found no room.
#[cold]
fn lose() {
    // Relaxed: it counts and orders nothing.
    LOST.fetch_add(1, Ordering::Relaxed);
}
