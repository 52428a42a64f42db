//! How nodes are made, and the end of counting.

use crate::error::GrowError;
use crate::pools::array_of_arrays::{LinkedRows, RowError, Rows};
use crate::testing::test_memory::{Memory, with_memory};

#[test]
fn the_first_node_and_the_one_that_is_none_are_made_at_once() {
    with_memory(|memory| {
        // So long that an array begins with a single one.
        let mut all: LinkedRows<'_, [u64; 200], 1, Memory<'_>> = LinkedRows::new_in(memory);
        let row = all.add_row();
        let requests = memory.requests();
        all.push(row, [7; 200]);
        assert_eq!(memory.requests(), requests + 1, "room for both");
        assert_eq!(all.nodes.len(), 2, "both are there");
    });
}

#[test]
fn a_node_is_made_for_each_and_one_for_none() {
    with_memory(|memory| {
        let mut all: LinkedRows<'_, u32, 1, Memory<'_>> = LinkedRows::new_in(memory);
        let row = all.add_row();
        for number in 1..100 {
            all.push(row, number);
            assert_eq!(all.nodes.len(), 1 + number as usize, "{number} elements");
        }
        assert_eq!(all.pop(row), Some(99), "the last one");
        all.push(row, 100);
        assert_eq!(all.nodes.len(), 100, "its node was free");
    });
}

#[test]
fn a_row_is_as_long_as_can_be_counted() {
    with_memory(|memory| {
        let mut all: LinkedRows<'_, u8, 1, Memory<'_>> = LinkedRows::new_in(memory);
        let row = all.add_row();
        all.rows.get_mut(row).expect("it is there").len = u32::MAX;
        let limit = u64::from(u32::MAX);
        let refused = RowError::Grow(GrowError::Length { wanted: limit + 1, limit });
        assert_eq!(all.try_push(row, 1), Err(refused), "one more");
        all.rows.get_mut(row).expect("it is there").len = 0;
        assert_eq!((all.nodes.len(), all.try_push(row, 1)), (0, Ok(())), "nothing has changed");
    });
}
