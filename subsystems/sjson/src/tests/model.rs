//! A naive model of values, and texts that mean them in all the ways there are.

use std::string::String;
use std::vec::Vec;

use proptest::prelude::*;

use crate::value::{Value, ValueBuilder, ValueKind, ValueRef};
use crate::{Nest, test_memory::Memory};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Model {
    Null,
    Bool(bool),
    I64(i64),
    U64(u64),
    F64(f64),
    String(String),
    Array(Vec<Model>),
    Object(Vec<(String, Model)>),
}

/// Draws strings with what readers and writers stumble over.
pub(super) fn strings() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        8 => "[a-z0-9_ ]{0,6}".prop_map(String::from),
        1 => prop::sample::select(std::vec![
            "\"", "\\", "\"\"\"", "\n", "\r\n", "\t", "\u{0}", "\u{7f}", "\u{e9}", "\u{1F980}", "//", "/*", "}", "=",
            "~1", "\u{2028}",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(pieces, 0..4).prop_map(|pieces| pieces.concat())
}

fn leaves() -> impl Strategy<Value = Model> {
    let finite =
        any::<f64>().prop_filter("JSON has finite numbers alone", |number| number.is_finite());
    prop_oneof![
        Just(Model::Null),
        any::<bool>().prop_map(Model::Bool),
        any::<i64>().prop_map(Model::I64),
        (-9_i64..100).prop_map(Model::I64),
        (1_u64 << 63..).prop_map(Model::U64),
        finite.prop_map(Model::F64),
        (-1e3_f64..1e3).prop_map(Model::F64),
        strings().prop_map(Model::String),
    ]
}

/// Draws values; keys of an object differ.
pub(super) fn values() -> impl Strategy<Value = Model> {
    leaves().prop_recursive(4, 48, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Model::Array),
            objects_of(inner),
        ]
    })
}

/// Draws objects, as most texts are.
pub(super) fn objects() -> impl Strategy<Value = Model> {
    objects_of(values())
}

fn objects_of(values: impl Strategy<Value = Model>) -> impl Strategy<Value = Model> {
    prop::collection::vec((strings(), values), 0..6).prop_map(|mut members| {
        let mut known = Vec::new();
        members.retain(|(key, _)| {
            let is_new = !known.contains(key);
            known.push(key.clone());
            is_new
        });
        Model::Object(members)
    })
}

impl Model {
    /// Returns the model of a value.
    pub(super) fn of(value: ValueRef<'_>) -> Self {
        match value.kind() {
            ValueKind::Null => Self::Null,
            ValueKind::Bool => Self::Bool(value.as_bool().expect("a word")),
            ValueKind::Number => match (value.as_i64(), value.as_u64(), value.as_f64()) {
                (Some(number), ..) => Self::I64(number),
                (_, Some(number), _) => Self::U64(number),
                (_, _, number) => Self::F64(number.expect("a number")),
            },
            ValueKind::String => Self::String(value.as_str().expect("a string").into()),
            ValueKind::Array => Self::Array(value.items().map(Self::of).collect()),
            ValueKind::Object => {
                let members = value.members().map(|(key, value)| (key.into(), Self::of(value)));
                Self::Object(members.collect())
            }
        }
    }

    /// Builds the value.
    pub(super) fn build<'a>(&self, memory: &'a Memory<'a>) -> Value<'a, Memory<'a>> {
        let mut builder = ValueBuilder::new_in(memory);
        self.build_into(&mut builder);
        builder.finish().expect("all that was begun has ended")
    }

    fn build_into(&self, builder: &mut ValueBuilder<'_, Memory<'_>>) {
        let taken = match self {
            Self::Null => builder.try_null(),
            Self::Bool(value) => builder.try_bool(*value),
            Self::I64(number) => builder.try_i64(*number),
            Self::U64(number) => builder.try_u64(*number),
            Self::F64(number) => builder.try_f64(*number),
            Self::String(string) => builder.try_string(string),
            Self::Array(items) => {
                assert_eq!(builder.try_start(Nest::Array), Ok(true));
                items.iter().for_each(|item| item.build_into(builder));
                builder.try_end(Nest::Array)
            }
            Self::Object(members) => {
                assert_eq!(builder.try_start(Nest::Object), Ok(true));
                for (key, value) in members {
                    assert_eq!(builder.try_key(key), Ok(true), "{key}");
                    value.build_into(builder);
                }
                builder.try_end(Nest::Object)
            }
        };
        assert_eq!(taken, Ok(true), "{self:?}");
    }
}

/// Writes models as a careless hand would: each choice is drawn from `luck`.
pub(super) struct Scribble<'l> {
    pub(super) text: String,
    pub(super) luck: core::iter::Cycle<core::slice::Iter<'l, u8>>,
}

impl Scribble<'_> {
    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        let luck = self.luck.next().copied().unwrap_or_default();
        choices[usize::from(luck) % choices.len()]
    }

    fn space(&mut self, choices: &[&'static str]) {
        let space = self.pick(choices);
        self.text.push_str(space);
    }

    /// Writes a document; an object may lose its braces.
    pub(super) fn document(&mut self, model: &Model) {
        self.space(&["", " ", "// head\n", "/* a */", "\n\n"]);
        match model {
            Model::Object(members) if self.pick(&["", "{"]).is_empty() => self.members(members),
            model => self.value(model),
        }
        self.space(&["", " ", "\n", " // end", "/* b */"]);
    }

    fn members(&mut self, members: &[(String, Model)]) {
        for (index, (key, value)) in members.iter().enumerate() {
            if index > 0 {
                self.space(&[" ", "\n", ",", " , ", " // c\n", "\n\n\t", "/* d */ ", ",\n"]);
            }
            let is_plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if is_plain && self.pick(&["", "\""]).is_empty() {
                self.text.push_str(key);
            } else {
                self.quoted(key);
            }
            self.space(&[" = ", "=", ":", " : ", " = // e\n", "/* = */="]);
            self.value(value);
        }
    }

    fn value(&mut self, model: &Model) {
        match model {
            Model::Null => self.text.push_str("null"),
            Model::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Model::I64(number) => self.text.push_str(&std::format!("{number}")),
            Model::U64(number) => self.text.push_str(&std::format!("{number}")),
            Model::F64(number) => self.text.push_str(&std::format!("{number:?}")),
            Model::String(string) => {
                let may_be_verbatim = !string.contains("\"\"\"") && !string.ends_with('"');
                if may_be_verbatim && self.pick(&["", "\""]).is_empty() {
                    self.text.push_str(&std::format!("\"\"\"{string}\"\"\""));
                } else {
                    self.quoted(string);
                }
            }
            Model::Array(items) => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.space(&[" ", "\n", ",", " , ", " // ]\n", "\n\n\t", " /* g */ "]);
                    } else {
                        self.space(&["", " ", "\n", "// h\n"]);
                    }
                    self.value(item);
                }
                self.space(&["", " ", "\n", " // i\n", ","][..4 + usize::from(!items.is_empty())]);
                self.text.push(']');
            }
            Model::Object(members) => {
                self.text.push('{');
                self.space(&["", " ", "\n", "// j\n", "\n\n"]);
                self.members(members);
                self.space(&["", " ", "\n", " // k\n"]);
                self.text.push('}');
            }
        }
    }

    fn quoted(&mut self, string: &str) {
        self.text.push('"');
        for char in string.chars() {
            match char {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\0'..='\x1f' => self.text.push_str(&std::format!("\\u{:04X}", u32::from(char))),
                '/' => self.space(&["/", "\\/", "\\u002f"]),
                '\u{1F980}' => self.space(&["\u{1F980}", "\\ud83e\\uDD80"]),
                char => self.text.push(char),
            }
        }
        self.text.push('"');
    }
}

/// Writes a model with drawn choices.
pub(super) fn scribbled(model: &Model, luck: &[u8]) -> String {
    let mut scribble = Scribble { text: String::new(), luck: luck.iter().cycle() };
    scribble.document(model);
    scribble.text
}
