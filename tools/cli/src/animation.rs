//! `loligo animation`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::output::Output;
use crate::print::{print, say};

pub(crate) mod chart;
mod input;
mod page;
mod subject;
mod table;

use input::{Input, InputError};

/// Shows how large animations become, and what is in them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Animation {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  loligo animation stats models/hero.glb
  loligo animation stats models
  loligo animation report models/hero.glb --clip Walk -o walk.html

Exit status: 0 all went well, 1 a clip cannot be compressed, 2 it could not be done.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints ratio, errors and bytes a second of clips, and the bytes of each track
    #[command(after_help = "Examples:
  loligo animation stats models/hero.glb
  loligo animation stats models --bound-cm 0.1
  loligo animation stats data/3f/walk --skeleton data/a0/hero

Exit status: 0 all went well, 1 a clip cannot be compressed, 2 it could not be done.")]
    Stats(Stats),
    /// Writes a page about a clip: curves and keys, errors over time, bytes by track, the stream
    #[command(after_help = "Example:
  loligo animation report models/hero.glb --clip Walk -o walk.html

Exit status: 0 all went well, 1 the clip cannot be compressed, 2 it could not be done.")]
    Report(Report),
}

#[derive(Debug, Args)]
struct Stats {
    /// Models in glTF 2.0, folders of them, or compiled clips
    #[arg(value_name = "CLIP|FOLDER|MODEL", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    input: Input,

    /// Print no tracks
    #[arg(long)]
    brief: bool,
}

#[derive(Debug, Args)]
struct Report {
    /// A model in glTF 2.0, or a compiled clip
    #[arg(value_name = "CLIP|MODEL")]
    path: PathBuf,

    /// The page
    #[arg(long, short, value_name = "PAGE.html")]
    out: PathBuf,

    #[command(flatten)]
    input: Input,
}

impl Animation {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        let done = match &self.command {
            Command::Stats(stats) => stats.print(),
            Command::Report(report) => report.write(),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                say!("loligo: {error}");
                ExitCode::from(if error.is_of_clip() { 1 } else { 2 })
            }
        }
    }
}

impl Stats {
    fn print(&self) -> Result<(), InputError> {
        let mut worst = None;
        for path in &self.paths {
            for found in self.input.read(path)? {
                match found {
                    Ok(subject) => {
                        print(&table::text(&subject, self.brief)).map_err(InputError::other)?;
                    }
                    Err(error) => {
                        // The other clips are shown as well, and the last error is that of the command.
                        if let Some(error) = worst.replace(error) {
                            say!("loligo: {error}");
                        }
                    }
                }
            }
        }
        worst.map_or(Ok(()), Err)
    }
}

impl Report {
    fn write(&self) -> Result<(), InputError> {
        let output =
            Output::prepare(&self.out).map_err(|error| InputError::other(error.to_string()))?;
        let mut found = self.input.read(&self.path)?;
        if found.len() > 1 {
            let names: Vec<_> = found.iter().flatten().map(|subject| &*subject.name).collect();
            let path = self.path.display();
            return Err(InputError::other(format!(
                "{path}: there are several clips in it; name one of {} with --clip NAME",
                names.join(", ")
            )));
        }
        let subject = match found.pop() {
            Some(subject) => subject?,
            None => return Err(InputError::nothing(&self.path)),
        };
        let page = page::page(&subject);
        output.write(page.as_bytes()).map_err(|error| InputError::other(error.to_string()))
    }
}
