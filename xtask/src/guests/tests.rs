//! Manifests are cut as they should be, and what programs say is read.

use std::path::Path;

use toml::Table;

use super::counters::{self, Counters, Figures};
use super::heap::can_be_preloaded;
use super::run;
use super::suite::SUITES;

const PUBLISHED: &str = "\
# A comment.
[package]
name = \"serde_json\"
version = \"1.0.154\"

[lib]
name = \"serde_json\"

[[test]]
name = \"compiletest\"
path = \"tests/compiletest.rs\"

[[test]]
name = \"map\"
path = \"tests/map.rs\"

[dev-dependencies.indoc]
version = \"2.0.2\"

[dev-dependencies.trybuild]
version = \"1.0.108\"
features = [\"diff\"]

[target.\"cfg(any())\".dependencies.serde]
version = \"1.0.220\"
";

/// What Cargo says of a suite of two programs and some examples.
const ERRORS: &str = "   Compiling rayon v1.12.0 (/somewhere/rayon)
     Running unittests src/lib.rs (/somewhere/target/debug/deps/rayon-0123)
     Running tests/str.rs (/somewhere/target/debug/deps/str-4567)
   Doc-tests rayon
";

const SAID: &str = "test result: ok. 300 passed; 0 failed; 2 ignored
test result: ok. 9 passed; 0 failed; 0 ignored
test src/lib.rs - (line 1) ... ok
test src/lib.rs - (line 5) - compile fail ... ok
test src/lib.rs - (line 9) - compile ... ok
test src/lib.rs - (line 13) - should panic ... ok
test result: ok. 4 passed; 0 failed; 0 ignored
";

const COUNTERS: &str = "/somewhere/target/debug/deps/rayon-0123\t5000\t90000
/somewhere/else/with a\ttab/rust_out\t70\t900
/somewhere/target/debug/deps/str-4567\t600\t8000
not a line of counters
/somewhere/else/rust_out\t80\t900
";

#[test]
fn a_manifest_loses_what_is_left_out_and_nothing_else() {
    let suite = SUITES.iter().find(|suite| suite.name == "serde_json").expect("it is listed");
    let manifest: Table = suite.manifest(PUBLISHED).parse().expect("it is TOML");
    let mut expected: Table = PUBLISHED.parse().expect("it is TOML");
    expected.insert("workspace".into(), Table::new().into());
    let tests = expected.get_mut("test").and_then(|tests| tests.as_array_mut());
    tests.expect("there are tests").remove(0);
    let needed = expected.get_mut("dev-dependencies").and_then(|table| table.as_table_mut());
    needed.expect("there are dependencies").remove("trybuild");
    assert_eq!(manifest, expected);
}

#[test]
fn figures_are_counted() {
    let figures = Figures::of(SAID, ERRORS, &counters::read(COUNTERS)).expect("all is there");
    assert_eq!(figures, Figures { tests: 309, programs: 2, examples: 2, allocations: 5750 });
    let line = "309 tests in 2 programs, 2 examples; 5750 allocations";
    assert_eq!(figures.to_string(), line, "`cargo xtask verify` reads this form");
}

#[test]
fn a_program_that_did_not_run_over_the_heap_is_named() {
    let all = counters::read(COUNTERS);
    let without = |name: &str| {
        let kept = all.iter().filter(|of| of.program != name);
        let kept: Vec<_> = kept
            .map(|of| Counters { program: of.program.clone(), allocations: of.allocations })
            .collect();
        Figures::of(SAID, ERRORS, &kept).expect_err("a program is missing")
    };
    assert!(without("str-4567").contains("`str-4567`"), "{}", without("str-4567"));
    assert!(without("rust_out").contains("2 examples passed, and 0"), "{}", without("rust_out"));
    let idle = COUNTERS.replace("\t600\t", "\t0\t");
    assert!(Figures::of(SAID, ERRORS, &counters::read(&idle)).is_err(), "it allocated nothing");
}

#[test]
fn results_that_are_missing_are_noticed() {
    let all = counters::read(COUNTERS);
    let (fewer, _) = SAID.split_once("test result: ok. 9").expect("it is there");
    assert!(Figures::of(fewer, ERRORS, &all).is_err(), "two results are missing");
    assert!(Figures::of("", "", &all).is_err(), "no test ran");
}

#[test]
fn a_path_that_the_loader_would_split_is_refused() {
    assert!(can_be_preloaded(Path::new("/target/release/lib.so")), "it is one word");
    assert!(!can_be_preloaded(Path::new("/my target/lib.so")), "there is a space in it");
    assert!(!can_be_preloaded(Path::new("/a:b/lib.so")), "there is a colon in it");
}

#[test]
fn only_suites_are_taken() {
    let failure = run(&["serde".to_owned()]).expect_err("there is no such suite");
    assert_eq!(failure.status(), 2);
    assert!(failure.to_string().contains("alloctests"), "{failure}");
}
