//! What Lua calls when a number is indexed: the elements of views.

use core::ffi::{c_int, c_void};

use crate::entry::{raise_message, shared};
use crate::frame::Frame;
use crate::handle;
use crate::kind::{Kind, VIEW};
use crate::lua::{Lua, Type, lua_State};
use crate::runtime::Runtime;
use crate::slots::NAN;
use crate::view::ViewError;

/// The results of what returns a number.
const NUMBER: &[Kind] = &[Kind::Number];

/// Returns `view[key]`, by way of Lua's stack.
///
/// # Safety
///
/// `state` is what Lua handed in, its memory is that of a [`Runtime`], whose address is also the
/// function's first upvalue.
pub(crate) unsafe extern "C-unwind" fn get<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (frame, runtime) = unsafe { entered::<W>(state, 2) };
    // SAFETY: there are two arguments.
    let view = unsafe { frame.number(0, Kind::Number) };
    // SAFETY: as above.
    let key = unsafe { frame.number(1, Kind::Number) };
    if let (Some(view), Some(key)) = (view, key)
        && let Some(value) = runtime.views.get(view, key)
    {
        return frame.push(NUMBER, value);
    }
    // SAFETY: the caller's promise.
    unsafe { refuse::<W>(state) }
}

/// Does `view[key] = value`, by way of Lua's stack.
///
/// # Safety
///
/// As [`get`].
pub(crate) unsafe extern "C-unwind" fn set<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (frame, runtime) = unsafe { entered::<W>(state, 3) };
    // SAFETY: there are three arguments.
    let view = unsafe { frame.number(0, Kind::Number) };
    // SAFETY: as above.
    let key = unsafe { frame.number(1, Kind::Number) };
    // SAFETY: as above.
    let value = unsafe { frame.number(2, Kind::Number) };
    if let (Some(view), Some(key), Some(value)) = (view, key, value)
        && runtime.views.set(view, key, value).is_some()
    {
        return 0;
    }
    // SAFETY: the caller's promise.
    unsafe { refuse::<W>(state) }
}

/// Returns `#view`, by way of Lua's stack.
///
/// # Safety
///
/// As [`get`].
pub(crate) unsafe extern "C-unwind" fn len<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (frame, runtime) = unsafe { entered::<W>(state, 1) };
    // SAFETY: there is an argument.
    let view = unsafe { frame.number(0, Kind::Number) };
    if let Some(len) = view.and_then(|view| runtime.views.len(view)) {
        return frame.push(NUMBER, len);
    }
    say_no_length(runtime, view.unwrap_or(0.0));
    // SAFETY: Lua's state is alive while Lua calls.
    raise_message(unsafe { Lua::of(state) }, runtime)
}

/// Returns the arguments and the state of the machine.
///
/// # Safety
///
/// As [`get`]; nothing was pushed yet.
#[inline]
unsafe fn entered<'r, W>(state: *mut lua_State, count: usize) -> (Frame, &'r Runtime<'r, W>) {
    // SAFETY: the caller's promise.
    let frame = unsafe { Frame::of(state) }.with_arguments(count);
    // SAFETY: the caller's promise; it is shared alone.
    (frame, unsafe { &*frame.memory().cast::<Runtime<'r, W>>() })
}

/// As [`get`], from compiled code. What is not a number in the end is a failure where the slots say
/// so.
///
/// # Safety
///
/// `runtime` is the address of a [`Runtime`] that lives.
pub(crate) unsafe extern "C" fn foreign_get<W>(runtime: *const c_void, view: f64, key: f64) -> f64 {
    // SAFETY: the caller's promise; it is shared alone.
    let runtime = unsafe { &*runtime.cast::<Runtime<'_, W>>() };
    match runtime.views.get(view, key) {
        Some(value) => value,
        None => flag(runtime, view, key),
    }
}

/// As [`set`], from compiled code. What is not a number is a failure.
///
/// # Safety
///
/// As [`foreign_get`].
pub(crate) unsafe extern "C" fn foreign_set<W>(
    runtime: *const c_void,
    view: f64,
    key: f64,
    value: f64,
) -> f64 {
    // SAFETY: the caller's promise; it is shared alone.
    let runtime = unsafe { &*runtime.cast::<Runtime<'_, W>>() };
    match runtime.views.set(view, key, value) {
        Some(()) => 0.0,
        None => flag(runtime, view, key),
    }
}

/// As [`len`], from compiled code. What is not a number is a failure.
///
/// # Safety
///
/// As [`foreign_get`].
pub(crate) unsafe extern "C" fn foreign_len<W>(runtime: *const c_void, view: f64) -> f64 {
    // SAFETY: the caller's promise; it is shared alone.
    let runtime = unsafe { &*runtime.cast::<Runtime<'_, W>>() };
    match runtime.views.len(view) {
        Some(len) => len,
        None => {
            say_no_length(runtime, view);
            fail(runtime)
        }
    }
}

/// Refuses `view[key]` or `view[key] = value`: the arguments are on the stack.
///
/// # Safety
///
/// As [`get`].
#[cold]
#[inline(never)]
pub(crate) unsafe extern "C-unwind" fn refuse<W>(state: *mut lua_State) -> c_int {
    // SAFETY: the caller's promise.
    let (lua, runtime) = unsafe { shared::<W>(state) };
    say_refusal(lua, runtime);
    raise_message(lua, runtime)
}

fn say_refusal<W>(lua: Lua, runtime: &Runtime<'_, W>) {
    let view = lua.number(1);
    if !is_view(view) {
        return say_no_view(lua, runtime, view);
    }
    if lua.type_of(2) != Type::Number {
        return runtime.say(format_args!("a view is indexed by whole numbers from 1 on alone"));
    }
    if lua.top() > 2 && lua.type_of(3) != Type::Number {
        return runtime.say(format_args!("a view holds numbers; nothing else is written to it"));
    }
    runtime.say(format_args!("{}", runtime.views.error(view, lua.number(2))));
}

/// Says that a number is not indexed, with the key, which is a name for the most part.
fn say_no_view<W>(lua: Lua, runtime: &Runtime<'_, W>, number: f64) {
    let name = number_name(runtime, number);
    // SAFETY: the text stays on the stack.
    let key = str::from_utf8(unsafe { lua.bytes(2) }).unwrap_or_default();
    if key.is_empty() {
        return runtime.say(format_args!("attempt to index a {name}"));
    }
    runtime.say(format_args!("attempt to index a {name} by '{key}'"));
}

/// Says why a number has no length.
#[cold]
fn say_no_length<W>(runtime: &Runtime<'_, W>, number: f64) {
    if is_view(number) {
        return runtime.say(format_args!("{}", ViewError::Over));
    }
    let name = number_name(runtime, number);
    runtime.say(format_args!("attempt to get length of a {name}"));
}

/// Says why a view gives no element, and returns what a foreign function returns then.
#[cold]
#[inline(never)]
fn flag<W>(runtime: &Runtime<'_, W>, view: f64, key: f64) -> f64 {
    if is_view(view) {
        runtime.say(format_args!("{}", runtime.views.error(view, key)));
    } else {
        let name = number_name(runtime, view);
        runtime.say(format_args!("attempt to index a {name}"));
    }
    fail(runtime)
}

#[cold]
fn fail<W>(runtime: &Runtime<'_, W>) -> f64 {
    // SAFETY: by the runtime's invariant 3 nobody else looks at the slots now.
    let slots = unsafe { &mut *runtime.slots.get() };
    slots.failed = 1;
    NAN
}

fn is_view(number: f64) -> bool {
    handle::unpack(number).is_some_and(|(code, _)| code == VIEW.code())
}

/// Returns what people call a number that is not a view.
fn number_name<W>(runtime: &Runtime<'_, W>, number: f64) -> &'static str {
    handle::unpack(number).map_or("number value", |(code, _)| runtime.kind_name(code))
}
