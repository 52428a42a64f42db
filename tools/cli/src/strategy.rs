//! `loligo strategy`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use loligo_replay::strategies::{self, StrategyConfig};

use crate::print::{print, say};
use crate::selection;

/// Checks a file of strategies, and writes one as Rust.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Strategy {
    /// A file of strategies, or the name of a built-in one
    #[arg(value_name = "FILE.json|NAME")]
    source: String,

    /// The strategy of the file to write, where it has several
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// What to write to standard output
    #[arg(long, value_name = "WHAT", value_enum)]
    emit: Option<Emit>,

    /// Make it the allocator of the whole program, with `#[global_allocator]`
    #[arg(long, requires = "emit")]
    global: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Emit {
    /// Rust that builds exactly that allocator over `loligo-allocators`
    Rust,
    /// The strategy as a file
    Json,
}

const EXAMPLES: &str = "Examples:
  loligo strategy mine.json                               is the file right?
  loligo strategy mine.json --name nodes --emit rust      one of its strategies as Rust
  loligo strategy mine.json --emit rust --global          the same for the whole program
  loligo strategy pools+heap --emit json                  a built-in one, to change it

Exit status: 0 all went well, 2 it could not be done.
Strategies are described in docs/reference/strategies.md.";

impl Strategy {
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
        let all = selection::strategies_of(&self.source)?;
        let Some(emit) = self.emit else {
            let names: Vec<&str> = all.iter().map(|strategy| &*strategy.name).collect();
            return Ok(format!("{}: valid, has {}\n", self.source, names.join(", ")));
        };
        let one = self.choose(&all)?;
        Ok(match emit {
            Emit::Rust if self.global => strategies::emit_global(one, true)?,
            Emit::Json if self.global => {
                return Err(
                    "--global is of --emit rust: a file of strategies has no program".into()
                );
            }
            Emit::Rust => strategies::emit_rust(one),
            Emit::Json => strategies::to_json(core::slice::from_ref(one)),
        })
    }

    fn choose<'s>(&self, all: &'s [StrategyConfig]) -> Result<&'s StrategyConfig, String> {
        let names: Vec<&str> = all.iter().map(|strategy| &*strategy.name).collect();
        match (&self.name, all) {
            (Some(name), _) => {
                all.iter().find(|strategy| strategy.name == *name).ok_or_else(|| {
                    format!("{} has no strategy `{name}`; it has {}", self.source, names.join(", "))
                })
            }
            (None, [one]) => Ok(one),
            (None, _) => Err(format!(
                "{} has several strategies; choose one with --name: {}",
                self.source,
                names.join(", ")
            )),
        }
    }
}
