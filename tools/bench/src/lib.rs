//! A person's own allocator compared with all others.
#![doc = include_str!("../README.md")]
#![expect(
    unsafe_code,
    reason = "allocators of three traits are called by hand, and the system limits memory"
)]

mod api2;
mod as_global;
mod bench;
mod entry;
mod figures;
mod job;
mod parts;
mod progress;
mod rivals;
mod settings;
mod source;
mod suite;

pub use bench::Bench;
pub use loligo_tests::Limits;
