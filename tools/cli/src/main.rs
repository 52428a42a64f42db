//! The `loligo` command.
//!
//! Exit status: 0 where all went well, 1 where the command found what it looks for (a block that an
//! allocator lost, a file that is not right), 2 where it could not do its work.
#![forbid(unsafe_code)]
// They panic where nobody reads on; `print` and `say!` do not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod advise;
#[cfg(feature = "games")]
mod animation;
mod bench;
#[cfg(feature = "games")]
mod built_in;
mod bundle;
mod cache;
mod check;
#[cfg(feature = "games")]
mod compile;
#[cfg(feature = "games")]
mod content;
mod convert;
#[cfg(feature = "games")]
mod depends;
#[cfg(feature = "games")]
mod export;
mod inspect;
#[cfg(feature = "games")]
mod new;
mod output;
mod platform;
mod print;
mod progress;
#[cfg(feature = "games")]
mod project;
mod record;
mod recording;
#[cfg(feature = "games")]
mod references;
#[cfg(feature = "games")]
mod rename;
mod replay;
#[cfg(feature = "games")]
mod run;
mod selection;
mod show;
mod sjson;
#[cfg(feature = "games")]
mod sound;
mod strategy;
#[cfg(feature = "games")]
mod text;
mod text_file;
#[cfg(feature = "games")]
mod texts;
mod unpacked;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use loligo_allocators::{GlobalGuard, HeapAllocator, Locked, PageAllocator};

/// What the command's own heap takes its memory from.
static PAGES: PageAllocator = PageAllocator::new("loligo pages");

/// The command's own memory. It lives on our heap and not on the C library's, which is one of the
/// rows that `replay` measures and should be as a fresh process finds it. A game that runs arms the
/// guard.
#[global_allocator]
static MEMORY: GlobalGuard<Locked<HeapAllocator<'static, PageAllocator>>> =
    GlobalGuard::new("loligo", Locked::new(HeapAllocator::new_in("loligo", &PAGES)));

/// Tools for programs whose memory should be under control.
#[derive(Debug, Parser)]
#[command(name = "loligo", version, about, after_help = examples())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Returns the examples: those of the commands that this build has.
fn examples() -> String {
    let (games, missing) = if cfg!(feature = "games") {
        (
            "  loligo run samples/10-courtyard   a game: compiled, run, measured
  loligo new island                 a new game: a level, a cube, a light, a script
  loligo check island               what is missing, unused, double or large in a game, and what fails\n",
            "",
        )
    } else {
        (
            "",
            "\n\n`run`, `new`, `core` and `compile` are in builds with the feature `games`, which is on by default.",
        )
    };
    format!("Examples:\n{games}{EXAMPLES}{missing}")
}

const EXAMPLES: &str = "  loligo record -- git log -p       record what a program allocates
  loligo show git.altrace.zst       what was live, at the peak and at the end, by call site
  loligo replay git.altrace.zst     which allocator strategy serves that recording best
  loligo check 'git log -p'         which allocator the program itself runs best under
  loligo replay                     which allocator strategy serves the bundled recordings best
  loligo replay --help              all that replay can do
  loligo sjson check level.sjson    what is wrong in a file, where, and what to do";

#[derive(Debug, Subcommand)]
enum Command {
    /// Searches the strategy that suits a recording.
    Advise(advise::Advise),
    /// Shows how large animations become, and what is in them.
    #[cfg(feature = "games")]
    Animation(animation::Animation),
    /// Writes a project that compares an allocator of your own with all others.
    Bench(bench::Bench),
    /// Puts compiled data into bundles and patches, and looks into them.
    Bundle(bundle::BundleCommand),
    /// Looks into a team's cache of compiled resources.
    Cache(cache::Cache),
    /// Runs a program under several allocators and compares, or checks a project of a game.
    Check(check::Check),
    /// Compiles a project's sources into data.
    #[cfg(feature = "games")]
    Compile(compile::Compile),
    /// Makes a recording of other recorders' data.
    Convert(convert::Convert),
    /// Lists what a resource names, or what names it.
    #[cfg(feature = "games")]
    Depends(depends::Depends),
    /// Writes a game as it is shipped: a program, its bundles, and licences.
    #[cfg(feature = "games")]
    Export(export::Export),
    /// Shows a game that runs on a page of a browser.
    Inspect(inspect::Inspect),
    /// Lists the resources that come with the program, or prints one.
    #[cfg(feature = "games")]
    Core(built_in::Core),
    /// Writes the smallest game.
    #[cfg(feature = "games")]
    New(new::New),
    /// Records what a program allocates.
    Record(record::Record),
    /// Gives a resource another name, in all sources that name it.
    #[cfg(feature = "games")]
    Rename(rename::Rename),
    /// Replays recorded allocations over allocators, strategies and peers.
    Replay(replay::Replay),
    /// Compiles a game and runs it.
    #[cfg(feature = "games")]
    Run(Box<run::Run>),
    /// Shows what is in a recording: live bytes by call site, at the peak and at the end.
    Show(show::Show),
    /// Renders sounds into files, and shows what is in them.
    #[cfg(feature = "games")]
    Sound(sound::Sound),
    /// Reads, checks, formats and edits SJSON.
    Sjson(sjson::Sjson),
    /// Checks a file of strategies, and writes one as Rust.
    Strategy(strategy::Strategy),
    /// Lists the texts of a game by language, and what is missing in which.
    #[cfg(feature = "games")]
    Text(text::Text),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Advise(advise) => advise.run(),
        #[cfg(feature = "games")]
        Command::Animation(animation) => animation.run(),
        Command::Bench(bench) => bench.run(),
        Command::Bundle(bundle) => bundle.run(),
        Command::Cache(cache) => cache.run(),
        Command::Check(check) => check.run(),
        #[cfg(feature = "games")]
        Command::Compile(compile) => compile.run(),
        Command::Convert(convert) => convert.run(),
        #[cfg(feature = "games")]
        Command::Depends(depends) => depends.run(),
        #[cfg(feature = "games")]
        Command::Export(export) => export.run(),
        Command::Inspect(inspect) => inspect.run(),
        #[cfg(feature = "games")]
        Command::Core(core) => core.run(),
        #[cfg(feature = "games")]
        Command::New(new) => new.run(),
        Command::Record(record) => record.run(),
        #[cfg(feature = "games")]
        Command::Rename(rename) => rename.run(),
        Command::Replay(replay) => replay.run(),
        #[cfg(feature = "games")]
        Command::Run(run) => run.run(),
        Command::Show(show) => show.run(),
        #[cfg(feature = "games")]
        Command::Sound(sound) => sound.run(),
        Command::Sjson(sjson) => sjson.run(),
        Command::Strategy(strategy) => strategy.run(),
        #[cfg(feature = "games")]
        Command::Text(text) => text.run(),
    }
}
