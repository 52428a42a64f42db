//! What is fed: each surface by its name.

mod blobs;
mod data;
mod input;
mod port;
mod project;
mod recording;
mod saved;
mod scripts;
mod trace;

use std::io;
use std::path::{Path, PathBuf};

/// All surfaces, in order.
pub(crate) const NAMES: [&str; 9] =
    ["project", "data", "blobs", "input", "saved", "trace", "recording", "port", "scripts"];

/// Inputs to begin with: what each is, and its bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seeds {
    /// What did harm once.
    pub(crate) harmful: Vec<(String, Vec<u8>)>,
    /// What is right.
    pub(crate) real: Vec<(String, Vec<u8>)>,
}

/// A reader of outside data.
pub(crate) trait Surface {
    /// Returns what inputs are made of.
    fn seeds(&self) -> Seeds;

    /// Feeds an input that is in the place of `what`. Any error is right; it ends, and nothing but
    /// it is touched.
    fn feed(&mut self, what: &str, input: &[u8]);
}

/// Makes a surface ready.
pub(crate) fn surface(name: &str) -> io::Result<Box<dyn Surface>> {
    Ok(match name {
        "project" => Box::new(project::Project::try_new()?),
        "data" => Box::new(data::Data::try_new()?),
        "blobs" => Box::new(blobs::Blobs::try_new()?),
        "input" => Box::new(input::Inputs::try_new()?),
        "saved" => Box::new(saved::Saved::try_new()?),
        "trace" => Box::new(trace::Traces::try_new()?),
        "recording" => Box::new(recording::Recordings::try_new()?),
        "port" => Box::new(port::Port::try_new()?),
        "scripts" => Box::new(scripts::Scripts::try_new()?),
        _ => return Err(io::Error::other("there is no such surface")),
    })
}

/// Returns the root of the project that this was built in.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the files of a folder and of those in it, by their paths in it, without data that was
/// compiled.
fn files(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(at) = waiting.pop() {
        for entry in std::fs::read_dir(folder.join(&at))? {
            let entry = entry?;
            let path = at.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                if entry.file_name() != ".loligo" {
                    waiting.push(path);
                }
            } else if let Some(name) = path.to_str() {
                all.push((name.to_owned(), std::fs::read(entry.path())?));
            }
        }
    }
    all.sort();
    Ok(all)
}
