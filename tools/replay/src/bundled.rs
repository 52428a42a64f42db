//! The traces that are compiled in, so that the command works from any folder.

use crate::trace::{Trace, TraceError};

/// A compiled-in trace, compressed.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// Its name.
    pub name: &'static str,
    /// The contents of `NAME.altrace.zst`.
    pub bytes: &'static [u8],
}

impl Bundled {
    /// Reads the trace.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if the trace is damaged, which the tests rule out.
    pub fn open(&self) -> Result<Trace, TraceError> {
        Trace::read_zst(self.name, self.bytes)
    }
}

/// Returns the bundled traces; `traces/README.md` says what each is.
#[must_use]
pub fn bundled() -> &'static [Bundled] {
    &[
        Bundled { name: "ffmpeg", bytes: include_bytes!("../traces/ffmpeg.altrace.zst") },
        Bundled { name: "git-log", bytes: include_bytes!("../traces/git-log.altrace.zst") },
        Bundled { name: "lua", bytes: include_bytes!("../traces/lua.altrace.zst") },
        Bundled { name: "openttd", bytes: include_bytes!("../traces/openttd.altrace.zst") },
        Bundled { name: "sqlite", bytes: include_bytes!("../traces/sqlite.altrace.zst") },
    ]
}
