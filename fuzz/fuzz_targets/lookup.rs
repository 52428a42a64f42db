//! Tables of names from any bytes: refused, or whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_ids::{IdString32, ReverseLookup};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(names) = ReverseLookup::<IdString32>::open(bytes) {
        for (id, name) in names.iter() {
            assert_eq!(names.get(id), Some(name), "{id} is in the table");
        }
    }
});
