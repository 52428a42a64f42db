//! The rooms of the engine: what has memory of its own, and what may be left out.

use core::fmt;

/// The rooms, by the names under which memory plans and `--without` know them.
pub const ROOMS: [&str; 8] =
    ["engine", "entities", "monitor", "render", "resources", "script", "tasks", "tools"];

/// A room that the engine runs without, where it is told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optional {
    /// Recording of what the threads do.
    Monitor,
    /// Render objects, the render thread and its back end.
    Render,
    /// The game's scripts.
    Script,
    /// The port for tools.
    Tools,
}

impl Optional {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Monitor, Self::Render, Self::Script, Self::Tools];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monitor => "monitor",
            Self::Render => "render",
            Self::Script => "script",
            Self::Tools => "tools",
        }
    }
}

/// The rooms that are left out: to find out whether a fault goes with one of them ("Extreme Bug
/// Hunting", Bitsquid blog, 2011-04-12).
///
/// # Examples
///
/// ```
/// use loligo_engine::{Optional, Without};
///
/// let mut without = Without::default();
/// without.add("render")?;
/// assert!(without.has(Optional::Render) && !without.has(Optional::Script));
/// let error = without.add("entities").expect_err("a game is made of them");
/// assert_eq!(error.to_string(), "no room `entities` can be left out; one of monitor, render, script, tools");
/// # Ok::<(), loligo_engine::NoRoom<'static>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// A bit for each of [`Optional::ALL`].
    bits: u8,
}

impl Without {
    /// Leaves the room of that name out.
    ///
    /// # Errors
    ///
    /// [`NoRoom`] if there is none, or it cannot be left out.
    pub fn add<'n>(&mut self, name: &'n str) -> Result<(), NoRoom<'n>> {
        let room = Optional::ALL.into_iter().find(|room| room.name() == name);
        self.bits |= 1 << room.ok_or(NoRoom { name })? as u8;
        Ok(())
    }

    /// Returns `true` if a room is left out.
    #[must_use]
    pub const fn has(&self, room: Optional) -> bool {
        self.bits & (1 << room as u8) != 0
    }
}

/// A name that is none of a room that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom<'n> {
    /// The name.
    pub name: &'n str,
}

impl fmt::Display for NoRoom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no room `{}` can be left out; one of ", self.name)?;
        for (at, room) in Optional::ALL.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { "" } else { ", " }, room.name())?;
        }
        Ok(())
    }
}

impl core::error::Error for NoRoom<'_> {}
