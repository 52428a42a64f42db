//! Tests of all parts together: the samples, the suite of JSON files, and texts made at random.

mod edited;
mod json_suite;
mod made;
mod model;
mod samples;

use std::string::String;

use loligo_allocators::Allocator;

use crate::format::format;
use crate::options::Options;
use crate::style::Style;
use crate::tree::SyntaxTree;
use crate::value::Value;

/// The default seed.
const SEED: u64 = 0x2009_1013;

/// Holds all that is true of every text that is accepted.
fn check(text: &[u8], options: &Options, memory: &dyn Allocator) {
    let shown = String::from_utf8_lossy(text);
    let tree: SyntaxTree = SyntaxTree::try_parse_in(text, options, memory).expect(&shown);
    tree.validate().expect(&shown);
    let pieces: String = tree.pieces().map(|piece| piece.text).collect();
    assert_eq!(pieces.as_bytes(), text, "the tree keeps every byte");

    let written = |text: &[u8], options: &Options, style| {
        let mut written = String::new();
        format(text, options, style, &mut written).expect(&shown);
        written
    };
    let once = written(text, options, Style::SJSON);
    let twice = written(once.as_bytes(), &Options::SJSON, Style::SJSON);
    assert_eq!(once, twice, "formatted twice: {shown}");
    let json = written(text, options, Style::JSON);
    let back = written(json.as_bytes(), &Options::JSON, Style::SJSON);

    // A number may be too large for a float; then there is no value to compare.
    let Ok(value) = Value::try_parse_in(text, options, memory) else { return };
    value.validate().expect(&shown);
    let mut own = String::new();
    value.write(Style::SJSON, &mut own).expect("a string takes all");
    let again = written(own.as_bytes(), &Options::SJSON, Style::SJSON);
    assert_eq!(own, again, "a value is written as the formatter writes it: {shown}");
    for (name, text, options) in [
        ("formatted", &once, Options::SJSON),
        ("as JSON", &json, Options::JSON),
        ("from JSON", &back, Options::SJSON),
        ("written", &own, Options::SJSON),
    ] {
        let other = Value::try_parse_in(text.as_bytes(), &options, memory).expect(text);
        assert!(value == other, "{name}: {value:?} became {other:?}");
    }
}
