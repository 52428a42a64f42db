//! Benchmarks against peers, and the scoreboard: every row of the table of figures, measured
//! interleaved with the peers in one run. The criterion groups under `benches/` run the same
//! workloads.
#![expect(
    unsafe_code,
    reason = "allocating by hand, frees included, is what is measured"
)]

mod blocks;
mod callgrind;
mod clock;
pub mod contender;
mod memory;
pub mod outcome;
mod peers;
mod random;
pub mod record;
pub mod replayed;
pub mod rows;
pub mod scoreboard;
pub mod table;
pub mod traces;
mod uncounted;
mod work;

/// Returns `names`, the peers that need the feature `peers-all`, where they are not compiled in.
fn absent(names: &[&'static str]) -> Vec<&'static str> {
    if cfg!(feature = "peers-all") {
        Vec::new()
    } else {
        names.to_vec()
    }
}
