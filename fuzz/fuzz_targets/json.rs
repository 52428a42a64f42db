//! JSON from any bytes into open arrays, open structs and keys and values: refused, or JSON by
//! another reader too, and written to what is read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::{OpenLayout, OpenStruct};
use loligo_fuzz::json::{array, key_values};
use loligo_fuzz::limited;

fn is_json(json: &[u8]) {
    if let Err(error) = serde_json::from_slice::<serde_json::Value>(json) {
        assert!(error.to_string().contains("recursion limit"), "another reader: {error}");
    }
}

fuzz_target!(|json: &[u8]| limited::within(1 << 24, |memory| {
    for layout in [OpenLayout::ArrayOfStructs, OpenLayout::StructOfArrays] {
        let Some(written) = array(json, layout, memory) else { continue };
        is_json(json);
        assert_eq!(array(written.as_bytes(), layout, memory), Some(written), "an open array");
    }
    if let Some(written) = key_values(json, memory) {
        is_json(json);
        assert_eq!(key_values(&written, memory), Some(written), "keys and values");
    }
    if let Ok(open) = OpenStruct::try_from_json_in(json, memory) {
        is_json(json);
        open.as_array().validate().expect("what was read is whole");
    }
}));
