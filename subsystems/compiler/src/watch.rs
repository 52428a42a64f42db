//! Noticing that a project has changed.

use loligo_resources::ContentHash;

use crate::error::BuildError;
use crate::project::Project;

/// Looks at a project again and again, and says when something in it has changed.
///
/// It asks the file system for every file's size and times, as a compile does. That needs nothing
/// of the operating system, misses nothing on network drives or in containers, and costs as much as
/// the compile's first step. The caller's pause between two looks decides how much of a processor
/// that is.
#[derive(Debug, Default)]
pub struct Watch {
    seen: Option<ContentHash>,
}

impl Watch {
    /// Has seen nothing: the first look reports a change.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at the project; returns whether it is another than at the last look.
    ///
    /// # Complexity
    ///
    /// O(files), a question to the system for each.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if a folder cannot be read.
    pub fn look(&mut self, project: &Project<'_>) -> Result<bool, BuildError> {
        Ok(self.look_while(project, &|| true)?.unwrap_or(false))
    }

    /// Looks at the project as long as `goes_on`, which is asked at each folder, returns `true`:
    /// for a caller that has something more urgent to do. Returns nothing, and has seen nothing, if
    /// it ends early.
    ///
    /// # Complexity
    ///
    /// As [`look`](Self::look).
    ///
    /// # Errors
    ///
    /// [`BuildError`] if a folder cannot be read.
    pub fn look_while(
        &mut self,
        project: &Project<'_>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<bool>, BuildError> {
        let Some(seen) = project.scan_while(goes_on)?.map(|tree| tree.hash()) else {
            return Ok(None);
        };
        let is_other = self.seen != Some(seen);
        self.seen = Some(seen);
        Ok(Some(is_other))
    }

    /// Has seen what a compile saw, [`Report::seen`](crate::Report::seen): the next look finds what
    /// is another since then.
    pub const fn saw(&mut self, seen: ContentHash) {
        self.seen = Some(seen);
    }
}
