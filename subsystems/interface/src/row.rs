//! How a subsystem joins an engine.

use core::fmt;

use loligo_allocators::{Own, SharedRef};
use loligo_entities::EntityResource;
use loligo_ids::IdString64;

use crate::drawer::MadeDrawer;
use crate::error::SubsystemError;
use crate::subsystem::{Subsystem, SubsystemMemory};

/// A subsystem that was made, in its own memory.
pub type MadeSubsystem<'m> = Own<'m, dyn Subsystem<'m> + 'm, SubsystemMemory<'m>>;

/// Makes a subsystem in the memory that has its name.
pub type MakeSubsystem = for<'m> fn(SharedRef<'m>) -> Result<MadeSubsystem<'m>, SubsystemError>;

/// Makes the drawer of a subsystem, in the same memory.
pub type MakeDrawer = for<'m> fn(SharedRef<'m>) -> Result<MadeDrawer<'m>, SubsystemError>;

/// Calls a function with the types and names of resources that the components of a resource of
/// entities need: meshes and materials among them.
pub type ListNeeds = fn(&EntityResource<'_>, &mut dyn FnMut(&'static str, IdString64));

/// Calls a function with the types and names of the resources that a resource needs: one of a type, by the
/// hash of its name, with a payload.
pub type ListResourceNeeds = fn(IdString64, &[u8], &mut dyn FnMut(&'static str, IdString64));

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
/// const WEATHER: SubsystemRow = SubsystemRow::new("weather", |memory| {
///     Ok(own_dyn!(Own::new_in(Weather, memory)? => dyn Subsystem<'_> + '_))
/// });
/// assert_eq!(WEATHER.name(), "weather");
/// ```
#[derive(Clone, Copy)]
pub struct SubsystemRow {
    name: &'static str,
    make: MakeSubsystem,
    drawer: Option<MakeDrawer>,
    needs: Option<ListNeeds>,
    resource_needs: Option<ListResourceNeeds>,
    #[cfg(feature = "gpu")]
    jobs: &'static [crate::job_row::JobRow],
}

impl SubsystemRow {
    /// Returns the row of a subsystem: the name under which memory plans, reports and errors know
    /// it, and what makes it.
    #[must_use]
    pub const fn new(name: &'static str, make: MakeSubsystem) -> Self {
        Self {
            name,
            make,
            drawer: None,
            needs: None,
            resource_needs: None,
            #[cfg(feature = "gpu")]
            jobs: &[],
        }
    }

    /// Returns the row with a drawer, which is made where something is drawn.
    #[must_use]
    pub const fn with_drawer(self, drawer: MakeDrawer) -> Self {
        Self { drawer: Some(drawer), ..self }
    }

    /// Returns the row with what lists the resources that its components need, so that they are loaded
    /// with a level or an entity.
    #[must_use]
    pub const fn with_needs(self, needs: ListNeeds) -> Self {
        Self { needs: Some(needs), ..self }
    }

    /// Returns the row with what lists the resources that its resources need, so that they are loaded
    /// with these. It is called with resources of all types.
    #[must_use]
    pub const fn with_resource_needs(self, needs: ListResourceNeeds) -> Self {
        Self { resource_needs: Some(needs), ..self }
    }

    /// Returns the row with kinds of work for graphics cards, for which its drawer asks.
    #[cfg(feature = "gpu")]
    #[must_use]
    pub const fn with_jobs(self, jobs: &'static [crate::job_row::JobRow]) -> Self {
        Self { jobs, ..self }
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns `true` if it has a drawer.
    #[must_use]
    pub const fn has_drawer(&self) -> bool {
        self.drawer.is_some()
    }

    /// Returns what lists the resources that its components need.
    #[must_use]
    pub const fn needs(&self) -> Option<ListNeeds> {
        self.needs
    }

    /// Returns what lists the resources that its resources need.
    #[must_use]
    pub const fn resource_needs(&self) -> Option<ListResourceNeeds> {
        self.resource_needs
    }

    /// Makes the subsystem.
    ///
    /// # Errors
    ///
    /// The subsystem's.
    pub fn make<'m>(&self, memory: SharedRef<'m>) -> Result<MadeSubsystem<'m>, SubsystemError> {
        (self.make)(memory)
    }

    /// Makes the drawer, if it has one.
    ///
    /// # Errors
    ///
    /// The subsystem's.
    pub fn make_drawer<'m>(
        &self,
        memory: SharedRef<'m>,
    ) -> Result<Option<MadeDrawer<'m>>, SubsystemError> {
        self.drawer.map(|make| make(memory)).transpose()
    }

    /// Returns the kinds of work that it brings for graphics cards.
    #[cfg(feature = "gpu")]
    #[must_use]
    pub const fn jobs(&self) -> &'static [crate::job_row::JobRow] {
        self.jobs
    }
}

impl fmt::Debug for SubsystemRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubsystemRow").field("name", &self.name).finish_non_exhaustive()
    }
}
