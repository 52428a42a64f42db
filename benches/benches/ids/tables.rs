//! The tables of ids beside their peers.
#![forbid(unsafe_code)]

#[path = "../allocators/group.rs"]
mod group;

fn main() {
    group::run(&loligo_benches::rows::ids::rows());
}
