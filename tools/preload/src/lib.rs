//! `malloc` and its kin over a heap for each thread, for `LD_PRELOAD`.
//!
//! A tool: a program that is run over it is measured, or ends at its first wrong free. It is never a
//! default.
//!
//! ```text
//! cargo build --release -p loligo-preload
//! LD_PRELOAD=target/release/libloligo_preload.so python3 -c 'print(6 * 7)'
//! ```
//!
//! If `LOLIGO_PRELOAD_COUNTERS` names a file, each program appends its counters to it at its end.
//!
//! The C library and the loader call these functions before anything of Rust's is set up, so nothing
//! here needs more than statics.
#![cfg(target_os = "linux")]
#![expect(unsafe_code, reason = "these functions are called by the C library's rules")]

mod counters;
mod exports;
mod heap;
