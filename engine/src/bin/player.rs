//! The program that a game is shipped with: it plays the bundles in the folder `data` next to it.
//!
//! It has no compiler and serves no tools, and writes nothing but games that a player saves, into the
//! folder that the system has for such files. `loligo export` puts it next to a game's bundles.
#![forbid(unsafe_code)]

use core::fmt::Display;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use loligo_engine::{
    BackEndChoice, DisabledSubsystems, Engine, EngineError, EngineOptions, Library, SaveRequest,
    with_engine,
};
use loligo_resources::PreferenceOrder;

const USAGE: &str = "Plays the game in the folder `data` next to this program.

Options:
  --data DIR   the folder of the game's bundles
  --prefer P   variants of resources, the strongest first, in place of what the game says: fr
  --frames N   run that number of frames without a window, and end
  --text FILE  write the last of these frames as text: what is drawn, layer by layer
  --help       print this

Exit status: 0 the game has ended, 2 it could not be played.
";

/// The most bytes of a saved game.
const SAVED_BYTES_MAX: u64 = 1 << 30;

/// What the command line says.
#[derive(Default)]
struct Arguments {
    data: Option<PathBuf>,
    prefer: Option<PreferenceOrder>,
    frames: Option<u64>,
    text: Option<PathBuf>,
    is_help: bool,
}

fn main() -> ExitCode {
    match Arguments::read().and_then(|arguments| arguments.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            report(&message);
            ExitCode::from(2)
        }
    }
}

/// Says what is wrong. Where that fails there is nowhere to say it.
fn report(message: &dyn Display) {
    let _ = io::Write::write_fmt(&mut io::stderr(), format_args!("{message}\n"));
}

impl Arguments {
    fn read() -> Result<Self, String> {
        let mut read = Self::default();
        let mut words = env::args_os().skip(1);
        while let Some(word) = words.next() {
            let word = word.to_string_lossy().into_owned();
            let value = |words: &mut dyn Iterator<Item = std::ffi::OsString>| {
                words.next().ok_or_else(|| format!("{word}: a value is missing; see --help"))
            };
            match &*word {
                "--help" | "-h" => read.is_help = true,
                "--text" => read.text = Some(value(&mut words)?.into()),
                "--data" => read.data = Some(value(&mut words)?.into()),
                "--prefer" => {
                    let text = value(&mut words)?.to_string_lossy().into_owned();
                    let order = PreferenceOrder::parse(&text);
                    read.prefer = Some(order.map_err(|error| format!("--prefer {text}: {error}"))?);
                }
                "--frames" => {
                    let text = value(&mut words)?.to_string_lossy().into_owned();
                    let frames =
                        text.parse().map_err(|_| format!("--frames {text}: give a number"));
                    read.frames = Some(frames?);
                }
                _ => return Err(format!("{word}: there is no such option; see --help")),
            }
        }
        if read.text.is_some() && read.frames.is_none() {
            return Err("--text: give --frames as well".to_owned());
        }
        Ok(read)
    }

    /// Plays the game until it ends.
    fn run(&self) -> Result<(), String> {
        if self.is_help {
            return io::Write::write_all(&mut io::stdout(), USAGE.as_bytes())
                .map_err(|error| error.to_string());
        }
        let program = env::current_exe().map_err(|error| error.to_string())?;
        let next_to_it = || program.with_file_name("data");
        let data = self.data.clone().unwrap_or_else(next_to_it);
        let mut without = DisabledSubsystems::default();
        for name in ["monitor", "tools"] {
            without.add(name).map_err(|error| error.to_string())?;
        }
        let is_shown = self.frames.is_none();
        let options = EngineOptions {
            without,
            prefer: self.prefer,
            back_end: if is_shown { BackEndChoice::Auto } else { BackEndChoice::Text },
            #[cfg(feature = "window")]
            has_window: is_shown,
            has_devices: is_shown,
            ..EngineOptions::new(&data)
        };
        let saves = saves(&program);
        let played = with_engine(&options, |engine| self.frames(engine, saves.as_deref()));
        let text = played.flatten().map_err(|error| error.to_string())?;
        let Some(path) = &self.text else { return Ok(()) };
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Runs the frames, and returns the text of the last where it is wanted.
    fn frames(
        &self,
        engine: &mut Engine<'_, '_>,
        saves: Option<&Path>,
    ) -> Result<String, EngineError> {
        while !engine.is_over() && self.frames.is_none_or(|frames| engine.frames() < frames) {
            if self.text.is_some() && self.frames == Some(engine.frames() + 1) {
                engine.want_text();
            }
            engine.frame(&mut ())?;
            if let Some(request) = engine.take_save_request() {
                // Paths and what is read of files are on the global heap.
                let served = Library::Std.run(|| serve(engine, request, saves));
                served.unwrap_or_else(|message| report(&message));
            }
        }
        engine.finish()?;
        Ok(engine.text().to_owned())
    }
}

/// Does what the game asked for. What fails is said, and the game goes on.
fn serve(
    engine: &mut Engine<'_, '_>,
    request: SaveRequest,
    saves: Option<&Path>,
) -> Result<(), String> {
    let Some(folder) = saves else {
        return Err("the system has no folder for saved games; set HOME".to_owned());
    };
    let (SaveRequest::Save(name) | SaveRequest::Load(name)) = request;
    let path = folder.join(format!("{}.save", name.as_str()));
    let said = |error: &dyn Display| format!("{}: {error}", path.display());
    if let SaveRequest::Load(_) = request {
        let bytes = fs::metadata(&path).map_err(|error| said(&error))?.len();
        if bytes > SAVED_BYTES_MAX {
            return Err(said(&"it is longer than a saved game can be"));
        }
        let bytes = fs::read(&path).map_err(|error| said(&error))?;
        return engine.load(&bytes).map_err(|error| said(&error));
    }
    let bytes = engine.save().map_err(|error| said(&error))?;
    fs::create_dir_all(folder).map_err(|error| said(&error))?;
    // The old one stays until the new one is whole.
    let partial = folder.join(format!(".{}.part", name.as_str()));
    fs::write(&partial, &*bytes).map_err(|error| said(&error))?;
    fs::rename(&partial, &path).map_err(|error| said(&error))
}

/// Returns the folder of saved games: that of the user's data, in it one of the program's name.
fn saves(program: &Path) -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let data = variable("XDG_DATA_HOME").or_else(|| variable("APPDATA")).map(PathBuf::from);
    let data = data.or_else(|| Some(Path::new(&variable("HOME")?).join(".local/share")));
    Some(data?.join(program.file_stem()?).join("saves"))
}
