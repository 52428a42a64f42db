//! What scripts keep in a saved game: what their function `on_save` returns.

use loligo_containers::Array;
use loligo_diagnostics::Log;
use loligo_script::Value;

use super::Scripts;
use crate::memory::SharedAllocator;
use crate::world::World;

/// Defines the two functions below.
pub(super) const SAVING: &str = include_str!("saving.lua");

/// Returns the state as text.
const SAVE: &str = "loligo_saved_state()";

/// The function that is called with it.
pub(super) const LOAD: &str = "loligo_load_state";

impl<'m> Scripts<'m> {
    /// Returns what scripts keep, as text; `None` if it cannot be had, and the log says why.
    pub(crate) fn save(
        &mut self,
        world: &mut World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Option<Array<'m, u8, SharedAllocator<'m>>> {
        self.limit(|limits| limits.line);
        let saved = self.script.evaluate(world, SAVE);
        let state = match &saved {
            Ok(text) => Array::try_from_slice_in(text, self.failed.memory()).ok(),
            Err(_) => None,
        };
        self.note(saved, log);
        self.print(world, log);
        state
    }

    /// Calls what scripts have for a state that was kept.
    pub(crate) fn load_state(
        &mut self,
        world: &mut World<'m>,
        state: &[u8],
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        self.limit(|limits| limits.load);
        // It was text when it was saved; what is not is refused by the function.
        let state = core::str::from_utf8(state).unwrap_or("?");
        let called = self.script.call(world, self.load_state, &[Value::Text(state)]);
        self.note(called, log);
        self.read_batches(world, false, log, &mut |_| {});
        self.print(world, log);
    }
}
