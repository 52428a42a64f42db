//! Calls of a bound function that adds two numbers, from a loop in Lua, and the same by mlua's safe
//! layer; calls of one that takes a vector, which is checked or not.

pub(crate) mod batch;

use core::ffi::c_int;

use glam::Vec3;
use loligo_script::{Binding, Route, Script, Settings, Value};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::HEAP;

/// Calls in a pass.
const CALLS: u64 = 100_000;

/// What a loop does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    /// It calls through Lua's stack.
    Plain,
    /// It calls by the foreign function interface.
    Foreign,
    /// It adds in Lua in place of the call.
    Empty,
}

const CALLING: &str = "local add = add \
    function run(calls) local sum = 0 for i = 1, calls do sum = add(sum, i) end result = sum end";

const EMPTY: &str =
    "function run(calls) local sum = 0 for i = 1, calls do sum = sum + i end result = sum end";

/// The vector is of this frame, and each call looks whether it is.
const MEASURING: &str = "local length = length function run(calls) local sum, v = 0, Vector3(1, 2, 3) \
    for i = 1, calls do sum = sum + length(v) end result = sum end";

const BINDINGS: &[Binding<()>] = &[
    Binding::direct("add", "the sum", |_: &mut (), a: f64, b: f64| a + b),
    Binding::direct("length", "of a vector", |_: &mut (), v: Vec3| f64::from(v.x + v.y + v.z)),
];

/// Returns a contender whose operation is one turn of a loop.
pub(crate) fn our_calls(kind: Loop) -> Contender {
    let settings = Settings {
        route: if kind == Loop::Foreign { Route::Foreign } else { Route::Plain },
        checks: false,
        ..Settings::default()
    };
    loop_of(&settings, if kind == Loop::Empty { EMPTY } else { CALLING })
}

/// Returns a contender whose operation is a call with a vector that is checked, or is not.
pub(crate) fn our_vectors(checks: bool) -> Contender {
    loop_of(&Settings { checks, ..Settings::default() }, MEASURING)
}

fn loop_of(settings: &Settings, code: &str) -> Contender {
    let made = Script::try_new(BINDINGS, settings, &HEAP);
    let mut script = made.unwrap_or_else(|error| unreachable!("the machine is right: {error}"));
    let run = script.evaluate(&mut (), code).and_then(|_| script.callback("run"));
    let run = run.unwrap_or_else(|error| unreachable!("it is Lua: {error}"));
    Contender::new("loligo", move || {
        let calls = Value::Number(CALLS as f64);
        script.begin_frame();
        let ns = clock::time(|| {
            let called = script.call(&mut (), run, &[calls]);
            assert!(matches!(called, Ok(true)), "the loop runs: {called:?}");
        });
        Pass { ns, operations: CALLS }
    })
}

/// Returns the same loop with a function in C that does nothing: what LuaJIT itself takes to leave
/// compiled code, call and come back.
pub(crate) fn empty_calls() -> Contender {
    let lua = mlua::Lua::new();
    // SAFETY: the function touches and raises nothing.
    let function = unsafe { lua.create_c_function(nothing) };
    let run = function.and_then(|add| loop_in(&lua, add));
    of_mlua("an empty function in C", lua, run)
}

/// Returns no result.
unsafe extern "C-unwind" fn nothing(_: *mut mlua::lua_State) -> c_int {
    0
}

/// Returns the same loop with a function of mlua.
pub(crate) fn mlua_calls() -> Contender {
    let lua = mlua::Lua::new();
    let function = lua.create_function(|_, (a, b): (f64, f64)| Ok(a + b));
    let run = function.and_then(|add| loop_in(&lua, add));
    of_mlua("mlua", lua, run)
}

fn loop_in(lua: &mlua::Lua, add: mlua::Function) -> mlua::Result<mlua::Function> {
    lua.globals().set("add", add)?;
    lua.load(CALLING).exec()?;
    lua.globals().get("run")
}

fn of_mlua(name: &'static str, lua: mlua::Lua, run: mlua::Result<mlua::Function>) -> Contender {
    let run = run.unwrap_or_else(|error| unreachable!("it is Lua: {error}"));
    Contender::new(name, move || {
        let _ = &lua;
        let ns = clock::time(|| {
            let called = run.call::<()>(CALLS);
            assert!(called.is_ok(), "the loop runs: {called:?}");
        });
        Pass { ns, operations: CALLS }
    })
}
