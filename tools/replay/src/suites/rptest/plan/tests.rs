//! Tests of what `rptest` allocates.

use super::*;

#[test]
fn tables_have_the_ranges_of_the_program() {
    let plan = Plan::new();
    let range = |table: &[u32]| (*table.iter().min().unwrap(), *table.iter().max().unwrap());
    let (least, most) = range(&plan.sizes);
    assert!(least >= BYTES_MIN && most < BYTES_MAX, "{least} to {most} bytes");
    assert_eq!(range(&plan.allocations), (30, 99));
    assert_eq!(range(&plan.frees), (24, 79));
}

#[test]
fn a_cursor_walks_all_sizes_and_three_alignments() {
    let plan = Plan::new();
    let mut cursor = plan.cursor(0, 0);
    let shapes: Vec<_> = (0..SIZES as u32).map(|index| cursor.next(index)).collect();
    let mut bytes: Vec<_> = shapes.iter().map(|shape| shape.bytes).collect();
    let mut sizes = plan.sizes.to_vec();
    bytes.sort_unstable();
    sizes.sort_unstable();
    assert_eq!(bytes, sizes);
    for align in [0, 8, 16] {
        let count = shapes.iter().filter(|shape| shape.align == align).count();
        assert!(count > SIZES / 5, "{count} are aligned to {align}");
    }
    let is_large_aligned = |shape: &Shape| shape.bytes >= ALIGNED_BYTES_END && shape.align != 0;
    assert!(!shapes.iter().any(is_large_aligned), "large blocks have no alignment of their own");
}

#[test]
fn a_shape_is_stored_in_a_word() {
    for shape in [Shape { bytes: 8, align: 16 }, Shape { bytes: 15_999, align: 0 }] {
        assert_eq!(Shape::from_word(shape.to_word()), shape);
    }
}
