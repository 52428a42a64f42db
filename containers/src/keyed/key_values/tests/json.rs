//! JSON in and out.

use std::format;
use std::string::ToString;

use super::*;
use crate::arrays::array::Array;
use crate::bytes::text;
use crate::keyed::json::DEPTH_MAX;
use crate::testing::test_memory::{every_refusal, with_memory};

const SHEET: &str = concat!(
    r#"{"name":"The \"One\"","stats":{"health":100.0,"mana":-2.5e-7},"#,
    r#""status_effects":{"drunk":true,"delirious":false,"deep":{"er":[0.0,0.5,1e20]}},"#,
    r#""a.b":{"c":1.0},"a":{"b.c":2.0,"":3.0},"empty":[],"none":""}"#
);

#[track_caller]
fn refused(json: &str, wanted: &str) {
    with_memory(|memory| {
        let mut names = PathNames::new_in(memory);
        names.try_insert(&["known", "before"]).expect("there is memory");
        let before = format!("{names:?}");
        for error in [
            KeyValues::try_from_json_in(json.as_bytes(), memory).expect_err("it is wrong"),
            KeyValues::try_from_json_with_in(json.as_bytes(), &mut names, memory)
                .expect_err("it is wrong"),
        ] {
            assert_eq!(error.to_string(), wanted);
        }
        assert_eq!(format!("{names:?}"), before);
        assert!(names.get(path_key(&["known", "before"])).is_some());
    });
}

#[test]
fn what_is_read_is_written() {
    with_memory(|memory| {
        let mut names = PathNames::new_in(memory);
        let store = KeyValues::try_from_json_with_in(SHEET.as_bytes(), &mut names, memory)
            .expect("it is well made");
        assert_eq!(store.validate(), Ok(()));
        assert_eq!(store.get_str(path_key(&["name"])), Some("The \"One\""));
        assert_eq!(store.get_f32(path_key(&["stats", "mana"])), Some(-2.5e-7));
        assert_eq!(store.get_bool(path_key(&["status_effects", "drunk"])), Some(true));
        let deep = store.get_array(path_key(&["status_effects", "deep", "er"]));
        assert_eq!(deep, Some([0.0, 0.5, 1e20].as_slice()));
        assert_eq!(store.get_f32(path_key(&["a.b", "c"])), Some(1.0));
        assert_eq!(store.get_f32(path_key(&["a", "b.c"])), Some(2.0));
        assert_eq!(store.get_f32(path_key(&["a", ""])), Some(3.0));
        assert_eq!(store.len(), 11);

        let mut out = Array::new_in(memory);
        store.view().try_write_json(&names, &mut out).expect("there is memory");
        let written = text::view(&out).expect("it is text");
        let wanted: serde_json::Value = serde_json::from_str(SHEET).expect("it is well made");
        let known: serde_json::Value = serde_json::from_str(written).expect("it is JSON");
        assert_eq!(known["status_effects"], wanted["status_effects"]);
        assert_eq!(written, SHEET, "names come in the order in which they were read");
        let again = KeyValues::try_from_json_in(&out, memory).expect("it was just written");
        assert_eq!(again, store);
    });
}

#[test]
fn unknown_keys_are_their_hashes_there_and_back() {
    with_memory(|memory| {
        let store = KeyValues::try_from_json_in(SHEET.as_bytes(), memory).expect("it is well made");
        let names = PathNames::new_in(memory);
        let mut out = Array::new_in(memory);
        store.view().try_write_json(&names, &mut out).expect("there is memory");
        let written = text::view(&out).expect("it is text");
        let name = format!("\"#{}\":\"The \\\"One\\\"\"", IdString32::new("name"));
        assert!(written.contains(&name), "{written}");
        let again = KeyValues::try_from_json_in(&out, memory).expect("it was just written");
        assert_eq!(again, store);
        refused(r##"{"#89abcdef":{"a":1}}"##, "at byte 13: a hash is the key of no object");
        // Further in it is a name like another, and so is what is too long or has other letters.
        for (json, path) in [
            (r##"{"a":{"#89abcdef":1}}"##, ["a", "#89abcdef"].as_slice()),
            (r##"{"#89abcdefa":1}"##, &["#89abcdefa"]),
            (r##"{"#89abcdeg":1}"##, &["#89abcdeg"]),
            (r##"{"#+9abcdef":1}"##, &["#+9abcdef"]),
        ] {
            let store = KeyValues::try_from_json_in(json.as_bytes(), memory).expect("well made");
            assert_eq!(store.get_f32(path_key(path)), Some(1.0), "{json}");
        }
    });
}

#[test]
fn a_key_within_a_value_is_written_as_its_hash() {
    with_memory(|memory| {
        let mut names = PathNames::new_in(memory);
        let mut store = KeyValues::new_in(memory);
        store.set(names.try_insert(&["a", "b"]).expect("there is memory"), 1.0);
        store.set(names.try_insert(&["a"]).expect("there is memory"), 2.0);
        store.set(names.try_insert(&["#89abcdef"]).expect("there is memory"), 3.0);
        let mut out = Array::new_in(memory);
        text::append(&mut out, "sheet = ");
        store.view().try_write_json(&names, &mut out).expect("there is memory");
        let written = text::view(&out).expect("it is text").strip_prefix("sheet = ");
        let written = written.expect("what was there stays");
        let mut hashes = [(path_key(&["a", "b"]), "1.0"), (path_key(&["#89abcdef"]), "3.0")];
        hashes.sort();
        let [(first, one), (second, two)] = hashes;
        let wanted = format!(r##"{{"a":2.0,"#{first}":{one},"#{second}":{two}}}"##);
        assert_eq!(written, wanted, "what no name can say comes last");
        let again = KeyValues::try_from_json_in(written.as_bytes(), memory).expect("JSON");
        assert_eq!(again, store);
    });
}

/// Returns a store of these paths and numbers as text, names known in this order.
fn written(paths: &[(&[&str], f32)]) -> String {
    let mut written = String::new();
    with_memory(|memory| {
        let mut names = PathNames::new_in(memory);
        let mut store = KeyValues::new_in(memory);
        for (path, number) in paths {
            store.set(names.try_insert(path).expect("there is memory"), *number);
        }
        let mut out = Array::new_in(memory);
        store.view().try_write_json(&names, &mut out).expect("there is memory");
        let again = KeyValues::try_from_json_in(&out, memory).expect("it was just written");
        assert_eq!(again, store, "read back");
        written.push_str(text::view(&out).expect("it is text"));
    });
    written
}

#[test]
fn an_object_is_written_once_whenever_its_names_came() {
    let paths: [(&[&str], f32); 6] = [
        (&["a", "x"], 1.0),
        (&["b", "c", "y"], 2.0),
        (&["a", "z"], 3.0),
        (&["d"], 4.0),
        (&["b", "e"], 5.0),
        (&["b", "c", "w"], 6.0),
    ];
    let wanted = r#"{"a":{"x":1.0,"z":3.0},"b":{"c":{"y":2.0,"w":6.0},"e":5.0},"d":4.0}"#;
    assert_eq!(written(&paths), wanted, "objects in the order in which they came");
}

#[test]
fn a_name_like_a_hash_is_a_name_within_an_object() {
    assert_eq!(written(&[(&["x", "#89abcdef"], 1.0)]), r##"{"x":{"#89abcdef":1.0}}"##);
    // Outermost it would be read as the hash, so the path is its own.
    let wanted = format!(r##"{{"#{}":1.0}}"##, path_key(&["#89abcdef", "x"]));
    assert_eq!(written(&[(&["#89abcdef", "x"], 1.0)]), wanted, "an object");
    let wanted = format!(r##"{{"#{}":1.0}}"##, path_key(&["#89abcdef", "x", "y"]));
    assert_eq!(written(&[(&["#89abcdef", "x", "y"], 1.0)]), wanted, "further out");
}

#[test]
fn numbers_that_json_has_not_are_refused() {
    with_memory(|memory| {
        let names = PathNames::new_in(memory);
        for value in [Value::F32(f32::NAN), Value::Array(&[1.0, f32::INFINITY])] {
            let mut store = mixed(memory).expect("there is memory");
            store.set(key(40), value);
            let mut out = Array::new_in(memory);
            let error = store.view().try_write_json(&names, &mut out);
            assert_eq!(error, Err(KeyValuesWriteError::NotFinite(key(40))));
            assert!(out.is_empty());
        }
    });
}

#[test]
fn what_a_store_cannot_hold_is_refused_with_place_and_reason() {
    refused("[]", "at byte 0: a store is an object");
    refused("", "at byte 0: the text ends where a value was expected");
    refused(r#"{"a":null}"#, "at byte 5: a store holds no null");
    refused(r#"{"a":[1,"b"]}"#, "at byte 8: an array holds numbers only");
    refused(r#"{"a":[[1]]}"#, "at byte 6: an array holds numbers only");
    refused(r#"{"a":[{}]}"#, "at byte 6: an array holds numbers only");
    refused(r#"{"a":1e39}"#, "at byte 5: the number is too great for 32 bits");
    refused(r#"{"a":[0,-1e39]}"#, "at byte 8: the number is too great for 32 bits");
    let twice = "this key comes twice, or another path has its hash";
    refused(r#"{"a":1,"b":{"a":1},"a":2}"#, &format!("at byte 19: {twice}"));
    refused(r#"{"b":{"a":1},"b":{"a":1}}"#, &format!("at byte 18: {twice}"));
    refused(r#"{"a":1} 2"#, "at byte 8: nothing may follow the document");
    refused(r#"{"new":1,"a":"#, "at byte 13: the text ends where a value was expected");
    refused("{\"a\":\"\u{7}\"}", "at byte 6: a control character must be escaped");
}

#[test]
fn depth_is_bounded() {
    with_memory(|memory| {
        let nested = |depth: usize| {
            let mut json = r#"{"a":"#.repeat(depth);
            json.push('1');
            json.push_str(&"}".repeat(depth));
            json
        };
        let deepest = nested(DEPTH_MAX as usize);
        let mut names = PathNames::new_in(memory);
        let store = KeyValues::try_from_json_with_in(deepest.as_bytes(), &mut names, memory);
        let store = store.expect("just not too deep");
        let mut out = Array::new_in(memory);
        store.view().try_write_json(&names, &mut out).expect("there is memory");
        assert_eq!(text::view(&out), Ok(deepest.replace(":1}", ":1.0}").as_str()));
        let deeper = nested(DEPTH_MAX as usize + 1);
        KeyValues::try_from_json_in(deeper.as_bytes(), memory).expect_err("too deep");
    });
}

#[test]
fn every_prefix_and_every_changed_byte_is_refused_or_read() {
    with_memory(|memory| {
        for end in 0..SHEET.len() {
            KeyValues::try_from_json_in(&SHEET.as_bytes()[..end], memory).expect_err("it is cut");
        }
        let mut taken = 0;
        for at in 0..SHEET.len() {
            for byte in [0, b'"', b'\\', b'{', b'}', b'[', b'1', b',', b':', 0xff, b'a'] {
                let mut json = SHEET.as_bytes().to_vec();
                json[at] = byte;
                let mut names = PathNames::new_in(memory);
                if let Ok(store) = KeyValues::try_from_json_with_in(&json, &mut names, memory) {
                    assert_eq!(store.validate(), Ok(()));
                    let mut out = Array::new_in(memory);
                    store.view().try_write_json(&names, &mut out).expect("there is memory");
                    let again = KeyValues::try_from_json_in(&out, memory).expect("just written");
                    assert_eq!(again, store);
                    taken += 1;
                }
            }
        }
        assert!(taken > 200, "{taken}");
    });
}

#[test]
fn two_paths_with_one_hash_are_refused_naming_both() {
    // Some name hashes to anything that is wanted.
    let wanted = path_key(&["stats", "health"]);
    let mut twin = [0; 8];
    let twin = loligo_ids::preimage_32(wanted.hash(), 0, &mut twin).expect("there is one of eight");
    let twin = twin.to_string();
    with_memory(|memory| {
        let mut names = PathNames::new_in(memory);
        names.try_insert(&["stats", "health"]).expect("there is memory");
        let entries = names.len();
        let error = names.try_insert(&[&twin]).expect_err("it collides");
        let PathNamesError::Collision(paths) = error else { panic!("{error}") };
        assert_eq!(paths.key, wanted);
        assert_eq!((paths.first.as_str(), paths.second.as_str()), ("stats.health", &*twin));
        assert_eq!(names.len(), entries);
        // So is a path through it, of which nothing is left then.
        names.try_insert(&[&twin, "below"]).expect_err("its object collides");
        assert_eq!(names.len(), entries);

        let mut names = PathNames::new_in(memory);
        let json = format!("{{\"stats\":{{\"health\":1}},{twin:?}:2}}");
        let error = KeyValues::try_from_json_with_in(json.as_bytes(), &mut names, memory);
        let error = error.expect_err("it collides");
        assert!(matches!(error, KeyValuesJsonError::Collision { offset: 22, .. }), "{error}");
        assert!(error.to_string().contains("stats.health") && error.to_string().contains(&twin));
        assert!(names.is_empty());
        let error = KeyValues::try_from_json_in(json.as_bytes(), memory).expect_err("so it does");
        assert!(
            matches!(error, KeyValuesJsonError::Json(error) if error.offset() == 22),
            "{error}"
        );
    });
}

#[test]
fn names_are_found_again() {
    with_memory(|memory| {
        let mut names = PathNames::new_in(memory);
        let mut keys = Vec::new();
        for number in 0..500 {
            let (object, name) = (format!("object {}", number % 20), format!("n.{number}"));
            let key = names.try_insert(&[&object, &name]).expect("there is memory");
            assert_eq!(key, path_key(&[&object, &name]));
            assert_eq!(names.try_insert(&[&object, &name]), Ok(key), "again");
            keys.push((key, object, name));
        }
        assert_eq!(names.len(), 520);
        for (key, object, name) in keys {
            let path = names.get(key).expect("it was added");
            assert!(path.names().eq([object.as_str(), name.as_str()]));
            assert_eq!(path.to_string(), format!("{object}.{name:?}"));
        }
        assert!(names.get(IdString32::from_hash(12)).is_none());
    });
}

#[test]
fn long_paths_are_cut_in_errors() {
    use core::fmt::Write;
    let mut text = PathText::default();
    write!(text, "{}", "ö".repeat(30)).expect("nothing is refused");
    write!(text, "b").expect("nothing is refused");
    assert_eq!(text.to_string(), format!("{}...", "ö".repeat(22)));
}

#[test]
fn refusals_while_reading_and_writing_change_nothing() {
    every_refusal(|memory| {
        let mut names = PathNames::new_in(memory);
        names.try_insert(&["first"]).map_err(|error| error.to_string())?;
        let read = KeyValues::try_from_json_with_in(SHEET.as_bytes(), &mut names, memory);
        let store = match read {
            Ok(store) => store,
            Err(error) => {
                assert_eq!(names.len(), 1);
                assert_eq!(names.try_insert(&["first"]).ok(), Some(IdString32::new("first")));
                return Err(error.to_string());
            }
        };
        let mut out = Array::new_in(memory);
        out.try_extend_from_slice(b"before").map_err(|error| error.to_string())?;
        let written = store.view().try_write_json(&names, &mut out);
        let text = text::view(&out);
        assert_eq!(text.is_ok_and(|text| text == "before"), written.is_err(), "{text:?}");
        assert!(written.is_err() || text == Ok(&["before", SHEET].concat()), "{text:?}");
        written.map_err(|error| error.to_string())
    });
}
