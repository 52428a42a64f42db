//! `loligo depends`.

use core::fmt::Write as _;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use loligo_compiler::{Dependency, Entry, ResourceName};

use crate::print::{print, say};
use crate::references::References;

/// Lists what a resource names and is made of, or what names it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Depends {
    /// The folder of the sources
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// The resource, as its file is named, from the project's folder on
    #[arg(value_name = "NAME.TYPE")]
    resource: String,

    /// List what names it
    #[arg(long)]
    reverse: bool,

    /// And what that names, on and on
    #[arg(long)]
    all: bool,
}

const EXAMPLES: &str = "Examples:
  loligo depends game yard.level                  what the level names, and where
  loligo depends game yard.level --all            and what that names
  loligo depends game stone.material --reverse    what would miss it

The project is compiled first, as `loligo compile` does. Names in scripts are texts that only the running game
knows as names, so they are not listed.
Exit status: 0 all went well, 1 a resource that is named is not there, or one is wrong, 2 it could not be done.";

impl Depends {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.list() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    /// Prints the list; returns whether nothing is wrong.
    fn list(&self) -> Result<bool, String> {
        let references = References::of(&self.project)?;
        let name = references.resource(&self.resource)?;
        let mut list = List {
            references: &references,
            follows: self.all,
            listed: BTreeSet::from([plain(&name)]),
            missing: 0,
            text: format!("{}\n", plain(&name)),
        };
        if self.reverse {
            list.naming(&name, 1);
        } else {
            list.named(&name, 1);
        }
        print(&list.text)?;
        Ok(list.missing == 0 && references.wrong == 0)
    }
}

/// How far names are followed: a list that is deeper is read by nobody.
const DEPTH_MAX: usize = 64;

/// A list that grows.
struct List<'r> {
    references: &'r References,
    follows: bool,
    /// What it has already, so that circles end.
    listed: BTreeSet<String>,
    missing: usize,
    text: String,
}

impl List<'_> {
    /// Lists what a resource names and the files that it is made of.
    fn named(&mut self, name: &ResourceName, depth: usize) {
        let references = self.references;
        for variant in references.variants(&name.type_name, &name.name) {
            for dependency in &variant.dependencies {
                if let Dependency::File { path, hash } = dependency
                    && *path != variant.source
                {
                    let there =
                        if hash.is_some() { "" } else { " (not there, which is right as well)" };
                    self.line(depth, format_args!("file {path}{there}"));
                }
            }
            for of in &variant.references {
                let other = ResourceName {
                    type_name: of.type_name.to_string(),
                    name: of.name.to_string(),
                    properties: Vec::new(),
                };
                let is_there = references.variants(&of.type_name, &of.name).next().is_some();
                self.missing += usize::from(!is_there);
                let note = if is_there { "" } else { " (not there)" };
                let is_new = self.listed.insert(plain(&other));
                let above = if is_new || !self.follows { "" } else { " (above)" };
                let place = place(variant, [of.line, of.column]);
                self.line(depth, format_args!("{}{note}  {place}{above}", plain(&other)));
                if self.follows && is_new && depth < DEPTH_MAX {
                    self.named(&other, depth + 1);
                }
            }
        }
    }

    /// Lists what names a resource.
    fn naming(&mut self, name: &ResourceName, depth: usize) {
        for (entry, at) in self.references.naming(&name.type_name, &name.name) {
            let is_new = self.listed.insert(plain(&entry.name));
            let above = if is_new || !self.follows { "" } else { " (above)" };
            self.line(depth, format_args!("{}  {}{above}", entry.name, place(entry, at)));
            if self.follows && is_new && depth < DEPTH_MAX {
                self.naming(&entry.name, depth + 1);
            }
        }
        for entry in self.references.made_of(&name.type_name, &name.name) {
            if self.listed.insert(plain(&entry.name)) {
                self.line(depth, format_args!("{}  {}, made of it", entry.name, entry.source));
                if self.follows && depth < DEPTH_MAX {
                    self.naming(&entry.name, depth + 1);
                }
            }
        }
    }

    fn line(&mut self, depth: usize, text: core::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:1$}{text}", "", depth * 2);
    }
}

/// Returns a name without the properties of a variant.
fn plain(name: &ResourceName) -> String {
    format!("{}.{}", name.name, name.type_name)
}

/// Returns where a source names something.
pub(crate) fn place(entry: &Entry, [line, column]: [u32; 2]) -> String {
    match line {
        0 => entry.source.to_string(),
        _ => format!("{}:{line}:{column}", entry.source),
    }
}
