//! Values, texts and soups of tokens made at random.

use std::string::String;
use std::vec::Vec;

use proptest::prelude::*;

use crate::options::Options;
use crate::style::{Layout, Style};
use crate::test_drawn::seeded;
use crate::test_memory::with_memory;
use crate::tests::SEED;
use crate::tests::check;
use crate::tests::model::{Model, scribbled, values};
use crate::value::Value;

fn styles() -> impl Strategy<Value = Style> {
    let base = prop::sample::select(std::vec![
        Style::SJSON,
        Style::JSON,
        Style::SJSON_COMPACT,
        Style::JSON_COMPACT,
        Style { layout: Layout::Spaces(3), ..Style::SJSON },
        Style { layout: Layout::Tabs, ..Style::JSON },
    ]);
    (base, any::<u8>()).prop_map(|(style, width)| Style { width, ..style })
}

/// Draws texts that are nearly good.
fn soups() -> impl Strategy<Value = String> {
    let token = prop::sample::select(std::vec![
        "a",
        "b = 1",
        "=",
        ":",
        ",",
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        " ",
        "\n",
        "\n\n",
        "\t",
        "// c\n",
        "// c",
        "/* d\n*/",
        "/*",
        "\"\"",
        "\"e\"",
        "\"\"\"f\n\"\"\"",
        "\"",
        "1",
        "-0.5e3",
        "true",
        "null",
        "\u{e9}",
        "\u{feff}",
        "\\",
        "#",
        "x = {",
        "y = [",
        "12",
        "\r\n",
    ]);
    prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(seeded(SEED, 512))]

    #[test]
    fn values_come_back_from_text(model in values(), style in styles()) {
        with_memory(|memory| {
            let value = model.build(memory);
            prop_assert_eq!(&Model::of(value.root()), &model);
            let mut text = String::new();
            value.write(style, &mut text).expect("a string takes all");
            let options = Options { dialect: style.dialect, ..Options::SJSON };
            let back = Value::try_parse_in(text.as_bytes(), &options, memory).expect(&text);
            prop_assert_eq!(Model::of(back.root()), model, "{}", text);
            Ok(())
        })?;
    }

    #[test]
    fn careless_texts_mean_what_they_should(model in values(), luck in prop::collection::vec(any::<u8>(), 1..64)) {
        let text = scribbled(&model, &luck);
        with_memory(|memory| {
            let value = Value::try_parse_in(text.as_bytes(), &Options::SJSON, memory).expect(&text);
            prop_assert_eq!(Model::of(value.root()), model, "{}", &text);
            check(text.as_bytes(), &Options::SJSON, memory);
            Ok(())
        })?;
    }

    #[test]
    fn soups_are_refused_or_hold(text in soups()) {
        for options in [Options::SJSON, Options::JSON] {
            with_memory(|memory| {
                if Value::try_parse_in(text.as_bytes(), &options, memory).is_ok() {
                    check(text.as_bytes(), &options, memory);
                }
            });
        }
    }

    #[test]
    fn json_is_read_as_another_reader_reads_it(text in soups(), model in values()) {
        let mut json = String::new();
        with_memory(|memory| model.build(memory).write(Style::JSON, &mut json)).expect("a string takes all");
        for text in [json, text] {
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            let ours = with_memory(|memory| {
                Value::try_parse_in(text.as_bytes(), &Options::JSON, memory)
                    .map(|value| Model::of(value.root()))
            });
            prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", text);
            if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
                prop_assert!(is_same(&ours, &theirs), "{:?} and {}", ours, theirs);
            }
        }
    }

    #[test]
    fn any_bytes_are_refused_or_hold(text in prop::collection::vec(any::<u8>(), 0..64)) {
        with_memory(|memory| {
            if Value::try_parse_in(&text, &Options::SJSON, memory).is_ok() {
                check(&text, &Options::SJSON, memory);
            }
        });
    }
}

/// Compares with another reader's value, in which a key comes once.
fn is_same(ours: &Model, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Model::Null, serde_json::Value::Null) => true,
        (Model::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Model::I64(a), theirs) => theirs.as_i64() == Some(*a),
        (Model::U64(a), theirs) => theirs.as_u64() == Some(*a),
        // Theirs may be off by the last bits.
        (Model::F64(a), theirs) => {
            theirs.as_f64().is_some_and(|b| (a - b).abs() <= a.abs() * 1e-14 || a == &b)
        }
        (Model::String(a), theirs) => theirs.as_str() == Some(a),
        (Model::Array(a), serde_json::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Model::Object(a), serde_json::Value::Object(b)) => {
            let mut last: Vec<&(String, Model)> = Vec::new();
            for member in a {
                last.retain(|(key, _)| *key != member.0);
                last.push(member);
            }
            last.len() == b.len()
                && last.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => false,
    }
}
