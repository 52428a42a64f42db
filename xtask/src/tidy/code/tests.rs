//! Tests of blanking: what is code stays, what is not goes, nothing moves.

use super::*;

/// Asserts that the letter x, and it alone of x and y, is left of `source`.
#[track_caller]
fn keeps_only_x(source: &str) {
    let code = code_only(source);
    assert_eq!(code.len(), source.len(), "nothing moves in {source}");
    assert_eq!(source.matches('x').count(), code.matches('x').count(), "{code}");
    assert!(!code.contains('y'), "{code}");
}

#[test]
fn comments_go() {
    keeps_only_x("x // y\nx /* y /* y */ y */ x");
    keeps_only_x("//! y\n/// y\nx");
}

#[test]
fn strings_go() {
    keeps_only_x("x(\"y \\\" y\", b\"y\", c\"y\") x");
    keeps_only_x("x(r\"y\", r#\"y \" y\"#, br##\"y\"# y\"##) x");
}

#[test]
fn characters_go_and_lifetimes_stay() {
    keeps_only_x("fn x<'x>(a: &'x str) { 'y'; b'y'; '\\''; '\\u{79}'; '\"'; x }");
    keeps_only_x("'é'; x /* y */");
}

#[test]
fn unended_ones_reach_to_the_end() {
    keeps_only_x("x \"y");
    keeps_only_x("x /* y");
    keeps_only_x("x r#\"y");
    keeps_only_x("x \"y\\");
}

#[test]
fn raw_identifiers_are_code() {
    keeps_only_x("r#x = x");
}

#[test]
fn words_are_whole() {
    assert_eq!(words("mod models mod_ mod", "mod"), [0, 16]);
}
