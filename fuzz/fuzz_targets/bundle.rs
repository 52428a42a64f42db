//! A bundle from any bytes: refused, or all that it has can be asked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::{bundle, limited};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 22, |memory| bundle::bundle(bytes, memory)));
