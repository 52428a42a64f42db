//! What is mutated, how it is spliced, whom an error is laid to, and what the files say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::build::{Error, Said};
use super::explained::Explained;
use super::find::find;
use super::kept;
use super::measured::{Measured, Test};
use super::process;
use super::record::Record;
use super::request::{Mode, Wanted, is_below, parse};
use super::site::{Found, Mutant};
use super::splice::{Spliced, splice};
use super::verdicts::{Verdict, Verdicts};
use super::viable::blame;
use super::world::{Mutated, World};

fn found(text: &str) -> Found {
    find("pool/src/lib.rs", text, &syn::parse_file(text).expect("the snippet is Rust"))
}

fn mutations(text: &str) -> Vec<String> {
    found(text).mutants.into_iter().map(|mutant| mutant.mutation).collect()
}

/// Splices all mutants in, the call of the switch shortened.
fn spliced(text: &str) -> (Found, Spliced, String) {
    let found = found(text);
    let numbers: BTreeMap<usize, u32> = (0..found.mutants.len()).zip(1..).collect();
    let spliced = splice(text, &found, &numbers);
    let short = spliced.text.replace("::loligo_allocators::__mutants::", "");
    syn::parse_file(&spliced.text).expect("what is spliced is Rust");
    (found, spliced, short)
}

#[test]
fn operators_and_literals_are_changed() {
    let text = "fn f(a: u32) -> char { g(a + 1) }";
    assert_eq!(mutations(text), ["+ to - in a + 1", "1 to 0"]);
    let text = "fn f(a: u32) -> char { g(a < 7, !a, -a) }";
    let expected = ["< to <= in a < 7", "< to >= in a < 7", "7 to 8", "no ! in !a", "no - in -a"];
    assert_eq!(mutations(text), expected);
    let text = "fn f(a: u32) -> char { g(0..a, 0..=a, a.min(b), true) }";
    let expected =
        ["end + 1 in 0..a", "0 to 1", "end - 1 in 0..=a", "0 to 1 #2", "min to max in a.min(b)"];
    assert_eq!(mutations(text)[..2], ["0 to 1", "end + 1 in 0..a"], "in the order of the text");
    let all: BTreeSet<String> = mutations(text).into_iter().collect();
    for mutation in expected.into_iter().chain(["true to false"]) {
        assert!(all.contains(mutation), "{mutation} is not among {all:?}");
    }
}

#[test]
fn conditions_are_decided_and_clauses_dropped() {
    let text = "fn f() -> char { if a < b && c { x } else { y } }";
    let expected = [
        "if true: a < b && c",
        "if false: a < b && c",
        "&& to || in a < b && c",
        "clause true: a < b",
        "< to <= in a < b",
        "clause true: c",
    ];
    assert_eq!(mutations(text), expected);
    let text = "fn f() -> char { while a { b } c }";
    assert_eq!(mutations(text), ["if false: a"], "no loop without an end is made");
    let text = "fn f() -> char { if let Some(x) = y && z { x } else { w } }";
    assert_eq!(mutations(text), ["if true: z", "if false: z"]);
}

#[test]
fn statements_are_left_out_and_functions_return() {
    let text = "fn f() { g(); a = b; let c = h(); k() }";
    assert_eq!(mutations(text), ["return", "delete g()", "delete a = b", "delete k()"]);
    assert_eq!(mutations("fn f() -> bool { true }"), ["return false", "true to false"]);
    assert_eq!(mutations("fn f() -> Option<u8> { g() }"), ["return None", "return Some(0)"]);
    assert_eq!(mutations("fn f() -> Result<(), E> { g() }"), ["return Ok(())"]);
    assert_eq!(mutations("fn f() -> *mut u8 { g() }"), ["return ::core::ptr::null_mut()"]);
    assert_eq!(mutations("fn f() -> ! { g() }"), [""; 0]);
}

#[test]
fn arms_never_match_where_another_stands_in() {
    let text = "fn f() -> char { match a { A => x, B if c => y, _ => z } }";
    assert_eq!(mutations(text), ["no arm A", "if true: c", "if false: c"]);
    assert_eq!(mutations("fn f() -> char { match a { A => x, B => y } }"), [""; 0]);
}

#[test]
fn what_no_program_runs_is_left_alone() {
    for text in [
        "const A: u32 = 1 + 2;",
        "static A: u32 = 1 + 2;",
        "fn f() -> [u8; 3] { const { 1 + 2 } }",
        "fn f() -> char { assert!(a + b < 3, \"no\"); x }",
        "fn f() -> char { let a: [u8; 4 + 4] = x; g::<{ 1 + 2 }>() }",
        "#[cfg(test)] mod tests { fn f() { g(); } }",
        "#[cfg(loom)] fn f() { g(); }",
        "#[cfg(not(target_os = \"linux\"))] fn f() { g(); }",
        "#[cfg(feature = \"valgrind\")] fn f() { g(); }",
        "#[test] fn f() { g(); }",
    ] {
        assert_eq!(mutations(text), [""; 0], "{text}");
    }
    let text = "fn f() -> char { #[cfg(loom)] g(); #[cfg(not(loom))] h(); x }";
    assert_eq!(mutations(text), ["delete #[cfg(not(loom))] h()"]);
}

#[test]
fn a_function_is_known_by_its_tokens() {
    let hash = |text: &str| found(text).mutants[0].hash;
    let one = hash("impl A { fn f(&self) { g(1); } }");
    assert_eq!(one, hash("impl A {\n  // Why.\n  fn f(&self) {\n    g( 1 );\n  }\n}"));
    assert_ne!(one, hash("impl A { fn f(&self) { g(2); } }"));
    assert_ne!(one, hash("impl B { fn f(&self) { g(1); } }"), "another type");
    let names: Vec<String> = found("impl Drop for A<T> { fn drop(&mut self) { g(); } }")
        .mutants
        .into_iter()
        .map(|mutant| mutant.function)
        .collect();
    assert_eq!(names[0], "A as Drop::drop");
}

#[test]
fn mutants_are_spliced_behind_switches() {
    let (_, _, text) = spliced("fn f() -> char { a + b * c }");
    let product = "(if m(2) { (b) / (c) } else { b * c })";
    let expected =
        format!("fn f() -> char {{ (if m(1) {{ (a) - (b * c) }} else {{ a + {product} }}) }}");
    assert_eq!(text, expected);
    let (_, _, text) = spliced("fn f() -> char { if a { b } else { c } }");
    assert_eq!(text, "fn f() -> char { if (m(1) || !m(2) && (a)) { b } else { c } }");
    let (_, _, text) = spliced("fn f() { g(); }");
    assert_eq!(text, "fn f() { if m(1) { return ; } if !m(2) { g(); } }");
    let (_, _, text) = spliced("fn f() -> char { match a { A => x, _ => z } }");
    assert_eq!(text, "fn f() -> char { match a { A if !m(1) => x, _ => z } }");
}

#[test]
fn an_error_is_laid_to_the_mutant_that_it_lies_in() {
    let source = "fn f() -> char { g(a + b) }\nfn h() -> char { k(); x }";
    let (found, spliced, _) = spliced(source);
    let at = |piece: &str| {
        let start = spliced.text.find(piece).expect("it is there");
        start..start + piece.len()
    };
    let error = |code: &str| Error { code: code.into(), ..Error::default() };
    let blamed = |code: &str, piece: &str| {
        let mutants = blame(&error(code), &at(piece), &spliced, &found);
        mutants.into_iter().map(|it| found.mutants[it].mutation.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(blamed("E0369", "(a) - (b)"), ["+ to - in a + b"]);
    assert_eq!(blamed("E0308", "{ a + b }"), ["+ to - in a + b"], "another branch of it");
    assert_eq!(blamed("E0308", " x }"), ["delete k()"], "else what the function leaves out");
    assert_eq!(blamed("E0716", "g("), ["+ to - in a + b"], "else all of the function");
}

#[test]
fn the_compilers_words_are_read() {
    let line = r#"{"reason":"compiler-message","message":{"level":"error","message":"mismatched types",
        "code":{"code":"E0308"},"rendered":"error","spans":[
        {"file_name":"a.rs","byte_start":1,"byte_end":2,"is_primary":false},
        {"file_name":"a.rs","byte_start":5,"byte_end":9,"is_primary":true}]}}"#;
    let mut said = Said::default();
    said.hear(&serde_json::from_str(line).expect("it is JSON"), Path::new("/w"));
    let spans = vec![("a.rs".to_owned(), 5..9), ("a.rs".to_owned(), 1..2)];
    assert_eq!((said.errors[0].code.as_str(), &said.errors[0].spans), ("E0308", &spans));
    let line = r#"{"reason":"compiler-artifact","executable":"/t/it-1","profile":{"test":true},
        "manifest_path":"/w/tests/Cargo.toml","target":{"name":"it"}}"#;
    said.hear(&serde_json::from_str(line).expect("it is JSON"), Path::new("/w"));
    assert_eq!(
        (said.programs[0].folder.as_str(), said.programs[0].target.as_str()),
        ("tests", "it")
    );
}

fn mutant(file: &str, line: usize, mutation: &str, hash: u32) -> Mutant {
    Mutant {
        file: file.into(),
        line,
        function: "Pool::take".into(),
        hash,
        mutation: mutation.into(),
        is_const: false,
        is_mark: false,
        owner: 0,
    }
}

#[test]
fn verdicts_are_kept_until_the_function_changes() {
    let (a, b) = (mutant("a.rs", 9, "+ to -", 7), mutant("a.rs", 3, "1 to 0", 8));
    let mut verdicts = Verdicts::default();
    verdicts.set(&a, Verdict::Caught);
    verdicts.set(&b, Verdict::Missed);
    let text = verdicts.text();
    let rows = "file\tline\tmutation\tverdict\thash\n\
        a.rs\t3\t1 to 0\tmissed\t00000008\n\
        a.rs\t9\t+ to -\tcaught\t00000007\n";
    assert_eq!(text, rows);
    let mut read = Verdicts::parse(&text).expect("it was just written");
    assert_eq!(read, verdicts);
    let moved = mutant("a.rs", 12, "+ to -", 7);
    let dropped = read.keep([&moved, &mutant("a.rs", 3, "1 to 0", 9)].into_iter());
    assert_eq!(dropped, 1, "the other function has changed");
    assert_eq!(read.get(&moved), Some(Verdict::Caught));
    assert!(read.text().contains("a.rs\t12\t"), "it has its new line");
    let wrong = Verdicts::parse("a.rs\t3\t+ to -\tperhaps\t00000001\n").expect_err("no verdict");
    assert!(wrong.to_string().contains("verdicts.tsv:1"), "{wrong}");
}

/// A world of these mutants in one file.
fn world(mutants: Vec<Mutant>) -> World {
    let file = |mutants| {
        let found = Found { mutants, ..Found::default() };
        Mutated { path: "a.rs".into(), text: String::new(), found }
    };
    // The last is the planted one.
    World { files: vec![file(mutants), file(Vec::new())] }
}

#[test]
fn a_record_gives_every_verdict_of_functions_that_are_judged_and_as_they_were() {
    let mutants = [
        mutant("a.rs", 3, "+ to -", 7),
        mutant("a.rs", 3, "1 to 0", 7),
        mutant("a.rs", 4, "2 to 0", 7),
        mutant("a.rs", 5, "3 to 0", 7),
        mutant("a.rs", 9, "+ to -", 8),
        mutant("a.rs", 9, "1 to 0", 8),
    ];
    let explained = "a.rs\tPool::take\t1 to 0\t00000007\tBoth are the same for a count of 0.\n";
    let explained = Explained::parse(explained).expect("it is right");
    let mut verdicts = Verdicts::default();
    let given = [Verdict::Caught, Verdict::Missed, Verdict::Timeout, Verdict::Unreached];
    for (mutant, verdict) in mutants.iter().zip(given) {
        verdicts.set(mutant, verdict);
    }
    verdicts.set(&mutants[4], Verdict::Caught);
    let all = world(mutants.to_vec());
    let record = Record::of(&all, &verdicts, &explained);
    let text = "kind\tfile\thash\tmutants\njudged\ta.rs\t00000007:4\n\
        unreached\ta.rs\t00000007\t3 to 0\n";
    assert_eq!(record.text(), text, "the other function has a mutant without a verdict");
    assert_eq!(Record::parse(text).expect("it was just written"), record);

    let mut read = Verdicts::default();
    record.add_to(&mut read, &all, &explained);
    let expected = [
        Some(Verdict::Caught),
        Some(Verdict::Missed),
        Some(Verdict::Caught),
        Some(Verdict::Unreached),
        None,
        None,
    ];
    assert_eq!(mutants.each_ref().map(|mutant| read.get(mutant)), expected);
    assert_eq!(record.stale(&all), 0);

    // One mutant fewer is another function, or another way of finding mutants.
    let fewer = world(mutants[1..].to_vec());
    let mut read = Verdicts::default();
    record.add_to(&mut read, &fewer, &explained);
    assert_eq!((read, record.stale(&fewer)), (Verdicts::default(), 1));
    for wrong in ["judged\ta.rs\t7", "judged\ta.rs\tx:1", "so\ta.rs\t7\t+ to -", "judged"] {
        let failure = Record::parse(wrong).expect_err("it is wrong");
        assert!(failure.to_string().contains("mutants.tsv:1"), "{failure}");
    }
}

#[test]
fn what_survives_is_explained_in_a_sentence() {
    let text = "file\tfunction\tmutation\thash\treason\n\
        a.rs\tPool::take\t+ to -\t00000007\tBoth are the same for a count of 0.\n";
    let explained = Explained::parse(text).expect("it is right");
    assert!(explained.has(&mutant("a.rs", 1, "+ to -", 7)), "as it is written");
    assert!(!explained.has(&mutant("a.rs", 1, "+ to -", 8)), "the function has changed");
    assert!(Explained::parse("a.rs\tf\t+ to -\t00000007\tno\n").is_err(), "no reason");
}

fn parsed(arguments: &[&str]) -> Result<super::Request, super::Failure> {
    let arguments: Vec<_> = arguments.iter().map(|text| (*text).to_owned()).collect();
    parse(&arguments)
}

#[test]
fn arguments_are_understood_or_refused() {
    let request = parsed(&["--shard", "2/4", "ids/src", "--minutes", "5"]).expect("it is right");
    assert_eq!((request.shard, request.minutes), (Some((2, 4)), Some(5)));
    assert_eq!(request.files, ["ids/src"]);
    let request = parsed(&["--list", "survived"]).expect("it is right");
    assert_eq!(request.mode, Mode::List(Wanted::Survived));
    for wrong in [&["--shard", "5/4"][..], &["--again", "dead"], &["--fast"], &["--budget", "0"]] {
        assert_eq!(parsed(wrong).expect_err("it is wrong").status(), 2, "{wrong:?}");
    }
    assert!(is_below("ids/src/table/iter.rs", "ids/src/table"), "in the folder");
    assert!(is_below("ids/src/table.rs", "./ids/src/table"), "next to the folder");
    assert!(!is_below("ids/src/tables.rs", "ids/src/table"), "another");
}

#[test]
fn what_tests_reach_is_kept() {
    let test = Test { program: 2, name: "pool::tests::one".into(), seconds: 0.125 };
    for reached in [None, Some(vec![]), Some(vec![3, 19])] {
        let measured = Measured { test: test.clone(), reached };
        let mut text = String::new();
        kept::line(&measured, &mut text);
        assert_eq!(kept::read(text.trim_end_matches('\n')), Some(measured), "{text}");
    }
    assert_eq!(kept::read("2\tpool::tests::one\t0.125"), None, "a line that is cut short");
}

#[test]
fn the_shells_clock_is_read() {
    let seconds = process::computed("0m0.000000s 0m0.010000s\n1m2.500000s 0m0.250000s\n");
    assert!(seconds.is_some_and(|seconds| (seconds - 62.75).abs() < 1e-9), "{seconds:?}");
    assert_eq!(process::computed(""), None);
}

#[test]
fn what_memory_checkers_are_told_is_no_mutant_of_the_program() {
    let found = |path: &str, text: &str| -> Vec<String> {
        let file = syn::parse_file(text).expect("the snippet is Rust");
        let left = find(path, text, &file).mutants.into_iter().filter(|it| !it.is_mark);
        left.map(|mutant| mutant.mutation).collect()
    };
    let path = "allocators/src/blocks/buddy/calls.rs";
    let text = "fn f(&self) -> char { self.open(leaf, 1 << a); mark::defined(a, 1); x }";
    assert_eq!(found(path, text), [""; 0]);
    assert_eq!(found("allocators/src/page.rs", text)[0], "delete self.open(leaf, 1 << a)");
    let text = "fn f(&self) -> char { if self.watch.is_on() { a(1) } g(1) }";
    assert_eq!(found(path, text), ["1 to 0 #2"], "numbered as among all");
    assert_eq!(found(path, "fn close(&self) { g(); }"), [""; 0]);
    assert_eq!(found(path, "fn open() { g(); }"), ["return", "delete g()"], "a constructor");
    let text = "fn f(&self) -> char { mark::opened(a, 8, || b(1)) }";
    assert!(found(path, text).contains(&"1 to 0".to_owned()), "what is done between marks counts");
}
