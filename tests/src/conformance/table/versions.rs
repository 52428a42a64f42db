//! Which version of a crate is compiled in, read from the lock file.

const LOCK: &str = include_str!("../../../../Cargo.lock");

/// Returns the version of a crate that begins so.
///
/// # Panics
///
/// If the lock file has none.
pub(super) fn of(name: &str, begins: &str) -> String {
    let name_line = format!("name = \"{name}\"");
    let mut lines = LOCK.lines();
    while let Some(line) = lines.next() {
        if line == name_line
            && let Some(version) = lines.next().and_then(|line| line.split('"').nth(1))
            && version.starts_with(begins)
        {
            return version.to_owned();
        }
    }
    panic!("Cargo.lock has no {name} {begins}")
}
