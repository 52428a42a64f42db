//! The machine that scripts run in.

mod setup;

use core::ffi::{CStr, c_int, c_void};
use core::fmt;
use core::ptr::NonNull;
use core::time::Duration;

use loligo_allocators::Allocator;
use loligo_containers::Array;

use crate::binding::Binding;
use crate::error::{ScriptError, ScriptErrorKind};
use crate::handle;
use crate::host::Host;
use crate::lua::Lua;
use crate::memory::{Memory, MemoryUse};
use crate::runtime::{Runtime, Work};
use crate::settings::Settings;
use crate::temporaries::Temporaries;
use crate::value::Value;
use crate::watch::Watch;
use crate::{entry, geometry, memory};

/// A function that the engine calls by name: `update`, `Game.shutdown`. It is found again whenever
/// scripts were loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Callback(pub(crate) u32);

/// What of the registry the machine needs again and again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept {
    /// Makes an error's text, with the stack of calls.
    pub(crate) handler: c_int,
    /// Does work within Lua.
    pub(crate) invoke: c_int,
    /// The functions of the prelude.
    pub(crate) prelude: c_int,
    /// Callbacks by number.
    pub(crate) callbacks: c_int,
}

/// A LuaJIT machine: scripts, their data, and the bound functions that they call. `W` is the host,
/// the world that those functions use; it is lent to each call.
///
/// Errors stop the call, not the machine: what a script did before it failed is done, and the next
/// call goes on from there. The collector runs when a [`Collector`](crate::Collector) makes it run,
/// and at no other time.
///
/// # Memory
///
/// All from the allocator that was passed in, also for LuaJIT itself: about 100 KiB for an empty
/// machine, 64 KiB in reserve, 92 bytes for each temporary that a frame may have. Machine code
/// alone is elsewhere: LuaJIT maps up to 2 MiB for it from the system.
///
/// # Threads
///
/// A machine stays on the thread that made it.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_script::{Host, Script, Settings, Value};
///
/// struct Scripts;
///
/// impl Host for Scripts {
///     fn module(&mut self, name: &str) -> Option<&[u8]> {
///         (name == "game").then_some(b"function update(dt) t = (t or 0) + dt end")
///     }
/// }
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("scripts", &pages);
/// let mut host = Scripts;
/// let mut script = Script::try_new(&[], &Settings::default(), &heap).unwrap();
/// script.load(&mut host, "game").unwrap();
/// let update = script.callback("update").unwrap();
///
/// for _ in 0..4 {
///     script.begin_frame();
///     assert!(script.call(&mut host, update, &[Value::Number(0.25)]).unwrap());
/// }
/// let shown = script.evaluate(&mut host, "t").unwrap();
/// assert_eq!(&*shown, b"1");
/// ```
///
/// # Invariants
///
/// 1. `runtime` has one element, which does not move while `state` lives; both go together.
/// 2. Between calls the stack of `state` is empty.
pub struct Script<'m, W> {
    state: NonNull<mlua_sys::lua_State>,
    runtime: Array<'m, Runtime<'m, W>>,
    kept: Kept,
}

impl<'m, W: Host> Script<'m, W> {
    /// Makes a machine with a table of bindings, in addition to those of vectors, rotations and
    /// matrices.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory, or a binding is not right.
    pub fn try_new(
        bindings: &[Binding<W>],
        settings: &Settings,
        memory: &'m dyn Allocator,
    ) -> Result<Self, ScriptError<'m>> {
        let mut entries = Array::try_from_slice_in(&geometry::vectors(), memory)?;
        entries.try_extend_from_slice(&geometry::rotations())?;
        entries.try_extend_from_slice(&geometry::matrices())?;
        entries.try_extend_from_slice(bindings)?;
        setup::check(&entries, memory)?;
        let temporaries = Temporaries::try_new_in(settings.temporaries, settings.checks, memory)?;
        let mut runtime = Array::try_with_capacity_in(1, memory)?;
        runtime.try_push(Runtime::new(entries, temporaries, Memory::new(memory, entry::hook)))?;
        runtime[0].try_bind()?;
        if !runtime[0].memory.fill_reserve() {
            return Err(ScriptError::memory());
        }
        let data = (&raw const runtime[0]).cast_mut().cast::<c_void>();
        // SAFETY: the runtime begins with the memory, and by invariant 1 stays where it is.
        let state = unsafe { mlua_sys::lua_newstate(memory::allocate, data) };
        let state = NonNull::new(state).ok_or_else(ScriptError::memory)?;
        runtime[0].memory.set_state(state);
        let mut script = Self { state, runtime, kept: Kept::default() };
        script.set_up(settings)?;
        Ok(script)
    }

    /// Begins a frame: temporaries of the last one are over.
    pub fn begin_frame(&mut self) {
        self.runtime().temporaries.next_frame();
    }

    /// Loads a module, and what it requires, unless it is loaded.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if the host has no such module, it is not valid Lua, or it fails.
    pub fn load(&mut self, host: &mut W, module: &str) -> Result<(), ScriptError<'m>> {
        self.with_name(host, c"require", module).map(drop)
    }

    /// Loads a module again, if it is loaded; returns whether it was.
    ///
    /// Functions in the module's table, tables in it and metatables are replaced in place, so that
    /// code that holds the table calls the new ones; other values stay as they are, so that the
    /// game goes on. New functions see the old table. What a script keeps of a module's functions
    /// in locals stays old.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load): then the old functions stay, though what the new text did before it
    /// failed is done.
    pub fn reload(&mut self, host: &mut W, module: &str) -> Result<bool, ScriptError<'m>> {
        self.with_name(host, c"reload", module)
    }

    /// Finds a function by its name, for [`call`](Self::call). The same name gives the same
    /// callback. There need not be such a function, or not yet.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory.
    pub fn callback(&mut self, name: &str) -> Result<Callback, ScriptError<'m>> {
        let (kept, mut index) = (self.kept, 0.0);
        self.protect(&mut |lua| {
            lua.push_kept(kept.prelude);
            lua.push_field(-1, c"callback");
            lua.push_text(name.as_bytes());
            lua.call(1, 1);
            index = lua.number(-1);
        })?;
        Ok(Callback(index as u32))
    }

    /// Calls a function; false if there is none of that name. Makes no garbage, except for texts
    /// that are new to Lua, and takes nothing from the global heap.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if it fails.
    pub fn call(
        &mut self,
        host: &mut W,
        callback: Callback,
        arguments: &[Value<'_>],
    ) -> Result<bool, ScriptError<'m>> {
        self.call_with(host, callback, 0, arguments)
    }

    /// Returns `true` if there is a function of that name, so that a call would find it.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory.
    pub fn is_defined(&mut self, callback: Callback) -> Result<bool, ScriptError<'m>> {
        let (kept, mut is_there) = (self.kept, false);
        self.protect(&mut |lua| {
            lua.push_kept(kept.callbacks);
            lua.push_element(-1, callback.0 as c_int);
            is_there = lua.bool(-1);
        })?;
        Ok(is_there)
    }

    /// Calls a function with the first `views` of the runtime, and arguments.
    pub(crate) fn call_with(
        &mut self,
        host: &mut W,
        callback: Callback,
        views: usize,
        arguments: &[Value<'_>],
    ) -> Result<bool, ScriptError<'m>> {
        let (kept, mut is_there) = (self.kept, false);
        let runtime: *const Runtime<'m, W> = self.runtime();
        self.protect_with(host, &mut |lua| {
            lua.push_kept(kept.callbacks);
            lua.push_element(-1, callback.0 as c_int);
            if !lua.bool(-1) {
                return;
            }
            is_there = true;
            let count = arguments.len().min(1 << 20) + views;
            lua.reserve(count as c_int);
            // SAFETY: the runtime lives as long as the machine that works here; it is shared alone.
            let runtime = unsafe { &*runtime };
            for place in 0..views {
                lua.push_number(runtime.views.handle(place));
            }
            for argument in arguments {
                push(lua, &runtime.temporaries, argument);
            }
            lua.call((arguments.len() + views) as c_int, 0);
        })?;
        Ok(is_there)
    }

    /// Adds the name of a callback to a text.
    pub(crate) fn name_of(
        &mut self,
        callback: Callback,
        name: &mut Array<'m, u8>,
    ) -> Result<(), ScriptError<'m>> {
        let (kept, mut copied) = (self.kept, Ok(()));
        self.protect(&mut |lua| {
            lua.push_kept(kept.prelude);
            lua.push_field(1, c"callback_names");
            lua.push_element(-1, callback.0 as c_int);
            // SAFETY: the text stays on the stack meanwhile.
            copied = name.try_extend_from_slice(unsafe { lua.bytes(-1) });
        })?;
        Ok(copied?)
    }

    /// Runs a line of the console, an expression or statements, and returns what it gives as text.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if it is not valid Lua, or fails.
    pub fn evaluate(&mut self, host: &mut W, code: &str) -> Result<Array<'m, u8>, ScriptError<'m>> {
        let kept = self.kept;
        let mut text = Array::new_in(self.allocator());
        let mut copied = Ok(());
        self.protect_with(host, &mut |lua| {
            lua.push_kept(kept.prelude);
            lua.push_field(-1, c"evaluate");
            lua.push_text(code.as_bytes());
            lua.call(1, 1);
            // SAFETY: the text stays on the stack meanwhile.
            copied = text.try_extend_from_slice(unsafe { lua.bytes(-1) });
        })?;
        copied?;
        Ok(text)
    }

    /// Sets the most instructions of one call, as [`Settings::instructions_max`] has it.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory. Nothing has changed then.
    pub fn set_instructions_max(&mut self, most: Option<u32>) -> Result<(), ScriptError<'m>> {
        self.set_compiled(most.is_none())?;
        self.runtime().memory.instructions_max.set(most.unwrap_or(0));
        Ok(())
    }

    /// Sets how long calls from now on may take, as an observer of the [`watch`](Self::watch) sees
    /// it: those that load, run a line or call a function. Without a limit, or where nobody looks,
    /// any time.
    pub fn set_time_max(&mut self, most: Option<Duration>) {
        self.runtime().memory.watched().set_time_max(most);
    }

    /// Returns what another thread looks at, to stop a call that does not end;
    /// [`Watchdog`](crate::Watchdog) is such a thread.
    #[must_use]
    pub fn watch(&mut self) -> Watch {
        self.runtime().memory.watched().clone()
    }

    /// Returns the bytes that scripts have and had.
    #[must_use]
    pub fn memory_use(&self) -> MemoryUse {
        self.runtime().memory.usage()
    }

    /// Returns the most temporaries of one kind that a frame had so far.
    #[must_use]
    pub fn temporaries_peak(&self) -> u32 {
        self.runtime().temporaries.peak_count()
    }

    /// Returns the table of bindings, those of this crate first: for consoles, documents, and tests
    /// that look for what is not bound.
    #[must_use]
    pub fn bindings(&self) -> &[Binding<W>] {
        &self.runtime().entries
    }

    /// Checks that no state of a call remains, and that memory and temporaries are counted right.
    /// O(1).
    ///
    /// # Panics
    ///
    /// If something is broken.
    pub fn validate(&self) {
        let runtime = self.runtime();
        assert!(runtime.host.get().is_null(), "a host is lent outside of a call");
        assert!(runtime.work.get().is_none(), "work was never done");
        assert!(runtime.views.len(runtime.views.handle(0)).is_none(), "views are open");
        // SAFETY: by the type's invariant the state lives as long as this.
        let top = unsafe { Lua::of(self.state.as_ptr()) }.top();
        assert_eq!(top, 0, "values were left on the stack");
        let MemoryUse { live_bytes, allocated_bytes, freed_bytes, peak_bytes } = self.memory_use();
        assert_eq!(live_bytes, allocated_bytes - freed_bytes, "of bytes that are allocated");
        assert!(
            live_bytes <= peak_bytes,
            "{live_bytes} bytes are more than the most, {peak_bytes}"
        );
        let (peak, most) = (runtime.temporaries.peak_count(), runtime.temporaries.count_max());
        assert!(peak as usize <= most, "{peak} temporaries in use of {most}");
    }

    /// Has everything that nobody holds collected at once. O(all that is alive): for loading
    /// screens.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory for it.
    pub fn collect_all(&mut self) -> Result<(), ScriptError<'m>> {
        self.protect_short(&mut |lua| {
            lua.collector(mlua_sys::LUA_GCCOLLECT, 0);
            lua.collector(mlua_sys::LUA_GCSTOP, 0);
        })
    }

    /// Has the collector do one step, about a kilobyte looked at; returns whether it has been
    /// through everything once more.
    pub(crate) fn collect_step(&mut self) -> Result<bool, ScriptError<'m>> {
        let mut is_through = false;
        self.protect_short(&mut |lua| {
            is_through = lua.collector(mlua_sys::LUA_GCSTEP, 0) != 0;
            lua.collector(mlua_sys::LUA_GCSTOP, 0);
        })?;
        Ok(is_through)
    }

    pub(crate) fn kept(&self) -> Kept {
        self.kept
    }

    pub(crate) fn set_kept(&mut self, kept: Kept) {
        self.kept = kept;
    }

    pub(crate) fn state(&self) -> NonNull<mlua_sys::lua_State> {
        self.state
    }

    pub(crate) fn runtime(&self) -> &Runtime<'m, W> {
        &self.runtime[0]
    }

    pub(crate) fn allocator(&self) -> &'m dyn Allocator {
        self.runtime().memory.allocator()
    }

    pub(crate) fn set_compiled(&mut self, is_on: bool) -> Result<(), ScriptError<'m>> {
        let kept = self.kept;
        self.protect(&mut |lua| {
            lua.push_kept(kept.prelude);
            for function in [c"set_compiled", c"use_views"] {
                lua.push_field(1, function);
                lua.push_bool(is_on);
                lua.call(1, 0);
            }
        })
    }

    /// Begins to count instructions, or stops to count.
    fn count_instructions(&self, most: u32) {
        self.runtime().memory.instructions_left.set(i64::from(most));
        let hook: Option<mlua_sys::lua_Hook> = (most > 0).then_some(entry::hook);
        let mask = if most > 0 { mlua_sys::LUA_MASKCOUNT } else { 0 };
        // SAFETY: the state is alive, and the hook keeps what a C function keeps.
        unsafe { mlua_sys::lua_sethook(self.state.as_ptr(), hook, mask, entry::INSTRUCTIONS_STEP) };
    }

    /// Calls a function of the prelude with a name; returns what it says.
    fn with_name(
        &mut self,
        host: &mut W,
        function: &CStr,
        name: &str,
    ) -> Result<bool, ScriptError<'m>> {
        let (kept, mut said) = (self.kept, false);
        self.protect_with(host, &mut |lua| {
            lua.push_kept(kept.prelude);
            lua.push_field(-1, function);
            lua.push_text(name.as_bytes());
            lua.call(1, 1);
            said = lua.bool(-1);
        })?;
        Ok(said)
    }

    /// Does work within Lua, the host lent to bound functions meanwhile.
    pub(crate) fn protect_with<F: FnMut(Lua)>(
        &mut self,
        host: &mut W,
        work: &mut F,
    ) -> Result<(), ScriptError<'m>> {
        self.runtime().host.set(host);
        let most = self.runtime().memory.instructions_max.get();
        self.runtime().memory.forget_stop();
        if most > 0 {
            self.count_instructions(most);
        }
        self.runtime().memory.watch().inspect(|watch| watch.begin());
        let result = self.protect(work);
        let is_stopped = self.runtime().memory.watch().is_some_and(Watch::end);
        if most > 0 {
            // What this crate does on its own account is not limited.
            self.count_instructions(0);
        }
        self.runtime().host.set(core::ptr::null_mut());
        if is_stopped { Err(self.stopped(result)) } else { result }
    }

    /// Returns the error of a call that was stopped, whatever the script made of it.
    #[cold]
    fn stopped(&mut self, result: Result<(), ScriptError<'m>>) -> ScriptError<'m> {
        let kept = self.kept;
        // Where it stood in the middle of the library, that begins as it was.
        let reset = self.protect(&mut |lua| {
            lua.push_kept(kept.prelude);
            lua.push_field(-1, c"reset");
            lua.call(0, 0);
        });
        match result.and(reset) {
            Ok(()) => ScriptError::words(
                ScriptErrorKind::Stopped,
                "the script ran longer than it may take and was stopped",
            ),
            Err(error) => error.stopped(),
        }
    }

    /// Does work within Lua, where errors are caught. The work has nothing to drop when it is left
    /// by one.
    pub(crate) fn protect<F: FnMut(Lua)>(&mut self, work: &mut F) -> Result<(), ScriptError<'m>> {
        if !self.runtime().memory.fill_reserve() {
            return Err(ScriptError::memory());
        }
        self.protect_short(work)
    }

    /// Does work within Lua that needs no memory, but gives some back: the reserve need not be
    /// whole for it.
    fn protect_short<F: FnMut(Lua)>(&mut self, work: &mut F) -> Result<(), ScriptError<'m>> {
        let data = core::ptr::from_mut(work).cast();
        self.runtime().work.set(Some(Work { data, run: run::<F> }));
        // SAFETY: by the type's invariant the state lives as long as this.
        let lua = unsafe { Lua::of(self.state.as_ptr()) };
        lua.push_kept(self.kept.handler);
        lua.push_kept(self.kept.invoke);
        let status = lua.call_protected(0, 0, 1);
        self.runtime().work.set(None);
        self.end_short();
        let result = self.outcome(lua, status);
        lua.set_top(0);
        result
    }

    /// Lets scripts go on that were to be stopped.
    pub(crate) fn end_short(&self) {
        if self.runtime().memory.take_short() {
            // SAFETY: the state is alive.
            unsafe { mlua_sys::lua_sethook(self.state.as_ptr(), None, 0, 0) };
        }
    }

    /// Makes an error of what is on top.
    pub(crate) fn outcome(&self, lua: Lua, status: c_int) -> Result<(), ScriptError<'m>> {
        let kind = match status {
            mlua_sys::LUA_OK => return Ok(()),
            mlua_sys::LUA_ERRMEM => return Err(ScriptError::memory()),
            _ => ScriptErrorKind::Run,
        };
        // SAFETY: the text stays on the stack meanwhile.
        let bytes = unsafe { lua.bytes(-1) };
        // When it is caught and raised again, Lua raises this one as an ordinary text.
        if bytes.starts_with(entry::NO_MEMORY) {
            return Err(ScriptError::memory());
        }
        match Array::try_from_slice_in(bytes, self.allocator()) {
            Ok(text) => Err(ScriptError::with_text(kind, text)),
            Err(_) => Err(ScriptError::words(
                kind,
                "a script failed, and there is no memory to say why; raise the budget of scripts",
            )),
        }
    }
}

/// Runs work of a type that was put away.
///
/// # Safety
///
/// `data` is the address of an `F` that nobody else uses now.
unsafe fn run<F: FnMut(Lua)>(data: *mut c_void, lua: Lua) {
    // SAFETY: the caller's promise.
    let work = unsafe { &mut *data.cast::<F>() };
    work(lua);
}

/// Pushes an argument of a callback.
#[inline]
pub(crate) fn push(lua: Lua, temporaries: &Temporaries<'_>, value: &Value<'_>) {
    let handle = match *value {
        Value::Nil => return lua.push_nil(),
        Value::Bool(value) => return lua.push_bool(value),
        Value::Number(number) => return lua.push_number(number),
        Value::Text(text) => return lua.push_text(text.as_bytes()),
        Value::Id(kind, id) => Ok(handle::pack(kind, id)),
        Value::Vector3(vector) => temporaries.add_vector3(vector),
        Value::Quaternion(rotation) => temporaries.add_quaternion(rotation),
        Value::Matrix4x4(matrix) => temporaries.add_matrix(matrix),
    };
    match handle {
        Ok(handle) => lua.push_number(handle),
        Err(_) => {
            lua.push_text(b"this frame has had all its temporaries; raise `temporaries` in the settings of scripts");
            lua.raise()
        }
    }
}

impl<W> Drop for Script<'_, W> {
    fn drop(&mut self) {
        self.runtime[0].memory.watch().inspect(|watch| watch.close());
        // SAFETY: the state is alive, and not used again; the runtime, which it may still call
        // into, goes after it.
        unsafe { mlua_sys::lua_close(self.state.as_ptr()) };
    }
}

impl<W> fmt::Debug for Script<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("memory", &self.runtime[0].memory.usage())
            .finish_non_exhaustive()
    }
}
