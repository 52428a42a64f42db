//! Programs of several threads as benchmarks of heaps; `suites --help` lists the commands.
#![forbid(unsafe_code)]

use std::process::ExitCode;

// The program's own memory is the C library's. Apart from the heap under test it takes a few blocks
// a thread, so figures of other heaps do not depend on it.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    loligo_benches::suites::command::run(&arguments)
}
