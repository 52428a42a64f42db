//! What a compiler sees of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use loligo_containers::Endian;
use loligo_ids::IdString64;
use loligo_resources::ResourceKey;

use crate::dependency::Dependency;
use crate::error::CompileError;
use crate::folder_error::{FolderError, FolderErrorKind};
use crate::hash::hash_of;
use crate::index::Reference;
use crate::resource_name::ResourceName;
use crate::select::{ResourceTypes, names_of_type, source_of};
use crate::source_file::is_source_path;
use crate::target::{PLATFORM_OPTION, TARGET_OPTIONS, Target};
use crate::tree::{FolderEntry, SourceTree};

/// What all compilers of one compile see.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'c> {
    pub(crate) project: &'c Path,
    pub(crate) tree: &'c SourceTree,
    pub(crate) types: &'c dyn ResourceTypes,
    pub(crate) target: &'c Target,
    pub(crate) options: &'c BTreeMap<String, String>,
}

/// What a compiler sees of the project. Whatever it asks for is written down as a dependency of the
/// resource, absent files and folders too, so that the resource is recompiled when any of it
/// changes.
///
/// Paths are those of the project, with `/` between their steps: `textures/door.png`.
pub struct Context<'c> {
    shared: Shared<'c>,
    resource: &'c ResourceName,
    source: &'c str,
    /// What was read is not read again, so that one compile sees one version of a file.
    read: BTreeMap<String, Option<Arc<[u8]>>>,
    dependencies: BTreeSet<Dependency>,
    names: BTreeSet<String>,
    references: Vec<Reference>,
    tail: u64,
}

/// The dependencies, names and references that a compiler recorded.
pub(crate) struct Asked {
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) references: Vec<Reference>,
}

impl<'c> Context<'c> {
    pub(crate) const fn new(
        shared: Shared<'c>,
        resource: &'c ResourceName,
        source: &'c str,
    ) -> Self {
        Self {
            shared,
            resource,
            source,
            read: BTreeMap::new(),
            dependencies: BTreeSet::new(),
            names: BTreeSet::new(),
            references: Vec::new(),
            tail: 0,
        }
    }

    pub(crate) fn into_asked(self) -> Asked {
        let mut references = self.references;
        references.sort();
        references.dedup();
        Asked {
            dependencies: self.dependencies.into_iter().collect(),
            names: self.names.into_iter().map(Arc::from).collect(),
            references,
        }
    }

    /// Returns which resource is compiled: its properties are those that the program chooses by,
    /// without the platform.
    #[must_use]
    pub const fn resource(&self) -> &ResourceName {
        self.resource
    }

    /// Returns the path of the resource's source.
    #[must_use]
    pub const fn source_path(&self) -> &'c str {
        self.source
    }

    /// Reads the resource's source.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if it cannot be read.
    pub fn source(&mut self) -> Result<Arc<[u8]>, CompileError> {
        self.read(self.source)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if there is no such file, or it cannot be read.
    pub fn read(&mut self, path: &str) -> Result<Arc<[u8]>, CompileError> {
        let missing = || {
            let reason = format!("there is no file `{path}`");
            CompileError::new(reason, "add it to the project, or name another")
        };
        self.try_read(path)?.ok_or_else(missing)
    }

    /// Reads a file, if there is one.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if the path leads out of the project, or the file cannot be read.
    pub fn try_read(&mut self, path: &str) -> Result<Option<Arc<[u8]>>, CompileError> {
        check_path(path)?;
        if let Some(known) = self.read.get(path) {
            return Ok(known.clone());
        }
        // A file that came after the project was looked at comes with the next compile.
        let read = match self.shared.tree.file(path) {
            Some(_) => self.shared.tree.read(self.shared.project, path).map(Some),
            None => Ok(None),
        };
        let bytes: Result<Option<Arc<[u8]>>, FolderError> = match read {
            Ok(bytes) => Ok(bytes.map(Arc::from)),
            Err(error) if error.io_kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        let hash = bytes.as_ref().ok().and_then(Option::as_ref).map(|bytes| hash_of(bytes));
        self.dependencies.insert(Dependency::File { path: path.into(), hash });
        let bytes = bytes.map_err(|error| match error.kind() {
            FolderErrorKind::Io(error) => {
                let reason = format!("`{path}` cannot be read: {error}");
                CompileError::new(reason, "let it be read")
            }
            kind => {
                let text = kind.to_string();
                let (reason, remedy) = text.split_once("; ").unwrap_or((&text, "replace it"));
                CompileError::new(format!("`{path}` {reason}"), remedy)
            }
        })?;
        self.read.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    /// Returns what is in a folder, in order; the project itself is the empty path. Nothing if
    /// there is no such folder.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if the path leads out of the project.
    pub fn list(&mut self, folder: &str) -> Result<Option<&'c [FolderEntry]>, CompileError> {
        if !folder.is_empty() {
            check_path(folder)?;
        }
        let tree = self.shared.tree;
        let hash = tree.listing_hash(folder);
        self.dependencies.insert(Dependency::Listing { path: folder.into(), hash });
        Ok(tree.folder(folder))
    }

    /// Returns the names of the resources of a type in a folder, in order, without those in its
    /// subfolders: those that exist for the target, whatever their properties.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if there is no such folder.
    pub fn resources(
        &mut self,
        folder: &str,
        type_name: &str,
    ) -> Result<Vec<String>, CompileError> {
        for option in TARGET_OPTIONS {
            self.option(option);
        }
        let Some(entries) = self.list(folder)? else {
            let reason = format!("there is no folder `{folder}`");
            return Err(CompileError::new(reason, "make it, or name another"));
        };
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let files = entries.iter().filter(|entry| !entry.is_folder);
        let paths = files.map(|entry| format!("{prefix}{}", entry.name));
        Ok(names_of_type(paths, type_name, self.shared.types, self.shared.target))
    }

    /// Returns the path of the source of another resource, if there is one: of its variants for the
    /// target, the one with most properties of this resource and no others.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if the name leads out of the project.
    pub fn source_of(
        &mut self,
        type_name: &str,
        name: &str,
    ) -> Result<Option<Arc<str>>, CompileError> {
        check_path(name)?;
        for option in TARGET_OPTIONS {
            self.option(option);
        }
        let (folder, last) = name.rsplit_once('/').unwrap_or(("", name));
        let Some(entries) = self.list(folder)? else { return Ok(None) };
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let starts = |entry: &&FolderEntry| !entry.is_folder && entry.name.starts_with(last);
        let paths = entries.iter().filter(starts).map(|entry| format!("{prefix}{}", entry.name));
        let Shared { types, target, .. } = self.shared;
        let properties = &self.resource.properties;
        Ok(source_of(paths, (type_name, name), properties, types, target))
    }

    /// Returns an option of the compile, if it was given.
    pub fn option(&mut self, name: &str) -> Option<&'c str> {
        let value = self.shared.options.get(name).map(String::as_str);
        let name: Arc<str> = name.into();
        self.dependencies.insert(Dependency::Option { name, value: value.map(Arc::from) });
        value
    }

    /// Returns the name of the platform that is compiled for.
    pub fn platform(&mut self) -> &'c str {
        self.option(PLATFORM_OPTION).unwrap_or_default()
    }

    /// Returns the byte order of the machines that are compiled for: that of every number in the
    /// payload.
    #[must_use]
    pub const fn endian(&self) -> Endian {
        self.shared.target.destination.endian
    }

    /// Says that the last bytes of the payload are its tail: a program that loads the resource reads
    /// what is before them, and parts of them later. The compiler puts sums of those parts into what
    /// is before.
    pub const fn set_tail(&mut self, bytes: u64) {
        self.tail = bytes;
    }

    pub(crate) const fn tail(&self) -> u64 {
        self.tail
    }

    /// Hashes a name that the payload holds, and keeps it for the table that leads from hashes to
    /// names.
    pub fn name(&mut self, name: &str) -> IdString64 {
        self.names.insert(name.to_owned());
        IdString64::new(name)
    }

    /// Names another resource, which the payload refers to. That it exists is checked when all are
    /// known; if it does not, the place in the source is reported: line and column from 1 on, 0
    /// where they are not known.
    pub fn refer(
        &mut self,
        type_name: &str,
        name: &str,
        (line, column): (u32, u32),
    ) -> ResourceKey {
        self.names.insert(type_name.to_owned());
        self.names.insert(name.to_owned());
        let (type_name, name): (Arc<str>, Arc<str>) = (type_name.into(), name.into());
        let key = ResourceKey::new(&type_name, &name);
        self.references.push(Reference { type_name, name, line, column });
        key
    }
}

/// Refuses a path that is not one of the project.
fn check_path(path: &str) -> Result<(), CompileError> {
    if is_source_path(path) {
        return Ok(());
    }
    let reason = format!("`{path}` is no path in the project");
    Err(CompileError::new(
        reason,
        "give the path from the project's folder on, `/` between its steps and none that begins with a dot",
    ))
}
