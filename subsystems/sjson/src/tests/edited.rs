//! Edits by path against the model.

use std::string::String;
use std::vec::Vec;

use proptest::prelude::*;

use crate::edits::Edits;
use crate::options::{Dialect, Options};
use crate::style::Style;
use crate::test_drawn::seeded;
use crate::test_memory::with_memory;
use crate::tests::SEED;
use crate::tests::model::{Model, objects, scribbled, strings, values};
use crate::tree::SyntaxTree;
use crate::value::Value;

/// What is done.
#[derive(Clone, Debug)]
enum Edit {
    Set(Model),
    Insert(String, Model),
    Remove,
}

fn edits() -> impl Strategy<Value = Edit> {
    prop_oneof![
        values().prop_map(Edit::Set),
        (strings(), values()).prop_map(|(key, value)| Edit::Insert(key, value)),
        Just(Edit::Remove),
    ]
}

/// A step on the way to a value.
#[derive(Clone, Debug)]
enum Way {
    Key(String),
    Index(usize),
}

/// Returns the ways to all values but the root.
fn ways(model: &Model, here: &[Way], all: &mut Vec<Vec<Way>>) {
    let mut step = |way: Way, value: &Model| {
        let way = [here, &[way]].concat();
        all.push(way.clone());
        ways(value, &way, all);
    };
    match model {
        Model::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| step(Way::Index(index), item));
        }
        Model::Object(members) => {
            members.iter().for_each(|(key, value)| step(Way::Key(key.clone()), value));
        }
        _ => {}
    }
}

fn path(ways: &[Way]) -> String {
    let steps: Vec<String> = ways
        .iter()
        .map(|way| match way {
            Way::Key(key) => key.replace('~', "~0").replace('/', "~1"),
            Way::Index(index) => std::format!("{index}"),
        })
        .collect();
    // A key of no letters at the front would be no path at all.
    let front = if steps.first().is_some_and(String::is_empty) { "/" } else { "" };
    [front, &steps.join("/")].concat()
}

/// Returns a value within the model.
fn at<'m>(model: &'m mut Model, ways: &[Way]) -> &'m mut Model {
    ways.iter().fold(model, |model, way| match (model, way) {
        (Model::Array(items), Way::Index(index)) => &mut items[*index],
        (Model::Object(members), Way::Key(key)) => {
            let mut members = members.iter_mut();
            members.find(|(name, _)| name == key).map(|(_, value)| value).expect("it is there")
        }
        (model, way) => panic!("{way:?} leads nowhere in {model:?}"),
    })
}

/// Edits the model; returns the path to give, or `None` where the edit makes no sense.
fn apply(model: &mut Model, way: &[Way], edit: &Edit) -> Option<String> {
    let (last, parent) = way.split_last()?;
    match edit {
        Edit::Set(value) => {
            *at(model, way) = value.clone();
            Some(path(way))
        }
        Edit::Remove => {
            match (at(model, parent), last) {
                (Model::Array(items), Way::Index(index)) => drop(items.remove(*index)),
                (Model::Object(members), Way::Key(key)) => members.retain(|(name, _)| name != key),
                _ => return None,
            }
            Some(path(way))
        }
        Edit::Insert(key, value) => match at(model, way) {
            Model::Array(items) => {
                items.push(value.clone());
                Some([path(way), "/-".into()].concat())
            }
            Model::Object(members) if members.iter().all(|(name, _)| name != key) => {
                members.push((key.clone(), value.clone()));
                Some(path(&[way, &[Way::Key(key.clone())]].concat()))
            }
            _ => None,
        },
    }
}

/// Writes a value on one line, to be put in.
fn written(model: &Model, dialect: Dialect) -> String {
    let style = Style { dialect, ..Style::JSON_COMPACT };
    let mut text = String::new();
    with_memory(|memory| model.build(memory).write(style, &mut text)).expect("a string takes all");
    text
}

proptest! {
    #![proptest_config(seeded(SEED, 512))]

    #[test]
    fn an_edit_changes_what_it_names_and_no_more(
        model in objects(),
        luck in prop::collection::vec(any::<u8>(), 1..64),
        which in any::<prop::sample::Index>(),
        edit in edits(),
        is_json in any::<bool>(),
    ) {
        let mut all = Vec::new();
        ways(&model, &[], &mut all);
        prop_assume!(!all.is_empty());
        let way = &all[which.index(all.len())];
        let mut edited = model.clone();
        let Some(path) = apply(&mut edited, way, &edit) else { return Ok(()) };
        let options = if is_json { Options::JSON } else { Options::SJSON };
        let text = if is_json { written(&model, Dialect::Json) } else { scribbled(&model, &luck) };
        with_memory(|memory| {
            let tree = SyntaxTree::try_parse_in(text.as_bytes(), &options, memory).expect(&text);
            let mut edits = Edits::new(&tree);
            let outcome = match &edit {
                Edit::Set(value) => edits.set((&*path).into(), &written(value, options.dialect)),
                Edit::Insert(_, value) => edits.insert((&*path).into(), &written(value, options.dialect)),
                Edit::Remove => edits.remove((&*path).into()),
            };
            prop_assert_eq!(outcome, Ok(()), "{} of {}", &path, &text);
            let mut after = String::new();
            edits.write(&mut after).expect("a string takes all");
            let value = Value::try_parse_in(after.as_bytes(), &options, memory);
            prop_assert!(value.is_ok(), "{:?} of {} makes\n{}\n{:?}", edit, text, after, value);
            let value = value.expect("just asked");
            prop_assert_eq!(Model::of(value.root()), edited, "{} of\n{}\nmakes\n{}", &path, &text, &after);
            prop_assert_eq!(comments(&text), comments(&after), "of\n{}\nmakes\n{}", &text, &after);
            Ok(())
        })?;
    }
}

/// Returns the number of comments that no edit may touch: those outside of values that are replaced
/// have words of one letter, which values do not.
fn comments(text: &str) -> usize {
    // Comments within a value that goes go with it, so only those at both ends are counted.
    let head = ["// head\n", "/* a */"].iter().filter(|head| text.starts_with(**head)).count();
    head + ["// end", "/* b */"].iter().filter(|end| text.ends_with(**end)).count()
}
