//! The functions that Lua calls.
//!
//! Each is entered from Lua, inside of a protected call. None has anything to drop when it raises:
//! what Rust does on its own account, the bound function first of all, is over before, and its
//! panics are caught.

use core::ffi::{CStr, c_int, c_void};
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::binding::{Binding, Function};
use crate::handle;
use crate::host::Host;
use crate::kind::Kind;
use crate::lua::{Lua, Type, lua_State, upvalue};
use crate::memory::Memory;
use crate::runtime::{Bound, Runtime};
use crate::slots::TextSlot;

/// Returns the stack of a C function that Lua calls, and what it shares with all others, its first
/// upvalue.
///
/// # Safety
///
/// `state` is what Lua handed in, and the function's first upvalue is the address of a [`Runtime`]
/// that lives as long as the state.
pub(crate) unsafe fn shared<'r, W>(state: *mut lua_State) -> (Lua, &'r Runtime<'r, W>) {
    // SAFETY: Lua's state is alive while Lua calls; the caller's frames keep the invariants.
    let lua = unsafe { Lua::of(state) };
    let runtime = lua.pointer(upvalue(1)).cast::<Runtime<'r, W>>();
    // SAFETY: the caller's promise; it is shared alone.
    (lua, unsafe { &*runtime })
}

/// Does the work that was put into the runtime.
///
/// # Safety
///
/// As [`shared`].
pub(crate) unsafe extern "C-unwind" fn invoke<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    if let Some(work) = runtime.work.take() {
        // SAFETY: the caller that stored it waits for this call, and `run` belongs to `data`.
        unsafe { (work.run)(work.data, lua) };
    }
    0
}

/// A function that is called with a [`Call`](crate::Call), by way of Lua's stack. Its upvalue is
/// its [`Bound`].
///
/// # Safety
///
/// `state` is what Lua handed in, and the function's upvalue is the address of a [`Bound`] that
/// lives as long as the state.
pub(crate) unsafe extern "C-unwind" fn plain<W>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua's state is alive while Lua calls; the caller's frames keep the invariants.
    let lua = unsafe { Lua::of(state) };
    // SAFETY: the caller's promise; it is shared alone.
    let bound = unsafe { &*lua.pointer(upvalue(1)).cast::<Bound<W>>() };
    let (runtime, binding) = (bound.runtime(), &bound.binding);
    for (argument, kind) in binding.arguments.iter().enumerate() {
        if !take_argument(lua, runtime, argument, *kind) {
            refuse_argument(lua, bound, argument);
        }
    }
    if !enter(bound) {
        raise_message(lua, runtime);
    }
    // SAFETY: by the runtime's invariant 3 nobody else looks at the slots now, nor does what is
    // called on the stack.
    let slots = unsafe { &*runtime.slots.get() };
    for (result, kind) in binding.results.iter().enumerate() {
        let number = slots.results[result];
        match kind {
            Kind::Bool => lua.push_bool(number != 0.0),
            Kind::Text => {
                let text = slots.result_texts[result];
                // SAFETY: the text is in the runtime, which outlives this call.
                unsafe { lua.push_raw_text(text.data, text.bytes) }
            }
            Kind::OptionalId(_) if number == 0.0 => lua.push_nil(),
            _ => lua.push_number(number),
        }
    }
    binding.results.len() as c_int
}

/// Runs a function that takes a [`Call`](crate::Call); direct ones are not bound by way of this.
fn enter<W>(bound: &Bound<W>) -> bool {
    let (runtime, binding) = (bound.runtime(), &bound.binding);
    match binding.function {
        Function::Call(function) => runtime.enter(binding, function),
        Function::Numbered(number, function) => {
            runtime.enter(binding, |host, call| function(host, number, call))
        }
        Function::Direct(_) => {
            runtime.say(format_args!("{}: bound the wrong way", binding.name));
            false
        }
    }
}

/// Raises that an argument on the stack is of another type than it must be.
#[cold]
pub(crate) fn refuse_argument<W>(lua: Lua, bound: &Bound<W>, argument: usize) -> ! {
    let runtime = bound.runtime();
    say_type(lua, runtime, &bound.binding, argument, argument as c_int + 1);
    raise_message(lua, runtime)
}

/// Moves an argument from the stack into its slot; false where it is of another type.
#[inline]
fn take_argument<W>(lua: Lua, runtime: &Runtime<'_, W>, argument: usize, kind: Kind) -> bool {
    let place = argument as c_int + 1;
    // SAFETY: by its invariant 3 nobody else looks at the slots now, nor does what is called here.
    let slots = unsafe { &mut *runtime.slots.get() };
    if matches!(kind, Kind::Text) {
        let (data, bytes) = lua.text(place);
        slots.argument_texts[argument] = TextSlot { data, bytes };
        return !data.is_null();
    }
    if kind.is_table() {
        let (table, count) = lua.table(place);
        slots.argument_texts[argument] = TextSlot { data: table.cast(), bytes: count };
        let is_left_out = matches!(kind, Kind::Fields) && lua.type_of(place) == Type::Nil;
        return is_left_out || !table.is_null();
    }
    let Some(number) = number_at(lua, place, kind) else { return false };
    slots.arguments[argument] = number;
    true
}

/// Returns the number that represents an argument on Lua's stack; `None` if it is of another type.
#[inline]
fn number_at(lua: Lua, place: c_int, kind: Kind) -> Option<f64> {
    let is = lua.type_of(place);
    match kind {
        Kind::Bool => (is == Type::Bool).then(|| f64::from(u8::from(lua.bool(place)))),
        Kind::OptionalId(_) if is == Type::Nil => Some(0.0),
        _ => (is == Type::Number).then(|| lua.number(place)),
    }
}

/// A function that is called with a [`Call`](crate::Call), by way of the foreign function
/// interface: arguments and results are in the slots. Returns 1 where it refuses.
///
/// # Safety
///
/// `bound` is the address of a [`Bound`] that lives.
pub(crate) unsafe extern "C" fn foreign<W>(bound: *const c_void) -> c_int {
    // SAFETY: the caller's promise; it is shared alone.
    let bound = unsafe { &*bound.cast::<Bound<W>>() };
    c_int::from(!enter(bound))
}

/// Raises what a foreign function said.
///
/// # Safety
///
/// As [`shared`].
pub(crate) unsafe extern "C-unwind" fn fail<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    // SAFETY: by the runtime's invariant 3 nobody else looks at the slots now.
    let slots = unsafe { &mut *runtime.slots.get() };
    slots.failed = 0;
    raise_message(lua, runtime)
}

/// Refuses an argument of a foreign function: the place of the function, that of the argument, and
/// the argument.
///
/// # Safety
///
/// As [`shared`].
pub(crate) unsafe extern "C-unwind" fn refuse<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    let (index, argument) = (lua.number(1) as usize, lua.number(2) as usize);
    say_type(lua, runtime, &runtime.entries[index], argument - 1, 3);
    raise_message(lua, runtime)
}

/// Says that an argument is of another type than it must be.
fn say_type<W>(
    lua: Lua,
    runtime: &Runtime<'_, W>,
    binding: &Binding<W>,
    argument: usize,
    place: c_int,
) {
    let wanted = binding.arguments[argument].name();
    let is = match lua.type_of(place) {
        Type::Nil => "nil",
        Type::Bool => "a boolean",
        Type::Text => "a string",
        Type::Table => "a table",
        Type::Function => "a function",
        Type::Number => match handle::unpack(lua.number(place)) {
            Some((code, _)) => {
                let (name, kind) = (binding.name, runtime.kind_name(code));
                let argument = argument + 1;
                let what =
                    format_args!("{name}: argument {argument} must be a {wanted}, and is a {kind}");
                return runtime.say(what);
            }
            None => "a number",
        },
        Type::Other => "something else",
    };
    let (name, argument) = (binding.name, argument + 1);
    runtime.say(format_args!("{name}: argument {argument} must be a {wanted}, and is {is}"));
}

/// Raises the message, after the place of the call; a function of this crate is not shown as one.
#[cold]
pub(crate) fn raise_message<W>(lua: Lua, runtime: &Runtime<'_, W>) -> ! {
    lua.push_where(1);
    // SAFETY: the text stays on the stack.
    if unsafe { lua.bytes(-1) }.starts_with(b"loligo:") {
        lua.push_text(b"");
    }
    // SAFETY: by its invariant 3 nobody else looks at it now.
    let message = unsafe { &*runtime.message.get() };
    lua.push_text(message.as_bytes());
    lua.concat(2);
    lua.raise()
}

/// Compiles a module that the host has: returns the function; or nothing and the reason.
///
/// # Safety
///
/// As [`shared`].
pub(crate) unsafe extern "C-unwind" fn load_module<W: Host>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    // SAFETY: the name stays on the stack.
    let name = unsafe { lua.bytes(1) };
    let source = runtime.with_host(|host| {
        catch_unwind(AssertUnwindSafe(|| {
            let name = str::from_utf8(name).unwrap_or_default();
            host.module(name).map(|source| (source.as_ptr(), source.len()))
        }))
    });
    lua.push_nil();
    match source {
        Some(Ok(Some((data, bytes)))) => {
            let mut chunk = [0; 512];
            let Some(chunk) = chunk_name(name, &mut chunk) else {
                lua.push_text(b"the name of a module is at most 500 bytes long");
                return 2;
            };
            // SAFETY: the host stays as it is while the source is read: it is not called before
            // that has ended, and its owner waits for this call.
            if unsafe { lua.load(data, bytes, chunk) } {
                return 1;
            }
            2
        }
        Some(Ok(None)) => {
            lua.push_text(b"");
            2
        }
        Some(Err(_)) => {
            lua.push_text(b"a panic in the engine while it looked for the module");
            2
        }
        None => {
            lua.push_text(b"a module cannot be loaded outside of a call from the engine");
            2
        }
    }
}

/// Writes the name that errors show: the file of the resource.
fn chunk_name<'n>(name: &[u8], place: &'n mut [u8; 512]) -> Option<&'n CStr> {
    let parts = [b"@", name, b".lua\0"];
    let mut len = 0;
    for part in parts {
        place.get_mut(len..len + part.len())?.copy_from_slice(part);
        len += part.len();
    }
    CStr::from_bytes_until_nul(&place[..len]).ok()
}

/// Hands a printed line to the host.
///
/// # Safety
///
/// As [`shared`].
pub(crate) unsafe extern "C-unwind" fn print<W: Host>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    // SAFETY: the line stays on the stack.
    let line = unsafe { lua.bytes(1) };
    // What is printed outside of a call, or by a host that panics, is lost.
    let _ = runtime.with_host(|host| catch_unwind(AssertUnwindSafe(|| host.print(line))));
    0
}

/// Returns a text for a number that is an id or a temporary; nothing for others.
///
/// # Safety
///
/// As [`shared`].
pub(crate) unsafe extern "C-unwind" fn show<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    let number = lua.number(1);
    let Some((code, bits)) = handle::unpack(number) else {
        return 0;
    };
    let temporaries = &runtime.temporaries;
    match code {
        1 => runtime.say(format_args!("Vector3{}", temporaries.vector3(number))),
        2 => runtime.say(format_args!("Quaternion{}", temporaries.quaternion(number))),
        3 => runtime.say(format_args!("Matrix4x4{}", temporaries.matrix(number))),
        4 => runtime.say(format_args!("View")),
        _ => runtime.say(format_args!("{} {bits}", runtime.kind_name(code))),
    }
    // SAFETY: by its invariant 3 nobody else looks at it now.
    let message = unsafe { &*runtime.message.get() };
    lua.push_text(message.as_bytes());
    1
}

/// Makes the text of an error, with the stack of calls. It runs no instruction of Lua, so that it
/// is there for calls that ran too many, too. Its first upvalue is `debug.traceback`.
///
/// # Safety
///
/// `state` is what Lua handed in.
pub(crate) unsafe extern "C-unwind" fn handler(state: *mut lua_State) -> c_int {
    // SAFETY: Lua's state is alive while Lua calls.
    let lua = unsafe { Lua::of(state) };
    lua.set_top(1);
    let type_name = match lua.type_of(1) {
        Type::Text => "",
        Type::Nil => "nil",
        Type::Bool => "boolean",
        Type::Number => "number",
        Type::Table => "table",
        Type::Function => "function",
        Type::Other => "userdata",
    };
    if !type_name.is_empty() {
        if !lua.push_own_text(1) {
            lua.push_text(b"an error that is no text, but a ");
            lua.push_text(type_name.as_bytes());
            lua.concat(2);
        }
        lua.replace(1);
    }
    // SAFETY: the text stays on the stack.
    let text = unsafe { lua.bytes(1) };
    if text.starts_with(NO_MEMORY)
        || text.windows(STACK_MARK.len()).any(|window| window == STACK_MARK)
    {
        return 1;
    }
    lua.push_value(upvalue(1));
    lua.push_value(1);
    lua.push_number(2.0);
    lua.call(2, 1);
    1
}

/// What Lua says where memory is out.
pub(crate) const NO_MEMORY: &[u8] = b"not enough memory";

/// Raises that memory is out, as Lua would have, if the allocator has refused something.
pub(crate) fn raise_if_short(lua: Lua, memory: &Memory<'_>) {
    if memory.is_short() {
        // Lua has this text from the start.
        lua.push_text(NO_MEMORY);
        lua.raise();
    }
}

/// What the stack of calls begins with: an error has one at most.
const STACK_MARK: &[u8] = b"\nstack traceback:";

/// How many instructions are run between two looks at how many are left.
pub(crate) const INSTRUCTIONS_STEP: i32 = 1000;

/// Stops a call that has run too many instructions, or is out of memory.
///
/// # Safety
///
/// `state` is what Lua handed in, and its memory is a [`Memory`].
pub(crate) unsafe extern "C-unwind" fn hook(
    state: *mut lua_State,
    _about: *mut mlua_sys::lua_Debug,
) {
    // SAFETY: Lua's state is alive while Lua calls.
    let lua = unsafe { Lua::of(state) };
    let mut memory = core::ptr::null_mut::<c_void>();
    // SAFETY: the state is alive; the address of its memory is written.
    unsafe { mlua_sys::lua_getallocf(state, &raw mut memory) };
    // SAFETY: the caller's promise; it is shared alone.
    let memory = unsafe { &*memory.cast::<Memory<'_>>() };
    raise_if_short(lua, memory);
    match memory.watch() {
        Some(watch) if watch.is_stopping() => raise_stopped(lua, memory),
        Some(watch) => {
            // It was set for a call that is over.
            watch.take_back();
        }
        None => {}
    }
    if memory.instructions_max.get() == 0 {
        return;
    }
    let left = memory.instructions_left.get() - i64::from(INSTRUCTIONS_STEP);
    memory.instructions_left.set(left);
    // SAFETY: the state is alive, and the hook is this one.
    let set = |count| unsafe {
        mlua_sys::lua_sethook(state, Some(hook), mlua_sys::LUA_MASKCOUNT, count);
    };
    if left < 0 {
        // Each instruction from now on, so that no script goes on that catches this.
        set(1);
        raise_stopped(lua, memory);
    }
    set(INSTRUCTIONS_STEP);
}

/// Returns `true` if the call that runs is being stopped.
///
/// # Safety
///
/// As [`shared`].
pub(crate) unsafe extern "C-unwind" fn is_stopping<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    lua.push_bool(runtime.memory.is_to_stop(0));
    1
}

/// Raises that the call that runs is stopped, where it was first, and why.
#[cold]
pub(crate) fn raise_stopped(lua: Lua, memory: &Memory<'_>) -> ! {
    raise_if_short(lua, memory);
    lua.push_where(0);
    // SAFETY: the text stays on the stack.
    let here = unsafe { lua.bytes(-1) };
    lua.push_text(memory.stop_place(here).as_bytes());
    match memory.watch().filter(|watch| watch.is_stopping()) {
        Some(watch) => {
            lua.push_text(b"the script ran longer than the ");
            lua.push_number(watch.time_max().as_secs_f64());
            lua.push_text(b" s that it may take and was stopped; an endless loop? Split the work over frames, or raise the limit");
            lua.concat(4);
        }
        None => {
            lua.push_text(b"the call ran more instructions than it may; an endless loop? Split the work over frames, or raise the limit");
            lua.concat(2);
        }
    }
    lua.raise()
}
