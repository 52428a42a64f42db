//! Texts from any bytes: refused, or each can be written with any values.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::{limited, strings};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 20, |memory| strings::strings(bytes, memory)));
