//! How much compressed files may become.

use clap::Args;
use loligo_replay::trace::Limits;

/// The option of all commands that read compressed files.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Unpacked {
    /// Refuse a compressed file that becomes more than this [default: 1073741824; of other
    /// recorders 268435456]
    #[arg(long, value_name = "BYTES")]
    unpacked_max: Option<u64>,
}

impl Unpacked {
    /// Returns the limits, those of the command where none are given.
    pub(crate) fn limits(self, usual: Limits) -> Limits {
        self.unpacked_max.map_or(usual, Limits::unpacked)
    }
}
