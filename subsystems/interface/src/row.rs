//! How a subsystem joins an engine.

use loligo_allocators::{Own, SharedRef};

use crate::error::SubsystemError;
use crate::subsystem::{Subsystem, SubsystemMemory};

/// A subsystem that was made, in its own memory.
pub type MadeSubsystem<'m> = Own<'m, dyn Subsystem<'m> + 'm, SubsystemMemory<'m>>;

/// A row in a table of subsystems.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Own, own_dyn};
/// use loligo_interface::{Subsystem, SubsystemRow};
///
/// struct Weather;
///
/// impl Subsystem<'_> for Weather {}
///
/// const WEATHER: SubsystemRow = SubsystemRow {
///     name: "weather",
///     make: |memory| Ok(own_dyn!(Own::new_in(Weather, memory)? => dyn Subsystem<'_> + '_)),
/// };
/// assert_eq!(WEATHER.name, "weather");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SubsystemRow {
    /// The name under which memory plans, reports and errors know it.
    pub name: &'static str,
    /// Makes it.
    pub make: for<'m> fn(SharedRef<'m>) -> Result<MadeSubsystem<'m>, SubsystemError>,
}
