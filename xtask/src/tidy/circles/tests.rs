//! Tests of circles between modules: planted ones are found with their shortest way round, and what
//! is not an arrow is none.

use super::*;
use crate::workspace::tests::{small_house, workspace};

/// Returns the findings after the files, below `ids/src/`, have been put into the small house.
fn circles_of(files: &[(&str, &str)]) -> Vec<Finding> {
    let mut tree = small_house();
    for (path, text) in files {
        tree.insert(&format!("ids/src/{path}"), (*text).into());
    }
    let mut findings = Vec::new();
    check(&tree, &workspace(&tree), &mut findings);
    findings
}

/// Asserts that nothing is found among two modules, of which the first names the second and the
/// second is this text.
#[track_caller]
fn harmless(second: &str) {
    let lib = "mod a;\nmod b;\npub use a::A;\n";
    let findings = circles_of(&[("lib.rs", lib), ("a.rs", "use crate::b::B;\n"), ("b.rs", second)]);
    assert_eq!(findings, [], "{second}");
}

/// Asserts that two modules, of which the first names the second, have a circle because of a line
/// of the second.
#[track_caller]
fn circle(second: &str, line: usize, path: &str) {
    let lib = "mod a;\nmod b;\npub use a::{A, C as D};\n";
    let first = "//! A.\nuse crate::b::B;\n";
    let findings = circles_of(&[("lib.rs", lib), ("a.rs", first), ("b.rs", second)]);
    let [finding] = &findings[..] else { panic!("{second}: {findings:?}") };
    assert_eq!((finding.path.as_str(), finding.line), ("ids/src/a.rs", 2), "{second}");
    let expected = format!(
        "modules of ids/src/lib.rs that name each other in a circle: a, b. The shortest: a names \
         b::B (ids/src/a.rs:2), b names {path} (ids/src/b.rs:{line}). "
    );
    assert!(finding.what.starts_with(&expected), "{second}: {}", finding.what);
}

#[test]
fn a_planted_circle_is_found_in_whatever_form() {
    circle("use crate::a::A;\n", 1, "a::A");
    circle("\nfn b() {\n    crate::a::go();\n}\n", 3, "a::go");
    circle("use super::a::A;\n", 1, "a::A");
    circle("use core::fmt;\nuse crate::{\n    c::C,\n    a::{self, A},\n};\n", 4, "a::self");
    circle("pub(crate) struct B(crate::a::A<u32>);\n", 1, "a::A");
    circle("mod inner {\n    use super::super::a::A;\n}\n", 2, "a::A");
    circle("#[cfg(any(test, unix))]\nuse crate::a::A;\n", 2, "a::A");
    circle("#[cfg(not(test))]\nuse crate::a::A;\n", 2, "a::A");
}

#[test]
fn a_name_that_the_root_re_exports_is_of_its_module() {
    circle("use crate::A;\n", 1, "A");
    circle("use super::A as Other;\n", 1, "A");
    circle("use crate::{D, E};\n", 1, "D");
    harmless("use crate::E;\n");
}

#[test]
fn what_is_not_an_arrow_is_harmless() {
    harmless(
        "//! See [`A`](crate::a::A).\n/* crate::a::A */\nconst TEXT: &str = \"crate::a::A\";\n",
    );
    harmless("pub(in crate::a) struct B;\n");
    harmless("macro_rules! b {\n    () => {\n        $crate::a::A\n    };\n}\n");
    harmless("use crate::b::inner::C;\nmod inner {\n    use super::a::A;\n}\n");
    harmless("use other::crate_a::a::A;\n");
}

#[test]
fn tests_do_not_count() {
    harmless("#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n");
    harmless("#[cfg(all(test, unix))]\n#[expect(unused)]\nuse crate::a::{A, C};\n");
    harmless("#[cfg(test)]\npub(crate) fn b<T, U>(of: [u8; 2]) -> u8 {\n    crate::a::go()\n}\n");
    harmless("struct B {\n    #[cfg(test)]\n    seen: crate::a::A,\n}\n");
    circle("struct B {\n    #[cfg(test)]\n    seen: u8,\n    a: crate::a::A,\n}\n", 4, "a::A");
    let files = [
        ("lib.rs", "mod a;\nmod b;\n"),
        ("a.rs", "use crate::b::B;\n"),
        ("b.rs", "#[cfg(test)]\nmod tests;\n"),
        ("b/tests.rs", "use crate::a::A;\n"),
    ];
    assert_eq!(circles_of(&files), []);
}

#[test]
fn all_below_a_module_counts_for_it() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\n"),
        ("a.rs", "mod deep;\n"),
        ("a/deep.rs", "//! Deep.\nuse crate::b::c::C;\n"),
        ("b.rs", "mod c;\n"),
        ("b/c.rs", "use crate::a::A;\n"),
    ];
    let findings = circles_of(&files);
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.path.as_str(), finding.line), ("ids/src/a/deep.rs", 2));
}

#[test]
fn the_modules_of_a_folder_are_looked_at_as_those_of_a_crate() {
    let files = [
        ("lib.rs", "mod a;\n"),
        ("a.rs", "mod one;\nmod two;\npub(crate) use two::Two;\nuse one::go;\n"),
        ("a/one.rs", "use super::Two;\n"),
        ("a/two.rs", "use crate::a::one::One;\n"),
    ];
    let findings = circles_of(&files);
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.path.as_str(), finding.line), ("ids/src/a/one.rs", 1));
    assert!(finding.what.starts_with("modules of ids/src/a.rs"), "{}", finding.what);
}

#[test]
fn what_the_declaring_module_names_is_no_arrow() {
    let files = [
        ("lib.rs", "mod a;\n"),
        ("a.rs", "mod one;\nuse one::One;\npub(crate) struct A(One);\n"),
        ("a/one.rs", "use super::A;\n"),
    ];
    assert_eq!(circles_of(&files), []);
}

#[test]
fn a_module_elsewhere_is_followed_by_its_path() {
    let files = [
        ("lib.rs", "#[path = \"other/first.rs\"]\nmod a;\nmod b;\n"),
        ("other/first.rs", "use crate::b::B;\n"),
        ("b.rs", "use crate::a::A;\n"),
    ];
    let findings = circles_of(&files);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].path, "ids/src/other/first.rs");
}

#[test]
fn the_shortest_of_a_circle_is_shown() {
    let arrows = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("c", "b"), ("e", "a")];
    let mut graph = Graph::new();
    for (from, to) in arrows {
        graph.entry(from).or_default().insert(to, ());
    }
    let found = circles(&graph);
    let [circle] = &found[..] else { panic!("{found:?}") };
    assert_eq!(circle.names, ["a", "b", "c", "d"]);
    assert_eq!(circle.shortest, ["b", "c"]);
}

#[test]
fn circles_that_do_not_meet_are_found_each() {
    let mut graph = Graph::new();
    for (from, to) in [("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("d", "c")] {
        graph.entry(from).or_default().insert(to, ());
    }
    let found = circles(&graph);
    let names: Vec<_> = found.iter().map(|circle| circle.names.as_slice()).collect();
    assert_eq!(names, [["a", "b"], ["c", "d"]]);
}

#[test]
fn an_exempt_file_without_a_circle_is_a_finding() {
    let mut tree = small_house();
    tree.insert(SELF, b"//! The rule.\nconst EXEMPT: &[&str] = &[\"ids/src/lib.rs\"];\n".to_vec());
    let none = found(&tree, &workspace(&tree));
    let finding = needless(&tree, &none, "ids/src/lib.rs").expect("it has no circle");
    assert_eq!((finding.path.as_str(), finding.line), (SELF, 2));
    tree.insert("ids/src/lib.rs", b"mod a;\nmod b;\n".to_vec());
    tree.insert("ids/src/a.rs", b"use crate::b::B;\n".to_vec());
    tree.insert("ids/src/b.rs", b"use crate::a::A;\n".to_vec());
    let one = found(&tree, &workspace(&tree));
    assert_eq!(one.len(), 1);
    assert_eq!(needless(&tree, &one, "ids/src/lib.rs"), None);
}
