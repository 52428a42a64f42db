//! Lists are compared with runs, tests are cut out where they are, and what programs print is read.

use super::cut::{self, Program};
use super::examples;
use super::list::{Class, Failing, List};
use super::peer::PEERS;
use super::results::Results;
use super::{Request, page, run};

const LIST: &str = "\
# A comment.
a::refused\tother\trun\tours refuses it
a::inner\tprivate\tbuild\tof a private part

a::lacking\tnot-expressible\tbuild\tours has no such call
";

const SOURCE: &str = r#"
fn not_a_test() { let text = "mod tests { fn in_text() {} }"; }

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    fn helper() -> char { '}' }

    #[test]
    fn first() { assert_eq!(helper(), '}'); }

    /// Ü before a test moves bytes and not columns.
    #[test]
    #[should_panic]
    fn second() { panic!("}} é {{") }

    quickcheck! {
        fn third(values: Vec<u8>) -> bool { values.len() < 7 }
        fn fourth(value: u8) -> bool { { value == 1 } }
    }

    mod inner {
        #[quickcheck]
        fn fifth(value: u8) {}
    }
}

mod other {}
"#;

const DOCUMENTED: &str = "\
//! A crate.
//!
//! ```
//! let first = 1;
//! ```

/// Does it.
///
/// ```should_panic
/// # hidden();
// A comment.
/// panic!();
/// ```
/// And then:
/// ```
/// second();
/// ```
#[inline]
pub const unsafe fn doing<'a>(value: &'a u8) {}

    /// Text that is not code:
    /// ```text
    /// nothing
    /// ```
    fn text();
";

fn results(passed: &[&str], failed: &[&str], built: &[&str], unbuilt: &[&str]) -> Results {
    let [passed, failed, built, unbuilt] =
        [passed, failed, built, unbuilt].map(|of| of.iter().map(|&test| test.to_owned()).collect());
    Results { passed, failed, built, unbuilt }
}

fn list() -> List {
    List::read(LIST).expect("it is a list")
}

#[test]
fn a_list_is_read() {
    let list = list();
    assert_eq!(list.entries.len(), 3);
    assert_eq!(list.entries[0].failing, Failing::Run);
    assert_eq!(list.entries[1].class, Class::Private);
    assert_eq!(list.unbuilt().count(), 2);
    let line = "5 tests passed, 1 of other semantics, 1 of private parts, 1 not expressible";
    assert_eq!(list.counts(5).to_string(), line, "`cargo xtask verify` reads this form");
}

#[test]
fn a_line_that_is_no_entry_is_named() {
    let wrong = [
        "test\tother\trun",
        "test\tunknown\trun\treason",
        "test\tother\tsometimes\treason",
        "test\tother\trun\t ",
        "test\tother\trun\treason\tmore",
    ];
    for line in wrong {
        let what = List::read(&format!("# A comment.\n{line}\n")).expect_err(line);
        assert!(what.starts_with("line 2 "), "{what}");
    }
    let twice = "test\tother\trun\treason\ntest\tprivate\tbuild\treason\n";
    assert!(List::read(twice).expect_err("it is twice there").contains("second time"), "{twice}");
}

#[test]
fn a_run_that_is_as_listed_has_no_problems() {
    let all = results(&["a::fine"], &["a::refused"], &[], &["a::inner", "a::lacking"]);
    assert!(list().judge(&all).is_empty(), "{:?}", list().judge(&all));
}

#[test]
fn what_is_not_as_listed_is_named() {
    let unbuilt = ["a::inner", "a::lacking"];
    let cases = [
        (results(&["a::refused"], &[], &[], &unbuilt), "`a::refused` is listed and passes"),
        (
            results(&[], &["a::refused", "a::new"], &[], &unbuilt),
            "`a::new` fails and is not listed",
        ),
        (
            results(&[], &["a::refused"], &["a::inner"], &["a::lacking"]),
            "`a::inner` is listed and is compiled",
        ),
        (
            results(&[], &["a::refused"], &[], &["a::inner"]),
            "`a::lacking` is listed and does not exist",
        ),
        (results(&[], &[], &[], &unbuilt), "`a::refused` is listed and does not exist"),
    ];
    for (results, problem) in cases {
        assert_eq!(list().judge(&results), [problem]);
    }
}

#[test]
fn modules_of_tests_are_cut_out_whole() {
    let modules = cut::modules(SOURCE).expect("it is Rust");
    assert_eq!(modules.len(), 1);
    assert!(modules[0].starts_with("#[cfg(all(test"), "{}", modules[0]);
    assert!(modules[0].ends_with("fn fifth(value: u8) {}\n    }\n}"), "{}", modules[0]);
}

fn program(source: &str) -> Program<'_> {
    Program::read(source, &["helper"]).expect("it is Rust")
}

#[test]
fn tests_are_found_in_macros_too() {
    let inner = ["first", "second", "third", "fourth", "inner::fifth"];
    assert!(program(SOURCE).tests().eq(inner.map(|name| format!("tests::{name}"))));
}

#[test]
fn tests_are_taken_out_and_all_else_is_left() {
    let helper = "fn helper() -> char { '}' }";
    let source = SOURCE.replace(helper, "");
    for (name, gone) in [
        ("tests::first", "#[test]\n    fn first() { assert_eq!(helper(), '}'); }"),
        ("tests::fourth", "fn fourth(value: u8) -> bool { { value == 1 } }"),
        ("tests::inner::fifth", "#[quickcheck]\n        fn fifth(value: u8) {}"),
    ] {
        let text = program(SOURCE).without(&|test| test == name);
        assert_eq!(text, source.replace(gone, ""), "{name}");
    }
}

#[test]
fn a_test_alone_has_the_helpers_that_it_names() {
    for (test, is_helped) in [("tests::first", true), ("tests::second", false)] {
        let text = program(SOURCE).alone(test);
        assert!(program(&text).tests().eq([test]), "{text}");
        assert_eq!(text.contains("fn helper()"), is_helped, "{text}");
    }
}

#[test]
fn examples_are_named_after_their_items() {
    let examples = examples::of("lib", DOCUMENTED);
    let names: Vec<&str> = examples.iter().map(|example| &*example.name).collect();
    assert_eq!(names, ["lib_l3_module", "lib_l9_doing", "lib_l15_doing", "lib_l22_text"]);
    let function =
        "/// ```should_panic\n/// # hidden();\n/// panic!();\n/// ```\npub fn lib_l9_doing() {}";
    assert_eq!(examples[1].function(None).trim_end(), function);
    let old = examples[1].function(Some("2018"));
    assert!(old.starts_with("/// ```should_panic,edition2018\n"), "{old}");
}

#[test]
fn what_programs_print_is_read() {
    let said = "\
running 5 tests
test a::fine ... ok
test a::wrong ... FAILED
test a::panics - should panic ... ok
test a::slow ... ignored
test src/lib.rs - lib_l3 (line 4) - compile fail ... ok

test result: FAILED. 3 passed; 1 failed
";
    let mut results = Results::default();
    results.add(said, &|test| test.replace("src/lib.rs - ", "")).expect("it came to its end");
    let expected = ["a::fine", "a::panics", "lib_l3 (line 4)"];
    assert!(results.passed.iter().eq(expected.iter()), "{results:?}");
    assert!(results.failed.iter().eq(["a::wrong"].iter()), "{results:?}");
    let (cut_off, _) = said.split_once("test result").expect("it is there");
    assert!(Results::default().add(cut_off, &str::to_owned).is_err(), "it was stopped");
}

#[test]
fn the_page_has_every_listed_test_and_the_sums() {
    let peer = &PEERS[0];
    let text = page::text(&[(peer, 5, list()), (peer, 2, List::default())]);
    assert!(text.contains("| all | 7 | 1 | 1 | 1 |"), "{text}");
    assert!(text.contains("| `a::inner` | private | of a private part |"), "{text}");
}

#[test]
fn only_peers_are_taken() {
    let failure = run(&["tokio".to_owned()]).expect_err("there is no such peer");
    assert_eq!(failure.status(), 2);
    assert!(failure.to_string().contains("slotmap"), "{failure}");
    let both = ["--write".to_owned(), "slotmap".to_owned()];
    assert!(Request::parse(&both).is_err(), "the page is of all peers");
}
