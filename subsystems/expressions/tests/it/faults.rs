//! What is said of wrong sources, and where.

use loligo_expressions::{CompileErrorKind, Expression, NODES_MAX, SOURCE_BYTES_MAX, Symbols};

use crate::memory::with_memory;
use crate::model::SYMBOLS;

/// Returns what is said of a source that is wrong.
fn refused(source: &str) -> String {
    with_memory(|memory| {
        let compiled: Result<Expression<'_>, _> =
            Expression::try_compile_in(source, &SYMBOLS, memory);
        match compiled {
            Ok(expression) => panic!("`{source}` was accepted: {expression:?}"),
            Err(error) => error.to_string(),
        }
    })
}

#[test]
fn every_fault_is_told_with_its_place() {
    let cases = [
        ("", "1:1: expected a value", "^"),
        ("1 +", "1:4: expected a value (a number, a name, `-`, `!` or `(`), found the end", "   ^"),
        ("sin(x) + )", "1:10: expected a value", "         ^"),
        ("x y", "1:3: expected an operator or the end, found `y`", "  ^"),
        ("2 # x", "1:3: `#` means nothing here", "  ^"),
        ("x = 2", "1:3: `=` is no operator; is `==` meant?", "  ^"),
        ("2x", "1:1: `2x` is no number", "^^"),
        ("1.2.3", "1:1: `1.2.3` is no number", "^^^^^"),
        ("x * 1e99", "1:5: `1e99` is too large", "    ^^^^"),
        ("x + ssin(x)", "1:5: nothing is called `ssin`; is `sin` meant?", "    ^^^^"),
        ("Gravity", "1:1: nothing is called `Gravity`; is `gravity` meant?", "^^^^^^^"),
        ("zebra", "1:1: nothing is called `zebra`; name a variable", "^^^^^"),
        ("sin", "1:1: `sin` is a function", "^^^"),
        ("x (2)", "1:1: `x` is a value and no function", "^"),
        ("2 (3)", "1:3: expected an operator", "  ^"),
        ("min(1)", "1:1: `min` takes 2 arguments, not 1", "^^^"),
        ("1 + sin(x, y)", "1:5: `sin` takes 1 argument, not 2 or more", "    ^^^"),
        ("sin()", "1:1: `sin` takes 1 argument, not 0", "^^^"),
        ("1 * (2 + x", "1:5: this parenthesis is never closed", "    ^"),
        ("min (x, 1", "1:5: this parenthesis is never closed", "    ^"),
        ("x) + 1", "1:2: this parenthesis closes none", " ^"),
        ("x, y", "1:2: a comma stands only", " ^"),
        ("(x, y)", "1:3: a comma stands only", "  ^"),
        ("x ? 1", "1:3: expected `:`", "  ^"),
        ("min(x ? 1, 2)", "1:7: expected `:`", "      ^"),
        ("(x ? 1) + 2", "1:4: expected `:`", "   ^"),
        ("x : 1", "1:3: this `:` has no `?`", "  ^"),
        ("0 < x < 1", "1:7: two comparisons in a row; write `a < b && b < c`", "      ^"),
        ("x == y != 0", "1:8: two comparisons in a row", "       ^^"),
        ("x +\n  y +\n é * yy", "3:2: nothing is called `é`", " ^"),
    ];
    for (source, begins, mark) in cases {
        let said = refused(source);
        assert!(said.starts_with(begins), "`{source}`: {said}\nnot {begins}");
        let marked = said.lines().last().unwrap_or_default();
        assert_eq!(marked, format!("  {mark}"), "`{source}`: {said}");
    }
}

#[test]
fn limits_are_told() {
    let long = "1+".repeat(SOURCE_BYTES_MAX);
    assert!(refused(&long).contains("more than 65536 bytes"), "{}", refused(&long));
    let many = vec!["x"; NODES_MAX / 2 + 1].join("+");
    assert!(refused(&many).contains("more than 4096 values"), "{}", refused(&many));
    // Each argument waits until the last one is there.
    let deep = format!("{}x{}", "mix4(x, x, x, ".repeat(30), ")".repeat(30));
    assert!(refused(&deep).contains("more than 64 values would wait"), "{}", refused(&deep));
}

#[test]
fn of_a_long_line_the_neighbourhood_is_shown() {
    let source = format!("{}zebra{}", "x + ".repeat(100), " + x".repeat(100));
    let said = refused(&source);
    assert!(said.starts_with("1:401: nothing is called `zebra`"), "{said}");
    assert!(said.lines().all(|line| line.chars().count() < 100), "{said}");
    let [_, line, mark] = said.lines().collect::<Vec<_>>()[..] else { panic!("{said}") };
    assert_eq!(line.find("zebra"), mark.find("^^^^^"), "{said}");
}

#[test]
fn a_fault_can_be_matched() {
    with_memory(|memory| {
        let symbols = Symbols { variables: &["speed"], ..Symbols::default() };
        let refused: Result<Expression<'_>, _> =
            Expression::try_compile_in("sped", &symbols, memory);
        let error = refused.expect_err("there is no such name");
        assert_eq!(error.kind, CompileErrorKind::Unknown { nearest: Some("speed") });
        assert_eq!((error.offset, error.bytes, error.line(), error.column()), (0, 4, 1, 1));
    });
}
