//! The table of classes against the list that it was made from.

use std::vec::Vec;

use super::*;
use crate::testing::test_backing::panic_of;

#[test]
fn every_request_gets_the_least_class_that_holds_it() {
    let table = DefaultClasses::TABLE;
    for bytes in 0..=table.bytes_max() {
        let class = table.class_of(bytes);
        assert!(table.bytes(class) >= bytes, "class {class} is too small for {bytes}");
        assert!(
            class == 0 || table.bytes(class - 1) < bytes,
            "class {} would serve {bytes}",
            class - 1
        );
    }
}

#[test]
fn masks_have_one_bit_a_slot_and_no_slot_leaves_the_page() {
    let table = DefaultClasses::TABLE;
    for class in 0..table.count() {
        let bits: u32 = table.mask(class).iter().map(|w| w.count_ones()).sum();
        assert_eq!(bits, table.slots(class), "class {class}");
        assert!(bits as usize * table.bytes(class) <= PAGE_USABLE, "class {class}");
    }
}

#[test]
fn aligned_classes_are_multiples_of_the_alignment() {
    let table = DefaultClasses::TABLE;
    for shift in 4..9 {
        let align = 1 << shift;
        for bytes in 0..=496 {
            if let Some(class) = table.class_of_aligned(bytes, align) {
                assert!(table.bytes(class).is_multiple_of(align), "{bytes} at {align}");
                assert!(table.bytes(class) >= bytes, "{bytes} at {align}");
            }
        }
    }
    assert_eq!(table.class_of_aligned(64, 4096), None, "no class is that aligned");
}

#[test]
fn aligned_requests_get_the_first_class_that_serves_them() {
    let few = ClassTable::new(&[16, 48, 64, 160, 256, 496]);
    for table in [DefaultClasses::TABLE, &few] {
        for (bytes, shift) in (0..=512).flat_map(|bytes| (0..13).map(move |s| (bytes, s))) {
            let align = 1 << shift;
            let serves = |&class: &usize| {
                table.bytes(class) >= bytes && table.bytes(class).is_multiple_of(align)
            };
            let first = (0..table.count()).find(serves);
            assert_eq!(table.class_of_aligned(bytes, align), first, "{bytes} at {align}");
        }
    }
}

#[test]
fn what_no_class_uses_is_zero() {
    let table = ClassTable::new(&[16, 48]);
    assert!(table.of_steps[7..].iter().all(|&class| class == 0), "above the last class");
    assert!(table.bytes[2..].iter().all(|&bytes| bytes == 0), "bytes of no class");
    assert!(table.slots[2..].iter().all(|&slots| slots == 0), "slots of no class");
    assert!(table.masks[2..].iter().all(|&mask| mask == [0; 4]), "slots of no class");
}

#[test]
fn a_table_is_the_same_made_at_run_time() {
    let table = ClassTable::new(&[16, 48, 496]);
    assert_eq!((table.count(), table.bytes_max()), (3, 496), "as listed");
    let slots = [16, 48, 496].map(|bytes| (PAGE_USABLE / bytes) as u32);
    assert_eq!([0, 1, 2].map(|class| table.slots(class)), slots, "as many as a page holds");
    let served = [0, 1, 16, 17, 48, 49, 496, 497].map(|bytes| table.class_bytes(bytes));
    let expected = [16, 16, 16, 48, 48, 496, 496].map(Some);
    assert_eq!((&served[..7], served[7]), (&expected[..], None), "the least that holds each");
    // A bit for each third granule, up to the last slot that ends within the page.
    for granule in 0..256 {
        let starts = granule % 3 == 0 && granule * GRANULE + 48 <= PAGE_USABLE;
        let bit = table.mask(1)[granule / 64] >> (granule % 64) & 1 == 1;
        assert_eq!(bit, starts, "granule {granule}");
    }
}

#[test]
fn classes_that_make_no_table_are_refused() {
    let said = |classes: &[u16]| panic_of(|| _ = ClassTable::new(classes));
    let number = "a table has 1 to 24 classes up to 496 bytes";
    let many: Vec<u16> = (1..26).map(|class| class * 16).collect();
    for classes in [&[][..], &[512], &many] {
        assert_eq!(said(classes), number, "{classes:?}");
    }
    for classes in [&[8][..], &[0], &[32, 16], &[16, 16], &[16, 40], &[16, 512, 32]] {
        assert_eq!(said(classes), "classes ascend in multiples of 16", "{classes:?}");
    }
    let medium: Vec<u16> = (0..68).map(|class| 496 + class * 16).collect();
    assert_eq!(said(&medium), "a table has at most 66 classes above 496 bytes", "67 above");
    assert_eq!(said(&[16, 32_776]), "the largest class is 32 KiB", "too large");
    let eights = "classes above 496 bytes ascend in multiples of 8";
    assert_eq!(said(&[16, 500]), eights, "no multiple of 8");
    for classes in [&[16, 512, 504][..], &[16, 512, 512], &[16, 512, 520]] {
        assert_eq!(said(classes), "no two classes have as many granules", "{classes:?}");
    }
}

#[test]
fn every_middle_size_gets_the_least_class_that_holds_it() {
    let table = HeapClasses::TABLE;
    assert_eq!((table.count(), table.medium_count()), (23, 66), "16 a doubling");
    for bytes in 497..=table.all_bytes_max() {
        let class = table.class_of(bytes);
        assert!(table.bytes(class) >= bytes, "class {class} is too small for {bytes}");
        let below = if class == CLASSES_MAX { 496 } else { table.bytes(class - 1) };
        assert!(below < bytes, "class {} would serve {bytes}", class - 1);
        assert!(table.bytes(class) * 16 <= bytes * 17 + 8 * 16, "{bytes}: at most a 16th more");
    }
    for bytes in [512, 1024, 2048, 4096, 8192] {
        assert_eq!(table.class_bytes(bytes), Some(bytes + 8), "powers of two are exact");
    }
}

#[test]
fn the_class_of_a_block_is_that_of_the_requests_that_it_has_the_size_for() {
    let few = ClassTable::new(&[16, 192, 10_000, 32_768]);
    for table in [HeapClasses::TABLE, &few] {
        for bytes in 0..40_000 {
            let class = table.class_of_granules(granules_for(bytes));
            let larger = payload(granules_for(bytes));
            let expected = table.class_bytes(larger);
            assert_eq!((class < ALL_CLASSES).then(|| table.bytes(class)), expected, "{bytes}");
        }
    }
    assert_eq!(few.class_bytes(32_768), Some(32_776), "the largest");
    assert_eq!(few.class_of_granules(1 << 27), ALL_CLASSES, "no class is as large");
}
