//! `loligo rename`.

mod plan;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use loligo_compiler::{FolderError, GuardedFolder};

use crate::print::{print, say};
use crate::references::{References, resource_name};
use plan::{Plan, Rewritten};

/// Gives a resource another name, in all sources that name it.
///
/// What would be done is printed; with --write it is done. Comments and everything else in the sources stay
/// as they are.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Rename {
    /// The folder of the sources
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// The resource, as its file is named, from the project's folder on
    #[arg(value_name = "OLD.TYPE")]
    old: String,

    /// The name that it gets, of the same type; folders that are not there are made
    #[arg(value_name = "NEW.TYPE")]
    new: String,

    /// Do it
    #[arg(long)]
    write: bool,
}

const EXAMPLES: &str = "Examples:
  loligo rename game stone.material rocks/granite.material            what would be changed
  loligo rename game stone.material rocks/granite.material --write    and it is

All variants of a resource are renamed, and the file of the same name that it is made of where its source does not
say another, as the PNG of a texture. Names in scripts are left as they are, and listed where they may be this one; so is
what names it in a way that is not understood.
Exit status: 0 all went well, 1 something is left to be done by hand, 2 it could not be done.";

impl Rename {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.rename() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    /// Prints what is to be done and does it if that is wanted; returns whether nothing is left to be done.
    fn rename(&self) -> Result<bool, String> {
        let references = References::of(&self.project)?;
        let old = references.resource(&self.old)?;
        let new = resource_name(&self.new)?;
        let plan = Plan::new(&self.project, &references, &old, &new)?;
        print(&plan.to_string())?;
        if !self.write {
            print("nothing is changed; with --write it is\n")?;
            return Ok(plan.by_hand.is_empty());
        }
        let folder = GuardedFolder::open(&self.project).map_err(|error| error.to_string())?;
        for rewritten in &plan.rewritten {
            write(&folder, rewritten).map_err(|error| format!("{error}; {HALF}"))?;
        }
        for (from, to) in &plan.moved {
            rename(&folder, from, to).map_err(|error| format!("{error}; {HALF}"))?;
        }
        let after = References::of(&self.project)?;
        Ok(plan.by_hand.is_empty() && after.wrong <= references.wrong)
    }
}

const HALF: &str = "what is above it in the list is done, the rest is not; remove the cause and do the rest by hand";

/// Puts a source in place of the one that was read.
fn write(project: &GuardedFolder, rewritten: &Rewritten) -> Result<(), String> {
    let (folder, name) = enter(project, &rewritten.path)?;
    let filled = folder.replace(name, |file| file.write_all(rewritten.text.as_bytes()));
    let filled = filled.map_err(|error| error.to_string())?;
    filled.map_err(|error| format!("{}: {error}", rewritten.path))
}

/// Gives a file another name.
fn rename(project: &GuardedFolder, from: &str, to: &str) -> Result<(), String> {
    let (old_folder, old_name) = enter(project, from)?;
    if let Some((folders, _)) = to.rsplit_once('/') {
        make(project, folders).map_err(|error| error.to_string())?;
    }
    let (new_folder, new_name) = enter(project, to)?;
    old_folder.rename(old_name, &new_folder, new_name).map_err(|error| error.to_string())
}

/// Makes folders that are not there.
fn make(project: &GuardedFolder, folders: &str) -> Result<(), FolderError> {
    let mut folder = GuardedFolder::open(project.path())?;
    for step in folders.split('/') {
        folder.create_folder(step)?;
        folder = folder.enter(step)?;
    }
    Ok(())
}

/// Opens the folder of a file, and returns it with the file's name. Links are not followed.
fn enter<'p>(project: &GuardedFolder, path: &'p str) -> Result<(GuardedFolder, &'p str), String> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let open = || {
        let mut folder = GuardedFolder::open(project.path())?;
        for step in folders.split('/').filter(|step| !step.is_empty()) {
            folder = folder.enter(step)?;
        }
        Ok(folder)
    };
    let folder = open().map_err(|error: FolderError| error.to_string())?;
    Ok((folder, name))
}
