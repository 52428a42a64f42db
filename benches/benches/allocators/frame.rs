//! The frame compared with its peers.
#![forbid(unsafe_code)]

mod group;

fn main() {
    group::run(&loligo_benches::rows::frame::rows());
}
