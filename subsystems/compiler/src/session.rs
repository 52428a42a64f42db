//! Compiling a project again and again.

use core::fmt;

use crate::build::{Kept, compile};
use crate::error::BuildError;
use crate::executor::Executor;
use crate::project::Project;
use crate::report::Report;

/// Compiles a project again and again, and keeps in memory what a compile finds out: while a game
/// runs, each file that is saved is compiled at once.
///
/// What is kept is true as long as no other program writes to the data folder, which each compile
/// asks first; then it reads the folder again. The data are those of [`Project::compile`].
///
/// # Memory
///
/// Some 700 bytes a resource.
///
/// # Examples
///
/// ```
/// use loligo_compiler::{CompileSession, Compilers, Project, Threads};
///
/// # let folder = tempfile::tempdir()?;
/// # let (sources, data) = (folder.path().join("sources"), folder.path().join("data"));
/// # std::fs::create_dir(&sources)?;
/// let compilers = Compilers::built_in();
/// let project = Project::new(&sources, &data, &compilers);
/// let mut session = CompileSession::new(&project);
/// std::fs::write(sources.join("door.config"), "width = 0.9")?;
/// assert_eq!(session.compile(&Threads::default())?.compiled, 1);
/// std::fs::write(sources.join("door.config"), "width = 1.1")?;
/// assert_eq!(session.compile(&Threads::default())?.compiled, 1);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub struct CompileSession<'p> {
    project: &'p Project<'p>,
    kept: Option<Kept>,
}

impl<'p> CompileSession<'p> {
    /// Begins with nothing in memory.
    #[must_use]
    pub const fn new(project: &'p Project<'p>) -> Self {
        Self { project, kept: None }
    }

    /// Returns the project.
    #[must_use]
    pub const fn project(&self) -> &'p Project<'p> {
        self.project
    }

    /// Compiles what has changed since the last compile.
    ///
    /// # Complexity
    ///
    /// That of [`Project::compile`] at first. Then a question to the file system for each file, but
    /// none for compiled ones; the index is not read, and no names are sorted unless there are
    /// others.
    ///
    /// # Errors
    ///
    /// As [`Project::compile`].
    pub fn compile(&mut self, executor: &dyn Executor) -> Result<Report, BuildError> {
        // After an error nothing is kept: the next compile reads what is there.
        let (report, kept) = compile(self.project, executor, self.kept.take())?;
        self.kept = kept;
        Ok(report)
    }
}

impl fmt::Debug for CompileSession<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompileSession").field("has_kept", &self.kept.is_some()).finish()
    }
}
