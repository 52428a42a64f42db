//! The frame of a C function that Lua calls, read and written in place.
//!
//! Lua's C interface takes a call for each argument and each result, and each of those looks up the
//! value by its index and its type by a table. Here a number is a load and a comparison. What that
//! needs of LuaJIT's inside is in `layout.rs`, and the C compiler checks it.

use core::ffi::{c_int, c_void};
use core::mem::offset_of;

use crate::kind::Kind;
use crate::layout::{self, FALSE, INTEGER, NIL, TRUE, TYPE_SHIFT};
use crate::lua::{Lua, Type, lua_State};

/// The beginning of LuaJIT's `lua_State`.
#[repr(C)]
struct StateHead {
    header: [u64; 2],
    global: *const GlobalHead,
    gc_list: u64,
    base: *mut u64,
    top: *mut u64,
}

/// The beginning of LuaJIT's `global_State`.
#[repr(C)]
struct GlobalHead {
    allocate: *const c_void,
    memory: *const c_void,
}

const _: () = assert!(offset_of!(StateHead, global) == layout::GLOBAL, "as LuaJIT has it");
const _: () = assert!(offset_of!(StateHead, base) == layout::BASE, "as LuaJIT has it");
const _: () = assert!(offset_of!(StateHead, top) == layout::TOP, "as LuaJIT has it");
const _: () = assert!(offset_of!(GlobalHead, memory) == layout::MEMORY, "as LuaJIT has it");

/// All values below are floats.
const FLOATS_END: u64 = INTEGER << TYPE_SHIFT;

/// The arguments of a C function, and the place of its result.
///
/// # Invariants
///
/// 1. From `base` to `top` are the function's arguments, and from `top` on there is room for what
///    Lua grants to each C function, 20 values.
/// 2. `lua` is of the thread that runs the function, and nothing was pushed since.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    lua: Lua,
    base: *mut u64,
    top: *mut u64,
}

impl Frame {
    /// Returns the frame of the C function that was just entered.
    ///
    /// # Safety
    ///
    /// `state` is what Lua handed to the function, and nothing was pushed yet.
    #[inline]
    pub(crate) unsafe fn of(state: *mut lua_State) -> Self {
        // SAFETY: Lua's state is alive while Lua calls; the caller's frames keep the invariants.
        let lua = unsafe { Lua::of(state) };
        let head = state.cast::<StateHead>();
        // SAFETY: the state is alive and begins so.
        let base = unsafe { (*head).base };
        // SAFETY: as above.
        let top = unsafe { (*head).top };
        Self { lua, base, top }
    }

    /// Returns what Lua was handed together with the function that allocates.
    #[inline]
    pub(crate) fn memory(self) -> *const c_void {
        let head = self.lua.raw().cast::<StateHead>();
        // SAFETY: by invariant 2 the state is alive, and begins so.
        let global = unsafe { (*head).global };
        // SAFETY: the state of all threads lives as long as each of them, and begins so.
        unsafe { (*global).memory }
    }

    /// Returns the frame with `count` arguments at least, 20 at most: missing ones are `nil`.
    #[inline]
    pub(crate) fn with_arguments(self, count: usize) -> Self {
        let bytes = self.top.addr() - self.base.addr();
        if bytes >= count * size_of::<u64>() {
            return self;
        }
        fill(self.lua, count);
        // SAFETY: by invariant 2 the state is that of the function; what was added are arguments.
        unsafe { Self::of(self.lua.raw()) }
    }

    /// Returns the number that represents an argument; `None` if it is of another type.
    ///
    /// # Safety
    ///
    /// There are more than `place` arguments.
    #[inline]
    pub(crate) unsafe fn number(self, place: usize, kind: Kind) -> Option<f64> {
        // SAFETY: the argument is there, by the caller's promise.
        let value = unsafe { self.base.add(place) };
        // SAFETY: as above; any bits are a number.
        let bits = unsafe { value.read() };
        match (kind, bits >> TYPE_SHIFT) {
            (Kind::Bool, TRUE) => Some(1.0),
            (Kind::Bool, FALSE) => Some(0.0),
            (Kind::Bool | Kind::Text, _) => None,
            _ if bits < FLOATS_END => Some(f64::from_bits(bits)),
            (Kind::OptionalId(_), NIL) => Some(0.0),
            _ => integer(self.lua, place),
        }
    }

    /// Pushes a result, if there is any, and returns how many there are: what the function returns
    /// to Lua. A number is no NaN but the one that Lua's values may hold.
    #[inline]
    pub(crate) fn push(self, kinds: &[Kind], number: f64) -> c_int {
        let bits = match kinds.first() {
            None => return 0,
            Some(Kind::Bool) => {
                // A value without bits has ones there.
                let code = if number == 0.0 { FALSE } else { TRUE };
                code << TYPE_SHIFT | ((1 << TYPE_SHIFT) - 1)
            }
            Some(Kind::OptionalId(_)) if number == 0.0 => u64::MAX,
            Some(_) => number.to_bits(),
        };
        // SAFETY: by invariant 1 there is room.
        unsafe { self.top.write(bits) };
        // SAFETY: as above.
        let top = unsafe { self.top.add(1) };
        let head = self.lua.raw().cast::<StateHead>();
        // SAFETY: by invariant 2 the state is alive and the function's, and nobody else writes it.
        unsafe { (*head).top = top };
        1
    }
}

/// Adds `nil` as arguments until there are `count`. Nothing is passed by address here or below: the
/// frame would be in memory for that, on the way of a call that is right.
#[cold]
#[inline(never)]
fn fill(lua: Lua, count: usize) {
    lua.set_top(count as c_int);
}

/// Returns a number that is not a float: some machines have integers too.
#[cold]
#[inline(never)]
fn integer(lua: Lua, place: usize) -> Option<f64> {
    let place = place as c_int + 1;
    (lua.type_of(place) == Type::Number).then(|| lua.number(place))
}
