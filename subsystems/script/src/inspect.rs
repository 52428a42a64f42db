//! What is alive, what holds it, and which calls make garbage.
//!
//! After Niklas Frykholm, "Fixing Memory Issues in Lua" (2011), whose search begins at the globals
//! and sees tables and userdata. Changes: it begins at the registry, too, goes through metatables,
//! upvalues, environments and the locals of coroutines, leaves weak links alone, and does not
//! recurse.

use loligo_containers::Array;

use crate::error::ScriptError;
use crate::host::Host;
use crate::script::Script;
use crate::trace::GarbageTrace;

/// How many objects of each type are alive, the most numerous first.
#[derive(Debug)]
pub struct ObjectCounts<'m>(Array<'m, u8>);

impl ObjectCounts<'_> {
    /// Returns each type's name and number. A type is the name under which a metatable is found in
    /// the globals or in a module, or `table`, `function`, `userdata`, `thread`.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        let lines = str::from_utf8(&self.0).unwrap_or_default().lines();
        lines.filter_map(|line| {
            let (name, count) = line.rsplit_once('\t')?;
            Some((name, count.parse().ok()?))
        })
    }

    /// Returns how many there are of a type.
    #[must_use]
    pub fn of(&self, type_name: &str) -> u64 {
        self.iter().find(|(name, _)| *name == type_name).map_or(0, |(_, count)| count)
    }
}

/// By what objects are held.
#[derive(Debug)]
pub struct ObjectPaths<'m>(Array<'m, u8>);

impl ObjectPaths<'_> {
    /// Returns the shortest way to each object, such as `globals.managers.paths[2027]`, or
    /// `globals.update.upvalue(cache)[3].metatable()`.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        str::from_utf8(&self.0).unwrap_or_default().lines()
    }
}

impl<'m, W: Host> Script<'m, W> {
    /// Counts all objects that are held, by type. O(objects), and as much memory meanwhile: for
    /// tools.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory for it.
    pub fn count_objects(&mut self) -> Result<ObjectCounts<'m>, ScriptError<'m>> {
        self.inspect(None, 0).map(ObjectCounts)
    }

    /// Finds what keeps objects of a type alive: the shortest way to each of the first `most`.
    /// O(objects), and as much memory meanwhile: for tools.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory for it.
    pub fn object_paths(
        &mut self,
        type_name: &str,
        most: u32,
    ) -> Result<ObjectPaths<'m>, ScriptError<'m>> {
        self.inspect(Some(type_name), most).map(ObjectPaths)
    }

    /// Begins to record which calls allocate, for up to `places` stacks of calls. Once memory
    /// neither grows nor shrinks, all of it is garbage soon. Nothing is compiled meanwhile, so that
    /// lines are true; what a coroutine allocates is charged to the caller that resumed it.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory for the table.
    pub fn begin_trace(&mut self, places: usize) -> Result<(), ScriptError<'m>> {
        let trace = GarbageTrace::try_new_in(places, self.allocator())?;
        self.set_compiled(false)?;
        let state = self.state();
        self.runtime().memory.begin_trace(trace, state);
        Ok(())
    }

    /// Ends what [`begin_trace`](Self::begin_trace) began and returns what was recorded, the stack
    /// with most allocations first; `None` if it was not begun.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if there is no memory to compile again.
    pub fn end_trace(&mut self) -> Result<Option<GarbageTrace<'m>>, ScriptError<'m>> {
        let trace = self.runtime().memory.end_trace();
        let is_limited = self.runtime().memory.instructions_max.get() > 0;
        self.set_compiled(!is_limited)?;
        Ok(trace.map(GarbageTrace::sorted))
    }

    /// Runs one of the functions that are written in Lua, and returns its text.
    fn inspect(
        &mut self,
        type_name: Option<&str>,
        most: u32,
    ) -> Result<Array<'m, u8>, ScriptError<'m>> {
        let prelude = self.kept().prelude;
        let mut text = Array::new_in(self.allocator());
        let mut copied = Ok(());
        self.protect(&mut |lua| {
            lua.push_kept(prelude);
            crate::lua::load_own(lua, INSPECT, c"=loligo");
            lua.push_field(1, c"hidden");
            lua.push_field(1, c"modules");
            lua.call(2, 1);
            lua.push_field(-1, if type_name.is_some() { c"paths" } else { c"count" });
            lua.push_text(type_name.unwrap_or_default().as_bytes());
            lua.push_number(f64::from(most));
            lua.call(2, 1);
            // SAFETY: the text stays on the stack meanwhile.
            copied = text.try_extend_from_slice(unsafe { lua.bytes(-1) });
        })?;
        copied?;
        Ok(text)
    }
}

/// The part of this that is written in Lua; it is compiled when it is needed.
const INSPECT: &[u8] = include_bytes!("inspect.lua");
