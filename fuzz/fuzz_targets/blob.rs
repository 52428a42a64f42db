//! Blobs from any bytes: refused, or all that they lead to can be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_containers::{Blob, BlobBytes};
use loligo_fuzz::{effect, limited};

fuzz_target!(|bytes: &[u8]| {
    limited::within(1 << 20, |memory| {
        let copy = BlobBytes::try_copy_in(bytes, memory).expect("an input is short");
        let opened = Blob::open(&copy);
        if let Ok(blob) = &opened {
            assert_eq!(effect::read_all(blob), effect::walk_all(blob));
        }
        // Under a fuzzer every checksum is right, so nothing else tells the two apart.
        assert_eq!(opened.is_ok(), Blob::<effect::Effect>::open_structure(&copy).is_ok());
    });
});
