//! Stores of keys and values from any bytes: refused, or read, copied, merged and emptied key by
//! key.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::{KeyValues, KeyValuesRef, Value};
use loligo_fuzz::limited;

fuzz_target!(|bytes: &[u8]| {
    // A store is read in place, from whole words.
    let words: Vec<u32> =
        bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect();
    let Ok(store) = KeyValuesRef::open(bytemuck::cast_slice(&words)) else { return };
    let mut read = 0;
    for (key, value) in store.iter() {
        assert!(store.contains(key), "{key} is there");
        read += match value {
            Value::Bool(value) => usize::from(value),
            Value::F32(value) => usize::from(value > 0.0),
            Value::Str(text) => text.chars().count(),
            Value::Array(numbers) => numbers.iter().filter(|&&number| number > 0.0).count(),
        };
    }
    std::hint::black_box(read);
    limited::within(1 << 20, |memory| {
        let mut copy = KeyValues::try_from_ref_in(store, memory).expect("there is memory");
        copy.validate().expect("a copy is whole");
        let keys: Vec<_> = store.iter().map(|(key, _)| key).collect();
        copy.try_merge(store).expect("there is memory");
        copy.validate().expect("whole when it is merged with its like");
        assert_eq!(copy.len(), keys.len());
        for key in keys {
            assert!(copy.remove(key), "{key} was there");
            copy.validate().expect("whole with a key less");
        }
        assert!(copy.is_empty());
    });
});
