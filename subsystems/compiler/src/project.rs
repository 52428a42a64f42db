//! A project, and what it is compiled into.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cache::TeamCache;
use crate::compilers::Compilers;
use crate::disk::{Disk, RealDisk};
use crate::error::BuildError;
use crate::shard::CompileShard;
use crate::target::{PLATFORM_OPTION, TARGET_OPTIONS, Target};
use crate::tree::{SourceTree, now_seconds};

/// A folder of sources and the folder that they are compiled into.
///
/// # Examples
///
/// ```
/// use loligo_compiler::{Compilers, Project, Threads};
///
/// # let folder = tempfile::tempdir()?;
/// # let (sources, data) = (folder.path().join("sources"), folder.path().join("data"));
/// # std::fs::create_dir(&sources)?;
/// std::fs::write(sources.join("door.config"), "width = 0.9")?;
/// std::fs::write(sources.join("wall.config"), "width = ")?;
/// std::fs::write(sources.join("gate.config"), "width = wide")?;
///
/// let compilers = Compilers::built_in();
/// let project = Project::new(&sources, &data, &compilers);
/// let report = project.compile(&Threads::default())?;
/// assert_eq!((report.compiled, report.fresh), (2, 0));
/// let error = report.errors[0].to_string();
/// assert!(error.starts_with("gate.config:1:9: expected a value, found `w`; put text in quotes"));
///
/// let report = project.compile(&Threads::default())?;
/// assert_eq!((report.compiled, report.fresh), (0, 2), "nothing has changed");
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub struct Project<'c> {
    pub(crate) folder: PathBuf,
    pub(crate) data: PathBuf,
    pub(crate) compilers: &'c Compilers,
    pub(crate) target: Target,
    pub(crate) options: BTreeMap<String, String>,
    pub(crate) disk: &'c dyn Disk,
    /// Returns the time, in seconds since 1970.
    pub(crate) clock: fn() -> u64,
    pub(crate) observer: Option<&'c dyn CompileObserver>,
    /// What other machines have compiled.
    pub(crate) cache: Option<&'c TeamCache>,
    /// The share of the resources that is compiled.
    pub(crate) shard: Option<CompileShard>,
    /// Sources that are not compiled, and why not.
    pub(crate) refused: BTreeMap<String, String>,
}

/// Is called with each source that is being compiled, on the thread that compiles it: if the
/// process ends then, that source was the cause.
pub trait CompileObserver: Sync {
    /// A source is compiled next; `source` is its path in the project.
    fn begin(&self, source: &str);

    /// It is compiled, or found wrong.
    fn end(&self, source: &str);

    /// The tables are written: a program that runs can load what has changed. What is left is what
    /// the next compile needs.
    fn written(&self) {}
}

impl<'c> Project<'c> {
    /// Names a project, where its data goes, and the compilers of its sources.
    #[must_use]
    pub fn new(folder: &Path, data: &Path, compilers: &'c Compilers) -> Self {
        let mut project = Self {
            folder: folder.to_owned(),
            data: data.to_owned(),
            compilers,
            target: Target::default(),
            options: BTreeMap::new(),
            disk: &RealDisk,
            clock: now_seconds,
            observer: None,
            cache: None,
            shard: None,
            refused: BTreeMap::new(),
        };
        project.set_target(Target::default());
        project
    }

    /// Sets the target.
    pub fn set_target(&mut self, target: Target) {
        let languages = target.languages.as_ref().map_or_else(String::new, |kept| kept.join(","));
        let [source, kept] = TARGET_OPTIONS;
        for (name, value) in [
            (PLATFORM_OPTION, target.destination.name),
            (source, target.source.name),
            (kept, &*languages),
        ] {
            self.options.insert(name.to_owned(), value.to_owned());
        }
        self.target = target;
    }

    /// Sets an option that compilers may ask for. What the target sets stays: `platform`, `source
    /// platform` and `languages`.
    pub fn set_option(&mut self, name: &str, value: &str) {
        if name != PLATFORM_OPTION && !TARGET_OPTIONS.contains(&name) {
            self.options.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Sets what changes the data folder: a test's disk, which fails.
    pub fn set_disk(&mut self, disk: &'c dyn Disk) {
        self.disk = disk;
    }

    /// Sets the function that returns the time, in seconds since 1970: a test's clock, which does
    /// not wait until files have settled.
    pub fn set_clock(&mut self, clock: fn() -> u64) {
        self.clock = clock;
    }

    /// Sets the observer of which source is being compiled.
    pub fn set_observer(&mut self, observer: &'c dyn CompileObserver) {
        self.observer = Some(observer);
    }

    /// Sets a cache: what is to be compiled is looked for there first.
    pub fn set_cache(&mut self, cache: &'c TeamCache) {
        self.cache = Some(cache);
    }

    /// Has only a share of the resources compiled, of which other processes compile the rest. The
    /// data folder has no more than the share; a cache gathers all.
    pub fn set_shard(&mut self, shard: CompileShard) {
        self.shard = Some(shard);
    }

    /// Has a source not compiled, which is an error for that reason: one that ended the process
    /// before.
    pub fn refuse(&mut self, source: &str, reason: &str) {
        self.refused.insert(source.to_owned(), reason.to_owned());
    }

    /// Looks at the sources: the project's, and those that come with the program.
    pub(crate) fn scan(&self) -> Result<SourceTree, BuildError> {
        Ok(self.scan_while(&|| true)?.unwrap_or_default())
    }

    /// Looks at the project's files as long as `goes_on` returns `true`.
    pub(crate) fn scan_while(
        &self,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<SourceTree>, BuildError> {
        SourceTree::scan_while(&self.folder, &self.data, self.compilers.sources(), goes_on)
    }

    /// Returns the folder of the data.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }
}
