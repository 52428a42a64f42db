//! What errors say, and what the three forms report of themselves.

use std::string::ToString;

use loligo_allocators::Allocator;
use loligo_ids::InsertError;

use crate::error::GrowError;
use crate::pools::array_of_arrays::fixed_rows::refusal;
use crate::pools::array_of_arrays::{
    ArrayOfArrays, FixedRows, LinkedRows, RowDamage, RowError, RowId, Rows,
};
use crate::testing::test_memory::{Memory, with_memory};

#[test]
fn an_error_says_what_is_wrong() {
    let damage = RowDamage { what: "living rows are miscounted", index: 7 };
    assert_eq!(damage.to_string(), "living rows are miscounted at row 7", "where");
    let full = InsertError::Full { limit: 5, live: 5, reserved: 0, retired: 0, held_back: 0 };
    assert_eq!(refusal(full), GrowError::Length { wanted: 6, limit: 5 }, "one more than there are");
    let spent = InsertError::Spent { index: 3, generations: 9 };
    assert_eq!(refusal(spent), GrowError::Length { wanted: 10, limit: 9 }, "one life more");
    let memory = InsertError::Memory { slots: 8, bytes: 64 };
    assert_eq!(refusal(memory), GrowError::Memory { elements: 8, bytes: 64 }, "as it is");
}

/// The bytes that a form reports are those that it took.
fn tells_its_bytes(rows: &mut impl Rows<u16>, memory: &Memory<'_>, slack: usize) {
    assert_eq!((rows.bytes(), rows.row_count()), (0, 0), "nothing yet");
    let row = rows.try_add_row().expect("there is memory");
    (0..7).for_each(|element| rows.try_push(row, element).expect("there is memory"));
    let (told, taken) = (rows.bytes(), memory.stats().requested);
    assert!(told > 14 && told.abs_diff(taken) <= slack, "{told} of {taken} bytes");
    assert_eq!((rows.row_count(), rows.row_len(row)), (1, Some(7)), "one row of seven");
}

#[test]
fn each_form_tells_its_bytes() {
    with_memory(|memory| {
        // What was granted beyond what was asked for is counted, too.
        tells_its_bytes(&mut ArrayOfArrays::<u16, _>::new_in(memory), memory, 64);
    });
    with_memory(|memory| tells_its_bytes(&mut FixedRows::<u16, 8, _>::new_in(memory), memory, 64));
    with_memory(|memory| tells_its_bytes(&mut LinkedRows::<u16, 4, _>::new_in(memory), memory, 64));
}

#[test]
#[should_panic(expected = "row")]
fn a_row_that_is_gone_cannot_be_changed() {
    with_memory(|memory| {
        let mut all: ArrayOfArrays<'_, u16, Memory<'_>> = ArrayOfArrays::new_in(memory);
        let row: RowId<u16> = all.add_row_from(&[1, 2]);
        all[row][1] = 3;
        assert_eq!(all[row], [1, 3], "it was changed");
        assert!(all.remove_row(row), "it was there");
        assert!(matches!(all.try_push(row, 1), Err(RowError::Unknown { index: 0, .. })), "gone");
        all[row][0] = 4;
    });
}
