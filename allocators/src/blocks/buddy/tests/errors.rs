//! The text of each error: the reason and the remedy.

use std::string::{String, ToString};

use crate::blocks::buddy::BuddyError;

#[test]
fn every_error_names_the_thing_and_the_remedy() {
    let errors: [(BuddyError, &str, &str); 9] = [
        (
            BuddyError::BadLeaf { leaf_bytes: 48 },
            "a leaf of 48 bytes is not possible",
            "take a power of two of at least 16",
        ),
        (
            BuddyError::TooSmall { bytes: 99 },
            "99 bytes have no room for a leaf",
            "give more memory or smaller leaves",
        ),
        (
            BuddyError::TooManyLevels { bytes: 3 << 29 },
            "1610612736 bytes need more than 32 levels",
            "take larger leaves",
        ),
        (BuddyError::NoMemory, "the backing allocator has no memory left", "give it more"),
        (
            BuddyError::NotAnArena,
            "does not start with a buddy arena",
            "pass the bytes as they were copied, from the first",
        ),
        (BuddyError::WrongVersion { found: 7 }, "the arena has version 7", "make it again"),
        (
            BuddyError::CutShort { needed: 500, bytes: 400 },
            "the arena needs 500 bytes and 400 were given",
            "pass all of it",
        ),
        (
            BuddyError::BadBase { alignment: 4096 },
            "are aligned to 4096 bytes",
            "move it by a multiple of that",
        ),
        (
            BuddyError::Damaged { what: "a free list is broken", offset: 320 },
            "damaged 320 bytes in: a free list is broken",
            "take another copy",
        ),
    ];
    for (error, thing, remedy) in errors {
        let text: String = error.to_string();
        assert!(text.contains(thing), "{error:?} says: {text}");
        assert!(text.ends_with(remedy), "{error:?} says: {text}");
    }
}
