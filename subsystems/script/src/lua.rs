//! The thin skin over Lua's C interface.

use core::ffi::{CStr, c_int, c_void};
use core::ptr::{self, NonNull};
use core::slice;

use mlua_sys as ffi;

pub(crate) use ffi::{lua_CFunction, lua_State};

/// The stack of a Lua thread.
///
/// # Invariants
///
/// 1. The state is alive: the caller of [`of`](Self::of) promises it.
/// 2. Methods that say "raises" are called inside of a protected call alone, and no frame of Rust
///    between the two has anything to drop: Lua leaves frames by unwinding or by a long jump.
/// 3. No more than 20 values are pushed without [`reserve`](Self::reserve), which is what Lua
///    grants to each C function.
/// 4. Indices name values that are there, or are from 1 on, where a missing value is reported as
///    such.
#[derive(Clone, Copy)]
pub(crate) struct Lua(NonNull<lua_State>);

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Nil,
    Bool,
    Number,
    Text,
    Table,
    Function,
    Other,
}

impl Lua {
    /// Wraps a state.
    ///
    /// # Safety
    ///
    /// The state is alive as long as this is used, and the invariants of the type are kept.
    pub(crate) unsafe fn of(state: *mut lua_State) -> Self {
        // SAFETY: a state that is alive is not null, which the caller promises.
        Self(unsafe { NonNull::new_unchecked(state) })
    }

    pub(crate) const fn raw(self) -> *mut lua_State {
        self.0.as_ptr()
    }

    pub(crate) fn type_of(self, index: c_int) -> Type {
        // SAFETY: invariants 1 and 4; nothing raises.
        let type_code = unsafe { ffi::lua_type(self.raw(), index) };
        match type_code {
            ffi::LUA_TNIL | ffi::LUA_TNONE => Type::Nil,
            ffi::LUA_TBOOLEAN => Type::Bool,
            ffi::LUA_TNUMBER => Type::Number,
            ffi::LUA_TSTRING => Type::Text,
            ffi::LUA_TTABLE => Type::Table,
            ffi::LUA_TFUNCTION => Type::Function,
            _ => Type::Other,
        }
    }

    pub(crate) fn number(self, index: c_int) -> f64 {
        // SAFETY: invariants 1 and 4; if it is not a number, zero is returned.
        unsafe { ffi::lua_tonumber(self.raw(), index) }
    }

    pub(crate) fn bool(self, index: c_int) -> bool {
        // SAFETY: invariants 1 and 4.
        unsafe { ffi::lua_toboolean(self.raw(), index) != 0 }
    }

    /// Returns the address and the length of a string. A number is not converted: that would
    /// allocate.
    pub(crate) fn text(self, index: c_int) -> (*const u8, usize) {
        if self.type_of(index) != Type::Text {
            return (ptr::null(), 0);
        }
        let mut bytes = 0;
        // SAFETY: invariants 1 and 4, and the value is a string already, so that nothing is
        // converted or raised.
        let data = unsafe { ffi::lua_tolstring(self.raw(), index, &raw mut bytes) };
        (data.cast(), bytes)
    }

    /// Returns the bytes of a string.
    ///
    /// # Safety
    ///
    /// The value stays on the stack, or is held elsewhere, as long as the bytes are used.
    pub(crate) unsafe fn bytes<'t>(self, index: c_int) -> &'t [u8] {
        let (data, bytes) = self.text(index);
        if data.is_null() {
            return &[];
        }
        // SAFETY: a string's bytes do not move or change while the string lives, which the caller
        // promises.
        unsafe { slice::from_raw_parts(data, bytes) }
    }

    pub(crate) fn pointer(self, index: c_int) -> *mut c_void {
        // SAFETY: invariants 1 and 4; if it is not a userdata, null is returned.
        unsafe { ffi::lua_touserdata(self.raw(), index) }
    }

    /// Returns the address of a table and how many elements it has from 1 on; null for anything else.
    /// It stays where it is while it lives.
    pub(crate) fn table(self, index: c_int) -> (*const c_void, usize) {
        if self.type_of(index) != Type::Table {
            return (ptr::null(), 0);
        }
        // SAFETY: invariants 1 and 4.
        let table = unsafe { ffi::lua_topointer(self.raw(), index) };
        // SAFETY: as above; no metamethod is called.
        (table, unsafe { ffi::lua_objlen(self.raw(), index) })
    }

    pub(crate) fn top(self) -> c_int {
        // SAFETY: invariant 1.
        unsafe { ffi::lua_gettop(self.raw()) }
    }

    pub(crate) fn set_top(self, top: c_int) {
        // SAFETY: invariants 1 and 3.
        unsafe { ffi::lua_settop(self.raw(), top) };
    }

    /// Makes room for `count` more values; raises.
    pub(crate) fn reserve(self, count: c_int) {
        // SAFETY: invariants 1 and 2; the message is a text that ends with zero.
        unsafe { ffi::luaL_checkstack(self.raw(), count, c"too many values".as_ptr()) };
    }

    pub(crate) fn push_nil(self) {
        // SAFETY: invariants 1 and 3.
        unsafe { ffi::lua_pushnil(self.raw()) };
    }

    pub(crate) fn push_bool(self, value: bool) {
        // SAFETY: invariants 1 and 3.
        unsafe { ffi::lua_pushboolean(self.raw(), c_int::from(value)) };
    }

    pub(crate) fn push_number(self, value: f64) {
        // SAFETY: invariants 1 and 3.
        unsafe { ffi::lua_pushnumber(self.raw(), value) };
    }

    pub(crate) fn push_value(self, index: c_int) {
        // SAFETY: invariants 1, 3 and 4.
        unsafe { ffi::lua_pushvalue(self.raw(), index) };
    }

    /// Pushes an address; raises.
    pub(crate) fn push_pointer<T>(self, pointer: *const T) {
        // SAFETY: invariants 1 to 3; Lua does not look at what is there.
        unsafe { ffi::lua_pushlightuserdata(self.raw(), pointer.cast_mut().cast()) };
    }

    /// Pushes a copy of bytes; raises.
    pub(crate) fn push_text(self, text: &[u8]) {
        // SAFETY: as `push_raw_text` asks; the bytes are borrowed for the call.
        unsafe { self.push_raw_text(text.as_ptr(), text.len()) };
    }

    /// Pushes a copy of bytes; raises.
    ///
    /// # Safety
    ///
    /// `bytes` bytes can be read from `data` on; what holds them need not be dropped by a frame
    /// that is left.
    pub(crate) unsafe fn push_raw_text(self, data: *const u8, bytes: usize) {
        // SAFETY: invariants 1 to 3, and the caller's promise.
        unsafe { ffi::lua_pushlstring(self.raw(), data.cast(), bytes) };
    }

    /// Pushes a C function that takes the topmost `upvalues` values with it; raises.
    pub(crate) fn push_closure(self, function: lua_CFunction, upvalues: c_int) {
        // SAFETY: invariants 1 to 4.
        unsafe { ffi::lua_pushcclosure(self.raw(), function, upvalues) };
    }

    /// Pushes a new table; raises.
    pub(crate) fn push_table(self) {
        // SAFETY: invariants 1 to 3.
        unsafe { ffi::lua_createtable(self.raw(), 0, 0) };
    }

    /// Pushes a field of the table at `index`; raises.
    pub(crate) fn push_field(self, index: c_int, name: &CStr) {
        // SAFETY: invariants 1 to 4; the name ends with zero.
        unsafe { ffi::lua_getfield_(self.raw(), index, name.as_ptr()) };
    }

    /// Sets a field of the table at `index` to the topmost value, which is popped; raises.
    pub(crate) fn set_field(self, index: c_int, name: &CStr) {
        // SAFETY: invariants 1 to 4; the name ends with zero.
        unsafe { ffi::lua_setfield(self.raw(), index, name.as_ptr()) };
    }

    /// Sets `table[key] = value` for the topmost two, which are popped, without metamethods;
    /// raises.
    pub(crate) fn raw_set(self, table: c_int) {
        // SAFETY: invariants 1 to 4; callers give a table.
        unsafe { ffi::lua_rawset(self.raw(), table) };
    }

    /// Replaces the topmost value, a key, by its value in the table, without metamethods.
    pub(crate) fn raw_get(self, table: c_int) {
        // SAFETY: invariants 1 and 4; callers give a table.
        unsafe { ffi::lua_rawget_(self.raw(), table) };
    }

    /// Pushes an element of a table, without metamethods.
    pub(crate) fn push_element(self, table: c_int, index: c_int) {
        // SAFETY: invariants 1, 3 and 4; callers give a table.
        unsafe { ffi::lua_rawgeti_(self.raw(), table, index) };
    }

    /// Takes the topmost value into the registry; raises. Returns where it is.
    pub(crate) fn keep(self) -> c_int {
        // SAFETY: invariants 1, 2 and 4; the registry is a table.
        unsafe { ffi::luaL_ref(self.raw(), ffi::LUA_REGISTRYINDEX) }
    }

    /// Pushes what [`keep`](Self::keep) took.
    pub(crate) fn push_kept(self, kept: c_int) {
        self.push_element(ffi::LUA_REGISTRYINDEX, kept);
    }

    /// Compiles a text and pushes the function and returns true, or pushes the reason why it is not
    /// valid and returns false. Raises where memory is out. Machine code and bytecode are refused.
    ///
    /// # Safety
    ///
    /// `bytes` bytes can be read from `data` on; what holds them need not be dropped by a frame
    /// that is left.
    pub(crate) unsafe fn load(self, data: *const u8, bytes: usize, chunk: &CStr) -> bool {
        // SAFETY: invariants 1 to 3 and the caller's promise; name and mode end with zero.
        let status = unsafe {
            ffi::luaL_loadbufferx(self.raw(), data.cast(), bytes, chunk.as_ptr(), c"t".as_ptr())
        };
        if status == ffi::LUA_ERRMEM {
            self.raise();
        }
        status == ffi::LUA_OK
    }

    /// Calls a function below its `arguments`; raises.
    pub(crate) fn call(self, arguments: c_int, results: c_int) {
        // SAFETY: invariants 1 to 4.
        unsafe { ffi::lua_call(self.raw(), arguments, results) };
    }

    /// Calls a function below its `arguments`, and says how it ended; the handler is at `handler`.
    pub(crate) fn call_protected(self, arguments: c_int, results: c_int, handler: c_int) -> c_int {
        // SAFETY: invariants 1, 3 and 4; nothing leaves a protected call.
        unsafe { ffi::lua_pcall(self.raw(), arguments, results, handler) }
    }

    /// Joins the topmost `count` strings; raises.
    pub(crate) fn concat(self, count: c_int) {
        // SAFETY: invariants 1 to 4.
        unsafe { ffi::lua_concat(self.raw(), count) };
    }

    /// Pushes `file:line: ` of the caller of the function that runs, or an empty text; raises.
    pub(crate) fn push_where(self, level: c_int) {
        // SAFETY: invariants 1 to 3.
        unsafe { ffi::luaL_where(self.raw(), level) };
    }

    /// Raises the topmost value as an error.
    pub(crate) fn raise(self) -> ! {
        // SAFETY: invariants 1, 2 and 4.
        unsafe { ffi::lua_error(self.raw()) }
    }

    /// Pushes what a value's own `__tostring` makes of it, if it has one and that gives a text;
    /// raises.
    pub(crate) fn push_own_text(self, index: c_int) -> bool {
        // SAFETY: invariants 1 to 4; the name ends with zero.
        let has_any = unsafe { ffi::luaL_callmeta(self.raw(), index, c"__tostring".as_ptr()) };
        has_any != 0 && self.type_of(-1) == Type::Text
    }

    /// Moves the topmost value to `index`.
    pub(crate) fn replace(self, index: c_int) {
        // SAFETY: invariants 1 and 4.
        unsafe { ffi::lua_replace(self.raw(), index) };
    }

    /// Opens a library and leaves what its opener returns first; raises.
    pub(crate) fn open(
        self,
        opener: unsafe extern "C-unwind" fn(*mut lua_State) -> c_int,
        name: &CStr,
    ) {
        self.push_closure(opener, 0);
        self.push_text(name.to_bytes());
        self.call(1, 1);
    }

    /// Sends the collector a command; raises.
    pub(crate) fn collector(self, what: c_int, data: c_int) -> c_int {
        // SAFETY: invariants 1 and 2.
        unsafe { ffi::lua_gc(self.raw(), what, data) }
    }
}

/// The index of an upvalue of the C function that runs.
pub(crate) const fn upvalue(number: c_int) -> c_int {
    ffi::lua_upvalueindex(number)
}

/// Compiles a text of this crate and pushes its function; raises.
pub(crate) fn load_own(lua: Lua, source: &[u8], chunk: &CStr) {
    // SAFETY: the text is borrowed for the call.
    if !unsafe { lua.load(source.as_ptr(), source.len(), chunk) } {
        lua.raise();
    }
}
