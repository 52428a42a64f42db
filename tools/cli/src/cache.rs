//! `loligo cache`.

use core::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use loligo_compiler::{DirectoryStore, StoreError, summary, trim, verify};

use crate::print::{print, say};

mod address;
mod bytes;
#[cfg(feature = "games")]
mod compiling;

use address::Address;
use bytes::{bytes_of, shown};
#[cfg(feature = "games")]
pub(crate) use compiling::{CacheOptions, cache_line};

/// Shows what is in a team's cache of compiled resources, checks it and makes it smaller.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cache {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  loligo compile game --cache /mnt/team/cache --cache-mode write
                                                     fills a cache, which is made if it is not there
  loligo compile game --cache /mnt/team/cache        takes from it what others have compiled
  loligo cache show /mnt/team/cache                  how much is in it
  loligo cache trim /mnt/team/cache --to 20GiB       removes what was not used for the longest time
  loligo cache verify s3://bucket/cache --repair     removes what is damaged

A cache is a folder, or a store of objects: s3://, gs://, az:// in builds with the feature `object-store`.
Exit status: 0 all went well, 1 an entry is damaged, 2 it could not be done.
How a cache is shared, and by whom it is filled: docs/guide/scale.md.";

const STATUS: &str = "Exit status: 0 all went well, 2 it could not be done.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Shows how many entries there are, and their bytes
    #[command(after_help = format!("Example:\n  loligo cache show /mnt/team/cache\n\n{STATUS}"))]
    Show(Show),
    /// Removes the entries that were not used for the longest time, until the rest is small enough
    #[command(after_help = format!("Example:\n  loligo cache trim /mnt/team/cache --to 20GiB\n\n{STATUS}"))]
    Trim(Trim),
    /// Reads every entry, and lists those that are damaged
    #[command(after_help = "Examples:
  loligo cache verify /mnt/team/cache
  loligo cache verify /mnt/team/cache --repair

Exit status: 0 all is whole, 1 something is damaged, 2 it could not be done.")]
    Verify(Verify),
}

#[derive(Debug, Args)]
struct Show {
    /// The cache: a folder, or the address of a store
    #[arg(value_name = "CACHE", value_parser = Address::parse)]
    cache: Address,
}

#[derive(Debug, Args)]
struct Trim {
    /// The cache: a folder, or the address of a store
    #[arg(value_name = "CACHE", value_parser = Address::parse)]
    cache: Address,

    /// How large it can be afterwards: a number with KiB, MiB, GiB, TiB, or of bytes
    #[arg(long, value_name = "BYTES", value_parser = bytes_of)]
    to: u64,
}

#[derive(Debug, Args)]
struct Verify {
    /// The cache: a folder, or the address of a store
    #[arg(value_name = "CACHE", value_parser = Address::parse)]
    cache: Address,

    /// Remove what is damaged, so that the next compile that may write does so again
    #[arg(long)]
    repair: bool,
}

impl Cache {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        let done = match &self.command {
            Command::Show(show) => show.run().map(|()| true),
            Command::Trim(trim) => trim.run().map(|()| true),
            Command::Verify(verify) => verify.run(),
        };
        match done {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }
}

impl Show {
    fn run(&self) -> Result<(), String> {
        let store = self.cache.open_existing(false)?;
        let summary = summary(&*store).map_err(text)?;
        let mut lines = String::new();
        for (kind, (count, bytes)) in &summary.kinds {
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{:<8} {count:>9}  {:>12}", kind.folder(), shown(*bytes));
        }
        let _ =
            writeln!(lines, "{:<8} {:>9}  {:>12}", "all", summary.count(), shown(summary.bytes()));
        print(&lines)
    }
}

impl Trim {
    fn run(&self) -> Result<(), String> {
        let store = self.cache.open_existing(true)?;
        let report = trim(&*store, self.to).map_err(text)?;
        let leftovers = match &self.cache {
            Address::Folder(path) => leftovers(path)?,
            Address::Url(_) => 0,
        };
        let also = match leftovers {
            0 => String::new(),
            count => format!(", {count} unfinished files removed"),
        };
        print(&format!(
            "{} entries removed, {}; {} left{also}\n",
            report.removed,
            shown(report.removed_bytes),
            shown(report.left_bytes)
        ))
    }
}

impl Verify {
    fn run(&self) -> Result<bool, String> {
        let store = self.cache.open_existing(self.repair)?;
        let damages = verify(&*store, self.repair).map_err(text)?;
        let place = store.place();
        for damage in &damages {
            say!("loligo: cache {place}: {}: {}", damage.key, damage.what);
        }
        let count = damages.len();
        let done = match (count, self.repair) {
            (0, _) => "all entries are whole\n".to_owned(),
            (_, true) => format!("{count} damaged entries removed\n"),
            (_, false) => format!("{count} entries are damaged; remove them with --repair\n"),
        };
        print(&done)?;
        Ok(damages.is_empty())
    }
}

fn leftovers(path: &Path) -> Result<usize, String> {
    DirectoryStore::create(path).and_then(|store| store.remove_leftovers()).map_err(text)
}

fn text(error: StoreError) -> String {
    format!("cache: {error}")
}
