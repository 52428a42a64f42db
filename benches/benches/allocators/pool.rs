//! The pool beside its peers.
#![forbid(unsafe_code)]

mod group;

fn main() {
    group::run(&loligo_benches::rows::pool::rows());
}
