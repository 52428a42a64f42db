//! Open arrays from any bytes: refused, or whole, and saved to what opens to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::{Array, OpenArray};
use loligo_fuzz::limited;

fuzz_target!(|bytes: &[u8]| {
    limited::within(2 * bytes.len() + 64, |memory| {
        let Ok(mut array) = OpenArray::try_open_in(bytes, memory) else { return };
        array.validate().expect("what was opened is whole");
        let fields: Vec<_> = array.fields().collect();
        for row in 0..array.len() {
            for (name, kind) in &fields {
                let value = array.value(row, *name).expect("a row has all fields");
                assert_eq!(value.field_type(), *kind);
                std::hint::black_box(format!("{value:?}"));
            }
        }
        let mut saved: Array<u8> = Array::new_in(memory);
        array.try_save(&mut saved).expect("it is no longer than the input");
        assert_eq!(&saved[..], bytes, "what was opened saves the same");
        let _ = array.write_json(|_| None, &mut String::new());
        array.try_compact().expect("less is needed than there was");
        array.validate().expect("it is whole without what was unused");
        for (name, _) in fields {
            array.remove_field(name);
            array.validate().expect("it is whole with a field less");
        }
    });
});
