//! Sounds of recordings, of files that were compiled, and of data folders.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use loligo_compiler::{CompileError, Index};
use loligo_formats::Recording;
use loligo_ids::IdString64;
use loligo_resources::{HEADER_BYTES, ResourceHeader, ResourceKey};
use loligo_sound::{SOUND_TYPE, WAVE_TYPE};

use super::structure::waves_of;
use super::subject::{SoundError, Subject, SubjectWave, WaveSamples};

/// Which sound it is.
#[derive(Debug, Args)]
pub(super) struct Input {
    /// A recording (WAV, FLAC, Ogg Vorbis, Opus), a compiled sound or wave, or with --data the name of one
    #[arg(value_name = "SOUND")]
    sound: PathBuf,

    /// The data folder that has the sound and its waves, which `loligo compile` made
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// A parameter of the sound.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) value: SettingValue,
}

/// What a parameter is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SettingValue {
    /// It goes from a number to another, or is both.
    Number([f32; 2]),
    Word(String),
}

impl Setting {
    /// Reads `NAME=VALUE` or `NAME=FROM..TO`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once('=')
            .filter(|(name, value)| !name.is_empty() && !value.is_empty())
            .ok_or(
                "it is not NAME=VALUE; write `--set speed=0.7` or `--set material=wood`".to_owned(),
            )?;
        let number = |text: &str| text.parse::<f32>().ok().filter(|number| number.is_finite());
        let range =
            value.split_once("..").and_then(|(from, to)| Some([number(from)?, number(to)?]));
        let value = match range.or_else(|| number(value).map(|number| [number; 2])) {
            Some(range) => SettingValue::Number(range),
            None if value.contains("..") => {
                return Err(format!("`{value}` is not two numbers; write `--set speed=0..1`"));
            }
            None => SettingValue::Word(value.to_owned()),
        };
        Ok(Self { name: name.to_owned(), value })
    }
}

impl Input {
    /// Reads the sound and its waves.
    pub(super) fn read(&self) -> Result<Subject, SoundError> {
        if let Some(folder) = &self.data
            && !self.sound.is_file()
        {
            let name = self.sound.to_string_lossy();
            let data = Data::open(folder)?;
            return match data.payload(SOUND_TYPE, &name)? {
                Some(tree) => data.sound(name.into_owned(), tree.payload),
                None => match data.payload(WAVE_TYPE, &name)? {
                    Some(wave) => Ok(Subject::wave(name.into_owned(), compiled_wave(wave))),
                    None => Err(data.nothing(&name)),
                },
            };
        }
        let bytes = read(&self.sound)?;
        let name = self.sound.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !bytes.starts_with(b"loliresc") {
            return Ok(Subject::wave(name, self.recorded(&bytes)?));
        }
        self.compiled(name, bytes)
    }

    /// Reads a recording.
    fn recorded(&self, bytes: &[u8]) -> Result<WaveSamples, SoundError> {
        /// Ten minutes of the highest rate.
        const FRAMES_MAX: usize = 192_000 * 600;
        let wrong = |error: CompileError| {
            let text = format!("{}; {}", error.reason, error.remedy);
            SoundError::sound(&self.sound.display().to_string(), text)
        };
        let recording = Recording::read(bytes, FRAMES_MAX).map_err(wrong)?;
        let channels = recording.channels.min(2);
        let whole = |sample: &f32| (sample * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i16;
        // Of more than two channels the first two are heard.
        let frames = recording.samples.chunks_exact(recording.channels as usize);
        let samples = frames.flat_map(|frame| frame[..channels as usize].iter().map(whole));
        Ok(WaveSamples::Recorded { rate: recording.rate, channels, samples: samples.collect() })
    }

    /// Reads a file of a data folder.
    fn compiled(&self, name: String, bytes: Vec<u8>) -> Result<Subject, SoundError> {
        let header =
            ResourceHeader::read(&bytes).map_err(|error| SoundError::file(&self.sound, error))?;
        let is =
            |type_name: &str| header.key.type_hash == ResourceKey::new(type_name, "").type_hash;
        let file = FileParts::new(&header, bytes);
        if is(WAVE_TYPE) {
            return Ok(Subject::wave(name, compiled_wave(file)));
        }
        if !is(SOUND_TYPE) {
            let text = "it is no sound or wave; name a recording, or with --data a compiled sound";
            return Err(SoundError::file(&self.sound, text));
        }
        let above = self.sound.ancestors().skip(1).find(|folder| folder.join("index").is_file());
        let folder = self.data.as_deref().or(above).ok_or_else(|| {
            SoundError::file(
                &self.sound,
                "its waves are in a data folder; name that with --data DIR",
            )
        })?;
        Data::open(folder)?.sound(name, file.payload)
    }
}

/// What is in the file of a resource after its header.
struct FileParts {
    payload: Vec<u8>,
    tail: Vec<u8>,
}

impl FileParts {
    /// Divides a file whose header was read.
    fn new(header: &ResourceHeader, mut bytes: Vec<u8>) -> Self {
        let front = bytes.len() - (header.tail as usize).min(bytes.len() - HEADER_BYTES);
        let tail = bytes.split_off(front);
        bytes.drain(..HEADER_BYTES);
        Self { payload: bytes, tail }
    }
}

/// A data folder.
struct Data<'d> {
    folder: &'d Path,
    index: Index,
}

impl<'d> Data<'d> {
    fn open(folder: &'d Path) -> Result<Self, SoundError> {
        let path = folder.join("index");
        let bytes = fs::read(&path).map_err(|error| {
            let remedy = "name a folder that `loligo compile` made";
            SoundError::file(&path, format!("cannot read: {error}; {remedy}"))
        })?;
        let index = Index::from_bytes(&bytes).map_err(|error| SoundError::file(&path, error))?;
        Ok(Self { folder, index })
    }

    /// Returns what is in the file of a resource, if there is one.
    fn payload(&self, type_name: &str, name: &str) -> Result<Option<FileParts>, SoundError> {
        let is_it = |entry: &&loligo_compiler::Entry| {
            (&*entry.name.type_name, &*entry.name.name) == (type_name, name)
        };
        let found = self.index.entries.iter().find(is_it).and_then(|entry| entry.output);
        let Some(output) = found else { return Ok(None) };
        let path = self.folder.join("blobs").join(output.file.to_string());
        let bytes = read(&path)?;
        let header = ResourceHeader::read(&bytes).map_err(|error| {
            SoundError::file(&path, format!("{error}; compile the project again"))
        })?;
        Ok(Some(FileParts::new(&header, bytes)))
    }

    /// Returns a sound with its waves.
    fn sound(&self, name: String, tree: Vec<u8>) -> Result<Subject, SoundError> {
        let names = waves_of(&name, &tree)?;
        let mut waves = Vec::new();
        for (hash, number) in names.iter().zip(0..) {
            let entries = self.index.entries.iter();
            let mut named = entries.filter(|entry| &*entry.name.type_name == WAVE_TYPE);
            let entry = named.find(|entry| IdString64::new(&entry.name.name) == *hash);
            let wave = entry.map(|entry| entry.name.name.to_string()).ok_or_else(|| {
                let text = format!("wave {number} is not in the data folder; compile the project");
                SoundError::sound(&name, text)
            })?;
            let payload = self.payload(WAVE_TYPE, &wave)?.ok_or_else(|| {
                SoundError::sound(&name, format!("`{wave}` was never compiled; correct it first"))
            })?;
            waves.push(SubjectWave { name: wave, samples: compiled_wave(payload) });
        }
        let is_it = |entry: &&loligo_compiler::Entry| {
            (&*entry.name.type_name, &*entry.name.name) == (SOUND_TYPE, &*name)
        };
        let entry = self.index.entries.iter().find(is_it);
        let names = entry.iter().flat_map(|entry| &entry.names).map(ToString::to_string).collect();
        Ok(Subject { name, tree: Some(tree), waves, names })
    }

    /// There is no such sound.
    fn nothing(&self, name: &str) -> SoundError {
        let of_type = |entry: &&loligo_compiler::Entry| {
            [SOUND_TYPE, WAVE_TYPE].contains(&&*entry.name.type_name)
        };
        let names: Vec<&str> =
            self.index.entries.iter().filter(of_type).map(|entry| &*entry.name.name).collect();
        let there = match names.as_slice() {
            [] => "no sounds".to_owned(),
            _ => names.iter().take(12).copied().collect::<Vec<_>>().join(", "),
        };
        let folder = self.folder.display();
        SoundError::other(format!(
            "{folder}: there is no sound or wave `{name}`; there are {there}"
        ))
    }
}

fn compiled_wave(file: FileParts) -> WaveSamples {
    WaveSamples::Compiled(file.payload, file.tail)
}

fn read(path: &Path) -> Result<Vec<u8>, SoundError> {
    fs::read(path).map_err(|error| {
        let remedy = "name a recording, or with --data DIR the name of a compiled sound";
        SoundError::file(path, format!("cannot read: {error}; {remedy}"))
    })
}
