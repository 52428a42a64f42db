//! `loligo core`.

use core::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;

use crate::content::compilers;
use crate::print::{print, say};

/// Lists the resources that come with the program, or prints the source of one.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Core {
    /// Which one, as the list has it
    #[arg(value_name = "PATH")]
    path: Option<String>,
}

const EXAMPLES: &str = "Examples:
  loligo core                                what there is
  loligo core core/shaders/sky.shader        how one is written

A game has them all in its folder `core`, unless it has a file of that path: there it wins.
  mkdir -p island/core/shaders
  loligo core core/shaders/sky.shader > island/core/shaders/sky.shader

Exit status: 0 it is printed, 2 there is no such resource.";

impl Core {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.text().and_then(|text| print(&text)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn text(&self) -> Result<String, String> {
        let compilers = compilers(false);
        let mut list = String::new();
        for (path, source) in compilers.sources() {
            if self.path.as_deref() == Some(path) {
                return String::from_utf8(source.to_vec())
                    .map_err(|_| format!("{path}: it is no text; copy it from the repository"));
            }
            let _ = writeln!(list, "{path}");
        }
        match &self.path {
            None => Ok(list),
            Some(path) => Err(format!(
                "nothing that comes with the program is `{path}`; `loligo core` lists it"
            )),
        }
    }
}
