//! What is wrong with a source, and what keeps a project from being compiled.

use core::error::Error;
use core::fmt;
use std::io;
use std::path::{Path, PathBuf};

use loligo_sjson::SjsonError;

use crate::folder_error::FolderError;
use crate::resource_name::ResourceName;

/// What a compiler found wrong: where, why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The file, as a path in the project; empty where it is the resource's own source.
    pub file: String,
    /// The line, from 1 on; 0 where it is about the whole file.
    pub line: u32,
    /// The column in characters, from 1 on.
    pub column: u32,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
    /// What was done when it was found: the contexts of the thread that made the error, outermost
    /// first.
    pub contexts: Vec<String>,
}

impl CompileError {
    /// Makes an error about the resource's whole source. The current contexts of the thread
    /// (`loligo_diagnostics::context!`) become part of it, so make it where the mistake is found.
    #[must_use]
    pub fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (reason, remedy) = (reason.into(), remedy.into());
        let contexts = loligo_diagnostics::contexts().to_string();
        let contexts = contexts.lines().map(str::to_owned).collect();
        Self { file: String::new(), line: 0, column: 0, reason, remedy, contexts }
    }

    /// Returns the line and column, both from 1 on.
    #[must_use]
    pub fn at(self, line: u32, column: u32) -> Self {
        Self { line, column, ..self }
    }

    /// Reports what was done when it was found, in place of what the thread is about now.
    #[must_use]
    pub fn with_contexts(self, contexts: Vec<String>) -> Self {
        Self { contexts, ..self }
    }

    /// Names the file, where it is not the resource's own source.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> Self {
        Self { file: file.into(), ..self }
    }
}

impl From<SjsonError> for CompileError {
    fn from(error: SjsonError) -> Self {
        let text = error.to_string();
        // The place is a separate field, and so is the remedy if there is one.
        let place = format!("{}:{}: ", error.line(), error.column());
        let reason = text.strip_prefix(&place).unwrap_or(&text);
        let remedy = error.remedy().unwrap_or("correct the text");
        let reason = reason.strip_suffix(&format!("; {remedy}")).unwrap_or(reason);
        Self::new(reason, remedy).at(error.line(), error.column())
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {}; {}", self.reason, self.remedy)
    }
}

/// A resource, or a file that was to be one, that is not right. It is printed as `file:line:column:
/// reason; remedy`, and what was done when that was found below, a line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceError {
    /// The resource; none where the name of a file is wrong.
    pub resource: Option<ResourceName>,
    /// What is wrong; its file is always set.
    pub error: CompileError,
    /// Whether an older version of the resource was kept.
    pub is_kept: bool,
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        if let Some(resource) = &self.resource {
            write!(f, " [resource {} of type {}", resource.name, resource.type_name)?;
            f.write_str(if self.is_kept { ", the last good one stays]" } else { "]" })?;
        }
        for context in &self.error.contexts {
            write!(f, "\n    {context}")?;
        }
        Ok(())
    }
}

impl Error for ResourceError {}

/// The project could not be compiled at all.
#[derive(Debug)]
pub struct BuildError {
    path: PathBuf,
    doing: &'static str,
    why: Why,
}

#[derive(Debug)]
enum Why {
    Io(io::Error),
    Words(&'static str),
    Entry(FolderError),
}

impl BuildError {
    pub(crate) fn io(path: &Path, doing: &'static str, error: io::Error) -> Self {
        Self { path: path.to_owned(), doing, why: Why::Io(error) }
    }

    pub(crate) fn new(path: &Path, doing: &'static str, why: &'static str) -> Self {
        Self { path: path.to_owned(), doing, why: Why::Words(why) }
    }
}

impl From<FolderError> for BuildError {
    fn from(error: FolderError) -> Self {
        let path = error.path().to_owned();
        Self { path, doing: "cannot be used", why: Why::Entry(error) }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.path.display(), self.doing)?;
        match &self.why {
            Why::Io(error) => error.fmt(f),
            Why::Words(words) => f.write_str(words),
            Why::Entry(error) => error.kind().fmt(f),
        }
    }
}

impl Error for BuildError {}
