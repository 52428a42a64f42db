//! `loligo export`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileSession, GameData, Platform, Project, Target, Threads};

use crate::compile::language;
use crate::content::compilers;
use crate::print::{print, say};

/// Writes a game as it is shipped: a program, its bundles, and the licences of what is in it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    /// The folder of the sources
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// The folder that is shipped, a new one or an empty one
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,

    /// The program that plays the game [default: loligo-player next to this command]
    #[arg(long, value_name = "FILE")]
    player: Option<PathBuf>,

    /// The languages that are kept: `sign.fr.texture` is in French [default: all]
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', value_parser = language)]
    languages: Option<Vec<String>>,
}

const EXAMPLES: &str = "Example:
  cargo xtask player target/player                               the program, once
  loligo export samples/20-first-game -o first --player target/player/loligo-player
  first/20-first-game                                            the game
  loligo export game -o game-eu --languages en,fr                two of its languages

The sources are compiled without the names of resources, into PROJECT/.loligo/export. The folder has the program
under the name of the project, the folder `data` with the bundles, and `licences.txt`. It needs neither Rust nor the
compiler, may be moved anywhere, and is only read.
Exit status: 0 all went well, 1 a resource is wrong, 2 it could not be done.";

/// What the program is called where it was built.
const PLAYER: &str = "loligo-player";

/// What the name of the program's licences ends in, next to it.
const LICENCES: &str = ".licences.txt";

impl Export {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.export() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn export(&self) -> Result<bool, String> {
        let said =
            |path: &Path, error: &dyn core::fmt::Display| format!("{}: {error}", path.display());
        let (player, licences) = self.player()?;
        let text = fs::read(&licences).map_err(|error| {
            said(
                &licences,
                &format_args!("{error}; `cargo xtask player DIR` writes it next to the program"),
            )
        })?;
        let project =
            fs::canonicalize(&self.project).map_err(|error| said(&self.project, &error))?;
        let Some(name) = project.file_name() else {
            return Err(said(&self.project, &"it has no name; name the folder of a game"));
        };
        fs::create_dir_all(&self.out).map_err(|error| said(&self.out, &error))?;
        let mut entries = fs::read_dir(&self.out).map_err(|error| said(&self.out, &error))?;
        if entries.next().is_some() {
            return Err(said(
                &self.out,
                &"there are files in it; name an empty folder or a new one",
            ));
        }
        let data = project.join(".loligo").join("export");
        if !compile(&project, &data, self.languages.clone())? {
            return Ok(false);
        }
        let pages = PageAllocator::new("export pages");
        let heap = HeapAllocator::new_in("export", &pages);
        let loose = GameData::open(&data, Platform::here(), &heap);
        let loose = loose.map_err(|error| error.to_string())?;
        let bundles = loose.build(&self.out.join("data"), &heap);
        let bundles = bundles.map_err(|error| error.to_string())?;
        let program = self.out.join(named(name, &player));
        fs::copy(&player, &program).map_err(|error| said(&program, &error))?;
        let licences = self.out.join("licences.txt");
        fs::write(&licences, text).map_err(|error| said(&licences, &error))?;
        let bytes: u64 = bundles.iter().map(|bundle| bundle.header.bytes).sum();
        let count = bundles.len();
        print(&format!("{}: bundles {count}, of {bytes} bytes\n", program.display()))?;
        Ok(true)
    }

    /// Returns the program that plays the game, and where its licences are.
    fn player(&self) -> Result<(PathBuf, PathBuf), String> {
        let usual = || {
            let own = env::current_exe().unwrap_or_default();
            own.with_file_name(format!("{PLAYER}{}", env::consts::EXE_SUFFIX))
        };
        let player = self.player.clone().unwrap_or_else(usual);
        if !player.is_file() {
            return Err(format!(
                "{}: there is no such program; `cargo xtask player DIR` builds it, and --player names it",
                player.display()
            ));
        }
        let mut name = player.file_stem().unwrap_or_default().to_owned();
        name.push(LICENCES);
        let licences = player.with_file_name(name);
        Ok((player, licences))
    }
}

/// Compiles a project as it is shipped; returns whether nothing is wrong.
fn compile(project: &Path, data: &Path, languages: Option<Vec<String>>) -> Result<bool, String> {
    let compilers = compilers(false);
    let mut project = Project::new(project, data, &compilers);
    project.set_target(Target { languages, has_debug_names: false, ..Target::default() });
    let report = CompileSession::new(&project).compile(&Threads::default());
    let report = report.map_err(|error| error.to_string())?;
    for error in &report.errors {
        say!("loligo: {error}");
    }
    Ok(report.errors.is_empty())
}

/// Returns the name of the program: that of the project, with the ending that the player has.
fn named(name: &std::ffi::OsStr, player: &Path) -> OsString {
    let mut name = name.to_owned();
    if let Some(ending) = player.extension() {
        name.push(".");
        name.push(ending);
    }
    name
}
