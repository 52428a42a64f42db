//! A compiled clip from any bytes: refused, or it can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::{animation, limited};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 22, |memory| animation::clip(bytes, memory)));
