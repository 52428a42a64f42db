//! Lua's memory: from an allocator that was passed in.

use core::alloc::Layout;
use core::cell::{Cell, UnsafeCell};
use core::ffi::c_void;
use core::ptr::{self, NonNull};

use loligo_allocators::Allocator;

use crate::trace::GarbageTrace;

/// What blocks are aligned to: LuaJIT was written for what the C library gives.
const ALIGN: usize = 16;

/// Bytes that scripts have and had, as Lua asked for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// The bytes that are allocated now, garbage included.
    pub live_bytes: u64,
    /// All bytes that were ever allocated.
    pub allocated_bytes: u64,
    /// All bytes that were ever freed.
    pub freed_bytes: u64,
    /// The most that were allocated at once.
    pub peak_bytes: u64,
}

/// The allocator behind a state, and what is counted on the way.
///
/// # Invariants
///
/// 1. It does not move while the state lives.
/// 2. `trace` is looked at by the allocating function and by methods of this alone, none of which is in the middle of it
///    while another begins: the allocating function calls nothing of ours.
pub(crate) struct Memory<'m> {
    allocator: &'m dyn Allocator,
    live: Cell<u64>,
    allocated: Cell<u64>,
    freed: Cell<u64>,
    peak: Cell<u64>,
    /// The thread whose stack is looked at while allocations are traced; null when they are not.
    pub(crate) traced: Cell<*mut mlua_sys::lua_State>,
    pub(crate) trace: UnsafeCell<Option<GarbageTrace<'m>>>,
    /// The most instructions of one call, 0 for any number.
    pub(crate) instructions_max: Cell<u32>,
    /// How many are left.
    pub(crate) instructions_left: Cell<i64>,
}

impl<'m> Memory<'m> {
    pub(crate) fn new(allocator: &'m dyn Allocator) -> Self {
        Self {
            allocator,
            live: Cell::new(0),
            allocated: Cell::new(0),
            freed: Cell::new(0),
            peak: Cell::new(0),
            traced: Cell::new(ptr::null_mut()),
            trace: UnsafeCell::new(None),
            instructions_max: Cell::new(0),
            instructions_left: Cell::new(0),
        }
    }

    pub(crate) const fn allocator(&self) -> &'m dyn Allocator {
        self.allocator
    }

    pub(crate) fn usage(&self) -> MemoryUse {
        MemoryUse {
            live_bytes: self.live.get(),
            allocated_bytes: self.allocated.get(),
            freed_bytes: self.freed.get(),
            peak_bytes: self.peak.get(),
        }
    }

    fn count(&self, allocated: usize, freed: usize) {
        self.allocated.set(self.allocated.get() + allocated as u64);
        self.freed.set(self.freed.get() + freed as u64);
        let live = self.allocated.get() - self.freed.get();
        self.live.set(live);
        self.peak.set(self.peak.get().max(live));
    }

    fn change(&self, block: *mut c_void, old_bytes: usize, new_bytes: usize) -> *mut c_void {
        let layout = |bytes: usize| Layout::from_size_align(bytes, ALIGN);
        let (Ok(old), Ok(new)) = (layout(old_bytes), layout(new_bytes)) else {
            return ptr::null_mut();
        };
        let result = match (NonNull::new(block.cast::<u8>()), new_bytes) {
            (None, 0) => return ptr::null_mut(),
            (None, _) => self.allocator.allocate(new),
            (Some(block), 0) => {
                // SAFETY: Lua gives back a block that it got from here with the size that it asked for last.
                unsafe { self.allocator.deallocate_sized(block, old) };
                self.count(0, old_bytes);
                return ptr::null_mut();
            }
            // SAFETY: as above; the new size has the same alignment.
            (Some(block), _) => unsafe { self.allocator.reallocate(block, old, new) },
        };
        match result {
            Ok(block) => {
                self.count(new_bytes, old_bytes);
                block.cast::<c_void>().as_ptr()
            }
            Err(_) => ptr::null_mut(),
        }
    }

    /// Charges an allocation to those on the stack.
    fn note(&self, bytes: usize) {
        let state = self.traced.get();
        if state.is_null() {
            return;
        }
        // SAFETY: by invariant 2 nobody else is in the middle of it.
        let trace = unsafe { &mut *self.trace.get() };
        if let Some(trace) = trace {
            trace.note(state, bytes as u64);
        }
    }
}

/// The function that Lua takes its memory by.
///
/// # Safety
///
/// `memory` points to a [`Memory`] that does not move; the rest is as Lua's manual has it.
pub(crate) unsafe extern "C" fn allocate(
    memory: *mut c_void,
    block: *mut c_void,
    old_bytes: usize,
    new_bytes: usize,
) -> *mut c_void {
    // SAFETY: the caller's promise; it is shared alone.
    let memory = unsafe { &*memory.cast::<Memory<'_>>() };
    let old_bytes = if block.is_null() { 0 } else { old_bytes };
    let result = memory.change(block, old_bytes, new_bytes);
    if new_bytes > old_bytes && !result.is_null() {
        memory.note(new_bytes - old_bytes);
    }
    result
}
