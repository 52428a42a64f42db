//! A compiler's index from any bytes: refused, or written and read again the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_compiler::Index;

fuzz_target!(|bytes: &[u8]| {
    let Ok(index) = Index::from_bytes(bytes) else { return };
    let written = index.to_bytes();
    assert_eq!(Index::from_bytes(&written).as_ref(), Ok(&index), "what is written is read");
    for entry in &index.entries {
        assert_eq!(index.entry(&entry.name), Some(entry), "each is found");
    }
    for file in &index.files {
        assert_eq!(index.file(&file.path), Some(file), "each is found");
    }
});
