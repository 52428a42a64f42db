//! A compiled wave from any bytes: refused, or it can be played.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::{limited, sound};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 22, |memory| sound::wave(bytes, memory)));
