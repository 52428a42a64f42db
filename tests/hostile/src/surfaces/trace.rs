//! Recordings of ours.

use std::io;

use loligo_replay::trace::{Limits, Trace};

use super::{Seeds, Surface, root};

/// How much of a bundled recording an input begins with, in bytes.
const BYTES: usize = 20_000;

/// What a compressed one may become.
const LIMITS: Limits = Limits::unpacked(64 << 20);

/// The beginnings of the bundled recordings, plain and compressed.
pub(crate) struct Traces {
    real: Vec<(String, Vec<u8>)>,
}

impl Traces {
    pub(crate) fn try_new() -> io::Result<Self> {
        let mut real = Vec::new();
        for name in ["lua", "sqlite"] {
            let path = root().join("tools/replay/traces").join(format!("{name}.altrace.zst"));
            let trace = Trace::open(&path).map_err(|error| io::Error::other(error.to_string()))?;
            let first = trace.first(400).map_err(|error| io::Error::other(error.to_string()))?;
            let mut plain = Vec::new();
            first.write(&mut plain)?;
            plain.truncate(BYTES);
            real.push(("compressed".to_owned(), zstd::encode_all(&plain[..], 3)?));
            real.push(("plain".to_owned(), plain));
        }
        Ok(Self { real })
    }
}

impl Surface for Traces {
    fn seeds(&self) -> Seeds {
        // Many zeros in few bytes.
        let bomb = zstd::encode_all(io::Read::take(io::repeat(0), 1 << 30), 1).unwrap_or_default();
        Seeds { harmful: vec![("compressed".to_owned(), bomb)], real: self.real.clone() }
    }

    fn feed(&mut self, what: &str, input: &[u8]) {
        // Errors are right.
        let _ = match what {
            "compressed" => Trace::read_zst_within("hostile", input, LIMITS),
            _ => Trace::read("hostile", input),
        };
    }
}
