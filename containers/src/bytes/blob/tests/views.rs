//! What errors say, and blobs, builders and fields as others see them.

use std::format;
use std::string::ToString;
use std::vec::Vec;

use loligo_ids::IdString64;

use super::{Item, chest};
use crate::bytes::blob::{
    Blob, BlobArray, BlobBuilder, BlobBytes, BlobError, BlobOption, BlobPartError, BlobStr, Endian,
};
use crate::error::GrowError;
use crate::testing::test_memory::with_memory;
use crate::{blob_field, blob_struct};

blob_struct! {
    struct Flags {
        flags: [bool; 3],
        names: [BlobStr; 2],
        inside: BlobArray<Flags>,
        other: BlobOption<Flags>,
    }
}

#[test]
fn a_blob_that_is_refused_says_why_and_what_to_do() {
    let said = |error: BlobError| error.to_string();
    assert_eq!(
        said(BlobError::Misaligned { behind: 4 }),
        "the blob begins 4 bytes behind a multiple of 16; copy it to one",
        "the remedy"
    );
    assert_eq!(
        said(BlobError::Short { bytes: 3, needed: 60 }),
        "3 bytes are too few: header and root take 60",
        "both lengths"
    );
    assert_eq!(
        said(BlobError::NoBlob),
        "the bytes do not begin as a blob does",
        "no more is known"
    );
    assert_eq!(
        said(BlobError::OtherEndian),
        "the blob was built for machines of the other byte order; build it for this one",
        "the remedy"
    );
    assert_eq!(
        said(BlobError::OtherVersion { found: 7 }),
        "the blob is in version 7 of the format; recompile it",
        "the remedy"
    );
    assert_eq!(
        said(BlobError::OtherShape { found: 0xab, wanted: 0xcd }),
        "the blob was built for structs of shape 00000000000000ab, those of this program are \
         00000000000000cd; recompile it",
        "both shapes"
    );
    assert_eq!(
        said(BlobError::OtherLength { told: 100, bytes: 99 }),
        "the header reports 100 bytes, but there are 99",
        "both lengths"
    );
    assert_eq!(
        said(BlobError::Checksum { told: 1, found: 2 }),
        "the bytes were changed: their checksum is 0000000000000002, not 0000000000000001",
        "both sums"
    );
}

#[test]
fn a_part_that_is_refused_says_why() {
    let said = |error| BlobError::Part { offset: 50, field: "Item.name", error }.to_string();
    let faults = [
        (BlobPartError::Beyond { end: 70, bytes: 60 }, "it would end at byte 70 of 60"),
        (BlobPartError::Backward, "it leads to itself"),
        (BlobPartError::EmptyLeads, "it is empty and yet leads somewhere"),
        (BlobPartError::Misaligned { align: 8 }, "what it leads to is not at a multiple of 8"),
        (BlobPartError::Overlapping, "more bytes are led to than there are"),
        (BlobPartError::TooDeep, "it lies 64 parts deep"),
        (BlobPartError::NoText, "its text is not UTF-8"),
        (BlobPartError::NoBool { found: 2 }, "2 is neither true nor false"),
        (BlobPartError::Refused, "its type refuses it"),
    ];
    for (error, words) in faults {
        assert_eq!(said(error), format!("at byte 50, Item.name: {words}"), "{error:?}");
    }
}

#[test]
fn bytes_that_are_no_blob_are_told_apart() {
    with_memory(|memory| {
        let good = chest(Endian::NATIVE, memory).expect("there is memory");
        let changed = |at: usize, number: u32| {
            let mut bytes = BlobBytes::try_copy_in(&good, memory).expect("there is memory");
            bytes.as_mut()[at..at + 4].copy_from_slice(&number.to_ne_bytes());
            Blob::<Item>::open(&bytes).expect_err("a number is wrong")
        };
        assert_eq!(changed(0, 0), BlobError::NoBlob, "the first letters");
        assert_eq!(changed(4, 0), BlobError::NoBlob, "the letters after them");
        assert_eq!(changed(8, 2), BlobError::NoBlob, "neither byte order");
        assert_eq!(changed(8, 1 << 24), BlobError::OtherEndian, "the other byte order");
        assert_eq!(changed(12, 0), BlobError::OtherVersion { found: 0 }, "the version");
        let wrong = changed(good.len() - 4, 77);
        assert!(matches!(wrong, BlobError::Checksum { .. }), "the last bytes: {wrong}");
        let wrong = changed(40, 1);
        assert!(matches!(wrong, BlobError::Checksum { .. }), "after the checksum: {wrong}");
        let needed = crate::bytes::blob::HEADER + size_of::<Item>();
        let short = |bytes| Blob::<Item>::open(&good[..bytes]).expect_err("it is cut");
        let least = BlobError::Short { bytes: needed - 1, needed };
        assert_eq!(short(needed - 1), least, "a byte less than header and root");
        let other = BlobError::OtherLength { told: good.len() as u64, bytes: needed };
        assert_eq!(short(needed), other, "just as many");
        assert_eq!(short(7), BlobError::Short { bytes: 7, needed }, "not even the first letters");
        assert_eq!(Blob::<Item>::open(b"abcdefgh").unwrap_err(), BlobError::NoBlob, "letters");
    });
}

/// Builds a struct of arrays of what must be checked.
fn flags(memory: &crate::testing::test_memory::Memory<'_>) -> Vec<u8> {
    let mut builder = BlobBuilder::<Flags, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
    let root = builder.root();
    builder.set(root.at(blob_field!(Flags, flags)), [true, false, true]);
    let inside = builder.array(root.at(blob_field!(Flags, inside)), 2).expect("memory");
    builder.set(inside.get(1).at(blob_field!(Flags, flags)), [false, true, false]);
    builder.finish().to_vec()
}

#[test]
fn elements_of_an_array_in_a_struct_are_checked_each() {
    with_memory(|memory| {
        let bytes = flags(memory);
        let good = BlobBytes::try_copy_in(&bytes, memory).expect("there is memory");
        let blob = Blob::<Flags>::open(&good).expect("just built");
        assert_eq!(blob.root().flags, [true, false, true], "of the root");
        let seen: Vec<[bool; 3]> =
            blob.array(&blob.root().inside).iter().map(|inner| inner.flags).collect();
        assert_eq!(seen, [[false; 3], [false, true, false]], "of those inside");
        assert!(blob.root().names.iter().all(|name| blob.str(name).is_empty()), "no names");
        for flag in 0..3 {
            let at = crate::bytes::blob::HEADER + flag;
            let mut bad = BlobBytes::try_copy_in(&bytes, memory).expect("there is memory");
            bad.as_mut()[at] = 2;
            let error = Blob::<Flags>::open_structure(&bad).expect_err("no bool");
            let part = BlobPartError::NoBool { found: 2 };
            let expected = BlobError::Part { offset: at, field: "Flags.flags", error: part };
            assert_eq!(error, expected, "flag {flag}");
        }
        let second = crate::bytes::blob::HEADER + core::mem::offset_of!(Flags, names) + 8;
        let mut bad = BlobBytes::try_copy_in(&bytes, memory).expect("there is memory");
        bad.as_mut()[second] = 1;
        let error = Blob::<Flags>::open_structure(&bad).expect_err("empty, and yet it leads");
        let part = BlobPartError::EmptyLeads;
        let expected = BlobError::Part { offset: second, field: "Flags.names", error: part };
        assert_eq!(error, expected, "the second name");
    });
}

#[test]
fn they_are_copied_and_printed() {
    fn cloned<T: Clone>(value: &T) -> T {
        value.clone()
    }
    with_memory(|memory| {
        let field = blob_field!(Item, kind);
        assert_eq!(format!("{field:?}"), "BlobField(8)", "its offset");
        assert_eq!(cloned(&field).offset(), 8, "the same field");
        let mut builder =
            BlobBuilder::<Flags, _>::try_new_in(Endian::Little, memory).expect("there is memory");
        let size = crate::bytes::blob::HEADER + size_of::<Flags>();
        let said = format!("BlobBuilder {{ bytes: {size}, endian: Little, .. }}");
        assert_eq!(format!("{builder:?}"), said, "how long it is by now");
        let root = builder.root();
        assert_eq!(format!("{root:?}"), "BlobPlace(48)", "after the header");
        assert_eq!(cloned(&root).offset(), root.offset(), "the same place");
        let none = builder.array(root.at(blob_field!(Flags, inside)), 0).expect("nothing");
        assert!(none.is_empty() && none.iter().len() == 0, "no places");
        let some = builder.array(root.at(blob_field!(Flags, inside)), 2).expect("memory");
        assert!(!some.is_empty() && some.len() == 2, "two places");
        let places: Vec<u32> = some.iter().map(|place| place.offset()).collect();
        let (first, step) = (size.next_multiple_of(4) as u32, size_of::<Flags>() as u32);
        assert_eq!(places, [first, first + step], "one after the other");
        let bytes = BlobBytes::try_copy_in(&flags(memory), memory).expect("there is memory");
        assert_eq!(bytes.as_ref(), &bytes[..], "the same bytes");
        assert_eq!(format!("{bytes:?}"), format!("BlobBytes {{ bytes: {}, .. }}", bytes.len()));
        let blob = Blob::<Flags>::open(&bytes).expect("just built");
        assert_eq!(format!("{blob:?}"), format!("Blob {{ bytes: {}, .. }}", bytes.len()));
        assert_eq!(cloned(&blob).as_bytes(), &bytes[..], "the whole, also of a copy");
        let root = blob.root();
        assert_eq!(format!("{:?}", root.names[0]), "0 bytes of text, 0 bytes on", "no text");
        assert_eq!(format!("{:?}", root.other), "no Flags", "none");
        let on = size - crate::bytes::blob::HEADER - core::mem::offset_of!(Flags, inside);
        assert_eq!(format!("{:?}", root.inside), format!("2 of Flags, {on} bytes on"), "two");
    });
}

#[test]
fn an_option_prints_where_it_leads() {
    with_memory(|memory| {
        let mut builder =
            BlobBuilder::<Flags, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
        let field = builder.root().at(blob_field!(Flags, other));
        let other = builder.option(field).expect("there is memory");
        let names = other.at(blob_field!(Flags, names)).offset();
        assert_eq!(names - other.offset(), core::mem::offset_of!(Flags, names) as u32, "within");
        let on = other.offset() - field.offset();
        let bytes = builder.finish();
        let blob = Blob::<Flags>::open(&bytes).expect("just built");
        let said = format!("{:?}", blob.root().other);
        assert_eq!(said, format!("Flags, {on} bytes on"), "a part");
        assert!(blob.option(&blob.root().other).is_some(), "it is there");
    });
}

#[test]
#[should_panic(expected = "is in no part of this blob, which is")]
fn a_place_of_another_builder_is_none_of_this_one() {
    with_memory(|memory| {
        let mut long = BlobBuilder::<Item, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
        let inside = long.root().at(blob_field!(Item, inside));
        let far = long.array(inside, 9).expect("there is memory").get(8);
        let mut short = BlobBuilder::<Item, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
        short.set(far.at(blob_field!(Item, seed)), 1);
    });
}

#[test]
#[should_panic(expected = "element 2 of 2")]
fn a_place_behind_the_last_is_a_bug() {
    with_memory(|memory| {
        let mut builder =
            BlobBuilder::<Item, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
        let inside = builder.root().at(blob_field!(Item, inside));
        let _ = builder.array(inside, 2).expect("there is memory").get(2);
    });
}

#[test]
fn text_of_every_length_is_judged_whole() {
    with_memory(|memory| {
        let field = |at: usize| crate::bytes::blob::HEADER + at;
        for len in 1..20 {
            for bad in 0..len {
                let text = "x".repeat(len);
                let mut builder =
                    BlobBuilder::<Item, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
                let name = builder.root().at(blob_field!(Item, name));
                builder.string(name, &text).expect("there is memory");
                let mut bytes = builder.finish();
                let blob = Blob::<Item>::open(&bytes).expect("just built");
                assert_eq!(blob.str(&blob.root().name), text, "{len} letters");
                let start = bytes.len() - len;
                bytes.as_mut()[start + bad] = 0xff;
                let error = Blob::<Item>::open_structure(&bytes).expect_err("no text");
                let part = BlobPartError::NoText;
                let expected =
                    BlobError::Part { offset: field(0), field: "Item.name", error: part };
                assert_eq!(error, expected, "byte {bad} of {len}");
            }
        }
    });
}

#[test]
fn the_last_byte_that_32_bits_tell_is_only_refused_by_the_memory() {
    with_memory(|memory| {
        memory.refuse(loligo_allocators::Refusals::From(1));
        let mut bytes = BlobBytes::try_copy_in(&[1; 20], memory).expect("the first request");
        let limit = u64::from(u32::MAX);
        let most = u32::MAX as usize - 20;
        let refused = bytes.extend(most, 1);
        assert!(matches!(refused, Err(GrowError::Memory { .. })), "{refused:?}");
        let wanted = limit + 1;
        assert_eq!(bytes.extend(most + 1, 1), Err(GrowError::Length { wanted, limit }), "one more");
        let wanted = (usize::MAX as u64).saturating_add(20);
        let huge = bytes.extend(usize::MAX, 1);
        assert_eq!(huge, Err(GrowError::Length { wanted, limit }), "no sum overflows");
        assert_eq!(bytes[..], [1; 20], "as it was");
    });
}

#[test]
fn scalars_are_written_in_both_orders() {
    blob_struct! {
        struct Numbers {
            wide: u64,
            id: IdString64,
            half: f64,
            small: i16,
            yes: bool,
        }
    }
    with_memory(|memory| {
        for endian in [Endian::Little, Endian::Big] {
            let mut builder =
                BlobBuilder::<Numbers, _>::try_new_in(endian, memory).expect("memory");
            let root = builder.root();
            builder.set(root.at(blob_field!(Numbers, wide)), 0x0102_0304_0506_0708);
            builder.set(root.at(blob_field!(Numbers, id)), IdString64::from_hash(0x11));
            builder.set(root.at(blob_field!(Numbers, half)), 0.5);
            builder.set(root.at(blob_field!(Numbers, small)), -2);
            builder.set(root.at(blob_field!(Numbers, yes)), true);
            let bytes = builder.finish();
            let mut expected = [
                [1, 2, 3, 4, 5, 6, 7, 8],
                [0, 0, 0, 0, 0, 0, 0, 0x11],
                [0x3f, 0xe0, 0, 0, 0, 0, 0, 0],
            ];
            let mut small = [0xff, 0xfe];
            if endian == Endian::Little {
                expected.iter_mut().for_each(|number| number.reverse());
                small.reverse();
            }
            assert_eq!(bytes[48..72], *expected.as_flattened(), "{endian:?}");
            assert_eq!((&bytes[72..74], bytes[74]), (&small[..], 1), "{endian:?}");
        }
    });
}

/// Blobs are kept in files: each byte stays in its place, now and in every version to come.
#[test]
fn a_blob_lies_as_drawn() {
    blob_struct! {
        struct Point {
            x: u32,
            name: BlobStr,
        }
    }
    with_memory(|memory| {
        for endian in [Endian::Little, Endian::Big] {
            let word = |number: u32| match endian {
                Endian::Little => number.to_le_bytes(),
                Endian::Big => number.to_be_bytes(),
            };
            let long = |number: u64| match endian {
                Endian::Little => number.to_le_bytes(),
                Endian::Big => number.to_be_bytes(),
            };
            let mut builder = BlobBuilder::<Point, _>::try_new_in(endian, memory).expect("memory");
            let root = builder.root();
            builder.set(root.at(blob_field!(Point, x)), 7);
            builder.string(root.at(blob_field!(Point, name)), "abc").expect("there is memory");
            let bytes = builder.finish();
            let shape = loligo_ids::murmur2_64a("Point{x:u32,name:BlobStr,}", 12 << 8 | 4);
            let name = loligo_ids::murmur2_64a("Point", 12);
            let shape = loligo_ids::murmur2_64a(&name.to_le_bytes(), shape);
            let mut before = Vec::from(*b"loliblob");
            before.extend([word(1), word(1)].concat());
            before.extend([long(63), long(shape)].concat());
            let mut behind = Vec::from([0; 8]);
            behind.extend([word(7), word(8), word(3)].concat());
            behind.extend(b"abc");
            let sum = loligo_ids::murmur2_64a(&before, 0);
            let sum = long(loligo_ids::murmur2_64a(&behind, sum));
            assert_eq!(bytes[..], [&before[..], &sum, &behind].concat(), "{endian:?}");
        }
    });
}
