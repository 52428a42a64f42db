//! The suite, serde_json, and the writer.

use std::format;
use std::path::PathBuf;
use std::println;
use std::string::{String, ToString};
use std::vec::Vec;

use serde_json::{Map, Number, Value};

use crate::keyed::json::{DEPTH_MAX, JsonError, JsonReader, JsonWriter, Nest, Token};
use crate::testing::test_memory::Random;

/// Reads a document to its end; a document of `n` bytes has at most `n` tokens.
fn read_all(bytes: &[u8]) -> Result<Vec<String>, JsonError> {
    let mut reader = JsonReader::new(bytes);
    let mut tokens = Vec::new();
    while let Some(token) = reader.next()? {
        tokens.push(format!("{token:?}"));
        assert!(tokens.len() <= bytes.len(), "{} tokens of {bytes:?}", tokens.len());
    }
    assert_eq!(reader.depth(), 0, "a document ended within a value");
    assert_eq!(reader.next(), Ok(None), "something came after the end");
    Ok(tokens)
}

/// Returns the reason for which a document is refused, and where; asks a second time, too.
fn refusal(bytes: &[u8]) -> (u64, &'static str) {
    let mut reader = JsonReader::new(bytes);
    loop {
        match reader.next() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("{bytes:?} was read"),
            Err(error) => {
                assert_eq!(reader.next(), Err(error), "the second answer differs");
                return (error.offset(), error.reason());
            }
        }
    }
}

#[test]
fn tokens_come_in_order() {
    let tokens = read_all(br#" {"a": [1, true, null], "b": {}, "c\n": "d" } "#).expect("sound");
    let expected = [
        "Start(Object)",
        "Key(\"a\")",
        "Start(Array)",
        "Number(1)",
        "Bool(true)",
        "Null",
        "End(Array)",
        "Key(\"b\")",
        "Start(Object)",
        "End(Object)",
        "Key(\"c\\n\")",
        "String(\"d\")",
        "End(Object)",
    ];
    assert_eq!(tokens, expected);
    // Where numbers of 64 bits are aligned to eight bytes and addresses are not, eight more.
    let room = size_of::<u64>() - size_of::<usize>();
    let bytes = 72 + size_of::<[usize; 8]>();
    assert!((bytes..=bytes + 2 * room).contains(&size_of::<JsonReader<'_>>()), "it is small");
}

#[test]
fn refusals_name_the_place_and_the_reason() {
    assert_eq!(refusal(b""), (0, "the text ends where a value was expected"));
    assert_eq!(refusal(b"[1,]"), (3, "a value was expected"));
    assert_eq!(refusal(b"[1 2]"), (3, "a comma or the end of this was expected"));
    assert_eq!(refusal(b"[1}"), (2, "a comma or the end of this was expected"));
    assert_eq!(refusal(b"{\"a\":1]"), (6, "a comma or the end of this was expected"));
    assert_eq!(refusal(b"{\"a\":1,}"), (7, "a key in quotes was expected"));
    assert_eq!(refusal(b"{\"a\" 1}"), (5, "a colon was expected"));
    assert_eq!(refusal(b"[01]"), (2, "a number does not begin with a nought"));
    assert_eq!(refusal(b"[1.]"), (3, "a digit was expected"));
    assert_eq!(refusal(b"[tru]"), (1, "a value was expected"));
    assert_eq!(refusal(b"1 2"), (2, "nothing may follow the document"));
    assert_eq!(refusal(b"\"a\nb\""), (2, "a control character must be escaped"));
    assert_eq!(refusal(b"\"ab"), (3, "the text ends within a string"));
    assert_eq!(refusal(b"\"\\x\""), (1, "this escape means nothing"));
    assert_eq!(refusal(b"\"\\u12g4\""), (5, "a hexadecimal digit was expected"));
    let (first, second) = (["\\ud800", "\\udbff"], ["\\udc00", "\\udfff"]);
    let pairs =
        ["\\ud800\\u0041", "\\ud800\\ud800", "\\ud800\\n", "\\ud800\\udbff", "\\ud800\\ue000"];
    for half in [&first[..], &second, &pairs].concat() {
        let refused = (2, "half of a pair of surrogates stands alone");
        assert_eq!(refusal(std::format!("\"{half}\"").as_bytes()), refused, "{half}");
    }
    assert_eq!(refusal(b"[\"\xff\"]"), (2, "this is not UTF-8"));
    assert_eq!(refusal(b"\xef\xbb\xbf{}"), (0, "a value was expected"));
}

#[test]
fn surrogates_are_taken_in_pairs_and_their_neighbours_alone() {
    for (json, wanted) in [
        ("\\ud7ff", "\u{d7ff}"),
        ("\\ue000", "\u{e000}"),
        ("\\ud800\\udc00", "\u{10000}"),
        ("\\ud800\\udfff", "\u{103ff}"),
        ("\\udbff\\udc00", "\u{10fc00}"),
        ("\\udbff\\udfff", "\u{10ffff}"),
    ] {
        let json = format!("\"{json}\"");
        let mut reader = JsonReader::new(json.as_bytes());
        let read = reader.token();
        let Ok(Token::String(string)) = read else { panic!("{json}: {read:?}") };
        assert!(string.is(wanted), "{json} is {wanted:?}");
        assert_eq!(reader.next(), Ok(None), "{json} is all");
    }
}

#[test]
fn each_token_is_told_by_its_place() {
    let json = b" { \"a\" : [ 1 , {} ] , \"b\" : \"c\" } ";
    let mut reader = JsonReader::new(json);
    assert_eq!(reader.offset(), 0, "before the first");
    let mut places = Vec::new();
    while let Some(token) = reader.next().expect("it is well made") {
        places.push(reader.offset());
        let found = json[reader.offset()];
        let first = match token {
            Token::Start(Nest::Object) => b'{',
            Token::End(Nest::Object) => b'}',
            Token::Start(Nest::Array) => b'[',
            Token::End(Nest::Array) => b']',
            Token::Number(_) => b'1',
            _ => b'"',
        };
        assert_eq!(char::from(found), char::from(first), "{token:?} at {}", reader.offset());
    }
    assert_eq!(places, [1, 3, 9, 11, 15, 16, 18, 22, 28, 32], "each its own");
    assert_eq!(JsonReader::new(b"[\xff]").offset(), 0, "before a refusal");
}

/// A reader of a string piece by piece sees no empty piece.
#[test]
fn a_string_is_handed_over_in_pieces() {
    for (json, wanted) in [
        ("", &[][..]),
        ("ab", &["ab"]),
        ("\\n", &["\n"]),
        ("a\\n", &["a", "\n"]),
        ("\\nb", &["\n", "b"]),
        ("a\\n\\tb", &["a", "\n", "\t", "b"]),
    ] {
        let mut pieces: Vec<String> = Vec::new();
        let string = crate::keyed::json::string::JsonString::new(json, json.contains('\\'));
        let handed = string.unescape(|piece| {
            pieces.push(piece.into());
            Ok::<(), ()>(())
        });
        assert_eq!((handed, pieces.as_slice() == wanted), (Ok(()), true), "{json}: {pieces:?}");
    }
}

#[test]
fn depth_is_bounded() {
    let depth = DEPTH_MAX as usize;
    let deepest = [b"[".repeat(depth), b"]".repeat(depth)].concat();
    assert_eq!(read_all(&deepest).expect("as deep as may be").len(), 2 * depth);
    let deeper = [b"[".repeat(depth + 1), b"]".repeat(depth + 1)].concat();
    assert_eq!(refusal(&deeper).0, depth as u64);
    let mut mixed = String::new();
    for level in 0..depth {
        mixed.push_str(if level % 3 == 0 { "[" } else { "{\"k\":" });
    }
    mixed.push('1');
    for level in (0..depth).rev() {
        mixed.push_str(if level % 3 == 0 { "]" } else { "}" });
    }
    assert!(read_all(mixed.as_bytes()).is_ok(), "objects and arrays are kept apart at all levels");
    assert_eq!(refusal(b"[{\"a\":[}]").0, 7);
}

#[test]
fn strings_are_unescaped() {
    let mut reader = JsonReader::new(br#""\"\\\/\b\f\n\r\t\u00e9\uD834\uDD1Ex""#);
    let Ok(Token::String(string)) = reader.token() else { panic!("a string") };
    let expected = "\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{1d11e}x";
    let mut room = [0; 64];
    assert_eq!(string.unescape_to(&mut room), Some(expected));
    assert_eq!(string.unescape_to(&mut room[..expected.len()]), Some(expected));
    assert_eq!(string.unescape_to(&mut room[..expected.len() - 1]), None);
    assert!(expected.len() <= string.raw().len(), "unescaping never lengthens");
    assert_eq!(string.plain(), None);
    assert!(string.is(expected), "it is itself");
    assert!(!string.is(&expected[1..]) && !string.is("") && !string.is(&(expected.repeat(2))));

    let mut reader = JsonReader::new("\"h\u{e9}\"".as_bytes());
    let Ok(Token::String(string)) = reader.token() else { panic!("a string") };
    assert_eq!(string.plain(), Some("h\u{e9}"));
    assert!(string.is("h\u{e9}"), "it is itself");
}

#[test]
fn numbers_are_parsed() {
    let number = |text: &'static str| {
        let mut reader = JsonReader::new(text.as_bytes());
        match reader.token() {
            Ok(Token::Number(number)) => number,
            other => panic!("{text}: {other:?}"),
        }
    };
    assert_eq!(number("-12").i64(), Some(-12));
    assert_eq!(number("-12").as_str(), "-12");
    assert_eq!(number("2147483648").i32(), None);
    assert_eq!(number("2147483647").i32(), Some(i32::MAX));
    assert_eq!(number("9223372036854775808").i64(), None);
    assert_eq!(number("1.5").i64(), None);
    assert!(number("10").is_integer() && !number("1e1").is_integer());
    assert_eq!(number("0.1").f32(), Some(0.1));
    assert_eq!(number("0.1").f64(), Some(0.1));
    assert_eq!(number("1e39").f32(), None);
    assert_eq!(number("1e400").f64(), None);
    assert_eq!(number("1E+2").f64(), Some(100.0));
    assert!(number("-0").f64().is_some_and(|zero| zero.is_sign_negative()));
}

#[test]
fn values_can_be_skipped() {
    let mut reader = JsonReader::new(br#"{"a": {"b": [1, {"c": 2}]}, "d": 3, "e": []}"#);
    assert_eq!(reader.token(), Ok(Token::Start(Nest::Object)));
    for key in ["a", "d", "e"] {
        let Ok(Token::Key(found)) = reader.token() else { panic!("key {key}") };
        assert!(found.is(key), "{found:?} instead of {key}");
        let first = reader.token().expect("a value");
        reader.skip(first).expect("sound");
    }
    assert_eq!(reader.token(), Ok(Token::End(Nest::Object)));
    assert_eq!(reader.next(), Ok(None));
    assert_eq!(reader.token().map_err(|error| error.offset()), Err(44));
    assert_eq!(reader.refuse("unknown").offset(), reader.offset() as u64);
}

/// The folder of the JSONTestSuite: in `LOLIGO_DATA`, or in `shared` next to the checkout.
fn suite() -> Option<PathBuf> {
    let data = std::env::var_os("LOLIGO_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let folder = data.join("json");
    folder.is_dir().then_some(folder)
}

#[test]
fn the_suite_is_held() {
    let Some(folder) = suite() else {
        println!("no json/ next to the checkout and none in LOLIGO_DATA: the suite was not run");
        return;
    };
    let mut counts = [0; 3];
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        if !name.ends_with(".json") {
            continue;
        }
        let bytes = std::fs::read(&path).expect("the file can be read");
        let outcome = read_all(&bytes);
        match name.as_bytes()[0] {
            b'y' => assert!(outcome.is_ok(), "{name}: {outcome:?}"),
            b'n' => assert!(outcome.is_err(), "{name} was read"),
            _ => {}
        }
        counts[usize::from(name.starts_with('y')) + 2 * usize::from(name.starts_with('n'))] += 1;
    }
    let [either, good, bad] = counts;
    assert!(good >= 95 && bad >= 188 && either >= 35, "{good} good, {bad} bad, {either} either");
}

fn random_string(random: &mut Random) -> String {
    let mut string = String::new();
    for _ in 0..random.below(8) {
        string.push(match random.below(6) {
            0 => char::from(random.below(32) as u8),
            1 => '"',
            2 => '\\',
            3 => char::from_u32(random.below(0x11_0000) as u32).unwrap_or('\u{1f980}'),
            _ => char::from(b'a' + random.below(26) as u8),
        });
    }
    string
}

fn random_value(random: &mut Random, depth: u32) -> Value {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => Value::Number(Number::from(random.next() as i64 >> random.below(64))),
        3 => {
            let float = f64::from_bits(random.next());
            Number::from_f64(float).map_or(Value::Null, Value::Number)
        }
        4 => Value::String(random_string(random)),
        5 | 6 => (0..random.below(5)).map(|_| random_value(random, depth - 1)).collect(),
        _ => {
            let mut map = Map::new();
            for _ in 0..random.below(5) {
                map.insert(random_string(random), random_value(random, depth - 1));
            }
            Value::Object(map)
        }
    }
}

/// Reads a value as serde_json would hold it.
fn read_value<'b>(reader: &mut JsonReader<'b>, first: Token<'b>) -> Result<Value, JsonError> {
    let owned = |string: crate::keyed::json::JsonString<'_>| {
        let mut owned = String::new();
        let pushed: Result<(), ()> = string.unescape(|piece| {
            owned.push_str(piece);
            Ok(())
        });
        pushed.expect("the sink refuses nothing");
        owned
    };
    Ok(match first {
        Token::Null => Value::Null,
        Token::Bool(bool) => Value::Bool(bool),
        Token::Number(number) => match number.i64() {
            Some(integer) => Value::from(integer),
            None => Value::from(number.f64().ok_or(reader.refuse("out of range"))?),
        },
        Token::String(string) => Value::String(owned(string)),
        Token::Start(Nest::Array) => {
            let mut values = Vec::new();
            loop {
                match reader.token()? {
                    Token::End(_) => break Value::Array(values),
                    first => values.push(read_value(reader, first)?),
                }
            }
        }
        Token::Start(Nest::Object) => {
            let mut map = Map::new();
            loop {
                match reader.token()? {
                    Token::Key(key) => {
                        let first = reader.token()?;
                        map.insert(owned(key), read_value(reader, first)?);
                    }
                    _ => break Value::Object(map),
                }
            }
        }
        Token::Key(_) | Token::End(_) => unreachable!("no value begins so"),
    })
}

fn write_value(writer: &mut JsonWriter<'_>, value: &Value) -> core::fmt::Result {
    match value {
        Value::Null => writer.null(),
        Value::Bool(bool) => writer.bool(*bool),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => writer.i64(integer),
            None => writer.f64(number.as_f64().expect("a float")),
        },
        Value::String(string) => writer.string(string),
        Value::Array(values) => {
            writer.start(Nest::Array)?;
            values.iter().try_for_each(|value| write_value(writer, value))?;
            writer.end(Nest::Array)
        }
        Value::Object(map) => {
            writer.start(Nest::Object)?;
            for (key, value) in map {
                writer.key(key)?;
                write_value(writer, value)?;
            }
            writer.end(Nest::Object)
        }
    }
}

fn read_document(bytes: &[u8]) -> Result<Value, JsonError> {
    let mut reader = JsonReader::new(bytes);
    let first = reader.token()?;
    let value = read_value(&mut reader, first)?;
    assert_eq!(reader.next()?, None, "one document has one value");
    Ok(value)
}

/// Returns `true` if values are the same, or differ in the last bits of floats, which serde_json
/// rounds as it likes unless it is built otherwise.
fn near(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((p, a), (q, b))| p == q && near(a, b))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let bits = |number: &Number| number.as_f64().unwrap_or(f64::NAN).to_bits();
            bits(a).abs_diff(bits(b)) <= 2
        }
        _ => a == b,
    }
}

#[test]
fn random_documents_are_read_and_written_as_serde_json_does() {
    for seed in 0..400 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let value = random_value(&mut random, 5);
        for text in [value.to_string(), format!("{value:#}")] {
            assert_eq!(read_document(text.as_bytes()).as_ref(), Ok(&value), "{text}");
        }
        let mut text = String::new();
        write_value(&mut JsonWriter::new(&mut text), &value).expect("a String takes all");
        assert_eq!(read_document(text.as_bytes()).as_ref(), Ok(&value), "{text}");
        let theirs = serde_json::from_str(&text).expect("sound");
        assert!(near(&theirs, &value), "{text}");
    }
}

#[test]
fn damaged_documents_are_refused_where_serde_json_refuses_them() {
    for seed in 0..400 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut bytes = random_value(&mut random, 4).to_string().into_bytes();
        for _ in 0..20 {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = b"[]{},:\"\\u0e.-1 \n"[random.below(16)],
                1 => bytes[at] ^= 1 << random.below(8),
                _ => bytes.truncate(at.max(1)),
            }
            let theirs = serde_json::from_slice::<Value>(&bytes);
            let ours = read_document(&bytes);
            let same = match (&ours, &theirs) {
                // Integers beyond 64 bits with a sign are read otherwise, which is not about form.
                (Ok(_), Ok(_)) | (Err(_), Err(_)) => true,
                (Err(error), Ok(_)) => error.reason() == "out of range",
                (Ok(_), Err(error)) => error.to_string().starts_with("number out of range"),
            };
            assert!(same, "{:?}: {ours:?} {theirs:?}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn the_writer_passes_refusals_on_and_refuses_what_json_has_no_word_for() {
    struct Full(usize);
    impl core::fmt::Write for Full {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            self.0 = self.0.checked_sub(text.len()).ok_or(core::fmt::Error)?;
            Ok(())
        }
    }
    let value = serde_json::json!({"a": [1, 2.5, null], "b\n\"\u{1}": {"c": "\\", "d": true}});
    for room in 0..value.to_string().len() {
        let mut full = Full(room);
        assert!(write_value(&mut JsonWriter::new(&mut full), &value).is_err());
    }
    let mut text = String::new();
    let mut writer = JsonWriter::new(&mut text);
    assert!(writer.f32(f32::NAN).is_err() && writer.f64(f64::INFINITY).is_err());
    writer.start(Nest::Array).expect("a String takes all");
    for number in [1.0, -0.0, 1e30, 0.1, f32::MIN_POSITIVE] {
        writer.f32(number).expect("a String takes all");
    }
    writer.end(Nest::Array).expect("a String takes all");
    assert_eq!(text, "[1.0,-0.0,1e30,0.1,1.1754944e-38]");
}

/// The reader lets none of these through; were it not so, no panic would come of them.
#[test]
fn an_escape_that_was_not_checked_is_replaced() {
    let replaced = |raw: &str| {
        let mut text = String::new();
        let string = crate::keyed::json::string::JsonString::new(raw, true);
        string
            .unescape(|piece| {
                text += piece;
                Ok::<(), ()>(())
            })
            .expect("the sink takes all");
        text
    };
    assert_eq!(replaced("a\\"), "a\u{fffd}", "nothing is escaped");
    assert_eq!(replaced("\\u12"), "\u{fffd}", "two digits");
    assert_eq!(replaced("\\u12g4"), "\u{fffd}4", "no digit");
    assert_eq!(replaced("\\udc00"), "\u{fffd}", "the second half alone");
    assert_eq!(replaced("\\udc00\\u0041"), "\u{fffd}A", "the second half first");
    assert_eq!(replaced("\\udc00\\udc00"), "\u{fffd}\u{fffd}", "the second half twice");
    assert_eq!(replaced("\\ud800"), "\u{fffd}", "the first half alone");
    assert_eq!(replaced("\\ud800x"), "\u{fffd}", "the first half alone");
    assert_eq!(replaced("\\ud800\\n"), "\u{fffd}", "another escape after it");
    assert_eq!(replaced("\\ud800\\u0041"), "\u{fffd}", "no second half after it");
    assert_eq!(replaced("\\ud83d\\ude00"), "\u{1f600}", "both halves");
    assert_eq!(replaced("\\udbff\\udfff"), "\u{10ffff}", "the last character");
    assert_eq!(replaced("\\/\\\\\\\""), "/\\\"", "what is escaped as itself");
}
