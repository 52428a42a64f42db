//! The heaps of the program that threads have a part of, for the end of threads and for `fork`.

use core::ptr::NonNull;
use core::sync::atomic::Ordering;

use super::shared::Shared;
use super::slot::Slot;
use crate::threads::sync::SpinCell;

/// Heaps that threads may use, by their numbers.
struct Registry {
    first: Option<NonNull<Shared>>,
    last_id: usize,
}

// SAFETY: a shared state is in the list from its start to its end, which waits for who uses it.
unsafe impl Send for Registry {}

static REGISTRY: SpinCell<Registry> = SpinCell::new(Registry { first: None, last_id: 0 });

/// A number that no heap has had.
pub(super) fn new_id() -> usize {
    REGISTRY.with(|registry| {
        registry.last_id += 1;
        registry.last_id
    })
}

/// Enters a heap.
pub(super) fn enter(shared: NonNull<Shared>) {
    REGISTRY.with(|registry| {
        // SAFETY: it was just made; its link is changed under this lock alone.
        unsafe { shared.as_ref() }.next.set(registry.first);
        registry.first = Some(shared);
    });
    #[cfg(target_os = "linux")]
    crate::threads::fork::also(&over_fork::LOCKS);
}

/// Takes a heap out, and waits for the threads that are giving up a part of it.
pub(super) fn leave(shared: NonNull<Shared>) {
    REGISTRY.with(|registry| registry.take_out(shared));
    // SAFETY: the caller ends it afterwards.
    let shared = unsafe { shared.as_ref() };
    // Acquire pairs with the Release in `leave_slot`: what those threads did is seen.
    while shared.leaving.load(Ordering::Acquire) > 0 {
        std::thread::yield_now();
    }
}

/// Gives up a thread's slot of the heap with this number, if there still is that heap.
pub(super) fn leave_slot(id: usize, slot: NonNull<Slot>) {
    let Some(shared) = REGISTRY.with(|registry| {
        let found = registry.find(id)?;
        // SAFETY: it is in the list.
        unsafe { found.as_ref() }.leaving.fetch_add(1, Ordering::Relaxed);
        Some(found)
    }) else {
        return;
    };
    // SAFETY: its end waits until `leaving` is 0 again.
    let shared = unsafe { shared.as_ref() };
    // SAFETY: slots stay as long as the shared state, and this one is the calling thread's.
    shared.leave_slot(unsafe { slot.as_ref() });
    // Release pairs with the Acquire in `leave`.
    shared.leaving.fetch_sub(1, Ordering::Release);
}

impl Registry {
    fn find(&self, id: usize) -> Option<NonNull<Shared>> {
        let mut next = self.first;
        while let Some(shared) = next {
            // SAFETY: what is in the list has not ended.
            let of = unsafe { shared.as_ref() };
            if of.fixed.id == id {
                return Some(shared);
            }
            next = of.next.get();
        }
        None
    }

    fn take_out(&mut self, shared: NonNull<Shared>) {
        // SAFETY: what is in the list has not ended.
        let after = |of: NonNull<Shared>| unsafe { of.as_ref() }.next.get();
        if self.first == Some(shared) {
            self.first = after(shared);
            return;
        }
        let mut before = self.first;
        while let Some(of) = before {
            if after(of) == Some(shared) {
                // SAFETY: as above.
                unsafe { of.as_ref() }.next.set(after(shared));
                return;
            }
            before = after(of);
        }
    }
}

/// What is held over a `fork`, so that the child finds no heap in the middle of a change but those
/// of threads that it does not have.
#[cfg(target_os = "linux")]
mod over_fork {
    use super::{REGISTRY, Shared};
    use crate::heaps::thread_heap::current;
    use crate::threads::fork::Held;

    pub(super) static LOCKS: Held = Held { try_hold, release };

    /// The heaps. The registry's own lock is held, as it is in static memory.
    fn heaps() -> impl Iterator<Item = &'static Shared> {
        // SAFETY: the lock is held over the fork, by this thread.
        let mut next = unsafe { (*REGISTRY.held()).first };
        core::iter::from_fn(move || {
            // SAFETY: what is in the list has not ended, and does not while the lock is held.
            let shared = unsafe { next?.as_ref() };
            next = shared.next.get();
            Some(shared)
        })
    }

    fn try_hold() -> bool {
        for (count, shared) in heaps().enumerate() {
            if !shared.try_hold() {
                heaps().take(count).for_each(Shared::release_held);
                return false;
            }
        }
        true
    }

    fn release(is_child: bool) {
        for shared in heaps() {
            if is_child {
                shared.freeze_others(current::held(shared.fixed.id));
            }
            shared.release_held();
        }
    }
}
