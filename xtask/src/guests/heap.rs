//! The preloaded heap, and Cargo that runs test programs over it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::counters::{self, Counters, Figures};
use crate::command;
use crate::outcome::Failure;
use crate::registry::TARGET;
use crate::workspace;

/// The library that takes the place of `malloc`.
pub(super) struct Heap {
    library: PathBuf,
    /// Where the suites are built.
    target: PathBuf,
    /// Where each program appends its counters when it ends.
    counters: PathBuf,
}

impl Heap {
    /// Builds the library. What the suites need is written below `folder`.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if it does not build, [`Failure::Unable`] if it cannot be preloaded from
    /// where it is.
    pub(super) fn build(folder: &Path) -> Result<Self, Failure> {
        let library = workspace::target().join("release/libloligo_preload.so");
        if !can_be_preloaded(&library) {
            let library = library.display();
            return Err(Failure::Unable(format!(
                "LD_PRELOAD takes no path with spaces or colons, as `{library}`; set \
                 CARGO_TARGET_DIR to another folder"
            )));
        }
        let mut cargo = command::cargo(&workspace::root());
        let build = cargo.args(["build", "--release", "-p", "loligo-preload"]);
        command::build(build, "our heap as a library, for release")?;
        Ok(Self { library, target: folder.join("target"), counters: folder.join("counters") })
    }

    /// Runs Cargo, and the programs that it starts over the heap; returns what it wrote, and the
    /// counters of the programs.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot start.
    pub(super) fn run(&self, cargo: &mut Command) -> Result<(Output, Vec<Counters>), Failure> {
        // The programs alone, since Cargo and the compiler would be slower over it, and a fault of
        // the heap would look like one of the build.
        let variable = format!("CARGO_TARGET_{}_RUNNER", TARGET.to_uppercase().replace('-', "_"));
        cargo.env(variable, format!("env LD_PRELOAD={}", self.library.display()));
        cargo.env("LOLIGO_PRELOAD_COUNTERS", &self.counters);
        cargo.env("CARGO_TARGET_DIR", &self.target).env("CARGO_TERM_COLOR", "never");
        // No one debugs these programs, and without this information they are built sooner.
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
        cargo.env("RUST_BACKTRACE", "0");
        // The file of the run before; if there is none, nothing needs to be removed.
        let _ = fs::remove_file(&self.counters);
        println!("$ {}", command::shown(cargo));
        let output = cargo.output().map_err(|error| Failure::io("cannot run cargo", &error))?;
        // Without a program that ended there is no file.
        let counters = fs::read_to_string(&self.counters).unwrap_or_default();
        Ok((output, counters::read(&counters)))
    }

    /// Runs tests over the heap; what they write is shown if one fails.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if one fails, or if a program did not run over the heap.
    pub(super) fn test(&self, cargo: &mut Command) -> Result<Figures, Failure> {
        let (output, counters) = self.run(cargo)?;
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let show = || {
            print!("{said}");
            eprint!("{errors}");
        };
        if !output.status.success() {
            show();
            let shown = command::shown(cargo);
            return Err(Failure::Found(format!("`{shown}` ended with {}", output.status)));
        }
        Figures::of(&said, &errors, &counters).map_err(|what| {
            show();
            Failure::Found(what)
        })
    }
}

/// Returns `true` if neither the loader nor Cargo, which splits the runner's words, takes the path
/// for several.
pub(super) fn can_be_preloaded(library: &Path) -> bool {
    let library = library.to_string_lossy();
    !library.contains(|c: char| c.is_whitespace() || c == ':')
}
