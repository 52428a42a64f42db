//! What the engine is to run without.

use core::fmt;

use loligo_interface::SubsystemRow;

use crate::rows::OWN_ROWS;

/// A subsystem that the engine can run without, besides those that join by a row.
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
/// assert_eq!(error.to_string(), "no subsystem `entities` can be left out; one of input, monitor, render, script, tools, animation, physics, sound, text, debug_draw");
/// # Ok::<(), loligo_engine::UnknownSubsystem<'static>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisabledSubsystems {
    /// A bit for each of [`OptionalSubsystem::ALL`].
    bits: u8,
    /// A bit for each of the engine's own rows.
    rows: u32,
}

impl DisabledSubsystems {
    /// Leaves the subsystem of that name out.
    ///
    /// # Errors
    ///
    /// [`UnknownSubsystem`] if there is no subsystem of this name, or it cannot be left out.
    pub fn add<'n>(&mut self, name: &'n str) -> Result<(), UnknownSubsystem<'n>> {
        if let Some(at) = OWN_ROWS.iter().position(|row| row.name() == name) {
            self.rows |= 1 << at;
            return Ok(());
        }
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

    /// Returns `true` if the subsystem of one of the engine's own rows is left out.
    pub(crate) const fn has_row(&self, row: usize) -> bool {
        self.rows >> row & 1 != 0
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
        let optional = OptionalSubsystem::ALL.iter().map(|subsystem| subsystem.name());
        for (at, name) in optional.chain(OWN_ROWS.iter().map(SubsystemRow::name)).enumerate() {
            write!(f, "{}{name}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownSubsystem<'_> {}
