//! SJSON and strict JSON from any bytes: refused, or kept byte for byte, formatted twice alike, and
//! the same values as JSON and back; what one reader of JSON accepts the other does.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::limited;
use loligo_sjson::{Options, Parser};

fn is_accepted(text: &[u8], options: &Options) -> bool {
    let mut parser = Parser::new(text, options);
    while let Ok(event) = parser.next_event() {
        if event.is_none() {
            return true;
        }
    }
    false
}

fuzz_target!(|text: &[u8]| limited::within(1 << 24, |memory| {
    for options in [Options::SJSON, Options::JSON] {
        loligo_fuzz::sjson::hold(text, &options, memory);
    }
    let is_json = is_accepted(text, &Options::JSON);
    assert!(is_accepted(text, &Options::SJSON) || !is_json, "what is JSON is SJSON");
    match serde_json::from_slice::<serde_json::Value>(text) {
        Ok(_) => assert!(is_json, "another reader takes it"),
        Err(error) => {
            // It limits depth at 128 and numbers to those of floats.
            let error = error.to_string();
            let limits = ["recursion limit", "number out of range"];
            let is_limit = limits.iter().any(|limit| error.contains(limit));
            assert!(is_limit || !is_json, "another reader: {error}");
        }
    }
}));
