//! The subsystems of the engine: those with separate memory, and those that can be left out.

use loligo_allocators::SharedRef;
use loligo_input::InputSubsystem;
use loligo_interface::{Subsystem, SubsystemRow};

use crate::error::EngineError;
use crate::memory::{Memory, Room, SUBSYSTEMS_MAX, memory_of};
use crate::options::{DisabledSubsystems, OptionalSubsystem};
use crate::rows::OWN_ROWS;

/// The subsystems that are always there, by the names under which memory plans and `--without` know
/// them; last those that join by a row. Those of a game's rows come after.
pub const SUBSYSTEMS: [&str; FIRST.len() + OWN_ROWS.len()] = {
    let mut names = [""; FIRST.len() + OWN_ROWS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = if at < FIRST.len() { FIRST[at] } else { OWN_ROWS[at - FIRST.len()].name() };
        at += 1;
    }
    names
};

/// Those of them that do not join by a row.
const FIRST: [&str; 9] =
    ["engine", "entities", "input", "monitor", "render", "resources", "script", "tasks", "tools"];

/// Names of subsystems: those of [`SUBSYSTEMS`], and those of rows.
pub(crate) struct SubsystemNames {
    names: [&'static str; SUBSYSTEMS_MAX],
    count: usize,
}

impl SubsystemNames {
    /// Returns the names with those of rows.
    ///
    /// # Errors
    ///
    /// [`EngineError::Rows`] if they are too many, or a name is there already.
    pub(crate) fn try_new(rows: &[SubsystemRow]) -> Result<Self, EngineError> {
        let mut names = Self { names: [""; SUBSYSTEMS_MAX], count: 0 };
        for name in SUBSYSTEMS.into_iter().chain(rows.iter().map(SubsystemRow::name)) {
            let wrong = |what| EngineError::Rows { name, what };
            if names.as_slice().contains(&name) {
                return Err(wrong("two subsystems have this name; give one another"));
            }
            let place = names.names.get_mut(names.count);
            *place.ok_or(wrong("there are too many subsystems; 32 is the most"))? = name;
            names.count += 1;
        }
        Ok(names)
    }

    pub(crate) fn as_slice(&self) -> &[&'static str] {
        &self.names[..self.count]
    }
}

/// Returns the rows of a game, each with the place of its memory: the engine's own, but for those
/// that are left out, and after them the game's.
pub(crate) fn rows(
    without: DisabledSubsystems,
    games: &[SubsystemRow],
) -> impl Iterator<Item = (usize, &SubsystemRow)> {
    let own = OWN_ROWS.iter().enumerate();
    let own = own.filter(move |(at, _)| !without.has_row(*at));
    let all = own.chain((OWN_ROWS.len()..).zip(games));
    all.map(|(at, row)| (FIRST.len() + at, row))
}

/// Makes each of the engine's own subsystems that join as those of rows do, as for a game that has
/// all of them, and calls `each` with its name and it. For checks that every subsystem passes: a
/// game finds them in its world.
///
/// # Complexity
///
/// O(1), and what making a subsystem takes. All are gone when it returns, and their memory with them.
pub fn each_built_in<'m>(
    memory: SharedRef<'m>,
    mut each: impl FnMut(&'static str, &mut (dyn Subsystem<'m> + 'm)),
) {
    let mut all = BuiltIn::make(|_| true, |_| memory);
    for (name, subsystem) in all.all_mut() {
        if let Some(subsystem) = subsystem {
            each(name, subsystem);
        }
    }
    for row in &OWN_ROWS {
        if let Ok(mut made) = row.make(memory) {
            each(row.name(), &mut *made);
        }
    }
}

/// The engine's own subsystems, each by its type: what the world and scripts ask of it directly.
/// They are stepped before those of rows. A subsystem is added here, and its name above: no other
/// file of the engine knows which there are.
pub(crate) struct BuiltIn<'m> {
    pub(crate) input: Option<InputSubsystem<'m>>,
}

/// How many there are.
pub(crate) const BUILT_IN: usize = 1;

impl<'m> BuiltIn<'m> {
    /// Returns none of them.
    pub(crate) const fn none() -> Self {
        Self { input: None }
    }

    pub(crate) fn new(without: DisabledSubsystems, memory: &Memory<'m>) -> Self {
        Self::make(|subsystem| !without.has(subsystem), |room| memory_of(memory, room))
    }

    /// Makes those that a game has, each in its memory.
    fn make(
        has: impl Fn(OptionalSubsystem) -> bool,
        memory: impl Fn(Room) -> SharedRef<'m>,
    ) -> Self {
        let input = has(OptionalSubsystem::Input).then(|| InputSubsystem::new(memory(Room::Input)));
        Self { input }
    }

    /// Returns all of them, by their names.
    pub(crate) fn all(&self) -> [(&'static str, Option<&(dyn Subsystem<'m> + 'm)>); BUILT_IN] {
        [("input", self.input.as_ref().map(|input| input as _))]
    }

    /// Returns all of them, to be worked with.
    pub(crate) fn all_mut(
        &mut self,
    ) -> [(&'static str, Option<&mut (dyn Subsystem<'m> + 'm)>); BUILT_IN] {
        [("input", self.input.as_mut().map(|input| input as _))]
    }
}

/// Registers the compilers of the resource types that the engine's own subsystems have.
#[cfg(feature = "compile")]
pub(crate) fn register_compilers(compilers: &mut loligo_compiler::Compilers) {
    loligo_input::compile::register(compilers);
    crate::rows::register_compilers(compilers);
}
