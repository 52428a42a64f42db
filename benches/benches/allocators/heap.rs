//! The heap compared with its peers. The rows on recorded traces are on the scoreboard only: there
//! the rows of a trace share one replay.
#![forbid(unsafe_code)]

mod group;

fn main() {
    group::run(&loligo_benches::rows::heap::rows(&[]));
}
