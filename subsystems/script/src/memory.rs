//! Lua's memory: from an allocator that was passed in.

use core::alloc::Layout;
use core::cell::{Cell, OnceCell, UnsafeCell};
use core::ffi::c_void;
use core::ptr::{self, NonNull};

use loligo_allocators::Allocator;
use mlua_sys::lua_Hook;

use crate::reserve::Reserve;
use crate::trace::GarbageTrace;
use crate::watch::Watch;

/// What blocks are aligned to: LuaJIT was written for what the C library gives.
const ALIGN: usize = 16;

/// Bytes that scripts have and had, as the allocator granted them.
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

/// `file:line: `, as Lua has it.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    bytes: [u8; 80],
    len: usize,
}

impl Place {
    /// A text that is too long for it is not kept.
    fn new(text: &[u8]) -> Self {
        let mut place = Self { bytes: [0; 80], len: 0 };
        if let Some(bytes) = place.bytes.get_mut(..text.len()) {
            bytes.copy_from_slice(text);
            place.len = text.len();
        }
        place
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The allocator of a state, and its counts.
///
/// # Invariants
///
/// 1. It does not move while the state lives.
/// 2. `trace` is looked at by the allocating function and by methods of this alone, none of which
///    is in the middle of it while another begins: the allocating function calls nothing of ours.
pub(crate) struct Memory<'m> {
    allocator: &'m dyn Allocator,
    live: Cell<u64>,
    allocated: Cell<u64>,
    freed: Cell<u64>,
    peak: Cell<u64>,
    /// The thread whose stack is looked at while allocations are traced; null when they are not.
    traced: Cell<*mut mlua_sys::lua_State>,
    trace: UnsafeCell<Option<GarbageTrace<'m>>>,
    /// What serves when the allocator refuses.
    reserve: Reserve<'m>,
    /// Whether it has served since a call began: then scripts are to be stopped.
    is_short: Cell<bool>,
    /// The state, once there is one.
    state: Cell<*mut mlua_sys::lua_State>,
    /// What scripts are stopped by: it looks at this.
    hook: lua_Hook,
    /// The most instructions of one call, 0 for any number.
    pub(crate) instructions_max: Cell<u32>,
    /// How many are left.
    pub(crate) instructions_left: Cell<i64>,
    /// The watch that may stop a call that runs too long, if there is one.
    watch: OnceCell<Watch>,
    /// Where the call that runs was stopped first.
    stop_place: Cell<Option<Place>>,
}

impl<'m> Memory<'m> {
    /// `hook` stops scripts, in whose state this is, where [`is_to_stop`](Self::is_to_stop) says so.
    pub(crate) fn new(allocator: &'m dyn Allocator, hook: lua_Hook) -> Self {
        Self {
            allocator,
            live: Cell::new(0),
            allocated: Cell::new(0),
            freed: Cell::new(0),
            peak: Cell::new(0),
            traced: Cell::new(ptr::null_mut()),
            trace: UnsafeCell::new(None),
            reserve: Reserve::new(allocator),
            is_short: Cell::new(false),
            state: Cell::new(ptr::null_mut()),
            hook,
            instructions_max: Cell::new(0),
            instructions_left: Cell::new(0),
            watch: OnceCell::new(),
            stop_place: Cell::new(None),
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

    /// Begins to charge allocations to those on the stack of `state`.
    pub(crate) fn begin_trace(&self, trace: GarbageTrace<'m>, state: NonNull<mlua_sys::lua_State>) {
        // SAFETY: by invariant 2 nobody else is in the middle of it.
        unsafe { *self.trace.get() = Some(trace) };
        self.traced.set(state.as_ptr());
    }

    /// Ends that, and returns what was noted.
    pub(crate) fn end_trace(&self) -> Option<GarbageTrace<'m>> {
        self.traced.set(ptr::null_mut());
        // SAFETY: by invariant 2 nobody else is in the middle of it.
        unsafe { (*self.trace.get()).take() }
    }

    /// Notes the state, whose scripts are stopped when memory is short.
    pub(crate) fn set_state(&self, state: NonNull<mlua_sys::lua_State>) {
        self.state.set(state.as_ptr());
    }

    /// Returns the watch that may stop a call that runs too long.
    pub(crate) fn watch(&self) -> Option<&Watch> {
        self.watch.get()
    }

    /// As [`watch`](Self::watch), made if there was none.
    pub(crate) fn watched(&self) -> &Watch {
        self.watch.get_or_init(|| Watch::new(self.state.get(), self.hook))
    }

    /// Returns where the call that runs was stopped first: here, unless it caught that and was
    /// stopped again.
    pub(crate) fn stop_place(&self, here: &[u8]) -> Place {
        let place = self.stop_place.get().unwrap_or_else(|| Place::new(here));
        self.stop_place.set(Some(place));
        place
    }

    /// Another call begins.
    pub(crate) fn forget_stop(&self) {
        self.stop_place.set(None);
    }

    /// Returns `true` if the call that runs is to be stopped; `steps` are those that a function has
    /// counted itself.
    pub(crate) fn is_to_stop(&self, steps: u32) -> bool {
        if self.instructions_max.get() > 0 {
            let left = self.instructions_left.get() - i64::from(steps);
            self.instructions_left.set(left);
            if left < 0 {
                return true;
            }
        }
        self.is_short() || self.watch().is_some_and(Watch::is_stopping)
    }

    /// Begins the next of several calls in one protected call: its instructions and its time; `false`
    /// if the call before it was stopped, or took of the reserve.
    #[inline]
    pub(crate) fn begin_next(&self) -> bool {
        self.instructions_left.set(i64::from(self.instructions_max.get()));
        !self.is_short() && self.watch().is_none_or(Watch::begin_next)
    }

    /// Makes sure that the reserve is whole; false where there is no memory for it.
    pub(crate) fn fill_reserve(&self) -> bool {
        self.reserve.fill()
    }

    /// Returns `true` if the allocator has refused something that the reserve had to serve.
    pub(crate) fn is_short(&self) -> bool {
        self.is_short.get()
    }

    /// Forgets that memory was short.
    pub(crate) fn take_short(&self) -> bool {
        self.is_short.replace(false)
    }

    fn count(&self, allocated: usize, freed: usize) {
        self.allocated.set(self.allocated.get() + allocated as u64);
        self.freed.set(self.freed.get() + freed as u64);
        let live = self.allocated.get() - self.freed.get();
        self.live.set(live);
        self.peak.set(self.peak.get().max(live));
    }

    /// Allocates, frees or resizes a block. The old size that Lua passes is not used: for a closure
    /// that was refused memory for its upvalues, LuaJIT passes a smaller one than it requested.
    fn change(&self, block: *mut c_void, new_bytes: usize) -> *mut c_void {
        let Ok(new) = Layout::from_size_align(new_bytes, ALIGN) else {
            return ptr::null_mut();
        };
        let Some(block) = NonNull::new(block.cast::<u8>()) else {
            if new_bytes == 0 {
                return ptr::null_mut();
            }
            return self.granted(new);
        };
        if let Some(old_bytes) = self.reserve.size_of(block) {
            return self.change_reserved(block, old_bytes, new);
        }
        // SAFETY: Lua hands in a block that it got from here and has not given back.
        let old_bytes = unsafe { self.allocator.allocated_size(block) };
        if new_bytes == 0 {
            // SAFETY: as above, and Lua does not use it any more.
            unsafe { self.allocator.deallocate(block) };
            self.count(0, old_bytes);
            return ptr::null_mut();
        }
        let Ok(old) = Layout::from_size_align(old_bytes, ALIGN) else {
            return ptr::null_mut();
        };
        // SAFETY: the block is live, was asked with this alignment, and `old` is what was granted.
        let moved = unsafe { self.allocator.reallocate(block, old, new) };
        if let Ok(moved) = moved {
            self.count(moved.len(), old_bytes);
            return moved.cast::<c_void>().as_ptr();
        }
        if new_bytes <= old_bytes {
            return block.cast::<c_void>().as_ptr();
        }
        let moved = self.reserved(new_bytes);
        if let Some(moved) = NonNull::new(moved) {
            // SAFETY: both blocks are live, as large at least, and apart.
            unsafe { block.copy_to_nonoverlapping(moved.cast(), old_bytes) };
            // SAFETY: as above, and Lua does not use it any more.
            unsafe { self.allocator.deallocate(block) };
            self.count(0, old_bytes);
        }
        moved
    }

    /// Returns a new block, of the reserve where the allocator refuses.
    fn granted(&self, new: Layout) -> *mut c_void {
        match self.allocator.allocate(new) {
            Ok(block) => {
                self.count(block.len(), 0);
                block.cast::<c_void>().as_ptr()
            }
            Err(_) => self.reserved(new.size()),
        }
    }

    /// Returns a new block of the reserve, and has scripts stopped; null where it is too large for
    /// that.
    fn reserved(&self, bytes: usize) -> *mut c_void {
        let Some(block) = self.reserve.take(bytes) else {
            return ptr::null_mut();
        };
        self.count(self.reserve.size_of(block).unwrap_or(0), 0);
        let state = self.state.get();
        if !self.is_short.replace(true) && !state.is_null() {
            // SAFETY: the state is alive while it asks for memory, and this may be called at any
            // time, by signals too.
            unsafe { mlua_sys::lua_sethook(state, Some(self.hook), mlua_sys::LUA_MASKCOUNT, 1) };
        }
        block.cast::<c_void>().as_ptr()
    }

    /// Gives a block of the reserve back, or moves it.
    fn change_reserved(&self, block: NonNull<u8>, old_bytes: usize, new: Layout) -> *mut c_void {
        let new_bytes = new.size();
        let mut moved = ptr::null_mut();
        if new_bytes > 0 {
            if new_bytes <= old_bytes {
                return block.cast::<c_void>().as_ptr();
            }
            moved = self.granted(new);
            let Some(moved) = NonNull::new(moved) else { return ptr::null_mut() };
            // SAFETY: both blocks are live, as large at least, and apart.
            unsafe { block.copy_to_nonoverlapping(moved.cast(), old_bytes) };
        }
        self.reserve.give_back(block);
        self.count(0, old_bytes);
        moved
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
    let result = memory.change(block, new_bytes);
    if new_bytes > old_bytes && !result.is_null() {
        memory.note(new_bytes - old_bytes);
    }
    result
}
