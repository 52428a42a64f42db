//! What a machine has from the start: libraries, the prelude, bindings.

use core::ffi::{CStr, c_int, c_void};

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError, text};
use mlua_sys as ffi;

use crate::binding::{Binding, Function, Route};
use crate::entry;
use crate::error::{ScriptError, ScriptErrorKind};
use crate::foreign::{ForeignText, write_declarations};
use crate::host::Host;
use crate::lua::{Lua, load_own, lua_CFunction, lua_State};
use crate::runtime::{Bound, Runtime};
use crate::script::{Kept, Script};
use crate::settings::Settings;
use crate::slots::{ARGUMENTS_MAX, RESULTS_MAX};
use crate::{texts, view_entry};

/// The part of this crate that is written in Lua.
const PRELUDE: &[u8] = include_bytes!("../prelude.lua");

/// Functions of Lua's library in a form that can be stopped.
const LIBRARY: &[u8] = include_bytes!("../library.lua");

/// What numbers that are views do.
const VIEWS: &[u8] = include_bytes!("../views.lua");

/// Classes on top of what is bound.
const CLASSES: &[u8] = include_bytes!("../classes.lua");

/// Looks at a table of bindings.
pub(crate) fn check<'m, W>(
    entries: &[Binding<W>],
    memory: &'m dyn Allocator,
) -> Result<(), ScriptError<'m>> {
    for (index, entry) in entries.iter().enumerate() {
        let steps = entry.name.split('.');
        let is_name = |step: &str| {
            let mut bytes = step.bytes();
            bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
                && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let what = if steps.clone().count() > 2 || !steps.clone().all(is_name) {
            "its name must be `name` or `Table.name`, of letters, digits and `_`"
        } else if entry.arguments.len() > ARGUMENTS_MAX {
            "it has more arguments than a call has room for"
        } else if entry.results.len() > RESULTS_MAX {
            "it has more results than a call has room for"
        } else if entry.results.iter().any(|kind| kind.is_table()) {
            "no function returns a table"
        } else if entries[..index].iter().any(|other| other.name == entry.name) {
            "there is another of that name"
        } else {
            continue;
        };
        let mut message = Array::new_in(memory);
        let line = format_args!("the binding `{}` is not right: {what}", entry.name);
        return Err(match text::try_format(&mut message, line) {
            Ok(()) => ScriptError::with_text(ScriptErrorKind::Binding, message),
            Err(_) => ScriptError::memory(),
        });
    }
    Ok(())
}

/// What the first protected call needs: it is not made through [`Script::protect`], for which it
/// makes the ground.
struct Ground<'g, W> {
    runtime: *const Runtime<'g, W>,
    kept: Kept,
}

impl<'m, W: Host> Script<'m, W> {
    /// Gives a new state all that it has from the start.
    pub(crate) fn set_up(&mut self, settings: &Settings) -> Result<(), ScriptError<'m>> {
        let mut ground = Ground { runtime: self.runtime(), kept: Kept::default() };
        let data = (&raw mut ground).cast::<c_void>();
        // SAFETY: the state is alive and new; the function keeps what a C function keeps, and gets
        // its own data.
        let status = unsafe { ffi::lua_cpcall(self.state().as_ptr(), lay_ground::<W>, data) };
        // SAFETY: the state is alive as long as this.
        let lua = unsafe { Lua::of(self.state().as_ptr()) };
        self.end_short();
        self.outcome(lua, status)?;
        lua.set_top(0);
        self.set_kept(ground.kept);
        let tools = match settings.route {
            Route::Plain => {
                self.bind_plain()?;
                None
            }
            Route::Foreign => Some(self.bind_foreign()?),
        };
        self.bind_views(tools)?;
        self.protect(&mut |lua| {
            load_own(lua, CLASSES, c"=loligo");
            lua.call(0, 0);
        })?;
        self.set_instructions_max(settings.instructions_max)?;
        self.collect_all()
    }

    /// Binds all functions by way of Lua's stack.
    fn bind_plain(&mut self) -> Result<(), ScriptError<'m>> {
        (0..self.runtime().bound.len()).try_for_each(|index| self.bind_one_plain(index))
    }

    /// Binds a function by way of Lua's stack.
    fn bind_one_plain(&mut self, index: usize) -> Result<(), ScriptError<'m>> {
        let bound: *const Bound<W> = &raw const self.runtime().bound[index];
        let Binding { name, function, .. } = self.runtime().entries[index];
        let entry = match function {
            Function::Call(_) | Function::Numbered(..) => entry::plain::<W>,
            Function::Direct(direct) => direct.plain,
        };
        self.protect(&mut |lua| {
            lua.push_pointer(bound);
            lua.push_closure(entry, 1);
            set_global(lua, name);
        })
    }

    /// Binds all functions by way of the foreign function interface.
    /// Returns where what they need is kept.
    fn bind_foreign(&mut self) -> Result<c_int, ScriptError<'m>> {
        let runtime: *const Runtime<'m, W> = self.runtime();
        let slots = self.runtime().slots.get();
        let views = self.runtime().views.state();
        let memory = self.allocator();
        let mut declarations = Array::new_in(memory);
        write_declarations(&mut Out(&mut declarations)).map_err(|_| ScriptError::memory())?;
        let mut tools: c_int = 0;
        self.protect(&mut |lua| {
            lua.push_table();
            load_own(lua, &declarations, c"=loligo");
            lua.open(ffi::luaopen_ffi, c"ffi");
            lua.push_pointer(slots);
            lua.push_pointer(views);
            lua.call(3, 7);
            let names =
                [c"ids", c"doubles", c"floats", c"view_state", c"text_of", c"as_bound", c"slots"];
            for name in names {
                lua.set_field(1, name);
            }
            for (name, function) in
                [(c"refuse", entry::refuse::<W> as lua_CFunction), (c"fail", entry::fail::<W>)]
            {
                lua.push_pointer(runtime);
                lua.push_closure(function, 1);
                lua.set_field(1, name);
            }
            lua.push_field(ffi::LUA_GLOBALSINDEX, c"type");
            lua.set_field(1, c"type");
            lua.push_value(1);
            tools = lua.keep();
        })?;
        let mut source = Array::new_in(memory);
        for index in 0..self.runtime().entries.len() {
            let binding = self.runtime().entries[index];
            if binding.arguments.iter().any(|kind| kind.is_table()) {
                // A table has no address for foreign functions.
                self.bind_one_plain(index)?;
                continue;
            }
            let bound: *const Bound<W> = &raw const self.runtime().bound[index];
            let (enter, arguments) = match binding.function {
                Function::Call(_) | Function::Numbered(..) => {
                    let enter: unsafe extern "C" fn(*const c_void) -> c_int = entry::foreign::<W>;
                    (enter as *const c_void, -1)
                }
                Function::Direct(direct) => ((direct.foreign)(), binding.arguments.len() as c_int),
            };
            source.clear();
            text::try_format(
                &mut source,
                format_args!("{}", ForeignText { binding: &binding, index }),
            )
            .map_err(|_| ScriptError::memory())?;
            self.protect(&mut |lua| {
                lua.push_kept(tools);
                load_own(lua, &source, c"=loligo");
                for name in [c"slots", c"refuse", c"fail", c"type", c"text_of"] {
                    lua.push_field(1, name);
                }
                lua.push_field(1, c"as_bound");
                lua.push_pointer(bound);
                lua.push_pointer(enter);
                lua.push_number(f64::from(arguments));
                lua.call(3, 2);
                lua.call(7, 1);
                set_global(lua, binding.name);
            })?;
        }
        Ok(tools)
    }

    /// Has numbers that are views give their elements. `tools` is where that is kept which foreign
    /// functions need, if there are any.
    fn bind_views(&mut self, tools: Option<c_int>) -> Result<(), ScriptError<'m>> {
        let runtime: *const Runtime<'m, W> = self.runtime();
        let kept = self.kept();
        self.protect(&mut |lua| {
            lua.push_kept(kept.prelude);
            let prelude = lua.top();
            load_own(lua, VIEWS, c"=loligo");
            match tools {
                Some(tools) => lua.push_kept(tools),
                None => lua.push_table(),
            }
            let place = lua.top();
            lua.push_field(prelude, c"hidden");
            lua.push_field(-1, c"debug");
            lua.push_field(-1, c"setmetatable");
            lua.set_field(place, c"setmetatable");
            lua.set_top(place);
            let plain: [(&CStr, lua_CFunction); 4] = [
                (c"plain_get", view_entry::get::<W>),
                (c"plain_set", view_entry::set::<W>),
                (c"plain_len", view_entry::len::<W>),
                (c"refuse_view", view_entry::refuse::<W>),
            ];
            for (name, function) in plain {
                lua.push_pointer(runtime);
                lua.push_closure(function, 1);
                lua.set_field(place, name);
            }
            if tools.is_some() {
                lua.push_field(ffi::LUA_GLOBALSINDEX, c"math");
                lua.push_field(-1, c"floor");
                lua.set_field(place, c"floor");
                lua.set_top(place);
                push_foreign_views(lua, place, runtime);
            }
            lua.call(1, 1);
            lua.set_field(prelude, c"use_views");
        })
    }
}

/// Adds what compiled code calls for views to the table at `place`, and the state of the machine;
/// raises.
fn push_foreign_views<W>(lua: Lua, place: c_int, runtime: *const Runtime<'_, W>) {
    let get: unsafe extern "C" fn(*const c_void, f64, f64) -> f64 = view_entry::foreign_get::<W>;
    let set: unsafe extern "C" fn(*const c_void, f64, f64, f64) -> f64 =
        view_entry::foreign_set::<W>;
    let len: unsafe extern "C" fn(*const c_void, f64) -> f64 = view_entry::foreign_len::<W>;
    let all: [(&CStr, *const c_void, f64); 3] = [
        (c"get", get as *const c_void, 2.0),
        (c"set", set as *const c_void, 3.0),
        (c"len", len as *const c_void, 1.0),
    ];
    for (name, function, arguments) in all {
        lua.push_field(place, c"as_bound");
        lua.push_pointer(runtime);
        lua.push_pointer(function);
        lua.push_number(arguments);
        lua.call(3, 2);
        lua.set_field(place, name);
        lua.set_field(place, c"runtime");
    }
}

/// Writes into an array.
struct Out<'o, 'm>(&'o mut Array<'m, u8>);

impl core::fmt::Write for Out<'_, '_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let grown: Result<(), GrowError> = self.0.try_extend_from_slice(text.as_bytes());
        grown.map_err(|_| core::fmt::Error)
    }
}

/// Opens libraries, runs the prelude, and keeps what protected calls need.
///
/// # Safety
///
/// `state` is what Lua handed in, with the address of a [`Ground`] as its one argument.
unsafe extern "C-unwind" fn lay_ground<W: Host>(state: *mut lua_State) -> c_int {
    // SAFETY: Lua's state is alive while Lua calls.
    let lua = unsafe { Lua::of(state) };
    let ground = lua.pointer(1).cast::<Ground<'_, W>>();
    // SAFETY: the caller's promise; nobody else uses it now.
    let ground = unsafe { &mut *ground };
    let runtime = ground.runtime;
    // SAFETY: the runtime lives, and is shared alone.
    let memory = unsafe { &(*runtime).memory };
    lua.collector(ffi::LUA_GCSTOP, 0);
    // A step is about a kilobyte.
    lua.collector(ffi::LUA_GCSETSTEPMUL, 100);
    let libraries: [(&CStr, unsafe extern "C-unwind" fn(*mut lua_State) -> c_int); 7] = [
        (c"", ffi::luaopen_base),
        (c"table", ffi::luaopen_table),
        (c"string", ffi::luaopen_string),
        (c"math", ffi::luaopen_math),
        (c"bit", ffi::luaopen_bit),
        (c"debug", ffi::luaopen_debug),
        (c"jit", ffi::luaopen_jit),
    ];
    for (name, opener) in libraries {
        lua.open(opener, name);
        lua.set_top(1);
        entry::raise_if_short(lua, memory);
    }
    load_own(lua, PRELUDE, c"=loligo");
    for function in [entry::load_module::<W> as lua_CFunction, entry::print::<W>, entry::show::<W>]
    {
        lua.push_pointer(runtime);
        lua.push_closure(function, 1);
    }
    lua.push_field(ffi::LUA_GLOBALSINDEX, c"debug");
    lua.push_field(-1, c"traceback");
    lua.push_closure(entry::handler, 1);
    lua.replace(-2);
    lua.push_value(-1);
    ground.kept.handler = lua.keep();
    lua.call(4, 1);
    lua.push_field(2, c"callbacks");
    ground.kept.callbacks = lua.keep();
    lua.push_pointer(runtime);
    lua.push_closure(entry::invoke::<W>, 1);
    ground.kept.invoke = lua.keep();
    load_own(lua, LIBRARY, c"=loligo");
    for function in [texts::scan::<W> as lua_CFunction, entry::is_stopping::<W>] {
        lua.push_pointer(runtime);
        lua.push_closure(function, 1);
    }
    lua.call(2, 1);
    lua.set_field(2, c"reset");
    lua.push_value(2);
    ground.kept.prelude = lua.keep();
    0
}

/// Sets `Table.name` or `name` to the topmost value; raises.
fn set_global(lua: Lua, path: &str) {
    let value = lua.top();
    let Some((table, name)) = path.split_once('.') else {
        lua.push_text(path.as_bytes());
        lua.push_value(value);
        return lua.raw_set(ffi::LUA_GLOBALSINDEX);
    };
    lua.push_text(table.as_bytes());
    lua.raw_get(ffi::LUA_GLOBALSINDEX);
    if !lua.bool(-1) {
        lua.push_text(table.as_bytes());
        lua.push_table();
        lua.raw_set(ffi::LUA_GLOBALSINDEX);
        lua.push_text(table.as_bytes());
        lua.raw_get(ffi::LUA_GLOBALSINDEX);
    }
    let place = lua.top();
    lua.push_text(name.as_bytes());
    lua.push_value(value);
    lua.raw_set(place);
}
