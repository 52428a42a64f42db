//! Data of other recorders.

use std::fs;
use std::io;

use loligo_replay::convert::convert;
use loligo_replay::trace::Limits;
use tempfile::TempDir;

use super::{Seeds, Surface, root};

/// What a compressed one may become.
const LIMITS: Limits = Limits::unpacked(16 << 20);

/// Samples of heaptrack's data and logalloc's logs.
pub(crate) struct Recordings {
    folder: TempDir,
    real: Vec<(String, Vec<u8>)>,
}

impl Recordings {
    pub(crate) fn try_new() -> io::Result<Self> {
        let samples = root().join("tools/replay/src/convert/samples");
        let mut real = Vec::new();
        for name in ["heaptrack.txt", "logalloc.txt"] {
            let bytes = fs::read(samples.join(name))?;
            real.push((format!("{name}.zst"), zstd::encode_all(&bytes[..], 3)?));
            real.push((name.to_owned(), bytes));
        }
        Ok(Self { folder: tempfile::tempdir()?, real })
    }
}

impl Surface for Recordings {
    fn seeds(&self) -> Seeds {
        let line = b"+ ".repeat(1 << 18);
        Seeds { harmful: vec![("one line".to_owned(), line)], real: self.real.clone() }
    }

    fn feed(&mut self, _: &str, input: &[u8]) {
        let path = self.folder.path().join("recording");
        // The folder is ours, and whatever cannot be written is not fed; errors are right.
        if fs::write(&path, input).is_ok() {
            let _ = convert(&path, None, LIMITS, io::sink());
        }
    }
}
