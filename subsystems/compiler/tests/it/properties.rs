//! Sources in SJSON, read value by value.

use loligo_compiler::{Property, PropertyValue};

fn read(text: &str) -> Property {
    Property::read(text.as_bytes()).expect("it is SJSON")
}

#[test]
fn values_have_their_places() {
    let source =
        read("// a note\nsize = [ 1 2 ]\n  name = \"t\u{fc}r\" is_open = true\ngone = null");
    let size = source.get("size").expect("it is there");
    assert_eq!((size.key(), size.place()), ("size", (2, 8)));
    assert_eq!(size.items().map(|items| items[1].place()), Ok((2, 12)));
    assert_eq!(size.numbers::<2>(0.0..=2.0), Ok([1.0, 2.0]));
    let open = source.get("is_open").expect("it is there");
    assert_eq!(open.place(), (3, 26), "columns are characters");
    assert_eq!(open.value(), &PropertyValue::Bool(true));
    assert_eq!(source.bool_or("is_open", false), Ok(true));
    assert_eq!(source.get("gone"), None, "null is none");
    assert_eq!(source.number_or("gone", 0.0..=1.0, 0.5), Ok(0.5));
    assert_eq!(read("").members().map(<[_]>::len), Ok(0), "nothing is an object of nothing");
}

#[test]
fn what_is_not_as_it_should_be_is_told_with_its_place() {
    let source = read("radius = 4\nshape = \"ball\"\nsize = [ 1 -2 ]\nradios = 1");
    let told = |error: Result<f32, _>| match error {
        Err(error) => format!("{error}"),
        Ok(number) => panic!("{number} was taken"),
    };
    let is = |text: String, wanted: &str| assert_eq!(text, wanted);
    is(
        told(source.number_or("radius", 0.0..=3.0, 1.0)),
        ":1:10: 4 is not in the range; write a number from 0 to 3",
    );
    is(
        told(source.number_or("shape", 0.0..=f32::MAX, 1.0)),
        ":2:9: expected a number, found a string; write a number of 0 or more",
    );
    let shape = source.get("shape").expect("it is there");
    is(
        told(shape.word_index(&["box", "sphere"]).map(|_| 0.0)),
        ":2:9: \"ball\" means nothing here; the values are \"box\", \"sphere\"",
    );
    let size = source.get("size").expect("it is there");
    is(
        told(size.numbers::<3>(0.0..=1.0).map(|_| 0.0)),
        ":3:8: expected 3 numbers, found an array of 2; write `[ 0 0 0 ]`",
    );
    is(
        told(size.numbers::<2>(0.0..=9.0).map(|_| 0.0)),
        ":3:12: -2 is not in the range; write a number from 0 to 9",
    );
    is(
        told(source.need("colour", "name one").map(|_| 0.0)),
        ":1:1: there is no `colour`; name one",
    );
}

#[test]
fn keys_that_mean_nothing_or_come_twice_are_told() {
    let source = read("radius = 4\nradios = 1");
    let error = source.allow(&["radius", "size"]).expect_err("it has another");
    assert_eq!(error.to_string(), ":2:1: the key `radios` means nothing here; is `radius` meant?");
    let error = source.allow(&["size"]).expect_err("it has others");
    assert_eq!(error.to_string(), ":1:1: the key `radius` means nothing here; the keys are size");
    let error = read("a = 1\na = 2").allow(&["a"]).expect_err("twice");
    assert_eq!(error.to_string(), ":2:1: the key `a` comes twice; remove one");
    let error = Property::read(b"[ 1 ]").expect_err("an array");
    assert_eq!((error.line, error.column), (1, 1));
    let error = Property::read(b"a = [").expect_err("cut");
    assert!(error.line == 1 && error.column >= 4, "{error}");
}
