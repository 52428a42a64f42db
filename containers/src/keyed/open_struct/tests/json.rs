//! From JSON and to JSON.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_ids::{IdString32, id32};

use super::{HITS, KIND, LAYOUTS, NAME, Open, POSITION, TURN, sample, shown};
use crate::keyed::open_struct::{FieldType, OpenError, OpenLayout, OpenStruct, OpenValue};
use crate::testing::test_memory::with_memory;

fn names(id: IdString32) -> Option<&'static str> {
    let known = ["a", "b", "c", "position", "turn", "kind", "orc", "name", "hits", "#0badcafe"];
    known.into_iter().find(|name| IdString32::new(name) == id)
}

#[test]
fn fields_get_the_types_that_values_look_like() {
    with_memory(|memory| {
        let looks = [
            ("true", FieldType::Bool),
            ("-12", FieldType::Int),
            ("2147483647", FieldType::Int),
            ("1.0", FieldType::Float),
            ("1e3", FieldType::Float),
            ("[0.0,1.5,-2.0]", FieldType::Vector3),
            ("[0.0,0.0,0.0,1.0]", FieldType::Quaternion),
            ("[0,1.5,2.0]", FieldType::List),
            ("[0.5,1.5]", FieldType::List),
            ("[]", FieldType::List),
            ("[[0.0,1.0,2.0],[[]],{\"b\":[{}]}]", FieldType::List),
            ("\"x\\u00e9\\\"y\"", FieldType::Text),
            ("{}", FieldType::Dictionary),
            ("{\"b\":1,\"c\":{\"a\":[\"t\"]}}", FieldType::Dictionary),
        ];
        for (json, field_type) in looks {
            let object = format!("{{\"a\":{json}}}");
            let open = OpenStruct::try_from_json_in(object.as_bytes(), memory).expect("sound");
            assert_eq!(open.as_array().type_of(id32!("a")), Some(field_type), "{json}");
            open.as_array().validate().expect("the struct is whole");
            let mut text = String::new();
            open.write_json(names, &mut text).expect("all is finite");
            // All of these are written as the writer would, but for the forms of some strings and
            // floats.
            let same = object.replace("\\u00e9", "\u{e9}").replace("1e3", "1000.0");
            assert_eq!(text, same);
        }
    });
}

#[test]
fn rows_are_read_into_fields() {
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = Open::new_in(layout, memory);
            array.try_add_field(POSITION).expect("there is memory");
            array.try_add_field(TURN).expect("there is memory");
            array.try_add_field(KIND).expect("there is memory");
            let json = br##"[
                {"position": [1, 2.5, 3], "turn": [0, 0, 0, 1], "kind": "orc", "a": null},
                {},
                {"b": "late", "kind": "#00000007", "position": null, "#89abcdef": {"c": [1.5]}}
            ]"##;
            array.try_extend_from_json(json).expect("sound");
            assert_eq!(array.get(0, POSITION), Some([1.0, 2.5, 3.0]));
            assert_eq!(array.get(0, TURN), Some([0.0, 0.0, 0.0, 1.0]));
            assert_eq!(array.get(0, KIND), Some(id32!("orc")));
            assert_eq!(array.get(2, KIND), Some(IdString32::from_hash(7)));
            assert_eq!(array.text(0, id32!("b")), Some(""));
            assert_eq!(array.text(2, id32!("b")), Some("late"));
            assert_eq!(array.type_of(id32!("a")), None, "null names no type");
            let more = array.value(2, IdString32::from_hash(0x89ab_cdef));
            let Some(OpenValue::Dictionary(more)) = more else { panic!("{more:?}") };
            let Some(OpenValue::List(list)) = more.get(id32!("c")) else { panic!("{more:?}") };
            assert_eq!(list.collect::<Vec<_>>(), [OpenValue::Float(1.5)]);
            assert_eq!(more.get(id32!("d")), None);
            let mut text = String::new();
            array.truncate(1);
            array.write_json(names, &mut text).expect("all is finite");
            assert_eq!(
                text,
                "[{\"position\":[1.0,2.5,3.0],\"turn\":[0.0,0.0,0.0,1.0],\"kind\":\"orc\",\
                 \"b\":\"\",\"#89abcdef\":{}}]"
            );
        }
    });
}

#[test]
fn names_in_the_form_of_a_hash_are_hashes() {
    with_memory(|memory| {
        let mut open = OpenStruct::new_in(memory);
        open.try_put(id32!("#0badcafe"), OpenValue::Hash(id32!("orc"))).expect("there is memory");
        let mut text = String::new();
        open.write_json(names, &mut text).expect("all is finite");
        assert_eq!(text, format!("{{\"#{}\":\"orc\"}}", id32!("#0badcafe")));
        let read = OpenStruct::try_from_json_in(text.as_bytes(), memory).expect("sound");
        assert_eq!(read.text(id32!("#0badcafe")), Some("orc"));
        assert!(open.try_put(NAME, OpenValue::Float(f32::NAN)).is_ok());
        assert!(open.write_json(names, &mut text).is_err(), "JSON has no word for it");
    });
}

/// Reads JSON into a sample, which must be refused and change nothing.
fn refusal(json: &str) -> String {
    let mut refused = String::new();
    with_memory(|memory| {
        for layout in LAYOUTS {
            let mut array = sample(layout, memory).expect("there is memory");
            let before = shown(&array);
            let error = array.try_extend_from_json(json.as_bytes()).expect_err(json);
            assert!(matches!(error, OpenError::Json(_)), "{error:?}");
            assert_eq!(shown(&array), before, "{json}");
            refused = error.to_string();
        }
    });
    refused
}

#[test]
fn what_is_refused_is_named_and_changes_nothing() {
    let row = |object: &str| refusal(&format!("[{{\"new\": \"x\"}},{object}]"));
    assert_eq!(refusal("{}"), "at byte 0: an array of objects was expected");
    assert_eq!(refusal("[{\"hits\": 1}, 2]"), "at byte 14: an object was expected");
    assert_eq!(refusal("[{}, []]"), "at byte 5: an object was expected");
    assert_eq!(refusal("[{}] {}"), "at byte 5: nothing may follow the document");
    assert_eq!(refusal("[{}"), "at byte 3: a comma or the end of this was expected");
    assert_eq!(row("{\"hits\": 1.5}"), "at byte 23: this is not of the type of its field");
    assert_eq!(row("{\"hits\": \"1\"}"), "at byte 23: this is not of the type of its field");
    assert_eq!(row("{\"name\": [1]}"), "at byte 23: this is not of the type of its field");
    assert_eq!(row("{\"position\": [1]}"), "at byte 27: this is not of the type of its field");
    assert_eq!(row("{\"hits\": 2147483648}"), "at byte 23: this integer does not fit 32 bits");
    assert_eq!(row("{\"mass\": -1e39}"), "at byte 23: this number does not fit a float of 32 bits");
    assert_eq!(row("{\"hits\":1,\"hits\":1}"), "at byte 24: this key comes twice in an object");
    assert_eq!(row("{\"path\": [null]}"), "at byte 24: null cannot stand here");
    let long = "\\u0061".repeat(1025);
    assert_eq!(
        row(&format!("{{\"{long}\": 1}}")),
        "at byte 15: this name is longer than 1024 bytes"
    );
    let deep = format!("{{\"path\": {}{}}}", "[".repeat(33), "]".repeat(33));
    assert_eq!(row(&deep), "at byte 55: values lie more than 32 deep");
    let many: Vec<String> = (0..257).map(|field| format!("\"f{field}\":1")).collect();
    assert!(row(&format!("{{{}}}", many.join(","))).ends_with("there are more than 256 fields"));
}

#[test]
fn hits_are_ints_and_take_no_floats() {
    with_memory(|memory| {
        let json = b"[{\"hits\": 1}, {\"hits\": 2.0}]";
        let refused = Open::try_from_json_in(json, OpenLayout::ArrayOfStructs, memory);
        assert!(matches!(refused, Err(OpenError::Json(error)) if error.offset() == 23));
        let mut array = Open::new_in(OpenLayout::ArrayOfStructs, memory);
        array.try_add_typed(HITS.name(), FieldType::Float).expect("there is memory");
        array.try_extend_from_json(json).expect("ints are accepted as floats");
        assert_eq!(array.value(0, HITS.name()), Some(OpenValue::Float(1.0)));
    });
}

#[test]
fn what_was_refused_leaves_no_unused_words() {
    with_memory(|memory| {
        let mut array = sample(OpenLayout::ArrayOfStructs, memory).expect("there is memory");
        let before = (shown(&array), array.tail_bytes());
        for json in [r#"[{"name": "abc", "name": "d"}]"#, r#"[{"b": "new", "a": null}, 1]"#] {
            array.try_extend_from_json(json.as_bytes()).expect_err("it is wrong at its end");
            assert_eq!(array.validate(), Ok(()), "{json}");
            assert_eq!((shown(&array), array.tail_bytes()), before, "{json}");
        }
    });
}

#[test]
fn escapes_leave_nothing_behind_the_text() {
    with_memory(|memory| {
        let saved = |json: &str| {
            let open = OpenStruct::try_from_json_in(json.as_bytes(), memory).expect("it is right");
            let mut bytes = crate::arrays::array::Array::<u8, _>::new_in(memory);
            open.try_save(&mut bytes).expect("there is memory");
            bytes.to_vec()
        };
        assert_eq!(saved(r#"{"a": "\u0041bcde"}"#), saved(r#"{"a": "Abcde"}"#));
    });
}
