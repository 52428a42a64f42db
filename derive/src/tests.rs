//! Tests of what is refused and how, and of names. What is derived is tested where it is used: in
//! `tests/`, and in the examples of `loligo-containers`.

use proc_macro2::TokenStream;
use syn::{DeriveInput, Result};

use crate::{blob_type, event, fields, open_row, streamed};

type Derive = fn(&DeriveInput) -> Result<TokenStream>;

/// Returns what `derive` says to `code`.
fn refusal(derive: Derive, code: &str) -> String {
    let input = syn::parse_str(code).unwrap_or_else(|error| panic!("`{code}`: {error}"));
    match derive(&input) {
        Ok(derived) => panic!("`{code}` was derived: {derived}"),
        Err(error) => error.to_string(),
    }
}

/// Returns what `derive` makes of `code`, as text.
fn derived(derive: Derive, code: &str) -> String {
    let input = syn::parse_str(code).unwrap_or_else(|error| panic!("`{code}`: {error}"));
    match derive(&input) {
        Ok(derived) => derived.to_string(),
        Err(error) => panic!("`{code}` was refused: {error}"),
    }
}

#[test]
fn names_of_types_become_small_words() {
    let names = [
        ("FootDown", "foot_down"),
        ("Fell", "fell"),
        ("HTTPDoor2", "http_door2"),
        ("Page2Turned", "page2_turned"),
        ("A", "a"),
        ("Foot_Down", "foot_down"),
        ("ÄrgerDich", "ärger_dich"),
    ];
    for (name, expected) in names {
        assert_eq!(fields::snake(name), expected, "of {name}");
    }
}

#[test]
fn an_event_is_named_once() {
    let both = "#[event(name = \"a\", number = 1)] struct A { b: u32 }";
    assert_eq!(refusal(event::derive, both), "an event has either a name or a number");
    let twice = "#[event(number = 2)] #[event(number = 1)] struct A { b: u32 }";
    assert_eq!(refusal(event::derive, twice), "`number` is given twice");
    let other = "#[event(id = 1)] struct A { b: u32 }";
    let expected = "`#[event(..)]` knows no `id`; it knows `name`, `number`";
    assert_eq!(refusal(event::derive, other), expected);
    let empty = "#[event(name)] struct A { b: u32 }";
    assert_eq!(refusal(event::derive, empty), "`name` needs a value: `name = \"foot_down\"`");
    let several = "enum A { B }";
    assert_eq!(refusal(event::derive, several), "`Event` is derived for structs alone");
}

#[test]
fn attributes_of_streamed_fields_may_not_contradict_each_other() {
    let cases = [
        ("struct A { #[streamed(skip, text)] b: u32 }", "`skip` and `text` exclude each other"),
        (
            "struct A { #[streamed(default = 1)] b: u32 }",
            "`default` needs `since`: older than which version?",
        ),
        ("struct A { #[streamed(since)] b: u32 }", "`since` needs a value: `since = 2`"),
        ("struct A { #[streamed(text = 1)] b: u32 }", "`text` takes no value"),
        (
            "struct A { #[streamed(with)] b: u32 }",
            "`with` needs a value: `with = path::of::a_function`",
        ),
        (
            "struct A { #[streamed(text, since = 2)] b: u32 }",
            "`since` is for fields without `text`: write `with` and ask for `stream.version()` there",
        ),
        ("#[streamed(skip)] struct A { b: u32 }", "`#[streamed(..)]` belongs to a field"),
        (
            "union A { b: u32 }",
            "`Streamed` is derived for structs and enums: what a union holds is not known",
        ),
        ("enum A {}", "`Streamed` cannot be derived for an enum without variants: it has no value"),
    ];
    for (code, expected) in cases {
        assert_eq!(refusal(streamed::derive, code), expected, "of `{code}`");
    }
}

#[test]
fn a_type_parameter_must_be_streamed_itself() {
    let code = derived(streamed::derive, "struct Pair<T> { a: T, b: T }");
    assert!(code.contains("T : :: loligo_containers :: Streamed"), "{code}");
}

#[test]
fn what_has_no_set_layout_is_not_in_a_blob() {
    let cases = [
        (
            "struct A { b: u32 }",
            "a struct in a blob needs `#[repr(C)]`, or its fields have no set places",
        ),
        (
            "#[repr(C, packed)] struct A { b: u32 }",
            "a struct in a blob is not packed: its fields are read by reference",
        ),
        (
            "#[repr(C, packed(2))] struct A { b: u32 }",
            "a struct in a blob is not packed: its fields are read by reference",
        ),
        (
            "#[repr(C)] struct A(u32);",
            "a struct in a blob has named fields, by which a builder fills them",
        ),
        (
            "#[repr(C)] struct A {}",
            "a struct in a blob has at least one field: what takes no bytes is not there",
        ),
        (
            "#[repr(C)] struct A<T> { b: T }",
            "`BlobType` is derived for types without parameters: a blob is opened as one type",
        ),
        ("enum A { B }", "an enum in a blob needs its integer, and only this: `#[repr(u8)]`"),
        (
            "#[repr(u8, C)] enum A { B }",
            "an enum in a blob needs its integer, and only this: `#[repr(u8)]`",
        ),
        (
            "#[repr(usize)] enum A { B }",
            "an enum in a blob is one of `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, not `usize`",
        ),
        (
            "#[repr(u8)] enum A { B(u32) }",
            "an enum in a blob has no fields: put them in a struct, as a `BlobOption` of each",
        ),
        (
            "#[repr(C)] union A { b: u32 }",
            "a union cannot be in a blob: which of its fields is valid is not known",
        ),
    ];
    for (code, expected) in cases {
        assert_eq!(refusal(blob_type::derive, code), expected, "of `{code}`");
    }
}

#[test]
fn a_struct_with_more_alignment_is_read() {
    let code = derived(blob_type::derive, "#[repr(C, align(8))] struct A { b: u32 }");
    assert!(code.contains("BLOB_ALIGN"), "{code}");
}

#[test]
fn rows_have_fields_with_different_names() {
    let cases = [
        (
            "struct A(u32);",
            "`OpenRow` is derived for structs with named fields: the names are the array's",
        ),
        (
            "struct A<T> { b: T }",
            "`OpenRow` is derived for types without parameters: its constants name the types of \
             its fields",
        ),
        (
            "struct A { b: i32, #[open(name = \"b\")] c: i32 }",
            "there is a field `b` before this one",
        ),
        ("struct A { #[open(name = 1)] b: i32 }", "a field's name is a text in quotes"),
        ("enum A { B }", "`OpenRow` is derived for structs alone"),
    ];
    for (code, expected) in cases {
        assert_eq!(refusal(open_row::derive, code), expected, "of `{code}`");
    }
}

#[test]
fn names_of_keywords_lose_their_prefix() {
    let code = derived(open_row::derive, "struct A { r#type: i32 }");
    assert!(code.contains("\"type\"") && code.contains("const TYPE"), "{code}");
}

#[test]
fn versions_of_fields_in_a_blob_may_not_contradict_each_other() {
    let first = "#[repr(C)] struct A { #[blob(since = 2)] b: u32 }";
    let expected = "the first field of a struct in a blob is there in all versions";
    assert_eq!(refusal(blob_type::derive, first), expected);
    let of =
        |attribute: &str| format!("#[repr(C)] struct A {{ a: u32, #[blob({attribute})] b: u32 }}");
    let cases = [
        ("default = 1", "`default` needs `since`: older than which version?"),
        ("since", "`since` needs a value: `since = 2`"),
        ("since = 1", "`since` is a number from 2 to 255: each is tried"),
        ("since = 256", "`since` is a number from 2 to 255: each is tried"),
        ("since = NEXT", "`since` is a number from 2 to 255: each is tried"),
        ("since = 2, default", "`default` needs a value: `default = 1.0`"),
        ("since = 2, since = 3", "`since` is given twice"),
        ("until = 2", "`#[blob(..)]` knows no `until`; it knows `default`, `since`"),
    ];
    for (attribute, expected) in cases {
        assert_eq!(refusal(blob_type::derive, &of(attribute)), expected, "{attribute}");
    }
    let both = derived(blob_type::derive, &of("since = 255, default = 1"));
    assert!(both.contains("version >= 255"), "{both}");
}
