//! Short files that the user names: plans of memory, strategies.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

/// The most bytes that such a file may have.
const BYTES_MAX: u64 = 16 << 20;

/// Reads a text, if it is not longer than such files are. A device, which may have no end, and a
/// pipe, which may have no beginning, are refused; the error says why, without the name.
pub(crate) fn read_text(path: &Path) -> Result<String, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is no file; name one".to_owned());
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_string(&mut text));
    match read {
        Ok(bytes) if bytes as u64 > BYTES_MAX => {
            Err(format!("it has more than {BYTES_MAX} bytes; name another"))
        }
        Ok(_) => Ok(text),
        Err(error) => Err(error.to_string()),
    }
}
