//! Files of rows beneath a heading.

use std::fs;
use std::path::Path;

use crate::outcome::Failure;

/// Reads a file with `parse`; if it does not exist, nothing was kept.
///
/// # Errors
///
/// [`Failure::Unable`] if it cannot be read, and those of `parse`.
pub(crate) fn load<T: Default>(
    root: &Path,
    file: &str,
    parse: impl FnOnce(&str) -> Result<T, Failure>,
) -> Result<T, Failure> {
    match fs::read_to_string(root.join(file)) {
        Ok(text) => parse(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(T::default()),
        Err(error) => Err(Failure::io(&format!("cannot read {file}"), &error)),
    }
}

/// Writes a file, which is whole whenever the program ends.
///
/// # Errors
///
/// [`Failure::Unable`] if it cannot be written.
pub(crate) fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let part = path.with_extension("tsv.part");
    fs::write(&part, text)
        .and_then(|()| fs::rename(&part, path))
        .map_err(|error| Failure::io(&format!("cannot write {}", path.display()), &error))
}

/// Reads the rows of a text, each by `read`; `what` says what a row must be.
///
/// # Errors
///
/// [`Failure::Found`] with the first line that `read` does not take.
pub(crate) fn rows<R>(
    file: &str,
    heading: &str,
    what: &str,
    text: &str,
    read: impl Fn(&str) -> Option<R>,
) -> Result<Vec<R>, Failure> {
    let is_heading = |&(index, line): &(usize, &str)| index == 0 && line == heading;
    let lines = text.lines().enumerate().filter(|line| !is_heading(line));
    let row = |(index, line)| {
        read(line)
            .ok_or_else(|| Failure::Found(format!("{file}:{}: `{line}` is not {what}", index + 1)))
    };
    lines.map(row).collect()
}
