//! The input of a game as a subsystem of an engine: the feature `subsystem`.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, EventRecord, EventStream};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{Frame, Phase, ResourceChange, Subsystem, SubsystemError, SubsystemMemory};
use loligo_platform::INPUT_EVENT_TYPES;

use crate::{INPUT_TYPE, Input, MappingError};

#[cfg(feature = "script")]
mod functions;

/// The mapping of a game: `game.input`, in the folder of `game.config`.
pub const GAME_INPUT: &str = "game";

/// The bytes of a context in a saved game: its name and whether it is active.
const CONTEXT: usize = 5;

/// The [`Input`] of a game, with the mapping [`GAME_INPUT`]. What players do comes as commands, from
/// a window or a recording.
///
/// # Memory
///
/// That of the input, and the events of a frame.
#[derive(Debug)]
pub struct InputSubsystem<'m> {
    input: Input<'m, SubsystemMemory<'m>>,
    events: EventStream<'m, SubsystemMemory<'m>>,
}

impl<'m> InputSubsystem<'m> {
    /// Returns an input without a mapping.
    #[must_use]
    pub const fn new(memory: SharedRef<'m>) -> Self {
        Self { input: Input::new_in(memory), events: EventStream::new_in(memory) }
    }

    /// Returns what the player does in this frame.
    #[must_use]
    pub const fn input(&self) -> &Input<'m, SubsystemMemory<'m>> {
        &self.input
    }

    /// Returns it, to switch contexts.
    pub const fn input_mut(&mut self) -> &mut Input<'m, SubsystemMemory<'m>> {
        &mut self.input
    }
}

impl<'m> Subsystem<'m> for InputSubsystem<'m> {
    fn resource_types(&self) -> &'static [&'static str] {
        &[INPUT_TYPE]
    }

    fn resource(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        if change.name != IdString64::new(GAME_INPUT) {
            let what = "a game has one file of controls";
            return Err(SubsystemError::Wrong { what, remedy: "call it `game.input`" });
        }
        self.input.load(change.payload).map_err(|error| match error {
            MappingError::Grow(error) => SubsystemError::Grow(error),
            _ => SubsystemError::Wrong {
                what: "it is not a compiled input",
                remedy: "compile it again",
            },
        })
    }

    fn drop_resource(&mut self, _: IdString64, name: IdString64) {
        if name == IdString64::new(GAME_INPUT) {
            self.input = Input::new_in(self.events.memory());
        }
    }

    fn step(&mut self, phase: Phase, _: &mut Frame<'_>) -> Result<(), SubsystemError> {
        if phase != Phase::Input {
            return Ok(());
        }
        self.input.begin_frame();
        let applied = self.input.apply(self.events.reader());
        self.events.clear();
        Ok(applied?)
    }

    fn obeys(&self, kind: u32) -> bool {
        INPUT_EVENT_TYPES.contains(&kind)
    }

    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        if INPUT_EVENT_TYPES.contains(&command.kind()) {
            self.events.try_append(command.reader())?;
        }
        Ok(())
    }

    fn state_version(&self) -> u32 {
        1
    }

    /// Which contexts are active. What is held is not kept: nobody knows what is held when a game is
    /// loaded.
    fn save(&self, out: &mut Array<'m, u8, SubsystemMemory<'m>>) -> Result<(), SubsystemError> {
        for (name, is_active) in self.input.contexts() {
            out.try_extend_from_slice(&name.hash().to_ne_bytes())?;
            out.try_push(is_active.into())?;
        }
        Ok(())
    }

    fn load(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        if !state.len().is_multiple_of(CONTEXT) {
            let what = "the contexts of the input are not whole";
            return Err(SubsystemError::Wrong { what, remedy: "save the game again" });
        }
        self.input.release_all();
        for context in state.chunks_exact(CONTEXT) {
            let name = u32::from_ne_bytes([context[0], context[1], context[2], context[3]]);
            // One that the mapping has no more is passed over.
            self.input.set_context(IdString32::from_hash(name), context[4] != 0);
        }
        Ok(())
    }

    #[cfg(feature = "script")]
    fn functions(&self) -> &'static [loligo_interface::SubsystemFunction] {
        &functions::FUNCTIONS
    }

    #[cfg(feature = "script")]
    fn call(
        &mut self,
        function: usize,
        call: &mut loligo_script::Call<'_>,
    ) -> Result<(), loligo_script::ArgumentError> {
        functions::call(&mut self.input, function, call)
    }
}
