//! Tests of the table of pointers.

use core::ptr;

use super::*;
use crate::suites::counting::Counting;

#[test]
fn a_table_grows_by_what_it_is_told_and_keeps_its_pointers() {
    let heap = Counting::default();
    let mut words = [0_u64; 5];
    let pointers = words.each_mut().map(ptr::from_mut);
    let mut table = Pointers::with_capacity(SharedHeap(&heap), 2);
    assert!(table.is_empty());
    for pointer in pointers {
        table.push(pointer, 2);
    }
    assert_eq!((table.len(), heap.counts().reallocations), (5, 2));
    for (index, pointer) in pointers.into_iter().enumerate() {
        assert_eq!(table.replace(index, ptr::null_mut()), pointer);
        assert!(table.replace(index, pointer).is_null());
    }
    drop(table);
    assert_eq!(heap.counts().live_bytes, 0);
}

#[test]
fn a_table_of_nulls_is_full_of_them() {
    let heap = Counting::default();
    let mut table = Pointers::nulls(SharedHeap(&heap), 3);
    assert!((0..table.len()).all(|index| table.replace(index, ptr::null_mut()).is_null()));
    table.push(ptr::null_mut(), 1);
    assert_eq!(table.len(), 4);
}

#[test]
#[should_panic(expected = "pointer 1 of 1")]
fn an_index_past_the_end_panics() {
    let heap = Counting::default();
    Pointers::nulls(SharedHeap(&heap), 1).replace(1, ptr::null_mut());
}
