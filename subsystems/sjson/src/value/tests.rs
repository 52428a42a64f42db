//! Tests of values.

use std::string::String;
use std::vec::Vec;

use loligo_allocators::Allocator;

use crate::error::ReadError;
use crate::event::Nest;
use crate::options::Options;
use crate::parser::Parser;
use crate::style::Style;
use crate::test_memory::{every_refusal, with_memory};
use crate::value::{Value, ValueBuilder, ValueKind};

const TEXT: &str = r#"name = "d\u00f3\uD83E\uDD80r" size = { w = 90 h = 2.1e2 } at = [ -1 0.5 18446744073709551615 ]
open = true key = null open = false none = [ ] "" = { }"#;

#[test]
fn values_can_be_looked_into() {
    with_memory(|memory| {
        let memory: &dyn Allocator = memory;
        let value: Value =
            Value::try_parse_in(TEXT.as_bytes(), &Options::SJSON, memory).expect(TEXT);
        value.validate().expect("a value is whole");
        let root = value.root();
        assert_eq!((root.kind(), root.len()), (ValueKind::Object, 8));
        assert_eq!(root.get("name").and_then(|name| name.as_str()), Some("d\u{f3}\u{1F980}r"));
        assert_eq!(root.get("open").and_then(|open| open.as_bool()), Some(false));
        assert!(root.get("key").is_some_and(|key| key.is_null()), "null is there");
        assert!(root.get("none").is_some_and(|none| none.is_empty()), "an empty array");
        assert!(root.get("nothing").is_none(), "there is no such key");
        let size: Vec<_> = root.get("size").expect("it is there").members().collect();
        let size: Vec<_> =
            size.iter().map(|(key, value)| (*key, value.as_f64(), value.as_i64())).collect();
        assert_eq!(size, [("w", Some(90.0), Some(90)), ("h", Some(210.0), None)]);
        let at: Vec<_> = root.get("at").expect("it is there").items().collect();
        assert_eq!(at.iter().map(|at| at.as_i64()).collect::<Vec<_>>(), [Some(-1), None, None]);
        assert_eq!(
            at.iter().map(|at| at.as_u64()).collect::<Vec<_>>(),
            [None, None, Some(u64::MAX)]
        );
        assert_eq!(root.find("at/1".into()).expect("it is there").as_f64(), Some(0.5));
        assert!(root.find("".into()).is_ok(), "the root is there");
        for (path, error) in [
            ("size/d", "`size` has no key `d`"),
            ("at/3", "`at` has no item `3`; its items are 0 to 2"),
            ("name/0", "`name` is no object or array; there is no `0` in it"),
        ] {
            let refused = root.find(path.into()).expect_err(path);
            assert_eq!(std::format!("{refused}"), error);
        }
        let mut text = String::new();
        value.write(Style::JSON_COMPACT, &mut text).expect("a string takes all");
        assert_eq!(
            text,
            "{\"name\":\"d\u{f3}\u{1F980}r\",\"size\":{\"w\":90,\"h\":210.0},\"at\":[-1,0.5,18446744073709551615],\"open\":true,\"key\":null,\"open\":false,\"none\":[],\"\":{}}\n"
        );
    });
}

#[test]
fn numbers_too_large_are_refused_at_their_place() {
    with_memory(|memory| {
        let refused = Value::try_parse_in(b"a = [ 1\n1e999 ]", &Options::SJSON, memory);
        let Err(ReadError::Syntax(error)) = refused else { panic!("{refused:?}") };
        assert_eq!((error.line(), error.column()), (2, 1));
    });
}

#[test]
fn what_comes_where_it_cannot_does_nothing() {
    with_memory(|memory| {
        let mut builder = ValueBuilder::new_in(memory);
        assert_eq!(builder.try_key("a"), Ok(false), "a key outside of an object");
        assert_eq!(builder.try_end(Nest::Object), Ok(false), "an end of nothing");
        assert_eq!(builder.try_f64(f64::NAN), Ok(false), "no number");
        assert_eq!(builder.try_start(Nest::Object), Ok(true));
        assert_eq!(builder.try_i64(1), Ok(false), "a value without a key");
        assert_eq!(builder.try_string("x"), Ok(false), "a value without a key");
        assert_eq!(builder.try_key("a"), Ok(true));
        assert_eq!(builder.try_key("b"), Ok(false), "two keys");
        assert_eq!(builder.try_end(Nest::Object), Ok(false), "a key without a value");
        assert_eq!(builder.try_string("x"), Ok(true));
        assert_eq!(builder.try_end(Nest::Array), Ok(false), "the end of another");
        assert_eq!(builder.try_end(Nest::Object), Ok(true));
        assert_eq!(builder.try_null(), Ok(false), "a second root");
        let value = builder.finish().expect("it is whole");
        let other = Value::try_parse_in(b"a = \"x\"", &Options::SJSON, memory).expect("good text");
        assert_eq!(value, other);
        let mut open = ValueBuilder::new_in(memory);
        assert_eq!(open.try_start(Nest::Array), Ok(true));
        assert!(open.finish().is_none(), "it has not ended");
    });
}

#[test]
fn no_memory_is_an_error() {
    every_refusal(|memory| {
        let value = Value::try_parse_in(TEXT.as_bytes(), &Options::SJSON, memory)?;
        value.validate().expect("a value is whole");
        Ok::<(), ReadError>(())
    });
}

#[test]
fn room_is_given_back() {
    with_memory(|memory| {
        let mut value = Value::try_parse_in(TEXT.as_bytes(), &Options::SJSON, memory).expect(TEXT);
        let (before, mut text) = (value.bytes(), String::new());
        value.try_shrink_to_fit().expect("there is memory");
        assert!(value.bytes() <= before, "{} bytes after {before}", value.bytes());
        value.write(Style::SJSON, &mut text).expect("a string takes all");
        let again = Value::try_parse_in(text.as_bytes(), &Options::SJSON, memory).expect(&text);
        assert_eq!(value, again);
    });
}

/// Numbers of an array are read without events, and everything around them as the events say.
#[test]
fn what_is_wrong_among_numbers_is_what_the_events_say() {
    for text in [
        "[1 2]",
        "[1,]",
        "[1,,2]",
        "[ 1, 2",
        "[1 ,2, 03]",
        "[1, -]",
        "[1, 2.]",
        "[1, 2e]",
        "[1, 2e5x]",
        "[1, 2 // a\n, 3 /* b */ 4 ]",
        "[1, 2 /* b ]",
        "[1, 2, \"a\", 3, [4, 5], {\"b\": 6, \"c\": 7}, 8]",
        "{\"a\": 1, 2}",
        "[1, 2} ",
        "1 2",
        "[1, 2] 3",
        "[1, 1e999, 2]",
    ] {
        for options in [Options::SJSON, Options::JSON] {
            with_memory(|memory| {
                let memory: &dyn Allocator = memory;
                let mut parser = Parser::new(text.as_bytes(), &options);
                let mut events = 0;
                let error = loop {
                    match parser.next_event() {
                        Ok(Some(_)) => events += 1,
                        Ok(None) => break None,
                        Err(error) => break Some(error),
                    }
                };
                match (Value::try_parse_in(text.as_bytes(), &options, memory), error) {
                    (Ok(value), None) => assert_eq!(value.nodes.len(), events, "{text}"),
                    (Err(ReadError::Syntax(ours)), Some(error)) => assert_eq!(ours, error),
                    (Err(ReadError::Syntax(ours)), None) => {
                        assert!(text.contains("1e999"), "{text}");
                        assert_eq!((ours.line(), ours.column()), (1, 5), "{text}");
                    }
                    (ours, error) => panic!("{text}: {ours:?} and {error:?}"),
                }
            });
        }
    }
}
