//! Compilers, each of its type.

use core::fmt;
use std::collections::BTreeMap;

use crate::builtin::{ConfigCompiler, CopyCompiler, PackageCompiler};
use crate::compiler::Compiler;
use crate::select::ResourceTypes;
use crate::source_file::is_source_path;

/// The compilers of a project, by type: the end of a file's name.
///
/// # Examples
///
/// ```
/// use loligo_compiler::{CompileError, Compiler, Compilers, Context};
///
/// /// A text without the space around it.
/// struct Trimmed;
///
/// impl Compiler for Trimmed {
///     fn version(&self) -> u32 {
///         1
///     }
///
///     fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
///         let source = context.source()?;
///         Ok(source.trim_ascii().to_vec())
///     }
/// }
///
/// let mut compilers = Compilers::built_in();
/// compilers.register("text", Trimmed);
/// ```
#[derive(Default)]
pub struct Compilers {
    by_type: BTreeMap<String, Box<dyn Compiler>>,
    /// Types by other ends of files.
    ends: BTreeMap<String, String>,
    /// Sources that come with the program, by path.
    sources: BTreeMap<&'static str, &'static [u8]>,
}

impl Compilers {
    /// Returns no compiler at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns those that are here: `config`, `data` and `package`.
    #[must_use]
    pub fn built_in() -> Self {
        let mut compilers = Self::new();
        compilers.register("config", ConfigCompiler);
        compilers.register("data", CopyCompiler);
        compilers.register(loligo_resources::PACKAGE_TYPE, PackageCompiler);
        compilers
    }

    /// Adds the compiler of a type, in place of one that was there.
    ///
    /// # Panics
    ///
    /// If the type is empty or has a dot or a slash in it, and no file could be of it.
    pub fn register(&mut self, type_name: &str, compiler: impl Compiler + 'static) {
        assert!(
            !type_name.is_empty() && !type_name.contains(['.', '/']),
            "no file can be of type `{type_name}`"
        );
        self.by_type.insert(type_name.to_owned(), Box::new(compiler));
    }

    /// Takes files that end in another way for resources of a type: `stone.png` is the texture
    /// `stone`, unless there is a `stone.texture`. Their compiler sees the end in
    /// [`source_path`](crate::Context::source_path).
    ///
    /// # Panics
    ///
    /// If the end is empty or has a dot or a slash in it, and no file could have it.
    pub fn register_end(&mut self, end: &str, type_name: &str) {
        assert!(!end.is_empty() && !end.contains(['.', '/']), "no file can end in `{end}`");
        self.ends.insert(end.to_owned(), type_name.to_owned());
    }

    /// Adds a source that comes with the program. Every project has it at that path, unless it has
    /// a file there; it is compiled where a resource of the project names it.
    ///
    /// # Panics
    ///
    /// If no file of a project could have the path.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_compiler::{Compilers, Project, Threads};
    ///
    /// let mut compilers = Compilers::built_in();
    /// compilers.register_source("core/door.config", b"width = 0.9");
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let (sources, data) = (folder.path().join("sources"), folder.path().join("data"));
    /// # std::fs::create_dir(&sources)?;
    /// std::fs::write(sources.join("all.package"), "config = [ \"core/door\" ]")?;
    /// let project = Project::new(&sources, &data, &compilers);
    /// assert_eq!(project.compile(&Threads::default())?.compiled, 2);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn register_source(&mut self, path: &'static str, bytes: &'static [u8]) {
        assert!(is_source_path(path), "no file of a project can be at `{path}`");
        self.sources.insert(path, bytes);
    }

    /// Returns the sources that come with the program, each with its path, in order of the paths.
    pub fn sources(&self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        self.sources.iter().map(|(path, bytes)| (*path, *bytes))
    }

    /// Returns the compiler of a type.
    #[must_use]
    pub fn get(&self, type_name: &str) -> Option<&dyn Compiler> {
        self.by_type.get(type_name).map(|compiler| &**compiler)
    }

    /// Returns the file name extensions that are accepted in addition to the types, in order, each
    /// with its type.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (&str, &str)> {
        self.ends.iter().map(|(end, type_name)| (&**end, &**type_name))
    }

    /// Returns the types, in order.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.by_type.keys().map(String::as_str)
    }
}

impl ResourceTypes for Compilers {
    fn type_of_end<'e>(&'e self, end: &'e str) -> Option<&'e str> {
        let type_name = self.ends.get(end).map_or(end, String::as_str);
        self.by_type.contains_key(type_name).then_some(type_name)
    }
}

impl fmt::Debug for Compilers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.types()).finish()
    }
}
