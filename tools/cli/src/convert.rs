//! `loligo convert`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use loligo_replay::convert::{LIMITS, convert};

use crate::output::Output;
use crate::print::say;
use crate::recording;
use crate::unpacked::Unpacked;

/// Makes a recording of what heaptrack or Firefox's logalloc has recorded.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    /// heaptrack's data (plain or .zst), or a log of logalloc; recognised by its first line
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// Where to; compressed if it ends in .zst
    #[arg(value_name = "OUT")]
    output: PathBuf,

    #[command(flatten)]
    unpacked: Unpacked,

    /// The process to take from a log of several
    #[arg(long, value_name = "NUMBER")]
    process: Option<u64>,
}

const EXAMPLES: &str = "Examples:
  loligo convert heaptrack.game.123.zst game.altrace.zst
  loligo convert malloc.log firefox.altrace.zst --process 4711

Exit status: 0 all went well, 2 it could not be done.
docs/guide/recording.md lists what each of them records and what not.";

impl Convert {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.convert() {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn convert(&self) -> Result<(), String> {
        let limits = self.unpacked.limits(LIMITS);
        let output = Output::prepare(&self.output).map_err(|error| error.to_string())?;
        let written =
            recording::write(&output, |out| convert(&self.input, self.process, limits, out));
        let summary = written.map_err(|error| error.to_string())?.map_err(|e| e.to_string())?;
        recording::tell(output.path(), &summary);
        Ok(())
    }
}
