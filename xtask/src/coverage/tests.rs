//! Counts are read as llvm-cov writes them, and code of tests is left out.

use super::table::Table;
use super::{figures, is_of_tests, lcov, tests_from};

const LCOV: &str = "\
SF:/w/allocators/src/a.rs
DA:1,0
DA:2,7
BRDA:2,0,0,7
BRDA:2,0,1,-
DA:9,0
end_of_record
SF:/w/allocators/src/a.rs
DA:1,3
BRDA:2,0,1,0
end_of_record
";

#[test]
fn lines_and_branches_are_counted_once() {
    let mut files = lcov::read(LCOV);
    let mut lines = files.remove("/w/allocators/src/a.rs").expect("it is there");
    assert_eq!((lines.lines(), lines.branches()), ((2, 3), (1, 2)));
    assert_eq!(lines.missed().collect::<Vec<_>>(), [9]);
    lines.cut(9);
    assert_eq!(lines.lines(), (2, 2), "the tests after it are left out");
}

#[test]
fn code_of_tests_is_told() {
    assert!(is_of_tests("ids/src/table/tests/model.rs") && is_of_tests("ids/src/test_backing.rs"));
    assert!(!is_of_tests("ids/src/table/check.rs"), "it is shipped");
    assert_eq!(tests_from("fn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n"), Some(3));
    assert_eq!(tests_from("#[cfg(test)]\nmod tests;\n"), None, "they are elsewhere");
}

#[test]
fn what_is_kept_gives_the_figures() {
    let file =
        ("allocators/src/a.rs".to_owned(), lcov::read(LCOV).remove("/w/allocators/src/a.rs"));
    let table = Table::of(&[(file.0, file.1.expect("it is there"))]);
    assert_eq!(Table::read(&table.text()), table);
    let figures = figures(&table.text());
    let sum = ("allocators: lines".to_owned(), "66.6 % (2 of 3)".to_owned());
    assert!(figures.contains(&sum), "{figures:?}");
}
