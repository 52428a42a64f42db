//! A compiled ragdoll from any bytes: refused, or its bones and shapes can be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::{limited, physics};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 22, |memory| physics::ragdoll(bytes, memory)));
