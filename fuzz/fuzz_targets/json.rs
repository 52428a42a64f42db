//! JSON from any bytes into open arrays and structs: refused, or JSON by another reader too, and written to
//! what is read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::{OpenArray, OpenLayout, OpenStruct};
use loligo_fuzz::limited;

fuzz_target!(|json: &[u8]| {
    limited::within(1 << 22, |memory| {
        for layout in [OpenLayout::ArrayOfStructs, OpenLayout::StructOfArrays] {
            let Ok(array) = OpenArray::try_from_json_in(json, layout, memory) else { continue };
            array.validate().expect("what was read is whole");
            serde_json::from_slice::<serde_json::Value>(json).expect("it is JSON");
            let mut written = String::new();
            array.write_json(|_| None, &mut written).expect("all numbers are finite");
            let again = OpenArray::try_from_json_in(written.as_bytes(), layout, memory);
            let mut rewritten = String::new();
            let again = again.unwrap_or_else(|error| panic!("{written}: {error}"));
            again.write_json(|_| None, &mut rewritten).expect("all numbers are finite");
            assert_eq!(rewritten, written);
        }
        if let Ok(open) = OpenStruct::try_from_json_in(json, memory) {
            open.as_array().validate().expect("what was read is whole");
            serde_json::from_slice::<serde_json::Value>(json).expect("it is JSON");
        }
    });
});
