//! Traces from what other recorders write: what `loligo convert` does.
//!
//! The first line shows what kind of file it is. Files are read line by line, so what is kept grows
//! by what is live and by what was named, never by what a line claims.

mod error;
mod heaptrack;
mod lines;
mod logalloc;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

pub use error::{ConvertError, ConvertErrorKind};

use crate::books::Summary;
use crate::trace::{Bounded, Limits, exceeded};
use lines::Lines;

/// The first bytes of a stream compressed with zstd.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// The first bytes of a stream compressed with gzip.
const GZIP: &[u8] = b"\x1f\x8b";

/// The usual limits of what is converted. What is kept of a file may be several times its bytes.
pub const LIMITS: Limits = Limits::unpacked(1 << 28);

/// Reads what heaptrack or Firefox's logalloc has recorded, and writes it as a trace of version 2.
///
/// `process` chooses the process of a log of several, `limits` bound what a compressed file may
/// become.
///
/// # Complexity
///
/// O(events). Memory for each live block and each name.
///
/// # Errors
///
/// [`ConvertError`] if the file cannot be read, is of no known kind or damaged, or `out` cannot be
/// written to.
pub fn convert(
    path: &Path,
    process: Option<u64>,
    limits: Limits,
    out: impl Write,
) -> Result<Summary, ConvertError> {
    let shown = path.display().to_string();
    let fail = |kind| ConvertError { file: shown.clone(), line: None, kind };
    let file = File::open(path).map_err(|error| fail(ConvertErrorKind::Unreadable(error)))?;
    let mut input = BufReader::with_capacity(1 << 16, file);
    let first = input.fill_buf().map_err(|error| fail(ConvertErrorKind::Unreadable(error)))?;
    if first.starts_with(GZIP) {
        return Err(fail(ConvertErrorKind::Gzip));
    }
    if !first.starts_with(ZSTD) {
        return read(&shown, input, process, out);
    }
    let decoder = zstd::stream::read::Decoder::with_buffer(input)
        .map_err(|error| fail(ConvertErrorKind::Unreadable(error)))?;
    let decoder = Bounded::new(decoder, limits);
    read(&shown, BufReader::with_capacity(1 << 16, decoder), process, out).map_err(|mut error| {
        if let ConvertErrorKind::Unreadable(cause) = &error.kind
            && let Some(bytes_max) = exceeded(cause)
        {
            error.kind = ConvertErrorKind::UnpacksTooFar { bytes_max };
        }
        error
    })
}

/// Reads an uncompressed file.
fn read(
    shown: &str,
    input: impl BufRead,
    process: Option<u64>,
    out: impl Write,
) -> Result<Summary, ConvertError> {
    let mut lines = Lines::new(input);
    let converted = match lines.next() {
        Ok(Some(first)) if first.starts_with("v ") => heaptrack::convert(lines, out),
        Ok(Some(first)) if first.contains('(') => logalloc::convert(lines, process, out),
        Ok(_) => Err((None, ConvertErrorKind::UnknownKind)),
        Err(kind) => Err((None, kind)),
    };
    converted.map_err(|(line, kind)| ConvertError { file: shown.to_owned(), line, kind })
}

/// What a reader of lines returns: the figures, or line and fault.
type Converted = Result<Summary, (Option<u64>, ConvertErrorKind)>;
