//! Tests over the files of JSONTestSuite: what strict JSON is, and which of what it is not is good
//! SJSON.

use std::collections::BTreeMap;
use std::string::String;
use std::vec::Vec;
use std::{env, fs};

use crate::options::Options;
use crate::parser::Parser;
use crate::test_memory::with_memory;
use crate::tests::check;
use crate::tests::samples::shared;

/// The page with the table of files that are not JSON, but SJSON.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/sjson.md");

fn is_accepted(text: &[u8], options: &Options) -> bool {
    let mut parser = Parser::new(text, options);
    loop {
        match parser.next_event() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(error) => {
                assert!(error.line() > 0 && error.column() > 0, "places count from 1");
                assert!(error.offset() as usize <= text.len(), "the place is in the text");
                return false;
            }
        }
    }
}

#[test]
fn the_suite_decides_what_json_is() {
    let Some(folder) = shared("json") else { return };
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        if name.ends_with(".json") {
            files.insert(name, fs::read(&path).expect("a file can be read"));
        }
    }
    let mut only_sjson = Vec::new();
    for (name, text) in &files {
        let is_json = is_accepted(text, &Options::JSON);
        let is_sjson = is_accepted(text, &Options::SJSON);
        match &name[..2] {
            "y_" => assert!(is_json, "{name} is JSON"),
            "n_" => assert!(!is_json, "{name} is no JSON"),
            _ => assert_eq!(&name[..2], "i_", "{name} is of no kind"),
        }
        assert!(is_sjson || !is_json, "{name}: what is JSON is SJSON");
        if name.starts_with("n_") && is_sjson {
            only_sjson.push(name.trim_start_matches("n_").trim_end_matches(".json"));
        }
        for (accepted, options) in [(is_json, Options::JSON), (is_sjson, Options::SJSON)] {
            if accepted {
                with_memory(|memory| check(text, &options, memory));
            }
        }
    }
    assert!(files.len() > 300, "{} files", files.len());
    let page = fs::read_to_string(PAGE).expect("the page is there");
    let listed: Vec<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .filter(|(_, why)| !why.trim().is_empty())
        .flat_map(|(names, _)| names.split("`, `"))
        .map(String::from)
        .collect();
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(
        sorted, only_sjson,
        "docs/reference/sjson.md lists what is SJSON and no JSON, with the reason"
    );
}

#[test]
fn what_nests_deep_or_does_not_end_is_refused_at_once() {
    for piece in ["[", "{\"a\":", "[[[[", "{a=", "[{\"\":", "/*", "\"\"\"", "[1 "] {
        let text = piece.repeat(100_000);
        for options in [Options::SJSON, Options::JSON] {
            assert!(!is_accepted(text.as_bytes(), &options), "{piece}");
        }
    }
}
