//! Clips of models, of folders of models, and of data folders.

use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_animation::compile::{
    CompressOptions, RawClip, RawSkeleton, compress, gltf_clip, gltf_skeleton, skin_errors,
};
use loligo_animation::{Skeleton, StoredClip};
use loligo_compiler::CompileError;
use loligo_containers::{BlobBytes, Endian};
use loligo_formats::GltfFile;
use loligo_resources::HEADER_BYTES;

use super::subject::{Subject, SubjectSource};

/// How a clip is read and compressed.
#[derive(Debug, Args)]
pub(super) struct Input {
    /// The animation of a model [default: all of them]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// The skin of a model whose joints are the bones [default: the only one]
    #[arg(long, value_name = "NAME")]
    skin: Option<String>,

    /// The compiled skeleton of a compiled clip
    #[arg(long, value_name = "FILE")]
    skeleton: Option<PathBuf>,

    /// Frames a second that a model is sampled with
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = rate)]
    rate: f32,

    /// How far the skin may be off, in centimetres
    #[arg(long, value_name = "CM", default_value_t = 0.01, value_parser = length)]
    bound_cm: f32,

    /// How far from each bone the skin is measured, in centimetres
    #[arg(long, value_name = "CM", default_value_t = 3.0, value_parser = length)]
    skin_cm: f32,
}

fn rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| (1.0..=240.0).contains(rate));
    rate.ok_or_else(|| "it is not a number from 1 to 240".to_owned())
}

fn length(text: &str) -> Result<f32, String> {
    let length = text.parse().ok().filter(|length| (0.000_1..=1000.0).contains(length));
    length.ok_or_else(|| "it is not a number from 0.0001 to 1000".to_owned())
}

/// A clip cannot be shown.
#[derive(Clone, Debug)]
pub(super) struct InputError {
    text: String,
    is_of_clip: bool,
}

impl InputError {
    pub(super) fn other(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_of_clip: false }
    }

    /// There is no clip in a file or folder.
    pub(super) fn nothing(path: &Path) -> Self {
        let path = path.display();
        Self::other(format!("{path}: there is no clip in it; name a model with animations"))
    }

    fn clip(path: &Path, text: impl fmt::Display) -> Self {
        Self { text: format!("{}: {text}", path.display()), is_of_clip: true }
    }

    fn file(path: &Path, text: impl fmt::Display) -> Self {
        Self::other(format!("{}: {text}", path.display()))
    }

    /// Returns `true` if a clip cannot be compressed; else it could not be read.
    pub(super) const fn is_of_clip(&self) -> bool {
        self.is_of_clip
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Input {
    /// Reads the clips of a path, each by itself.
    pub(super) fn read(&self, path: &Path) -> Result<Vec<Result<Subject, InputError>>, InputError> {
        if path.is_dir() {
            let mut found = Vec::new();
            for model in models_of(path)? {
                match self.model(&model) {
                    Ok(subjects) => found.extend(subjects),
                    Err(error) => found.push(Err(error)),
                }
            }
            return if found.is_empty() { Err(InputError::nothing(path)) } else { Ok(found) };
        }
        if is_model(path) { self.model(path) } else { Ok(vec![self.compiled(path)]) }
    }

    /// Compresses the animations of a model.
    fn model(&self, path: &Path) -> Result<Vec<Result<Subject, InputError>>, InputError> {
        let wrong = |error: CompileError| {
            InputError::file(path, format!("{}; {}", error.reason, error.remedy))
        };
        let bytes = read(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        let file = GltfFile::read_with(&name, &bytes, |buffer| read_buffer(folder, buffer));
        let file = file.map_err(wrong)?;
        let skeleton = gltf_skeleton(&file, self.skin.as_deref()).map_err(wrong)?;
        let all = file.document().animations().enumerate();
        let all = all.map(|(at, animation)| {
            animation.name().map_or_else(|| format!("animation {at}"), ToOwned::to_owned)
        });
        let names: Vec<String> = match &self.clip {
            Some(clip) => vec![clip.clone()],
            None => all.collect(),
        };
        let is_single = self.clip.is_none() && names.len() == 1;
        let subject = |name: &String| {
            // The only one may be without a name.
            let asked = (!is_single).then_some(&**name);
            let clip = gltf_clip(&file, &skeleton, asked, self.rate).map_err(wrong)?;
            self.compressed(path, name, &skeleton, &clip)
        };
        Ok(names.iter().map(subject).collect())
    }

    fn compressed(
        &self,
        path: &Path,
        name: &str,
        skeleton: &RawSkeleton,
        raw: &RawClip,
    ) -> Result<Subject, InputError> {
        let (bound, distance) = (self.bound_cm / 100.0, self.skin_cm / 100.0);
        let options =
            CompressOptions { bound, skin_distance: distance, ..CompressOptions::default() };
        let wrong = |error| InputError::clip(path, format!("`{name}`: {error}"));
        let found = compress(skeleton, raw, &options).map_err(wrong)?;
        let built = skeleton.build(Endian::NATIVE).map_err(wrong)?;
        let mut subject = Subject {
            name: name.to_owned(),
            bones: skeleton.names.clone(),
            skeleton: built,
            clip: found.bytes,
            source: None,
        };
        let errors = subject.open(|skeleton, clip| skin_errors(skeleton, raw, clip, distance));
        let errors = errors.map_err(|text| InputError::file(path, text))?.map_err(wrong)?;
        let (by_frame, by_bone) = (errors.by_frame(), errors.by_bone());
        subject.source =
            Some(SubjectSource { statistics: found.statistics, bound, by_frame, by_bone });
        Ok(subject)
    }

    /// Reads a compiled clip and its skeleton.
    fn compiled(&self, path: &Path) -> Result<Subject, InputError> {
        let Some(skeleton_path) = &self.skeleton else {
            let remedy = "name a model `.gltf` or `.glb`, or a compiled clip with --skeleton FILE";
            return Err(InputError::file(path, format!("it is no model; {remedy}")));
        };
        let clip = payload(read(path)?);
        let skeleton = payload(read(skeleton_path)?);
        let pages = PageAllocator::new("animation pages");
        let heap = HeapAllocator::new("animation", &pages);
        let aligned = |bytes: &[u8]| {
            BlobBytes::try_copy(bytes, &heap).map_err(|error| InputError::file(path, error))
        };
        let bytes = aligned(&skeleton)?;
        let opened = Skeleton::open(&bytes);
        let opened = opened.map_err(|error| InputError::file(skeleton_path, error))?;
        let bones = opened.names().iter().map(ToString::to_string).collect();
        StoredClip::try_new(&clip, &heap).map_err(|error| InputError::file(path, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let subject = Subject { name, bones, skeleton, clip, source: None };
        subject.open(|_, _| ()).map_err(|text| InputError::file(path, text))?;
        Ok(subject)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    let wrong =
        |error| InputError::file(path, format!("cannot read: {error}; name a file that is there"));
    fs::read(path).map_err(wrong)
}

/// Returns what is after the header of a resource's file, or all of what is none.
fn payload(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(b"loliresc") && bytes.len() >= HEADER_BYTES {
        bytes.drain(..HEADER_BYTES);
    }
    bytes
}

fn is_model(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("gltf") || extension.eq_ignore_ascii_case("glb")
}

/// Returns the models of a folder and those in it, in order.
fn models_of(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let wrong = |error: std::io::Error| InputError::file(folder, format!("cannot read: {error}"));
    let entries = fs::read_dir(folder).map_err(wrong)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(wrong)?;
    paths.sort();
    let mut models = Vec::new();
    for path in paths {
        // Links are not followed, so that there is no ring.
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir());
        match is_folder {
            true => models.extend(models_of(&path)?),
            false if is_model(&path) => models.push(path),
            false => {}
        }
    }
    Ok(models)
}

/// Reads a buffer of a model, which is in its folder or below.
fn read_buffer(folder: &Path, buffer: &str) -> Result<Option<Arc<[u8]>>, CompileError> {
    let path = Path::new(buffer);
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        let reason = format!("its buffer is in `{buffer}`, which leads out of its folder");
        return Err(CompileError::new(reason, "export the model again"));
    }
    match fs::read(folder.join(path)) {
        Ok(bytes) => Ok(Some(bytes.into())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let reason = format!("cannot read its buffer `{buffer}`: {error}");
            Err(CompileError::new(reason, "make it readable"))
        }
    }
}
