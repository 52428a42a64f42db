//! Tables of names from any bytes: refused, or every name is found, shown and taken over.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::limited;
use loligo_ids::{IdString, IdString32, IdString64, ReverseLookup, ReverseLookupBuilder};

fn open<I: IdString>(bytes: &[u8]) {
    let Ok(names) = ReverseLookup::<I>::open(bytes) else { return };
    for (id, name) in names.iter() {
        assert_eq!(names.get(id), Some(name), "{id} is in the table");
        assert_eq!(names.show(id).to_string(), name);
    }
    limited::within(1 << 20, |memory| {
        let mut builder = ReverseLookupBuilder::<I, _>::new_in(memory);
        if builder.merge(&names).is_ok() {
            let saved = builder.save().expect("there is memory");
            let again = ReverseLookup::<I>::open(&saved).expect("just saved");
            assert!(again.iter().eq(names.iter()), "the same names");
        }
    });
}

fuzz_target!(|bytes: &[u8]| {
    open::<IdString32>(bytes);
    open::<IdString64>(bytes);
});
