//! Tests over the files of a game's project, and some of our own.

use std::path::PathBuf;
use std::{env, fs, println};

use crate::options::{Dialect, Options};
use crate::test_memory::with_memory;
use crate::tests::check;

/// Texts as people and tools write them, in the variants that are about.
const OWN: &[&str] = &[
    "// A door.\nname = \"door\"\nsize = {\n\twidth = 0.9 // metres\n\theight = 2.1\n}\n",
    "\n_guid = \"8afa598b-1df7-4216-a13a-b5e50af5d0ea\"\n_type = \"material\"\nshader = \"fallback\"\n",
    "include = [\n\t\"a.shader\"\n\t\"b.shader\"\n]\ncode = \"\"\"\n\t\tvoid main()\n\t\t{ // \"}\" \\n\n\t\t}\n\"\"\"\n",
    "units = {\n\t\"#23dbf108-db64\" = { position = [ 0 -1.5e3 +0 ] }\n}\n",
    "#23dbf108-db64 = { position = [\n0\n-1.5e3\n7\n] }\n",
    "{\n  \"ip\" : \"127.0.0.1\",\n  \"port\" : 666\n}\n",
    "ip = \"127.0.0.1\"\r\nport = 666\r\n",
    "/* a block\n   of lines */ a: [ [ 1, 2 ], [ 3, 4, ], ] /* behind */, b: null,",
    "\u{feff}gr\u{fc}n = \"\u{2713}\"\n",
];

/// Returns the folder of the shared data, or prints why there is none.
pub(super) fn shared(folder: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let data = env::var_os("LOLIGO_DATA").map_or_else(beside, PathBuf::from);
    let folder = data.join(folder);
    if !folder.is_dir() {
        println!("note: {} is not there; set LOLIGO_DATA to test against it", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn our_own_samples_hold() {
    for text in OWN {
        // One of them has a malformed number.
        if text.contains("+0") {
            let mut parser = crate::Parser::new(text.as_bytes(), &Options::SJSON);
            let error = loop {
                match parser.next_event() {
                    Ok(event) => assert!(event.is_some(), "{text} was accepted"),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.remedy(), Some("take the plus sign out"));
            continue;
        }
        with_memory(|memory| check(text.as_bytes(), &Options::SJSON, memory));
    }
}

#[test]
fn the_files_of_a_game_hold() {
    let Some(folder) = shared("sjson") else { return };
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            continue;
        }
        let text = fs::read(&path).expect("a file can be read");
        println!("{}", path.display());
        with_memory(|memory| check(&text, &Options::SJSON, memory));
        count += 1;
    }
    assert!(count > 100, "{count} files");
    assert_eq!(Options::default().dialect, Dialect::Sjson);
}
