//! Standard output and standard error, of which nobody may read on.

use std::io::{self, Write};

/// Writes to standard output; a closed pipe is not an error.
pub(crate) fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, as `eprintln!`, which panics where nobody reads on: `loligo run
/// .. 2>&1 | head -1`.
macro_rules! say {
    ($($part:tt)*) => {
        $crate::print::say_line(format_args!($($part)*))
    };
}
pub(crate) use say;

/// Writes a line to standard error. Where that fails there is nowhere to report it.
pub(crate) fn say_line(line: core::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
