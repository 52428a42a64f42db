//! The cache of `loligo compile`.

use core::fmt::Write as _;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use loligo_compiler::{CacheMode, CacheReport, TeamCache};

use super::address::Address;
use super::bytes::shown;
use crate::print::say;

/// The cache of a compile.
#[derive(Debug, Args)]
pub(crate) struct CacheOptions {
    /// Take what others have compiled from a cache: a folder, or s3://, gs://, az:// in builds with
    /// the feature `object-store`
    #[arg(long, value_name = "CACHE", value_parser = Address::parse)]
    cache: Option<Address>,

    /// Whether what is compiled here is written to the cache as well
    #[arg(long, value_name = "MODE", requires = "cache", default_value = "read")]
    cache_mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    Read,
    Write,
}

impl CacheOptions {
    /// Opens the cache, if there is one. One that cannot be opened is left out.
    pub(crate) fn open(&self) -> Option<TeamCache> {
        let is_writer = self.is_writer();
        let mode = if is_writer { CacheMode::Write } else { CacheMode::Read };
        match self.cache.as_ref()?.open(is_writer) {
            Ok(store) => Some(TeamCache::new(Arc::from(store), mode)),
            Err(error) => {
                say!("loligo: note: {error}; it is left out of this compile");
                None
            }
        }
    }

    /// Returns whether what is compiled is written to a cache.
    pub(crate) fn is_writer(&self) -> bool {
        self.cache.is_some() && self.cache_mode == Mode::Write
    }
}

/// Returns a line about what a cache did.
pub(crate) fn cache_line(report: &CacheReport) -> String {
    let all = report.hits + report.misses;
    let mut text = format!("cache: {} of {all} resources from it", report.hits);
    // Writing to a string cannot fail.
    if let Some(percent) = (report.hits * 100).checked_div(all) {
        let _ = write!(text, " ({percent} %)");
    }
    let _ = write!(text, ", {} read", shown(report.bytes_read));
    if report.written > 0 {
        let bytes = shown(report.bytes_written);
        let _ = write!(text, ", {} resources and {bytes} written", report.written);
    }
    let (saved, waited) = (report.saved.as_secs_f64(), report.waited.as_secs_f64());
    let _ = write!(text, "; {saved:.1} s of compiling saved, {waited:.1} s of waiting for it");
    if report.damaged > 0 {
        let _ = write!(text, "; {} damaged entries", report.damaged);
    }
    text.push('\n');
    text
}
