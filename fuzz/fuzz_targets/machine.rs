//! A state machine from any bytes: as a source, compiled or refused at a place in it; as a resource,
//! opened or refused. What is right is stepped, saved and restored.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::{animation, limited};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 22, |memory| match bytes.split_first() {
    Some((0, source)) => animation::machine_source(source, memory),
    Some((_, bytes)) => animation::machine(bytes, memory),
    None => {}
}));
