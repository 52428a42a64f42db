//! Which slots the running thread has.

use core::cell::Cell;
use core::ptr::NonNull;

use super::registry;
use super::shared::Shared;
use super::slot::Slot;

/// Heaps of which a thread keeps its slot at a time.
const KEPT: usize = 4;
/// The number of no heap.
const NO_HEAP: usize = usize::MAX;

/// A slot that the running thread has, and the number of its heap.
struct Entry {
    id: Cell<usize>,
    slot: Cell<Option<NonNull<Slot>>>,
}

/// The slots of the running thread, the one used last first.
struct Current {
    entries: [Entry; KEPT],
    is_over: Cell<bool>,
}

/// Gives up the thread's slots when it ends.
struct End;

std::thread_local! {
    // Neither has to be made at first use, and this one is never dropped, so it may be used before
    // `main` and while the thread ends.
    static CURRENT: Current = const {
        Current {
            entries: [const { Entry { id: Cell::new(NO_HEAP), slot: Cell::new(None) } }; KEPT],
            is_over: Cell::new(false),
        }
    };
    static END: End = const { End };
}

impl Current {
    /// Puts an entry before the others. Meanwhile no number has a slot.
    fn begin_with(&self, at: usize) {
        let mut ids = [NO_HEAP; KEPT];
        for (id, entry) in ids.iter_mut().zip(&self.entries) {
            *id = entry.id.replace(NO_HEAP);
        }
        ids[..=at].rotate_right(1);
        for at in (1..=at).rev() {
            self.entries[at].slot.swap(&self.entries[at - 1].slot);
        }
        for (id, entry) in ids.iter().zip(&self.entries) {
            entry.id.set(*id);
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        CURRENT.with(|current| {
            current.is_over.set(true);
            for entry in &current.entries {
                entry.give_up();
            }
        });
    }
}

impl Entry {
    fn give_up(&self) {
        let id = self.id.replace(NO_HEAP);
        if let Some(slot) = self.slot.take() {
            registry::leave_slot(id, slot);
        }
    }
}

/// The running thread's slot of the heap with this number, if it was the last one that it used.
#[inline]
pub(super) fn slot(id: usize) -> Option<NonNull<Slot>> {
    CURRENT.with(|current| {
        let entry = &current.entries[0];
        if entry.id.get() != id {
            return None;
        }
        debug_assert!(entry.slot.get().is_some(), "a number comes after its slot");
        // SAFETY: `enter` writes a number after its slot, and `give_up` takes it away before; no
        // heap has the number of none.
        Some(unsafe { entry.slot.get().unwrap_unchecked() })
    })
}

/// The running thread's slot of the heap with this number, if it has one.
pub(super) fn held(id: usize) -> Option<NonNull<Slot>> {
    CURRENT.with(|current| {
        let entry = current.entries.iter().find(|entry| entry.id.get() == id)?;
        entry.slot.get()
    })
}

/// The running thread's slot of a heap, which it gets if it has none; `None` if slot 0 is to serve:
/// the thread is ending, or there are too many.
#[cold]
#[inline(never)]
pub(super) fn enter(shared: &Shared) -> Option<NonNull<Slot>> {
    CURRENT.with(|current| {
        if current.is_over.get() {
            return None;
        }
        let entries = &current.entries;
        if let Some(at) = entries.iter().position(|entry| entry.id.get() == shared.fixed.id) {
            current.begin_with(at);
            return entries[0].slot.get();
        }
        let slot = NonNull::from(shared.take_slot()?);
        entries[KEPT - 1].give_up();
        current.begin_with(KEPT - 1);
        entries[0].slot.set(Some(slot));
        entries[0].id.set(shared.fixed.id);
        // After the entry: the system may allocate here, through this very heap.
        if END.try_with(|_| ()).is_err() {
            entries[0].give_up();
            return None;
        }
        Some(slot)
    })
}

/// Gives up the running thread's slot of a heap, for the tests of orphans and for the end of a heap.
pub(super) fn leave(id: usize) {
    CURRENT.with(|current| {
        for entry in current.entries.iter().filter(|entry| entry.id.get() == id) {
            entry.give_up();
        }
    });
}
