//! Which resources of a project name which.

use std::fs;
use std::path::Path;

use loligo_compiler::{
    CompileSession, Dependency, Entry, Index, Platform, Project, ResourceName, Target, Threads,
    nearest,
};

use crate::content::compilers;
use crate::print::say;

/// A project whose tables are those of its sources.
pub(crate) struct References {
    pub(crate) index: Index,
    /// How many resources are wrong: of those the index has what they named when they were right.
    pub(crate) wrong: usize,
}

impl References {
    /// Compiles a project for this machine, as `loligo compile` does, and reads the tables. What is wrong is printed.
    ///
    /// # Errors
    ///
    /// What is to be printed, if the project cannot be read or the data folder not be written.
    pub(crate) fn of(project: &Path) -> Result<Self, String> {
        let compilers = compilers(false);
        let here = Platform::here();
        let data = project.join(".loligo").join(here.name);
        let mut project = Project::new(project, &data, &compilers);
        project.set_target(Target::default());
        let report = CompileSession::new(&project).compile(&Threads::default());
        let report = report.map_err(|error| error.to_string())?;
        for error in &report.errors {
            say!("loligo: {error}");
        }
        let path = data.join("index");
        let unable = |reason: &dyn core::fmt::Display| format!("{}: {reason}", path.display());
        let bytes = fs::read(&path).map_err(|error| unable(&error))?;
        let index = Index::from_bytes(&bytes).map_err(|error| unable(&error))?;
        Ok(Self { index, wrong: report.errors.len() })
    }

    /// Returns the variants of a resource.
    pub(crate) fn variants<'r>(
        &'r self,
        type_name: &'r str,
        name: &'r str,
    ) -> impl Iterator<Item = &'r Entry> {
        let is_it =
            move |entry: &&Entry| entry.name.type_name == type_name && entry.name.name == name;
        self.index.entries.iter().filter(is_it)
    }

    /// Returns the entries that name a resource, with the places, in the order of the sources.
    pub(crate) fn naming(&self, type_name: &str, name: &str) -> Vec<(&Entry, [u32; 2])> {
        let mut all = Vec::new();
        for entry in &self.index.entries {
            for of in &entry.references {
                if *of.type_name == *type_name && *of.name == *name {
                    all.push((entry, [of.line, of.column]));
                }
            }
        }
        all.sort_by(|(a, at), (b, other)| (&a.source, at).cmp(&(&b.source, other)));
        all.dedup();
        all
    }

    /// Returns the other entries that are made of the source of a resource, as levels are of the entities that they
    /// inherit, in the order of the sources.
    pub(crate) fn made_of(&self, type_name: &str, name: &str) -> Vec<&Entry> {
        let sources: Vec<&str> = self.variants(type_name, name).map(|of| &*of.source).collect();
        let reads = |entry: &&Entry| {
            let of = |dependency: &Dependency| match dependency {
                Dependency::File { path, .. } => sources.contains(&&**path),
                _ => false,
            };
            let is_other = entry.name.type_name != type_name || entry.name.name != name;
            is_other && entry.dependencies.iter().any(of)
        };
        let mut all: Vec<&Entry> = self.index.entries.iter().filter(reads).collect();
        all.sort_by(|a, b| a.source.cmp(&b.source));
        all
    }

    /// Reads what the user has written for a resource, `folder/name.type`, which is one of the project.
    ///
    /// # Errors
    ///
    /// What is to be printed.
    pub(crate) fn resource(&self, text: &str) -> Result<ResourceName, String> {
        let name = resource_name(text)?;
        if self.variants(&name.type_name, &name.name).next().is_some() {
            return Ok(name);
        }
        let all: Vec<String> = self.index.entries.iter().map(|of| of.name.to_string()).collect();
        let hint = match nearest(text, all.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name it as its file is named, from the project's folder on".to_owned(),
        };
        Err(format!("there is no resource `{text}` in the project; {hint}"))
    }
}

/// Takes `folder/name.type` apart.
///
/// # Errors
///
/// What is to be printed.
pub(crate) fn resource_name(text: &str) -> Result<ResourceName, String> {
    let example = "write it as its file is named, as in `rocks/stone.material`";
    let named = match ResourceName::of_path(text) {
        Ok(Some(name)) => name,
        Ok(None) => return Err(format!("`{text}` has no type; {example}")),
        Err(error) => return Err(format!("`{text}`: {error}; {example}")),
    };
    let is_step = |step: &str| {
        let is_name = !step.is_empty() && !step.starts_with('.');
        is_name && !step.contains(|of: char| of.is_control() || "\\\"'*?[]{}".contains(of))
    };
    if !text.split('/').all(is_step) {
        return Err(format!(
            "`{text}` is no path within a project: steps begin with no dot and have no quotes, \
             patterns or control characters; {example}"
        ));
    }
    if !named.properties.is_empty() {
        let (name, type_name) = (&named.name, &named.type_name);
        return Err(format!(
            "`{text}` is a variant; all variants of a resource have one name: `{name}.{type_name}`"
        ));
    }
    Ok(named)
}
