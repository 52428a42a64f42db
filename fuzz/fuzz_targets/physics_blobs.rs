//! Settings, collision shapes, fields and tables of effects from any bytes: as sources, compiled or refused
//! at a place in them; as resources, opened or refused. What is right is used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::{limited, physics};

fuzz_target!(|bytes: &[u8]| limited::within(1 << 22, |memory| physics::read(bytes, memory)));
