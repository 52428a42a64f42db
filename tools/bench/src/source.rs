//! The recordings of a comparison.

use std::path::PathBuf;

use loligo_replay::bundled::bundled;
use loligo_replay::trace::Trace;
use serde::{Deserialize, Serialize};

/// How many events of a recording are replayed in a quick run.
const QUICK_EVENTS: usize = 5000;

/// Where a recording is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// A bundled one, by its name.
    Bundled(String),
    /// The beginning of a bundled one.
    Beginning(String),
    /// A file.
    File(PathBuf),
}

impl Source {
    /// Reads the recording.
    ///
    /// # Errors
    ///
    /// In words, what is wrong with it.
    pub(crate) fn open(&self) -> Result<Trace, String> {
        let open = |name: &str| {
            let bundle = bundled().iter().find(|bundle| bundle.name == name);
            let bundle = bundle.ok_or_else(|| format!("no bundled recording `{name}`"))?;
            bundle.open().map_err(|error| error.to_string())
        };
        match self {
            Self::Bundled(name) => open(name),
            Self::Beginning(name) => {
                let trace = open(name)?;
                let events = trace.events[..QUICK_EVENTS.min(trace.events.len())].to_vec();
                Trace::from_events(name, events).map_err(|error| error.to_string())
            }
            Self::File(path) => Trace::open(path).map_err(|error| error.to_string()),
        }
    }
}
