//! What the errors say: each names the thing and its numbers.

use std::format;
use std::string::ToString;

use super::*;

#[test]
fn an_insertion_says_what_is_in_the_way() {
    let full = InsertError::Full { limit: 9, live: 4, reserved: 3, retired: 2, held_back: 1 };
    let said = "the table is full: of 9 slots 4 are live, 3 reserved, 2 retired and 1 held back by \
                the least length of the free list";
    assert_eq!(full.to_string(), said, "every count of a full table");
    let memory = InsertError::Memory { slots: 16, bytes: 200 };
    let said = "no memory for a table of 16 slots, which takes 200 bytes";
    assert_eq!(memory.to_string(), said, "what was asked for");
    let spent = InsertError::Spent { index: 5, generations: 7 };
    assert_eq!(spent.to_string(), "slot 5 has lived all its 7 generations", "which slot");
}

#[test]
fn an_insertion_at_an_id_says_what_is_wrong_with_it() {
    assert_eq!(InsertAtError::Taken { index: 3 }.to_string(), "slot 3 is taken", "which slot");
    let beyond = InsertAtError::Beyond { index: 40, limit: 10 };
    assert_eq!(beyond.to_string(), "slot 40 is beyond the 10 slots of the table", "the limit");
    let foreign = InsertAtError::Foreign { tag: 2, own: 1 };
    let said = "the id is of a table with tag 2, or none; this one has tag 1";
    assert_eq!(foreign.to_string(), said, "both tags");
    let memory = InsertAtError::Memory { slots: 16, bytes: 200 };
    let said = "no memory for a table of 16 slots, which takes 200 bytes";
    assert_eq!(memory.to_string(), said, "what was asked for");
}

#[test]
fn the_others_name_the_place() {
    assert_eq!(NotReserved.to_string(), "the id is not reserved in this table", "no more is known");
    let damage = TableDamage { what: "a dead slot has a tag", index: 12 };
    assert_eq!(damage.to_string(), "a dead slot has a tag at slot 12", "the slot");
    let restore = RestoreError { offset: 96, what: "the tag does not fit", refused: None };
    assert_eq!(restore.to_string(), "the tag does not fit at byte 96", "the offset");
    let save = SaveError { needed: 200, given: 3 };
    assert_eq!(save.to_string(), "the image takes 200 bytes, but 3 were given", "both lengths");
}

#[test]
fn they_are_errors_without_a_cause() {
    fn cause(error: &dyn Error) -> bool {
        error.source().is_some()
    }
    let spent = InsertError::Spent { index: 5, generations: 7 };
    assert!(!cause(&spent) && !cause(&NotReserved), "they have no source");
    assert!(!cause(&InsertAtError::Taken { index: 3 }), "nor has this");
    assert!(!cause(&SaveError { needed: 1, given: 2 }), "nor has this");
    assert_eq!(format!("{spent:?}"), "Spent { index: 5, generations: 7 }", "as it is written");
}
