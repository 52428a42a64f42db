//! `loligo show`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use loligo_replay::show::{self, FlameBy};
use loligo_replay::trace::{Limits, Trace};

use crate::output::Output;
use crate::print::{print, say};
use crate::unpacked::Unpacked;

/// Shows what is in a recording: what was live, at the peak and at the end, and who allocated it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// A recording, as `loligo record` and `loligo convert` write it
    #[arg(value_name = "TRACE")]
    trace: PathBuf,

    /// Of each list print the first N
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    /// Also write the figures, all of them, to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Also draw a flame graph, an SVG for a browser, to this file
    #[arg(long, value_name = "FILE.svg")]
    flame: Option<PathBuf>,

    /// What a frame's width in the flame graph measures
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = By::Peak)]
    by: By,

    #[command(flatten)]
    unpacked: Unpacked,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// Bytes live at the peak
    Peak,
    /// Bytes live at the end
    End,
    /// The number of allocations
    Allocations,
    /// The number of allocations that are freed at once
    Temporary,
}

const EXAMPLES: &str = "Examples:
  loligo show git.altrace.zst
  loligo show game.altrace --top 30 --json game.json
  loligo show game.altrace --flame game.svg --by end

Exit status: 0 all went well, 2 it could not be done.
docs/guide/showing.md explains each section.";

impl Show {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.show() {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn show(&self) -> Result<(), String> {
        let prepare = |path: &Option<PathBuf>| {
            path.as_deref().map(Output::prepare).transpose().map_err(|error| error.to_string())
        };
        let (json, flame) = (prepare(&self.json)?, prepare(&self.flame)?);
        let limits = self.unpacked.limits(Limits::default());
        let trace = Trace::open_within(&self.trace, limits).map_err(|error| error.to_string())?;
        let shown = show::Show::of(&trace);
        if let Some(json) = json {
            let text = shown.json().map_err(|error| error.to_string())?;
            json.write(text.as_bytes()).map_err(|error| error.to_string())?;
        }
        if let Some(flame) = flame {
            let by = match self.by {
                By::Peak => FlameBy::Peak,
                By::End => FlameBy::End,
                By::Allocations => FlameBy::Allocations,
                By::Temporary => FlameBy::Temporary,
            };
            let picture = show::flame(&trace, &shown, by);
            flame.write(picture.as_bytes()).map_err(|error| error.to_string())?;
        }
        print(&shown.text(self.top))
    }
}
