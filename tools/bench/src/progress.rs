//! Progress, on standard error.

use std::io::{self, Write as _};

/// Writes a line of progress.
pub(crate) fn say(line: &str) {
    // Nobody may be there to read it.
    let _ = writeln!(io::stderr(), "{line}");
}
