//! The result of one recording as a file.

use core::error::Error;
use core::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::recordings::Fingerprint;
use crate::child;
use crate::results::{RowResult, Spread, TraceResult};
use crate::strategies::{StrategyConfig, to_json};
use crate::unfinished::Unfinished;

/// The first field of each file.
const FORMAT: &str = "loligo replay result 1";

/// A longer file is not a result of one recording.
const BYTES_MAX: u64 = 16 << 20;

/// The result of one recording: the figures, and all that they depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    format: String,
    /// What was measured, and how.
    pub options: RunOptions,
    /// Which recording.
    pub recording: RecordingFile,
    /// Where.
    pub machine: Machine,
    /// The figures: one entry.
    traces: Vec<TraceResult>,
    /// What lost contents, where they were compared.
    pub losses: Vec<String>,
}

/// What was measured, and how. Results of the same options are comparable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOptions {
    /// The names of the rows, in their order.
    pub rows: Vec<String>,
    /// A fingerprint of the strategies among them.
    pub strategies: String,
    /// Counted rounds.
    pub rounds: u32,
    /// The most threads of a replay by threads.
    pub threads: Option<u16>,
    /// Whether contents were compared.
    pub verify: bool,
    /// The cap in nanoseconds, where one was given.
    pub cap_ns: Option<u64>,
}

impl RunOptions {
    /// Returns the fingerprint of strategies: it changes with any of their parameters.
    #[must_use]
    pub fn fingerprint(strategies: &[StrategyConfig]) -> String {
        let mut fingerprint = Fingerprint::new();
        fingerprint.add(to_json(strategies).as_bytes());
        fingerprint.to_text()
    }
}

/// What identifies a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingFile {
    /// Its name.
    pub name: String,
    /// The length of its file.
    pub bytes: u64,
    /// A fingerprint of its contents.
    pub fingerprint: String,
}

/// The machine of a result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The processor, as the system names it.
    pub processor: String,
    /// How many of its cores the process could use.
    pub cores: u32,
}

impl Machine {
    /// Returns this one.
    #[must_use]
    pub fn this() -> Self {
        let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let processor =
            name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned());
        Self { processor, cores: child::cores() as u32 }
    }
}

impl Kept {
    /// Returns the result of a recording that was measured on this machine.
    #[must_use]
    pub fn new(
        options: RunOptions,
        recording: RecordingFile,
        result: TraceResult,
        losses: Vec<String>,
    ) -> Self {
        let (format, machine) = (FORMAT.to_owned(), Machine::this());
        Self { format, options, recording, machine, traces: vec![result], losses }
    }

    /// Returns the figures.
    #[must_use]
    pub fn result(&self) -> &TraceResult {
        // `new` puts one there and `read` refuses all else.
        &self.traces[0]
    }

    /// Reads a result and checks it.
    ///
    /// # Errors
    ///
    /// [`KeptError`], with the path and what is wrong.
    pub fn read(path: &Path) -> Result<Self, KeptError> {
        let fail = |kind| KeptError { path: path.to_owned(), kind };
        let file = File::open(path).map_err(|error| fail(KeptErrorKind::Unreadable(error)))?;
        let mut text = Vec::new();
        file.take(BYTES_MAX + 1)
            .read_to_end(&mut text)
            .map_err(|error| fail(KeptErrorKind::Unreadable(error)))?;
        if text.len() as u64 > BYTES_MAX {
            return Err(fail(KeptErrorKind::TooLong));
        }
        let kept: Self = serde_json::from_slice(&text)
            .map_err(|error| fail(KeptErrorKind::NotAResult(error.to_string())))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        kept.check(&stem).map_err(|what| fail(KeptErrorKind::NotAResult(what)))?;
        Ok(kept)
    }

    /// Writes the result: under a temporary name, then renamed.
    ///
    /// # Errors
    ///
    /// [`KeptError`] if the system refuses; a file that was there is then unchanged.
    pub fn write(&self, path: &Path) -> Result<(), KeptError> {
        let write = || {
            let mut text = serde_json::to_vec_pretty(self)?;
            text.push(b'\n');
            let folder = path.parent().unwrap_or(Path::new("."));
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let mut unfinished = Unfinished::create(folder, &name)?;
            unfinished.file.write_all(&text)?;
            unfinished.file.sync_all()?;
            fs::rename(&unfinished.path, path)
        };
        let kind = KeptErrorKind::Unwritable;
        write().map_err(|error| KeptError { path: path.to_owned(), kind: kind(error) })
    }

    /// Checks what JSON cannot state.
    fn check(&self, stem: &str) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("its format is `{}` and not `{FORMAT}`", self.format));
        }
        let [result] = &self.traces[..] else {
            return Err(format!("it has {} recordings and not one", self.traces.len()));
        };
        let names = [&*self.recording.name, &result.name];
        if let Some(other) = names.into_iter().find(|name| *name != stem) {
            return Err(format!("it is the result of `{other}`, not of `{stem}`"));
        }
        let rows: Vec<&String> = result.rows.iter().map(|row| &row.name).collect();
        if !rows.iter().copied().eq(&self.options.rows) {
            return Err("its rows are not those that its options name".to_owned());
        }
        match result.rows.iter().find(|row| !has_sound_figures(row)) {
            Some(row) => Err(format!("a figure of row `{}` cannot be", row.name)),
            None => Ok(()),
        }
    }
}

/// Returns `true` if no figure is one that no measurement has.
fn has_sound_figures(row: &RowResult) -> bool {
    let is_sound = |figure: f64| figure.is_finite() && figure >= 0.0;
    let is_ordered = |ns: Spread| {
        [ns.min, ns.median, ns.max].into_iter().all(is_sound)
            && ns.min <= ns.median
            && ns.median <= ns.max
    };
    row.ns_per_event.is_none_or(is_ordered)
        && [row.memory_ratio, row.worst_ns].into_iter().flatten().all(is_sound)
}

/// A file that is not a result, or cannot be read or written.
#[derive(Debug)]
pub struct KeptError {
    path: PathBuf,
    /// What is wrong.
    pub kind: KeptErrorKind,
}

/// What is wrong with a file of a result.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeptErrorKind {
    /// The system refuses to read it.
    Unreadable(io::Error),
    /// The system refuses to write it.
    Unwritable(io::Error),
    /// It is longer than any result.
    TooLong,
    /// It is damaged, or another program's: in words.
    NotAResult(String),
}

impl KeptError {
    /// Returns `true` if there is no such file.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(&self.kind, KeptErrorKind::Unreadable(error)
            if error.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for KeptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            KeptErrorKind::Unreadable(error) => write!(f, "{path}: cannot read: {error}"),
            KeptErrorKind::Unwritable(error) => {
                write!(f, "{path}: cannot write: {error}; name a folder that may be written")
            }
            KeptErrorKind::TooLong => write!(
                f,
                "{path}: not a result of `loligo replay --shard`: longer than {BYTES_MAX} bytes; \
                 remove it, or use another folder"
            ),
            KeptErrorKind::NotAResult(what) => write!(
                f,
                "{path}: not a result of `loligo replay --shard`, or damaged: {what}; remove it, \
                 or use another folder"
            ),
        }
    }
}

impl Error for KeptError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            KeptErrorKind::Unreadable(error) | KeptErrorKind::Unwritable(error) => Some(error),
            KeptErrorKind::TooLong | KeptErrorKind::NotAResult(_) => None,
        }
    }
}
