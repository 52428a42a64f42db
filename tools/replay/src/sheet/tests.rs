//! Tests of tables as text.

use super::*;

fn section() -> Section {
    let mut section = Section::new("Fill", "bytes served", ["row", "blocks", "verdict"]);
    section.lines.push(Line::new(["mine", "1 000", "served"]).marked(true));
    section.lines.push(Line::new(["thread-heap", "-", "crashed"]));
    section
}

#[test]
fn numbers_are_set_right_and_words_left() {
    let expected = "\
Fill: bytes served
  row          blocks  verdict
  mine          1 000  served
  thread-heap       -  crashed";
    assert_eq!(section().to_string(), expected);
    let columns = [0, 1, 2, 3].map(|column| section().is_numeric(column));
    assert_eq!(columns, [false, true, false, false]);
}

#[test]
fn a_column_without_any_number_is_one_of_words() {
    let mut empty = Section::new("Fill", "", ["row", "blocks"]);
    assert!(!empty.is_numeric(1), "there are no lines");
    empty.lines.push(Line::new(["mine", "-"]));
    assert!(!empty.is_numeric(1), "nothing but dashes");
    assert_eq!(empty.to_string(), "Fill\n  row   blocks\n  mine  -");
}

#[test]
fn findings_come_last_where_a_terminal_ends() {
    let sheet = Sheet {
        title: "mine".into(),
        lede: "One process a row.".into(),
        findings: vec![("mine".into(), "17 of 17 checks passed".into())],
        sections: vec![section()],
    };
    let text = sheet.to_string();
    assert!(text.starts_with("mine\nOne process a row.\n\nFill: bytes served\n"), "{text}");
    assert!(text.ends_with("crashed\n\nmine: 17 of 17 checks passed\n"), "{text}");
}
