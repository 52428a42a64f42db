//! Values of a versioned format from any bytes: refused, or written back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::{Array, StreamFormat};
use loligo_fuzz::knight::{FORMAT, Knight};
use loligo_fuzz::limited;

fuzz_target!(|bytes: &[u8]| {
    // No length may have more memory taken than the bytes make up, which is at most some hundred a
    // byte.
    limited::within(256 * bytes.len() + 4096, |memory| {
        let mut knight = Knight::new(memory);
        if let Err(error) = FORMAT.load(&mut knight, bytes) {
            assert!(error.offset <= bytes.len() as u64, "{error}");
            assert!(!error.to_string().contains("memory"), "{error}");
            return;
        }
        // What was read is written in the version in which it came; the field that was dropped is
        // 0.
        let version = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        let mut written: Array<u8> = Array::new_in(memory);
        let format = StreamFormat { version, ..FORMAT };
        format.save(&mut knight, &mut written).expect("it was read");
        assert_eq!(written.len(), bytes.len(), "version {version}");
        if version >= 3 {
            assert_eq!(&written[..], bytes, "version {version}");
        }
    });
});
