//! Compiling a project again and again.

use core::fmt;

use std::collections::BTreeSet;

use crate::build::{Kept, compile, compile_changed};
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

    /// Compiles what depends on some files, of which the caller knows that nothing else has changed
    /// since the last compile: the system gives notice of what is saved. Where that is more than new
    /// contents of files that were there, everything is looked at, as [`compile`](Self::compile) does;
    /// so a file too many costs little. A file that is left out is found by the next whole compile.
    ///
    /// The index is not written: a process that ends before its next whole compile leaves the next
    /// process the same compiles.
    ///
    /// # Complexity
    ///
    /// O(files that changed, and what was made of them), and writing the table, which has 56 bytes
    /// for each resource. The first time O(resources) to find what was made of each file.
    ///
    /// # Errors
    ///
    /// As [`Project::compile`].
    pub fn compile_changed(
        &mut self,
        paths: &BTreeSet<String>,
        executor: &dyn Executor,
    ) -> Result<Report, BuildError> {
        if let Some(mut kept) = self.kept.take() {
            // After an error, and after anything that is left to a whole compile, all is read again.
            let report = compile_changed(self.project, executor, &mut kept, paths)?;
            self.kept = Some(kept);
            if let Some(report) = report {
                return Ok(report);
            }
        }
        self.compile(executor)
    }
}

impl fmt::Debug for CompileSession<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompileSession").field("has_kept", &self.kept.is_some()).finish()
    }
}
