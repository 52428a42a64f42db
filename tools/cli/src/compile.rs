//! `loligo compile`.

use core::fmt::Write as _;
use core::num::NonZeroUsize;
use core::time::Duration;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use clap::Args;
use loligo_compiler::{
    CompileSession, CompileShard, Compilers, Platform, Project, Report, Target, TeamCache, Threads,
    Watch, is_language,
};
use loligo_replay::fleet::Shard;

use crate::cache::{CacheOptions, cache_line};
use crate::content::compilers;
use crate::platform::platform;
use crate::print::{print, say};

mod child;

/// Compiles a project folder of sources into a data folder: only what has changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compile {
    /// The folder of the sources
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// Where the data goes [default: PROJECT/.loligo/PLATFORM]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Whose variants are taken: `door.ps3.texture` is for the PS3 [default: this machine's]
    #[arg(long, value_name = "PLATFORM", value_parser = platform)]
    platform: Option<Platform>,

    /// Whose machines shall read the data, so that another platform's data can be looked at here
    /// [default: the same]
    #[arg(long, value_name = "PLATFORM", value_parser = platform)]
    as_platform: Option<Platform>,

    /// The languages that are kept: `sign.fr.texture` is in French [default: all]
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', value_parser = language)]
    languages: Option<Vec<String>>,

    /// Set an option for compilers that read it; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option)]
    options: Vec<(String, String)>,

    /// Leave the names of resources out of the files, for data that is shipped
    #[arg(long)]
    release: bool,

    #[command(flatten)]
    cache: CacheOptions,

    /// Compile one of N shares, and write it to the cache: for a farm of N processes, the first of
    /// which has 1/N. The data folder is that of the share [default: PROJECT/.loligo/PLATFORM.I-of-N]
    #[arg(long, value_name = "I/N", requires = "cache", conflicts_with = "watch")]
    shard: Option<Shard>,

    /// Compile again whenever a source changes, until it is interrupted
    #[arg(long)]
    watch: bool,

    /// How many resources are compiled at a time [default: as many as the machine has processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,

    /// Be the process in which a running game has its sources compiled, with this many MiB of
    /// memory
    #[arg(long, value_name = "MIB", hide = true)]
    child: Option<u64>,

    /// Stay, as such a process, and compile again for each line that comes
    #[arg(long, hide = true)]
    stays: bool,

    /// Do not compile a source, which is wrong for that reason
    #[arg(long, value_name = "SOURCE=REASON", value_parser = option, hide = true)]
    refuse: Vec<(String, String)>,

    /// Take sources of the type `trial` in, whose compiler fails
    #[arg(long, hide = true)]
    trial: bool,
}

const EXAMPLES: &str = "Examples:
  loligo compile game                              what has changed since the last time
  loligo compile game --out data --watch           and again whenever a file is saved
  loligo compile game --languages en,fr --release  as it is shipped
  loligo compile game --cache /mnt/team/cache      takes what others have compiled
  loligo compile game --cache /mnt/team/cache --cache-mode write --shard 1/4
                                                   is the first of a farm's four processes
  loligo compile game --platform android --as-platform linux
                                                   what is made for Android, to be looked at here

Errors are printed as file:line:column, reason and remedy, followed by what was done; everything else is
compiled, and what fails keeps its last good version.
Exit status: 0 all went well, 1 a resource is wrong, 2 it could not be done.
Caches and farms: docs/guide/scale.md.
How files are named, and what is in the data folder: docs/guide/compiling.md.";

/// Between two looks at the project at the least.
const PAUSE_MIN: Duration = Duration::from_millis(50);

/// The pause after a look, as a multiple of the look's duration: looking takes a fifth of a
/// processor at the most.
const PAUSE_RATIO: u32 = 4;

impl Compile {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.compile() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    /// Compiles once, or for ever; returns whether nothing was wrong.
    fn compile(&self) -> Result<bool, String> {
        let compilers = compilers(self.trial);
        if self.shard.is_some() && !self.cache.is_writer() {
            let why = "what a shard compiles is for others; add `--cache-mode write`";
            return Err(format!("--shard: {why}"));
        }
        let cache = self.cache.open();
        let mut project = self.project(&compilers, cache.as_ref());
        let jobs = self.jobs.and_then(|jobs| NonZeroUsize::new(jobs as usize));
        let threads = jobs.map_or_else(Threads::default, Threads::new);
        if let Some(memory_mib) = self.child {
            child::limit(memory_mib)?;
            return Ok(child::run(&mut project, threads, &self.refuse, self.stays));
        }
        let (mut watch, mut session) = (Watch::new(), CompileSession::new(&project));
        loop {
            let start = Instant::now();
            if !self.watch || watch.look(&project).map_err(|error| error.to_string())? {
                let report = session.compile(&threads).map_err(|error| error.to_string())?;
                tell(&report, &project, start)?;
                if !self.watch {
                    return Ok(report.errors.is_empty());
                }
                watch.saw(report.seen);
            } else {
                thread::sleep(PAUSE_MIN.max(start.elapsed() * PAUSE_RATIO));
            }
        }
    }

    fn project<'c>(&self, compilers: &'c Compilers, cache: Option<&'c TeamCache>) -> Project<'c> {
        let source = self.platform.unwrap_or_else(Platform::here);
        let destination = self.as_platform.unwrap_or(source);
        let name = match self.shard {
            None => destination.name.to_owned(),
            Some(shard) => format!("{}.{}-of-{}", destination.name, shard.number(), shard.of()),
        };
        let folder = self.project.join(".loligo").join(name);
        let data = self.out.clone().unwrap_or(folder);
        let mut project = Project::new(&self.project, &data, compilers);
        let (languages, has_debug_names) = (self.languages.clone(), !self.release);
        project.set_target(Target { source, destination, languages, has_debug_names });
        for (name, value) in &self.options {
            project.set_option(name, value);
        }
        cache.iter().for_each(|cache| project.set_cache(cache));
        let shard = self.shard.and_then(|shard| CompileShard::new(shard.number(), shard.of()));
        shard.iter().for_each(|shard| project.set_shard(*shard));
        project
    }
}

/// Reports what was done: errors and notes on standard error, the sum on standard output.
fn tell(report: &Report, project: &Project<'_>, start: Instant) -> Result<(), String> {
    for note in &report.notes {
        say!("loligo: note: {note}");
    }
    for error in &report.errors {
        say!("loligo: {error}");
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{} compiled, {} as they were, {} gone",
        report.compiled, report.fresh, report.removed
    );
    if report.cached > 0 {
        let _ = write!(text, ", {} from the cache", report.cached);
    }
    if !report.errors.is_empty() {
        let _ = write!(text, ", {} wrong", report.errors.len());
    }
    let ms = start.elapsed().as_millis();
    let _ = writeln!(text, ", in {ms} ms: {}", project.data().display());
    if let Some(cache) = &report.cache {
        text.push_str(&cache_line(cache));
    }
    print(&text)
}

/// Reads the code of a language.
pub(crate) fn language(code: &str) -> Result<String, String> {
    match is_language(code) {
        true => Ok(code.to_owned()),
        false => Err("no language; two letters of ISO 639-1, as `fr` or `pt-br`".to_owned()),
    }
}

fn option(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    pair.map(owned).ok_or_else(|| "an option is written NAME=VALUE".to_owned())
}
