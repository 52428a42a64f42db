//! Games that are saved and loaded, as files.

use std::fs;
use std::path::{Path, PathBuf};

use loligo_engine::{Engine, Library, SaveName, SaveRequest};

use crate::output::Output;
use crate::print::say;

/// The folder of games that a game saves itself, in that of the data.
const FOLDER: &str = "saves";

/// The most bytes of a saved game.
const BYTES_MAX: u64 = 1 << 30;

/// Saves a game into a file, which is whole or not there.
pub(super) fn save(engine: &mut Engine<'_, '_>, path: &Path) -> Result<(), String> {
    let bytes = engine.save().map_err(|error| format!("{}: {error}", path.display()))?;
    let output = Output::prepare(path).map_err(|error| error.to_string())?;
    output.write(&bytes).map_err(|error| error.to_string())
}

/// Loads a game from a file.
pub(super) fn load(engine: &mut Engine<'_, '_>, path: &Path) -> Result<(), String> {
    let loaded = engine.load(&read(path)?);
    loaded.map_err(|error| format!("{}: {error}", path.display()))
}

/// Does what the game asked for in a frame. What fails is said, and the game goes on.
pub(super) fn serve(engine: &mut Engine<'_, '_>, data: &Path) {
    let Some(request) = engine.take_save_request() else { return };
    // Paths and what is read of files are on the global heap.
    Library::Std.run(|| {
        let done = match request {
            SaveRequest::Save(name) => path_of(data, name).and_then(|path| save(engine, &path)),
            SaveRequest::Load(name) => path_of(data, name).and_then(|path| load(engine, &path)),
        };
        if let Err(error) = done {
            say!("loligo: {error}");
        }
    });
}

fn path_of(data: &Path, name: SaveName) -> Result<PathBuf, String> {
    let folder = data.join(FOLDER);
    fs::create_dir_all(&folder)
        .map_err(|error| format!("{}: cannot make the folder: {error}", folder.display()))?;
    Ok(folder.join(format!("{}.save", name.as_str())))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |why: &dyn core::fmt::Display| format!("{}: cannot read: {why}", path.display());
    let length = fs::metadata(path).map_err(|error| cannot(&error))?.len();
    if length > BYTES_MAX {
        return Err(cannot(&"it is longer than 1 GiB; name a file of --save"));
    }
    fs::read(path).map_err(|error| cannot(&error))
}
