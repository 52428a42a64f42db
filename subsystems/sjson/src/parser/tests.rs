//! Tests of the parser: what comes out, and what each error says.

use core::fmt::Write;
use std::string::{String, ToString};
use std::{format, vec};

use crate::event::{Event, Nest};
use crate::options::{DEPTH_MAX, Options};
use crate::parser::Parser;

/// Returns the events of a text as words, and the error if there is one.
fn events(text: &str, options: &Options) -> Result<String, String> {
    let mut parser = Parser::new(text.as_bytes(), options);
    let mut words = String::new();
    let mut done = 0;
    loop {
        let event = match parser.next_event() {
            Ok(Some(event)) => event,
            Ok(None) => break,
            Err(error) => {
                assert_eq!(parser.next_event(), Err(error), "an error stays: {text}");
                return Err(error.to_string());
            }
        };
        let span = parser.span();
        assert!(done <= span.start && span.end <= text.len(), "{event:?} at {span:?} of {text}");
        done = span.end;
        let _ = match event {
            Event::Start(Nest::Object) => write!(words, "{{ "),
            Event::End(Nest::Object) => write!(words, "}} "),
            Event::Start(Nest::Array) => write!(words, "[ "),
            Event::End(Nest::Array) => write!(words, "] "),
            Event::Key(key) => write!(words, "{key:?}= "),
            Event::String(string) => write!(words, "{string:?} "),
            Event::Number(number) => write!(words, "{number} "),
            Event::Bool(value) => write!(words, "{value} "),
            Event::Null => write!(words, "null "),
        };
    }
    assert_eq!(parser.depth(), 0, "all has ended: {text}");
    assert_eq!(parser.next_event(), Ok(None), "the end stays: {text}");
    Ok(words.trim_end().to_string())
}

fn sjson(text: &str) -> Result<String, String> {
    events(text, &Options::SJSON)
}

#[test]
fn a_root_without_braces_is_an_object() {
    for (text, expected) in [
        ("", "{ }"),
        (" \n\t", "{ }"),
        ("// nothing but words", "{ }"),
        ("/* a */ // b\n", "{ }"),
        ("a = 1", "{ a= 1 }"),
        ("a=1 b = [ 2,3 ],c={}", "{ a= 1 b= [ 2 3 ] c= { } }"),
        ("a = 1,", "{ a= 1 }"),
        ("\"a\" : 1", "{ \"a\"= 1 }"),
        ("\u{feff}a = 1", "{ a= 1 }"),
        ("a = // why\n /* not */ 1 // b = 2", "{ a= 1 }"),
        ("true = 1 null = false", "{ true= 1 null= false }"),
        ("3 = 4", "{ 3= 4 }"),
        ("#1d-5.x@$_ = -0.5e+7", "{ #1d-5.x@$_= -0.5e+7 }"),
        ("\u{e9}t\u{e9} = 1", "{ \u{e9}t\u{e9}= 1 }"),
        ("a = 1 b =\n\n", "{ a= 1 b= null }"),
        ("{ a = 1 }", "{ a= 1 }"),
        ("{}", "{ }"),
        ("[1 2,3,]", "[ 1 2 3 ]"),
        ("[true\"a\"[null]{a=1}]", "[ true \"a\" [ null ] { a= 1 } ]"),
        ("true", "true"),
        (" 12 ", "12"),
        ("-7", "-7"),
        ("\"a\"", "\"a\""),
        ("\"\"\"a\"\"\"", "\"\"\"a\"\"\""),
        ("\"tab\there\"", "\"tab\there\""),
        ("a = \"\"\"\n\"two\\\" // lines\n\"\"\"", "{ a= \"\"\"\n\"two\\\" // lines\n\"\"\" }"),
        ("a = \"\\ud83e\\udd80\\n\"", "{ a= \"\\ud83e\\udd80\\n\" }"),
    ] {
        assert_eq!(sjson(text).as_deref(), Ok(expected), "{text:?}");
    }
}

/// Texts that are refused, and what is said.
const FAULTS: &[(&str, &str)] = &[
    ("{ a = ", "1:7: expected a value, found the end of the text"),
    ("a = { b = ", "1:11: expected a value, found the end of the text"),
    (
        "a = }",
        "1:5: expected a value, found `}`; give the key one, `null` perhaps, or take the key out",
    ),
    ("a\nb = 1", "2:1: expected `=` or `:` behind the key, found `b`"),
    (
        "a = 1\n}\n",
        "2:1: expected a key or the end of the text, found `}`; nothing is open that a `}` could close",
    ),
    (
        "{ a = 1 } }",
        "1:11: expected the end of the text, found `}`; nothing is open that this could close",
    ),
    ("{ a = 1 } b = 2", "1:11: expected the end of the text, found `b`; one document is one value"),
    ("{ a = 1", "1:8: expected a key or `}`, found the end of the text"),
    ("a = [ 1,, 2 ]", "1:9: expected an item, found `,`; one comma between two is enough"),
    ("a = 1,, b = 2", "1:7: expected an item, found `,`; one comma between two is enough"),
    ("a = door", "1:5: expected a value, found `d`; put text in quotes"),
    (
        "a = True",
        "1:5: expected a value, found `T`; the words are `true`, `false` and `null`, in small letters",
    ),
    ("a = NaN", "1:5: expected a value, found `N`; numbers are finite: write `null`, or a string"),
    (
        "a = -Infinity",
        "1:6: expected a value, found `I`; numbers are finite: write `null`, or a string",
    ),
    ("a = 'x'", "1:5: expected a value, found `'`; write double quotes"),
    ("a = +1", "1:5: expected a value, found `+`; take the plus sign out"),
    ("a = .5", "1:5: expected a digit before the point, found `.`; write `0.`"),
    ("a = 5.", "1:7: expected a digit behind the point, found the end of the text; write `.0`"),
    (
        "a = 05",
        "1:6: expected no digit behind a leading 0, found `5`; take the 0 out; numbers are decimal",
    ),
    (
        "a = 0x1F",
        "1:6: expected the end of the number, found `x`; put text in quotes; numbers are decimal",
    ),
    (
        "a = 12px",
        "1:7: expected the end of the number, found `p`; put text in quotes; numbers are decimal",
    ),
];

/// The same, of strings, comments and keys.
const TEXT_FAULTS: &[(&str, &str)] = &[
    (
        "a = \"x\n\"",
        "1:5: expected a string on one line, found `\"`; close it with `\"`, write \\n, or put text of many lines between `\"\"\"`",
    ),
    ("a = \"x", "1:5: expected a string that ends, found `\"`; close this one with `\"`"),
    (
        "a = \"\"\"x\"\"",
        "1:5: expected a string that ends, found `\"`; close this one with `\"\"\"`",
    ),
    (
        "a = \"\\x\"",
        "1:6: expected an escape, found `\\`; they are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u0000; write \\\\ for a backslash",
    ),
    (
        "a = \"\\ud800\"",
        "1:6: expected a pair of surrogates, found `\\`; write the character itself, or both its halves",
    ),
    ("a = \"\\u12\"", "1:6: expected four hexadecimal digits behind \\u, found `\\`"),
    (
        "a = \"\u{1}\"",
        "1:6: expected a string without control characters, found U+0001; write an escape: \\n, \\t, \\u0000",
    ),
    ("a = 1 /* b", "1:7: expected a comment that ends, found `/`; close this one with `*/`"),
    ("a = 1 / b", "1:7: expected a value or a key, found `/`; a comment begins with `//` or `/*`"),
    (
        "// \u{e9}\u{e9}\n\u{e9} = [ \u{2060} ]",
        "2:7: expected a value, found `\u{2060}`; put text in quotes",
    ),
    ("a\u{2060} = 1", "1:1: expected a value, found `a`; put text in quotes"),
    (
        "{a\u{2060} = 1}",
        "1:3: expected a letter or a digit of a key, found `\u{2060}`; put the key in quotes",
    ),
    (
        "\"\"\"a\"\"\" = 1",
        "1:9: expected the end of the text, found `=`; one document is one value",
    ),
    (
        "{ \"\"\"a\"\"\" = 1 }",
        "1:3: expected a key on one line, found `\"`; keys have one pair of quotes, and escapes",
    ),
];

#[test]
fn errors_name_the_place_and_the_remedy() {
    for &(text, expected) in FAULTS.iter().chain(TEXT_FAULTS) {
        let error = sjson(text).expect_err(text);
        assert_eq!(error, expected, "{text:?}");
    }
}

#[test]
fn json_is_strict() {
    for (text, expected) in [
        ("", "1:1: expected a value, found the end of the text"),
        ("a = 1", "1:1: expected a value, found `a`; put text in quotes"),
        ("{\"a\"=1}", "1:5: expected `:` behind the key, found `=`"),
        ("{a:1}", "1:2: expected a key in quotes, found `a`"),
        ("[1 2]", "1:4: expected a comma or the end of the list, found `2`"),
        (
            "[1,]",
            "1:3: expected no comma before the end of the list, found `,`; JSON has none there: take it out",
        ),
        (
            "// a\n1",
            "1:1: expected a value, found `/`; JSON has no comments: take it out, or read it as SJSON",
        ),
        (
            "\u{feff}{}",
            "1:1: expected a value, found `\u{feff}`; save the JSON without a byte order mark",
        ),
        (
            "\"a\tb\"",
            "1:3: expected a string without control characters, found U+0009; write an escape: \\n, \\t, \\u0000",
        ),
        (
            "\"\"\"a\"\"\"",
            "1:3: expected the end of the text, found `\"`; one document is one value",
        ),
    ] {
        assert_eq!(events(text, &Options::JSON), Err(expected.to_string()), "{text:?}");
    }
    let good = " [ { \"a\" : [ 1 , -0.0e-0 ] , \"a\" : { } } , \"\" , true , null ] ";
    assert_eq!(
        events(good, &Options::JSON).as_deref(),
        Ok("[ { \"a\"= [ 1 -0.0e-0 ] \"a\"= { } } \"\" true null ]")
    );
}

#[test]
fn bytes_that_are_no_text_are_refused_at_their_place() {
    for options in [Options::SJSON, Options::JSON] {
        let mut parser = Parser::new(b"[\n\"\xc3\xa9\xff\"]", &options);
        let error = parser.next_event().expect_err("these bytes are not UTF-8");
        assert_eq!((error.line(), error.column(), error.offset()), (2, 3, 5));
        let expected =
            "a.sjson:2:3: expected UTF-8, found the byte 0xff; save the file in that encoding";
        assert_eq!(error.in_file("a.sjson").to_string(), expected);
    }
}

#[test]
fn depth_and_size_are_limited() {
    for (depth_max, limit) in [(0, 0), (1, 1), (512, 512), (u32::MAX, DEPTH_MAX)] {
        let options = Options { depth_max, ..Options::SJSON };
        let nested =
            |depth: u32| format!("{}{}", "[".repeat(depth as usize), "]".repeat(depth as usize));
        if limit > 0 {
            assert!(events(&nested(limit), &options).is_ok(), "{limit} levels");
        }
        let error = events(&nested(limit + 1), &options).expect_err("a level too many");
        assert!(
            error.starts_with(&format!("1:{}: expected no more objects", limit + 1)),
            "{error}"
        );
    }
    let options = Options { bytes_max: 3, ..Options::SJSON };
    assert!(events("a=1", &options).is_ok(), "three bytes");
    let error = events("a=12", &options).expect_err("a byte too many");
    let expected = "1:1: expected a text within the limit of bytes, found 4 bytes; split it, or raise the limit \
        (`Options::bytes_max`)";
    assert_eq!(error, expected);
}

#[test]
fn a_value_can_be_skipped() {
    let mut parser = Parser::new(b"a = { b = [ 1 { } ] } c = 2", &Options::SJSON);
    let mut seen = vec![];
    while let Some(event) = parser.next_event().expect("good text") {
        if let Event::Key(key) = event {
            seen.push(key.raw());
            let value = parser.next_event().expect("good text").expect("a key has a value");
            parser.skip(value).expect("good text");
        }
    }
    assert_eq!(seen, ["a", "c"]);
}

#[test]
fn numbers_are_worth_what_another_reader_says() {
    for text in [
        "0",
        "-0",
        "1",
        "-1",
        "0.5",
        "123456789012345678",
        "9007199254740993",
        "0.1",
        "1e22",
        "1e23",
        "1.7976931348623157e308",
        "5e-324",
        "2.2250738585072014e-308",
        "0.0000001",
        "4.35",
        "99999999999999.99",
        "9007199254740991",
        "900719925474099.1",
        "1.234567890123456",
        "28.217533100000001",
        "-0.054133851099999998",
        "0.0054133851099999998",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "288230376151711743",
        "288230376151711744",
        "0.1234567890123456789012345678",
    ] {
        let mut parser = Parser::new(text.as_bytes(), &Options::JSON);
        let Ok(Some(Event::Number(number))) = parser.next_event() else { panic!("{text}") };
        let expected: f64 = text.parse().expect("a number");
        assert_eq!(number.f64().map(f64::to_bits), Some(expected.to_bits()), "{text}");
        let single = text.parse().ok().filter(|number: &f32| number.is_finite());
        assert_eq!(number.f32(), single, "{text}");
        assert_eq!(number.i64(), text.parse().ok(), "{text}");
        assert_eq!(number.u64(), text.parse().ok(), "{text}");
        assert_eq!(number.is_integer(), !text.contains(['.', 'e']), "{text}");
    }
    let mut parser = Parser::new(b"1e400", &Options::JSON);
    let Ok(Some(Event::Number(number))) = parser.next_event() else { panic!("a number") };
    assert_eq!((number.f64(), number.f32(), number.as_str()), (None, None, "1e400"));
}
