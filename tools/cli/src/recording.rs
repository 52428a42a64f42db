//! Recordings as files, and what is said of one that was made.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use loligo_replay::books::Summary;
use loligo_replay::bundled::bundled;
use loligo_replay::trace::{Limits, Trace};

use crate::output::{Output, OutputError};
use crate::print::say;
use crate::replay::tell_ending;

/// Opens a recording by its path, or a bundled one by its name.
///
/// # Errors
///
/// What is wrong with it, in words.
pub(crate) fn open_trace(path: &Path, limits: Limits) -> Result<Trace, String> {
    let found = bundled().iter().find(|one| Path::new(one.name) == path);
    match found {
        Some(one) if !path.exists() => one.open(),
        _ => Trace::open_within(path, limits),
    }
    .inspect(tell_ending)
    .map_err(|error| error.to_string())
}

/// How hard recordings are compressed: little, since its user waits for it.
const COMPRESSION: i32 = 3;

/// Writes a recording, compressed if the file's name ends in `.zst`.
///
/// # Errors
///
/// The file's in a text, or what `make` returns.
pub(crate) fn write<E: From<io::Error>>(
    output: &Output,
    make: impl FnOnce(&mut dyn Write) -> Result<Summary, E>,
) -> Result<Result<Summary, E>, OutputError> {
    let is_packed = output.path().extension().is_some_and(|ending| ending == "zst");
    output.write_by(|file| {
        let mut file = BufWriter::with_capacity(1 << 16, file);
        let summary = if is_packed {
            let mut encoder = zstd::Encoder::new(&mut file, COMPRESSION)?;
            let summary = make(&mut encoder)?;
            encoder.finish()?;
            summary
        } else {
            make(&mut file)?
        };
        file.flush()?;
        Ok(summary)
    })
}

/// Prints on standard error what a recording holds.
pub(crate) fn tell(path: &Path, summary: &Summary) {
    let Summary { events, threads, peak_blocks, allocations, sites, marks, .. } = summary;
    let file_bytes = std::fs::metadata(path).map_or(0, |about| about.len());
    let threads = match threads {
        1 => "1 thread".to_owned(),
        many => format!("{many} threads"),
    };
    say!(
        "loligo: {}: {events} events of {threads} from {sites} call sites{}; the file has {}",
        path.display(),
        if *marks > 0 { format!(", {marks} frame marks") } else { String::new() },
        bytes(file_bytes)
    );
    say!("loligo: peak {} live; at most {peak_blocks} blocks at a time", bytes(summary.peak_bytes));
    let [half, most, nearly_all, largest] =
        [50, 90, 99, 100].map(|percent| bytes(summary.size_percentile(percent)));
    say!(
        "loligo: {allocations} allocations: half of up to {half}, 90 % of up to {most}, 99 % of up \
         to {nearly_all}, the largest of {largest}"
    );
    if let Some(why) = summary.stopped {
        say!("loligo: the recording ends before the program did: {why}");
    }
    if summary.strangers > 0 {
        let strangers = summary.strangers;
        say!("loligo: {strangers} frees of blocks from before the recording are left out");
    }
    if summary.overlaid > 0 {
        let overlaid = summary.overlaid;
        say!(
            "loligo: {overlaid} blocks were freed in a way that was not recorded; they end where \
             their address was given out again"
        );
    }
}

/// Returns a size for a reader.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
