//! A kind of work for graphics cards.

use core::fmt;

use loligo_allocators::{Own, SharedRef};
use loligo_gpu::{CardJob, Gpu};
use loligo_ids::IdString32;

use crate::error::SubsystemError;
use crate::subsystem::SubsystemMemory;

/// What does work of one kind, in the subsystem's memory.
pub type MadeJob<'m> = Own<'m, dyn CardJob + 'm, SubsystemMemory<'m>>;

/// Makes what does work of one kind, for a card.
pub type MakeJob = for<'m> fn(&Gpu, SharedRef<'m>) -> Result<MadeJob<'m>, SubsystemError>;

/// A kind of work that a subsystem's drawer asks for, and what does it.
#[derive(Clone, Copy)]
pub struct JobRow {
    kind: IdString32,
    make: MakeJob,
}

impl JobRow {
    /// Returns the row of a kind, by its name. Kinds of different subsystems have different names.
    #[must_use]
    pub const fn new(kind: &str, make: MakeJob) -> Self {
        Self { kind: IdString32::new(kind), make }
    }

    /// Returns the hash of its name.
    #[must_use]
    pub const fn kind(&self) -> IdString32 {
        self.kind
    }

    /// Makes what does the work.
    ///
    /// # Errors
    ///
    /// The subsystem's.
    pub fn make<'m>(
        &self,
        gpu: &Gpu,
        memory: SharedRef<'m>,
    ) -> Result<MadeJob<'m>, SubsystemError> {
        (self.make)(gpu, memory)
    }
}

impl fmt::Debug for JobRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobRow").field("kind", &self.kind).finish_non_exhaustive()
    }
}
