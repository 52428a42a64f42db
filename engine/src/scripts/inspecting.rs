//! What tools ask of scripts: functions, objects, and what makes garbage.

use loligo_diagnostics::{Log, log};
use loligo_script::{Binding, GarbageTrace, ObjectCounts};

use super::Scripts;
use crate::memory::SharedAllocator;
use crate::world::World;

/// The most stacks of calls of a table of garbage.
const PLACES: usize = 256;

impl<'m> Scripts<'m> {
    /// Returns the functions of the engine that scripts can call.
    pub(crate) fn functions(&self) -> &[Binding<World<'m>>] {
        self.script.bindings()
    }

    /// Counts the objects of scripts, by type. O(objects).
    ///
    /// # Errors
    ///
    /// In words, if there is no memory for it.
    pub(crate) fn count_objects(&mut self) -> Result<ObjectCounts<'m>, String> {
        self.script.count_objects().map_err(|error| error.to_string())
    }

    /// Begins to record which calls make garbage; returns `true`, also where it is not possible, which
    /// is logged once.
    pub(crate) fn begin_garbage_trace(&mut self, log: &Log<'_, SharedAllocator<'m>>) -> bool {
        if let Err(error) = self.script.begin_trace(PLACES) {
            log!(log, Error, "what makes garbage cannot be recorded: {error}");
        }
        true
    }

    /// Returns what was recorded since it began, if it did.
    pub(crate) fn end_garbage_trace(
        &mut self,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Option<GarbageTrace<'m>> {
        let ended = self.script.end_trace();
        ended.inspect_err(|error| log!(log, Error, "{error}")).ok()?
    }
}
