//! Bytes that are not texts: refused or read as other texts, and never a panic.

use loligo_ids::IdString64;
use loligo_text::{Strings, TextValue};

use crate::support::{aligned, with_payload};

const MENU: &str = "language = \"pl\" texts = {
    start = \"Zacznij, {name}\"
    files = { by = \"n\" one = \"{n} plik\" few = \"{n} pliki\" many = \"{n} plików\" other = \"{n} pliku\" }
}";

/// Writes all texts, some of which are damaged where `is_verified` is false.
fn read_all(strings: &Strings<'_>) {
    let value = |name: &str| Some(TextValue::Number(name.len() as f64));
    let keys = strings.keys().iter().copied().take(64);
    for key in keys.chain([IdString64::new("start"), IdString64::new("files")]) {
        let mut written = String::new();
        strings.write(key, &value, &mut written).expect("a string takes all");
    }
}

#[test]
fn each_byte_that_is_changed_is_refused_or_read_without_a_panic() {
    with_payload(MENU, |payload| {
        let (mut refused, mut read) = (0, 0);
        for at in 0..payload.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bytes = payload.to_vec();
                bytes[at] ^= change;
                aligned(&bytes, |bytes| {
                    match Strings::open(bytes) {
                        Ok(strings) => {
                            read_all(&strings);
                            read += 1;
                        }
                        Err(error) => {
                            assert!(error.to_string().contains("strings"), "{error}");
                            refused += 1;
                        }
                    }
                    // What is said to be verified and is not.
                    if let Ok(strings) = Strings::open_verified(bytes) {
                        read_all(&strings);
                    }
                });
            }
        }
        println!("{refused} refused, {read} read");
        assert!(refused > 100 && read > 100, "both happen: {refused}, {read}");
    });
}

#[test]
fn what_was_cut_off_is_refused() {
    with_payload(MENU, |payload| {
        for len in 0..payload.len() {
            aligned(&payload[..len], |bytes| {
                assert!(Strings::open(bytes).is_err(), "cut after {len} bytes");
            });
        }
        aligned(payload, |bytes| assert!(Strings::open(bytes).is_ok(), "whole"));
    });
}
