//! Tests of edits, one by one; those against a model are among the tests of all parts.

use std::string::{String, ToString};

use crate::edits::{EditError, Edits};
use crate::options::Options;
use crate::test_memory::{every_refusal, with_memory};
use crate::tree::SyntaxTree;

/// Makes some edits of a text and returns what comes out.
fn edited(
    text: &str,
    options: &Options,
    edit: impl FnOnce(
        &mut Edits<'_, '_, '_, crate::test_memory::Memory<'_>>,
    ) -> Result<(), EditError<'static>>,
) -> Result<String, String> {
    with_memory(|memory| {
        let tree = SyntaxTree::try_parse_in(text.as_bytes(), options, memory).expect(text);
        let mut edits = Edits::new(&tree);
        edit(&mut edits).map_err(|error| error.to_string())?;
        let mut text = String::new();
        edits.write(&mut text).expect("a string takes all");
        Ok(text)
    })
}

#[test]
fn a_value_is_set_and_nothing_else() {
    for (text, path, value, expected) in [
        ("a = 1 // b\n", "a", " 2 ", "a = 2 // b\n"),
        ("{ \"a\" : [ 1,2 ] }", "a/1", "{ b = 3 }", "{ \"a\" : [ 1,{ b = 3 } ] }"),
        ("a = 1 a = 2", "a", "3", "a = 1 a = 3"),
        ("[ 1 ]", "", "\"x\"", "\"x\""),
        ("{ a = 1 }", "", "null", "null"),
        ("a = 1\nb = \n", "b", "2", "a = 1\nb = 2\n"),
        // What would run into its neighbours is kept apart.
        ("[1\"x\"2]", "1", "3", "[1 3 2]"),
        ("[[]\"x\"\"\"]", "1", "\"\"", "[[]\"\" \"\"]"),
        ("a=\"x\"b=2", "a", "5", "a=5 b=2"),
    ] {
        let set = edited(text, &Options::SJSON, |edits| edits.set(path.into(), value));
        assert_eq!(set.as_deref(), Ok(expected), "{path} of {text}");
    }
}

#[test]
fn what_is_no_value_is_refused() {
    for (path, value, error) in [
        ("a", "", "the new value is none, at 1:1: expected a value, found the end of the text"),
        (
            "a",
            "b = 1",
            "the new value is none, at 1:1: expected a value, found `b`; put text in quotes",
        ),
        (
            "a",
            "1 2",
            "the new value is none, at 1:3: expected the end of the text, found `2`; one document is one value",
        ),
        (
            "a",
            "1 // x",
            "the new value is none, at 1:1: expected one value alone, found `1`; take the comment out",
        ),
        (
            "a",
            "door",
            "the new value is none, at 1:1: expected a value, found `d`; put text in quotes",
        ),
        ("b", "1", "the root has no key `b`"),
        ("", "1", "the root cannot be edited as a whole: name its keys"),
    ] {
        let set = edited("a = 1", &Options::SJSON, |edits| edits.set(path.into(), value));
        assert_eq!(set, Err(error.to_string()), "{path} to {value}");
    }
    let json = edited("[1]", &Options::JSON, |edits| edits.set("0".into(), "{ a = 1 }"));
    assert!(json.is_err(), "JSON stays JSON: {json:?}");
}

#[test]
fn a_new_item_is_laid_out_as_the_one_before() {
    for (text, path, expected) in [
        ("", "b", "b = 7\n"),
        ("// c", "b", "// c\nb = 7\n"),
        ("a = 1\n", "b", "a = 1\nb = 7\n"),
        ("a = 1 // c\n\n// d\n", "b", "a = 1 // c\nb = 7\n\n// d\n"),
        ("a = 1 c = 2", "b", "a = 1 c = 2 b = 7"),
        ("{ a = 1 }", "b", "{ a = 1 b = 7 }"),
        ("x = {\n\ta = 1,\n\tc = 2\n}\n", "x/b", "x = {\n\ta = 1,\n\tc = 2,\n\tb = 7\n}\n"),
        (
            "x = {\n\ta = 1,\n\tc = 2 // d\n}\n",
            "x/b",
            "x = {\n\ta = 1,\n\tc = 2, // d\n\tb = 7\n}\n",
        ),
        ("x = {\r\n\ta = 1\r\n}\r\n", "x/b", "x = {\r\n\ta = 1\r\n\tb = 7\r\n}\r\n"),
        ("x = {}", "x/b", "x = { b = 7 }"),
        ("x = { // c\n}", "x/b", "x = { // c\nb = 7 }"),
        ("x = []", "x/0", "x = [ 7 ]"),
        ("x = [ 1 ]", "x/-", "x = [ 1 7 ]"),
        ("x = [\n\t1\n]", "x/1", "x = [\n\t1\n\t7\n]"),
        ("x = [1]", "x/1", "x = [1 7]"),
        ("a =", "b", "a = null\nb = 7"),
        ("a = \n", "b", "a = null\nb = 7\n"),
        ("c = 1, a = // d\n", "b", "c = 1, a = null,// d\n b = 7\n"),
        ("a = 1", "b c", "a = 1\n\"b c\" = 7"),
        ("a = 1", "\"~1\\", "a = 1\n\"\\\"/\\\\\" = 7"),
    ] {
        let inserted = edited(text, &Options::SJSON, |edits| edits.insert(path.into(), "7"));
        assert_eq!(inserted.as_deref(), Ok(expected), "{path} of {text:?}");
    }
    for (text, path, expected) in [
        ("[1]", "1", "[1, 7]"),
        ("[]", "0", "[7]"),
        ("{}", "b", "{\"b\": 7}"),
        ("{\n  \"a\": 1\n}\n", "b", "{\n  \"a\": 1,\n  \"b\": 7\n}\n"),
    ] {
        let inserted = edited(text, &Options::JSON, |edits| edits.insert(path.into(), "7"));
        assert_eq!(inserted.as_deref(), Ok(expected), "{path} of {text:?}");
    }
    for (path, error) in [
        ("a", "the key is there already: set its value"),
        ("x/0", "the root has no key `x`"),
        ("a/0", "`a` is no object or array; there is no `0` in it"),
        ("c/3", "`c` has no item `3`; its items are 0 to 0"),
    ] {
        let text = "a = 1 c = [ 1 ]";
        let inserted = edited(text, &Options::SJSON, |edits| edits.insert(path.into(), "7"));
        assert_eq!(inserted, Err(error.to_string()), "{path}");
    }
}

#[test]
fn what_goes_takes_its_line_and_comma_along() {
    for (text, path, expected) in [
        ("a = 1\nb = 2\n", "a", "b = 2\n"),
        ("a = 1\nb = 2\n", "b", "a = 1\n"),
        ("a = 1\nb = 2", "b", "a = 1\n"),
        ("a = 1 b = 2", "a", "b = 2"),
        ("a = 1 b = 2", "b", "a = 1"),
        ("a = 1 // one\nb = 2\n", "a", "// one\nb = 2\n"),
        ("x = {\n\ta = 1,\n\tb = 2\n}\n", "x/a", "x = {\n\tb = 2\n}\n"),
        ("x = [1 2 3]", "x/1", "x = [1 3]"),
        ("x = [1 2 3]", "x/2", "x = [1 2 ]"),
        ("x = [1\"y\"3]", "x/1", "x = [1 3]"),
        ("x = [1 /* c */, 2]", "x/0", "x = [ /* c */ 2]"),
    ] {
        let removed = edited(text, &Options::SJSON, |edits| edits.remove(path.into()));
        assert_eq!(removed.as_deref(), Ok(expected), "{path} of {text:?}");
    }
    for (text, path, expected) in [
        ("[1, 2, 3]", "1", "[1, 3]"),
        ("[1, 2, 3]", "2", "[1, 2]"),
        ("[1]", "0", "[]"),
        ("{\n  \"a\": 1,\n  \"b\": 2\n}", "b", "{\n  \"a\": 1\n}"),
        ("{\n  \"a\": [1],\n  \"b\": 2\n}", "a", "{\n  \"b\": 2\n}"),
        ("{\"a\": {\"b\": 1}, \"c\": 2}", "a/b", "{\"a\": {}, \"c\": 2}"),
    ] {
        let removed = edited(text, &Options::JSON, |edits| edits.remove(path.into()));
        assert_eq!(removed.as_deref(), Ok(expected), "{path} of {text:?}");
    }
}

#[test]
fn several_edits_are_made_at_once_but_not_of_one_place() {
    let text = "a = 1\nb = { c = 2 }\nd = [ 3 4 ]\n";
    let all = edited(text, &Options::SJSON, |edits| {
        edits.set("d/1".into(), "5")?;
        edits.set("b/c".into(), "[ ]")?;
        edits.remove("a".into())?;
        edits.insert("e".into(), "true")?;
        assert_eq!(edits.set("b".into(), "null"), Err(EditError::Overlap));
        assert_eq!(edits.set("b/c".into(), "null"), Err(EditError::Overlap));
        assert_eq!((edits.len(), edits.is_empty()), (4, false));
        Ok(())
    });
    assert_eq!(all.as_deref(), Ok("b = { c = [ ] }\nd = [ 3 5 ]\ne = true\n"));
}

#[test]
fn no_memory_is_an_error_and_changes_nothing() {
    every_refusal(|memory| {
        let text = "a = 1 b = 2 c = 3";
        let Ok(tree) = SyntaxTree::try_parse_in(text.as_bytes(), &Options::SJSON, memory) else {
            return Err(());
        };
        let mut edits = Edits::new(&tree);
        let mut outcome = Ok(());
        for (path, value) in [("a", "\"long enough to need memory, again and again\""), ("c", "4")]
        {
            let count = edits.len();
            if let Err(error) = edits.set(path.into(), value) {
                assert!(matches!(error, EditError::Memory(_)), "{error}");
                assert_eq!(edits.len(), count, "nothing has changed");
                outcome = Err(());
            }
        }
        let mut written = String::new();
        edits.write(&mut written).expect("a string takes all");
        assert_eq!(written == text, edits.is_empty(), "{written}");
        outcome
    });
}
