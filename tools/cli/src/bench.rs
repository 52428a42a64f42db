//! `loligo bench`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use loligo_replay::bench_project::{find_checkout, write_project};
use loligo_replay::check::sources;

use crate::print::{print, say};

/// Writes a project that compares an allocator of your own with all others: checks, misuse, fill,
/// replay, threads, one page.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// Write the project into this folder, which is made
    #[arg(long, value_name = "DIR")]
    new: PathBuf,

    /// The checkout of Loligo that the project depends on [default: the one that this folder or the
    /// command is in, else the one that the command was built from]
    #[arg(long, value_name = "DIR")]
    checkout: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  loligo bench --new ../my-bench                       a project of ten lines; put your allocator in
  cd ../my-bench && cargo run --release -- --quick     see that it works
  cd ../my-bench && cargo run --release                measure, in some minutes

Exit status: 0 the project is written, 2 it could not be.
What is measured is described in tools/bench/README.md, what an allocator can state in
tests/README.md.";

impl Bench {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.write().and_then(|text| print(&text)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn write(&self) -> Result<String, String> {
        let checkout = match &self.checkout {
            Some(checkout) => checkout.clone(),
            None => near().ok_or(
                "no checkout of Loligo is here or where the command is, and the one that it was built \
                 from is gone; name one with --checkout DIR",
            )?,
        };
        write_project(&self.new, &checkout).map_err(|error| error.to_string())?;
        let folder = self.new.display();
        Ok(format!(
            "{folder}/src/main.rs has an allocator to replace by yours. Then:\n  cd {folder}\n  \
             cargo run --release -- --quick   # builds for some minutes, then runs for seconds\n  \
             cargo run --release\n"
        ))
    }
}

/// Returns the checkout that the current folder is in, or else the command, or else the one that it
/// was built from: an installed command is outside of it.
fn near() -> Option<PathBuf> {
    let here = std::env::current_dir().ok();
    let program = std::env::current_exe().ok();
    let built = fs::canonicalize(sources()).ok();
    let places = [here.as_deref(), program.as_deref(), built.as_deref()];
    places.into_iter().flatten().find_map(|place: &Path| find_checkout(place))
}
