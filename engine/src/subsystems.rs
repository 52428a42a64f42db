//! The subsystems of the engine: those with separate memory, and those that can be left out.

use core::fmt;

use loligo_input::InputSubsystem;
use loligo_interface::{Subsystem, SubsystemRow};

use crate::error::EngineError;
use crate::memory::Memory;
use crate::memory_plan::SUBSYSTEMS_MAX;

/// The subsystems that are always there, by the names under which memory plans and `--without` know
/// them. Those that join by a row come after.
pub const SUBSYSTEMS: [&str; 9] =
    ["engine", "entities", "input", "monitor", "render", "resources", "script", "tasks", "tools"];

/// Whose memory something is in: a place in [`SUBSYSTEMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Engine,
    Entities,
    Input,
    Monitor,
    Render,
    Resources,
    Script,
    Tasks,
    #[cfg_attr(not(feature = "tool-server"), expect(dead_code, reason = "of the port for tools"))]
    Tools,
}

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
        for name in SUBSYSTEMS.into_iter().chain(rows.iter().map(|row| row.name)) {
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
        let has = |subsystem| !without.has(subsystem);
        Self {
            input: has(OptionalSubsystem::Input)
                .then(|| InputSubsystem::new(memory.at(Room::Input as usize))),
        }
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
}

/// A subsystem that the engine can run without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionalSubsystem {
    /// Actions and axes of players.
    Input,
    /// Recording of what the threads do.
    Monitor,
    /// Render objects, the render thread and its back end.
    Render,
    /// The game's scripts.
    Script,
    /// The port for tools.
    Tools,
}

impl OptionalSubsystem {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Input, Self::Monitor, Self::Render, Self::Script, Self::Tools];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Monitor => "monitor",
            Self::Render => "render",
            Self::Script => "script",
            Self::Tools => "tools",
        }
    }
}

/// The subsystems that are left out: to find out whether a fault goes with one of them ("Extreme Bug
/// Hunting", Bitsquid blog, 2011-04-12).
///
/// # Examples
///
/// ```
/// use loligo_engine::{OptionalSubsystem, DisabledSubsystems};
///
/// let mut without = DisabledSubsystems::default();
/// without.add("render")?;
/// assert!(without.has(OptionalSubsystem::Render) && !without.has(OptionalSubsystem::Script));
/// let error = without.add("entities").expect_err("a game is made of them");
/// assert_eq!(error.to_string(), "no subsystem `entities` can be left out; one of input, monitor, render, script, tools");
/// # Ok::<(), loligo_engine::UnknownSubsystem<'static>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisabledSubsystems {
    /// A bit for each of [`OptionalSubsystem::ALL`].
    bits: u8,
}

impl DisabledSubsystems {
    /// Leaves the subsystem of that name out.
    ///
    /// # Errors
    ///
    /// [`UnknownSubsystem`] if there is no subsystem of this name, or it cannot be left out.
    pub fn add<'n>(&mut self, name: &'n str) -> Result<(), UnknownSubsystem<'n>> {
        let subsystem =
            OptionalSubsystem::ALL.into_iter().find(|subsystem| subsystem.name() == name);
        self.bits |= 1 << subsystem.ok_or(UnknownSubsystem { name })? as u8;
        Ok(())
    }

    /// Returns `true` if a subsystem is left out.
    #[must_use]
    pub const fn has(&self, subsystem: OptionalSubsystem) -> bool {
        self.bits & (1 << subsystem as u8) != 0
    }
}

/// A name that is not the name of a subsystem that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSubsystem<'n> {
    /// The name.
    pub name: &'n str,
}

impl fmt::Display for UnknownSubsystem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no subsystem `{}` can be left out; one of ", self.name)?;
        for (at, subsystem) in OptionalSubsystem::ALL.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { "" } else { ", " }, subsystem.name())?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownSubsystem<'_> {}
