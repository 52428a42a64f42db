//! Tests of whole texts written again.

use std::string::String;

use crate::format::{FormatError, format};
use crate::options::Options;
use crate::style::Style;

/// Formats a text twice, which must end with the same bytes.
fn formatted(text: &str) -> String {
    let mut once = String::new();
    format(text.as_bytes(), &Options::SJSON, Style::SJSON, &mut once).expect(text);
    let mut twice = String::new();
    format(once.as_bytes(), &Options::SJSON, Style::SJSON, &mut twice).expect(&once);
    assert_eq!(once, twice, "{text:?} came out as the first, and that as the second");
    once
}

#[test]
fn everything_has_its_place() {
    for (text, expected) in [
        ("", ""),
        ("{}", ""),
        ("  a=1,b:2", "a = 1\nb = 2\n"),
        ("{\"a\":1,\"b c\":2,\"true\":3}", "a = 1\n\"b c\" = 2\n\"true\" = 3\n"),
        ("a = { b = { } c = [ ] }", "a = {\n\tb = {}\n\tc = []\n}\n"),
        ("a = [\n1\n2\n]", "a = [ 1 2 ]\n"),
        ("a = [ { } ]", "a = [\n\t{}\n]\n"),
        ("a = [ 1 [ 2 3 ] 4 ]", "a = [\n\t1\n\t[ 2 3 ]\n\t4\n]\n"),
        ("[ 1 ]", "[ 1 ]\n"),
        ("\"a\\u00e9\\/\"", "\"a\\u00e9\\/\"\n"),
        ("1.50e+07", "1.50e+07\n"),
        // Comments stay with their item, and one empty line is left of several.
        (
            "// head\n\n\na = 1 // one\n// two\nb = 2\n\n\n",
            "// head\n\na = 1 // one\n// two\nb = 2\n",
        ),
        ("\n\n// head\na = 1", "// head\na = 1\n"),
        ("a = { // why\n\n b = 1\n\n // end\n}", "a = { // why\n\n\tb = 1\n\n\t// end\n}\n"),
        ("a = [ 1 // one\n 2 ]", "a = [\n\t1 // one\n\t2\n]\n"),
        ("a = [ /* x */ 1 /* y */ 2 ]", "a = [ /* x */\n\t1 /* y */\n\t2\n]\n"),
        ("a = [\n\n1\n\n2\n\n]", "a = [\n\t1\n\n\t2\n]\n"),
        ("a = [\n\n1\n2\n\n]", "a = [ 1 2 ]\n"),
        ("a = [ // none\n]", "a = [ // none\n]\n"),
        ("a /* b */ = /* c */ 1", "a = /* b */ /* c */ 1\n"),
        ("a = // c\n1", "a = // c\n\t1\n"),
        ("a // b\n= // c\n[ 1 2 ]", "a = // b\n\t// c\n\t[ 1 2 ]\n"),
        ("a =\n\n1 b = 2", "a = 1\nb = 2\n"),
        ("/* a */ b = 1", "/* a */\nb = 1\n"),
        ("a = 1 /* x\n  y */ // z\nb = 2", "a = 1 /* x\n  y */ // z\nb = 2\n"),
        (
            "// head  \r\n{ // inner\r\n a = 1 // x\r\n} // tail\r\n",
            "// head\n// inner\na = 1 // x\n// tail\n",
        ),
        ("{ a = 1\n\n} // tail", "a = 1 // tail\n"),
        ("{} // tail\n", "// tail\n"),
        ("1 // tail", "1 // tail\n"),
        ("/* a */ 1", "/* a */\n1\n"),
        (
            "a = \"\"\"x\n\ty\"\"\" b = [ \"\"\"z\"\"\" ]",
            "a = \"\"\"x\n\ty\"\"\"\nb = [ \"\"\"z\"\"\" ]\n",
        ),
        ("b = [ 1 \"\"\"x\ny\"\"\" 2 ]", "b = [\n\t1\n\t\"\"\"x\ny\"\"\"\n\t2\n]\n"),
        ("\u{feff}a = 1", "a = 1\n"),
    ] {
        assert_eq!(formatted(text), expected, "{text:?}");
    }
}

#[test]
fn an_array_is_on_one_line_up_to_the_width() {
    for deep in ["", "x = "] {
        for items in 20..40 {
            let mut text = String::from(deep);
            text.push('[');
            for _ in 0..items {
                text.push_str(" 123");
            }
            text.push_str(" ]");
            let expected = text.len();
            let written = formatted(&text);
            let lines = written.lines().count();
            assert_eq!(lines, if expected <= 100 { 1 } else { items + 2 }, "{written}");
        }
    }
    let long = "x".repeat(300);
    let text = ["[ 1 \"", &long, "\" 2 ]"].concat();
    assert_eq!(formatted(&text), ["[\n\t1\n\t\"", &long, "\"\n\t2\n]\n"].concat());
}

#[test]
fn sjson_becomes_json() {
    let text = "// c\na = \"\"\"x\n\"y\"\t\\\"\"\" b = [ 1 2 ] /* d */\n\n\"e\" = { f = \"g\th\" } i = [ [ ] { } ]";
    let pretty = "{\n  \"a\": \"x\\n\\\"y\\\"\\t\\\\\",\n  \"b\": [1, 2],\n  \"e\": {\n    \"f\": \"g\\th\"\n  },\n  \"i\": [\n    [],\n    {}\n  ]\n}\n";
    let compact =
        "{\"a\":\"x\\n\\\"y\\\"\\t\\\\\",\"b\":[1,2],\"e\":{\"f\":\"g\\th\"},\"i\":[[],{}]}\n";
    for (style, expected) in [(Style::JSON, pretty), (Style::JSON_COMPACT, compact)] {
        let mut json = String::new();
        format(text.as_bytes(), &Options::SJSON, style, &mut json).expect(text);
        assert_eq!(json, expected);
        let mut again = String::new();
        format(json.as_bytes(), &Options::JSON, style, &mut again).expect("strict JSON");
        assert_eq!(again, json);
    }
    let mut one_line = String::new();
    format(text.as_bytes(), &Options::SJSON, Style::SJSON_COMPACT, &mut one_line).expect(text);
    let expected = "{a=\"x\\n\\\"y\\\"\\t\\\\\" b=[1 2] e={f=\"g\\th\"} i=[[] {}]}\n";
    assert_eq!(one_line, expected);
}

#[test]
fn what_is_wrong_is_said() {
    let mut sink = String::new();
    let error =
        format(b"a = [", &Options::SJSON, Style::SJSON, &mut sink).expect_err("it does not end");
    assert!(matches!(error, FormatError::Syntax(error) if error.column() == 6), "{error}");

    struct Full;
    impl core::fmt::Write for Full {
        fn write_str(&mut self, _: &str) -> core::fmt::Result {
            Err(core::fmt::Error)
        }
    }
    let refused = format(b"a = 1", &Options::SJSON, Style::SJSON, &mut Full);
    assert_eq!(refused, Err(FormatError::Sink));
}
