//! Pages that state what the code has.

use loligo_tests::Limits;
use loligo_tests::conformance::allocator_checks;

const TESTS: &str = include_str!("../../../tests/README.md");

/// Returns the words in backquotes that begin the lines of the table under a heading.
fn first_column<'t>(page: &'t str, heading: &str) -> Vec<&'t str> {
    let (_, rest) = page.split_once(heading).expect("the page has the heading");
    let rest = rest.split("\n## ").next().unwrap_or_default();
    rest.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

#[test]
fn the_page_of_tests_lists_the_checks_as_they_run() {
    let listed = first_column(TESTS, "## The 17 checks\n");
    assert_eq!(listed, allocator_checks().collect::<Vec<_>>());
}

#[test]
fn the_page_of_tests_explains_every_field_of_limits() {
    let listed = first_column(TESTS, "## What `Limits` states\n");
    // `Debug` writes `Limits { size_max: 1, .. }`.
    let text = format!("{:?}", Limits::growing());
    let fields: Vec<&str> = text
        .trim_start_matches("Limits { ")
        .split(", ")
        .filter_map(|field| Some(field.split_once(':')?.0))
        .collect();
    assert_eq!(listed, fields);
}

#[test]
fn the_pages_of_tests_and_benches_lead_here() {
    let benches = include_str!("../../../benches/README.md");
    for page in [TESTS, benches] {
        assert!(page.contains("loligo bench --new"), "the page names the command");
    }
}

#[test]
fn the_page_shows_the_main_of_the_example() {
    let page = include_str!("../README.md");
    let example = include_str!("../examples/bench_own.rs");
    let main = "Bench::new().global(\"mine\", || Mine).run()";
    assert!(page.contains(main) && example.contains(main));
}
