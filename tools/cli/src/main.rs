//! The `loligo` command.
//!
//! Exit status: 0 where all went well, 1 where the command found what it looks for (a block that an
//! allocator lost), 2 where it could not do its work.
#![forbid(unsafe_code)]

mod convert;
mod output;
mod progress;
mod record;
mod recording;
mod replay;
mod selection;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use loligo_allocators::{HeapAllocator, Locked, PageAllocator};

/// What the command's own heap takes its memory from.
static PAGES: PageAllocator = PageAllocator::new("loligo pages");

/// The command's own memory. It lives on our heap and not on the C library's, which is one of the
/// rows that `replay` measures and should be as a fresh process finds it.
#[global_allocator]
static MEMORY: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new("loligo", &PAGES));

/// Tools for programs whose memory should be under control.
#[derive(Debug, Parser)]
#[command(name = "loligo", version, about, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  loligo record -- git log -p       record what a program allocates
  loligo replay git.altrace.zst     which allocator strategy serves that recording best
  loligo replay                     which allocator strategy serves the bundled recordings best
  loligo replay --help              all that replay can do";

#[derive(Debug, Subcommand)]
enum Command {
    /// Makes a recording of other recorders' data.
    Convert(convert::Convert),
    /// Records what a program allocates.
    Record(record::Record),
    /// Replays recorded allocations over allocators, strategies and peers.
    Replay(replay::Replay),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Convert(convert) => convert.run(),
        Command::Record(record) => record.run(),
        Command::Replay(replay) => replay.run(),
    }
}
