//! Tests of types that are read and written.

use std::collections::BTreeMap;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use ::serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::serde::{SerdeError, from_bytes_in, write};
use crate::style::Style;
use crate::test_memory::{every_refusal, with_memory};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Level {
    name: String,
    units: Vec<Unit>,
    fog: Option<Fog>,
    by_id: BTreeMap<u32, bool>,
    pair: (i8, char),
    nothing: (),
    large: u64,
    small: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unit {
    kind: Kind,
    #[serde(default)]
    at: [f64; 3],
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    Rock,
    Tree(f32),
    Door(u8, bool),
    Lamp { watts: u32 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Fog(f32);

fn level() -> Level {
    let unit = |kind, x| Unit { kind, at: [x, 0.5, -1e300] };
    Level {
        name: "a \"b\"\n\u{1F980}".into(),
        units: Vec::from([
            unit(Kind::Rock, 1.0),
            unit(Kind::Tree(2.5), 0.1),
            unit(Kind::Door(3, true), -0.0),
            unit(Kind::Lamp { watts: 60 }, 1e-7),
        ]),
        fog: Some(Fog(0.1)),
        by_id: BTreeMap::from([(7, true), (70, false)]),
        pair: (-128, '\u{e9}'),
        nothing: (),
        large: u64::MAX,
        small: 0.1,
    }
}

#[test]
fn types_come_back_from_text() {
    with_memory(|memory| {
        for style in [Style::SJSON, Style::JSON, Style::SJSON_COMPACT, Style::JSON_COMPACT] {
            for level in [level(), Level { fog: None, units: Vec::new(), ..level() }] {
                let mut text = String::new();
                write(&level, style, &mut text).expect("a string takes all");
                let options = Options { dialect: style.dialect, ..Options::SJSON };
                let back: Level = from_bytes_in(text.as_bytes(), &options, memory).expect(&text);
                assert_eq!(back, level, "{text}");
            }
        }
    });
}

#[test]
fn what_is_written_is_what_others_read() {
    let mut json = String::new();
    write(&level(), Style::JSON, &mut json).expect("a string takes all");
    assert_eq!(serde_json::from_str::<Level>(&json).expect(&json), level());
    let theirs = serde_json::to_string(&level()).expect("JSON");
    let ours =
        with_memory(|memory| from_bytes_in::<Level, _>(theirs.as_bytes(), &Options::JSON, memory));
    assert_eq!(ours, Ok(level()));
}

#[test]
fn unknown_fields_are_passed_over_whole() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Narrow {
        b: u8,
    }
    with_memory(|memory| {
        let text = b"a = { c = [ 1 { } ] } b = 2 d = [ ]";
        let narrow: Narrow = from_bytes_in(text, &Options::SJSON, memory).expect("good text");
        assert_eq!(narrow, Narrow { b: 2 });
    });
}

#[test]
fn errors_have_a_place() {
    let refused = |text: &str| {
        let read = with_memory(|memory| {
            from_bytes_in::<Vec<Unit>, _>(text.as_bytes(), &Options::SJSON, memory)
        });
        read.expect_err(text).to_string()
    };
    for (text, error) in [
        (
            "[ { kind = \"Rock\" }\n{ kind = 1 } ]",
            "2:10: the name of a variant was expected, in quotes",
        ),
        (
            "[ { kind = \"Rok\" } ]",
            "1:12: unknown variant `Rok`, expected one of `Rock`, `Tree`, `Door`, `Lamp`",
        ),
        (
            "[ { kind = \"Tree\" } ]",
            "1:12: the variant has data: write it as an object, `{ name = data }`",
        ),
        (
            "[ { kind = { Door = [ 1 true 2 ] } } ]",
            "1:30: there is more than the type has room for",
        ),
        ("[ { at = [ 1 2 3 ] } ]", "1:20: missing field `kind`"),
        (
            "[ { kind = \"Rock\" at = [ 1 2 ] } ]",
            "1:30: invalid length 2, expected an array of length 3",
        ),
        ("[ { kind = Rock } ]", "1:12: expected a value, found `R`; put text in quotes"),
        (
            "[ ] ]",
            "1:5: expected the end of the text, found `]`; nothing is open that this could close",
        ),
    ] {
        assert_eq!(refused(text), error, "{text}");
    }
    let long = format!("[ {{ kind = \"{}\" }} ]", "\u{e9}".repeat(200));
    assert!(refused(&long).starts_with("1:12: unknown variant `\u{e9}\u{e9}"), "cut, not lost");

    let mut sink = String::new();
    assert_eq!(write(&f64::NAN, Style::JSON, &mut sink), Err(SerdeError::Sink));
    let keys = BTreeMap::from([((1, 2), 3)]);
    let error = write(&keys, Style::JSON, &mut sink).expect_err("a tuple is no key");
    assert_eq!(error.to_string(), "a key is a string, a number, a word or the name of a variant");
}

#[test]
fn no_memory_is_an_error() {
    every_refusal(|memory| {
        let text = b"\"an escape: \\n\"";
        from_bytes_in::<String, _>(text, &Options::SJSON, memory).map(|text| {
            assert_eq!(text, "an escape: \n");
        })
    });
}
