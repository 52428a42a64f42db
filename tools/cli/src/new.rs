//! `loligo new`.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::print::{print, say};

/// Writes the smallest game: a level, a cube, a light, keys and a script.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct New {
    /// The folder of the game, which is made; its name is the game's title
    #[arg(value_name = "NAME")]
    folder: PathBuf,
}

const EXAMPLES: &str = "Examples:
  loligo new island             a game in the folder `island`
  loligo run island --window    and how it looks; Escape ends it

Exit status: 0 the game is written, 2 it could not be.
docs/guide/first-game.md goes on from there.";

/// The files of the game: where each goes, and what is in it.
const FILES: [(&str, &str); 7] = [
    ("game.config", include_str!("../game/game.config")),
    ("game.input", include_str!("../game/game.input")),
    ("start.level", include_str!("../game/start.level")),
    ("cube.entity", include_str!("../game/cube.entity")),
    ("scripts/main.lua", include_str!("../game/main.lua")),
    ("materials/hero.material", include_str!("../game/hero.material")),
    (".gitignore", "/.loligo\n"),
];

/// Is replaced by the title in the files.
const TITLE: &str = "TITLE";

impl New {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.write().and_then(|text| print(&text)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    fn write(&self) -> Result<String, String> {
        let title = title(&self.folder)?;
        let shown = self.folder.display();
        match fs::read_dir(&self.folder) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(format!("{shown}: the folder is not empty; name a new one"));
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{shown}: {error}; name a folder")),
        }
        for (path, text) in FILES {
            let file = self.folder.join(path);
            write_new(&file, &text.replace(TITLE, title))
                .map_err(|error| format!("{}: cannot write: {error}", file.display()))?;
        }
        Ok(format!(
            "{shown} is a game. See it, and change it while it runs:\n  loligo run {shown} --window --watch\n"
        ))
    }
}

/// Returns the title of a game in a folder: a name that is the same in all of its files.
fn title(folder: &Path) -> Result<&str, String> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_plain = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(format!(
            "{}: it cannot be a title; name a folder of letters, digits, -, _, . and spaces",
            folder.display()
        ));
    }
    Ok(name)
}

/// Writes a file that is not there yet, and its folder.
fn write_new(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(file)?.write_all(text.as_bytes())
}
