//! Entities from any bytes: as a resource, opened or refused, and spawned as far as its data are
//! right; as a source, compiled or refused at a place in it. What is compiled is opened, spawned,
//! moved and removed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::{entities, limited};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 22, |memory| {
    match bytes.split_first() {
        Some((0, source)) => entities::compile_and_run(source, memory),
        Some((1, bytes)) => entities::open_and_run(bytes, memory),
        Some((_, parts)) => entities::build_and_run(parts, memory),
        None => {}
    }
}));
