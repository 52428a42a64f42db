//! The tables of ids compared with their peers.
#![forbid(unsafe_code)]

#[path = "../allocators/group.rs"]
mod group;

fn main() {
    group::run(&loligo_benches::rows::ids::rows());
}
