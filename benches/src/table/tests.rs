//! Tests of the printed table.

use super::*;
use crate::outcome::{Aim, Reading};

#[test]
fn lines_are_aligned_and_say_all() {
    let table = Table::new(["pool/churn64", "x"].into_iter());
    let reading = Reading::Raced {
        ours: vec![4.5],
        peers: vec![("bare free list".to_owned(), vec![3.6])],
        absent: Vec::new(),
    };
    let row = Outcome::of("pool/churn64", "ns", &Aim::over_peer(1.3, 1.15), reading);
    let (head, line) = (table.head(), table.row(&row));
    for (head_word, word) in [("ours", "4.500 ns"), ("reached", "yes")] {
        assert_eq!(head.find(head_word), line.find(word), "{head}\n{line}");
    }
    for (head_word, word) in [("ratio", "1.250"), ("target", "1.300"), ("best peer", "3.600")] {
        let end = |text: &str, word: &str| text.find(word).map(|at| at + word.len());
        assert_eq!(end(&head, head_word), end(&line, word), "{head}\n{line}");
    }
    assert!(line.contains("bare free list"));
}

#[test]
fn what_is_open_has_dashes_and_its_note_below() {
    let table = Table::new(["pool/instructions"].into_iter());
    let reading = Reading::Unmeasured("valgrind is not installed".to_owned());
    let aim = Aim::count(40.0, 30.0);
    let lines = table.row(&Outcome::of("pool/instructions", "instructions", &aim, reading));
    let (line, note) = lines.split_once('\n').expect("a second line");
    assert!(line.ends_with('-'));
    assert_eq!(note.trim(), "valgrind is not installed");
}

#[test]
fn numbers_keep_what_matters() {
    let shown = [0.0, 0.00123, 0.0456, 0.456, 4.5678, 45.678, 456.78, 4567.8, -0.25].map(figure);
    let expected =
        ["0.000", "0.00123", "0.0456", "0.456", "4.568", "45.68", "456.8", "4568", "-0.250"];
    assert_eq!(shown, expected);
}
