//! Blobs built, opened, damaged.

mod exact;
mod late;
mod views;
mod walks;

use std::string::ToString;
use std::vec::Vec;

use loligo_allocators::Allocator;
use loligo_ids::{IdString32, id32};

use super::{
    Blob, BlobArray, BlobBuilder, BlobBytes, BlobError, BlobOption, BlobPartError, BlobPlace,
    BlobStr, Endian,
};
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};
use crate::{blob_field, blob_struct};

blob_struct! {
    struct Item {
        name: BlobStr,
        kind: IdString32,
        magic: bool,
        place: [f32; 3],
        counts: BlobArray<u16>,
        inside: BlobArray<Item>,
        owner: BlobOption<Item>,
        seed: u64,
    }
}

blob_struct! {
    struct Other {
        name: BlobStr,
        kind: IdString32,
        rest: [u32; 15],
    }
}

/// Builds a chest with two things in it, one of them owned by somebody.
fn chest<'a>(
    endian: Endian,
    memory: &'a Memory<'a>,
) -> Result<BlobBytes<'a, Memory<'a>>, GrowError> {
    let mut builder = BlobBuilder::<Item, _>::try_new_in(endian, memory)?;
    let root = builder.root();
    builder.string(root.at(blob_field!(Item, name)), "chest")?;
    builder.set(root.at(blob_field!(Item, kind)), id32!("container"));
    builder.set(root.at(blob_field!(Item, place)), [1.0, 2.0, 3.0]);
    let inside = builder.array(root.at(blob_field!(Item, inside)), 2)?;
    let sword = inside.get(1);
    builder.set(sword.at(blob_field!(Item, magic)), true);
    builder.set(sword.at(blob_field!(Item, seed)), u64::MAX - 1);
    builder.numbers(sword.at(blob_field!(Item, counts)), &[3, 500, 65_535])?;
    let owner = builder.option(sword.at(blob_field!(Item, owner)))?;
    builder.string(owner.at(blob_field!(Item, name)), "Örjan")?;
    Ok(builder.finish())
}

/// Compares all that is in the chest.
fn look_into(blob: &Blob<'_, Item>) {
    let root = blob.root();
    assert_eq!((blob.str(&root.name), root.kind), ("chest", id32!("container")));
    assert_eq!((root.place, root.magic, root.seed), ([1.0, 2.0, 3.0], false, 0));
    assert_eq!(blob.array(&root.counts), [0_u16; 0]);
    assert!(blob.option(&root.owner).is_none(), "nobody owns the chest");
    let [empty, sword] = blob.array(&root.inside) else { panic!("two things are in the chest") };
    assert_eq!(blob.str(&empty.name), "");
    assert_eq!(blob.array(&sword.counts), [3, 500, 65_535]);
    assert_eq!((sword.magic, sword.seed), (true, u64::MAX - 1));
    let owner = blob.option(&sword.owner).expect("somebody owns the sword");
    assert_eq!(blob.str(&owner.name), "Örjan");
}

/// Reads all that a blob leads to, and returns how much it was.
fn read_all(blob: &Blob<'_, Item>, item: &Item) -> usize {
    let mut read = blob.str(&item.name).chars().count() + blob.array(&item.counts).len();
    read += usize::from(item.magic);
    for inner in blob.array(&item.inside).iter().chain(blob.option(&item.owner)) {
        read += 1 + read_all(blob, inner);
    }
    read
}

#[test]
fn what_was_built_is_read() {
    with_memory(|memory| {
        let bytes = chest(Endian::NATIVE, memory).expect("there is memory");
        look_into(&Blob::open(&bytes).expect("just built"));
        look_into(&Blob::open_structure(&bytes).expect("just built"));
        let again = chest(Endian::NATIVE, memory).expect("there is memory");
        assert_eq!(bytes[..], again[..], "the same steps give the same bytes");
    });
}

#[test]
fn the_other_byte_order_is_the_same_but_for_the_order() {
    with_memory(|memory| {
        let (ours, theirs) = match Endian::NATIVE {
            Endian::Little => (Endian::Little, Endian::Big),
            Endian::Big => (Endian::Big, Endian::Little),
        };
        let ours = chest(ours, memory).expect("there is memory");
        let mut theirs = chest(theirs, memory).expect("there is memory");
        assert_eq!(Blob::<Item>::open(&theirs).unwrap_err(), BlobError::OtherEndian);
        assert_eq!(ours.len(), theirs.len());
        // The header's numbers, and of the root the two of a name, a hash, and the seed at its end.
        let root = super::HEADER;
        let numbers = [(8, 4), (12, 4), (16, 8), (24, 8), (root, 4), (root + 4, 4), (root + 8, 4)];
        for (at, bytes) in numbers {
            theirs.as_mut()[at..at + bytes].reverse();
            assert_eq!(ours[at..at + bytes], theirs[at..at + bytes], "at {at}");
        }
    });
}

#[test]
fn every_changed_byte_is_noticed_and_none_is_harmful() {
    with_memory(|memory| {
        let good = chest(Endian::NATIVE, memory).expect("there is memory");
        for at in 0..good.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bad = BlobBytes::try_copy_in(&good, memory).expect("there is memory");
                bad.as_mut()[at] ^= change;
                assert!(Blob::<Item>::open(&bad).is_err(), "byte {at} changed by {change:#x}");
                if let Ok(blob) = Blob::<Item>::open_structure(&bad) {
                    assert_eq!(walks::walk_all(blob.view()), read_all(&blob, blob.root()));
                }
            }
        }
        for bytes in 0..good.len() {
            let short = BlobBytes::try_copy_in(&good[..bytes], memory).expect("there is memory");
            assert!(Blob::<Item>::open(&short).is_err(), "{bytes} of {} bytes", good.len());
        }
    });
}

#[test]
fn random_fields_are_refused_or_can_be_read() {
    with_memory(|memory| {
        let good = chest(Endian::NATIVE, memory).expect("there is memory");
        let (seed, mut opened) = (11, 0);
        let mut random = Random::new(seed);
        for round in 0..20_000 {
            let mut bad = BlobBytes::try_copy_in(&good, memory).expect("there is memory");
            for _ in 0..=random.below(3) {
                let at = super::HEADER + 4 * random.below((good.len() - super::HEADER) / 4);
                let number = random.below(200) as u32;
                bad.as_mut()[at..at + 4].copy_from_slice(&number.to_ne_bytes());
            }
            if let Ok(blob) = Blob::<Item>::open_structure(&bad) {
                let read = read_all(&blob, blob.root());
                assert!(read <= bad.len(), "seed {seed}, round {round}: {read} things were read");
                opened += 1;
            }
        }
        assert!(opened > 100, "{opened} blobs were opened");
    });
}

/// Opens the chest with the number at `at` changed, and returns what is said.
fn with_number(memory: &Memory<'_>, at: usize, number: u32) -> BlobError {
    let mut bytes = chest(Endian::NATIVE, memory).expect("there is memory");
    bytes.as_mut()[at..at + 4].copy_from_slice(&number.to_ne_bytes());
    Blob::<Item>::open_structure(&bytes).expect_err("a number is wrong")
}

#[test]
fn errors_name_field_place_and_reason() {
    with_memory(|memory| {
        let root = super::HEADER;
        let inside = root + core::mem::offset_of!(Item, inside);
        let part = |offset, field, error| BlobError::Part { offset, field, error };
        assert_eq!(
            with_number(memory, root, 4),
            part(root, "Item.name", BlobPartError::Backward),
            "a name that leads to itself"
        );
        let long = with_number(memory, inside + 4, u32::MAX);
        assert!(
            matches!(
                long,
                BlobError::Part { field: "Item.inside", error: BlobPartError::Beyond { .. }, .. }
            ),
            "{long}"
        );
        assert_eq!(
            with_number(memory, inside + 4, 0),
            part(inside, "Item.inside", BlobPartError::EmptyLeads)
        );
        let odd = with_number(memory, inside, 163);
        assert_eq!(
            odd,
            part(inside, "Item.inside", BlobPartError::Misaligned { align: align_of::<Item>() })
        );
        let magic = root + core::mem::offset_of!(Item, magic);
        let error = with_number(memory, magic, u32::from_ne_bytes([7; 4]));
        assert_eq!(error, part(magic, "Item.magic", BlobPartError::NoBool { found: 7 }));
        assert_eq!(
            error.to_string(),
            std::format!("at byte {magic}, Item.magic: 7 is neither true nor false")
        );
    });
}

#[test]
fn other_structs_versions_and_places_are_refused() {
    with_memory(|memory| {
        let mut bytes = chest(Endian::NATIVE, memory).expect("there is memory");
        let error = Blob::<Other>::open(&bytes).expect_err("it holds another struct");
        assert!(matches!(error, BlobError::OtherShape { .. }), "{error}");
        bytes.as_mut()[12..16].copy_from_slice(&2_u32.to_ne_bytes());
        assert_eq!(Blob::<Item>::open(&bytes).unwrap_err(), BlobError::OtherVersion { found: 2 });
        let behind = Blob::<Item>::open(&bytes[..0]).expect_err("there is nothing");
        assert!(matches!(behind, BlobError::Short { bytes: 0, .. }), "{behind}");
        let mut shifted = BlobBytes::try_copy_in(&[0; 400], memory).expect("there is memory");
        shifted.as_mut()[4..4 + bytes.len()].copy_from_slice(&bytes);
        let error = Blob::<Item>::open(&shifted[4..4 + bytes.len()]).unwrap_err();
        assert_eq!(error, BlobError::Misaligned { behind: 4 });
    });
}

#[test]
fn neither_depth_nor_sharing_exhausts_anything() {
    with_memory(|memory| {
        // Each item is inside the one before, as deep as a builder goes.
        let mut builder =
            BlobBuilder::<Item, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
        let mut place: BlobPlace<Item> = builder.root();
        for _ in 0..super::BLOB_DEPTH {
            place = builder.option(place.at(blob_field!(Item, owner))).expect("there is memory");
        }
        let last = place;
        let mut bytes = builder.finish();
        let blob = Blob::<Item>::open(&bytes).expect("as deep as a reader follows");
        assert_eq!(read_all(&blob, blob.root()), super::BLOB_DEPTH as usize);
        // One more, made by hand: the last one leads to the bytes after it.
        let at = bytes.extend(size_of::<Item>(), 8).expect("there is memory");
        let field = last.at(blob_field!(Item, owner));
        let (start, bits) = (field.offset() as usize, at as u32 - field.offset());
        bytes.as_mut()[start..start + 4].copy_from_slice(&bits.to_ne_bytes());
        let length = bytes.len() as u64;
        bytes.as_mut()[16..24].copy_from_slice(&length.to_ne_bytes());
        let error = Blob::<Item>::open_structure(&bytes).expect_err("one too deep");
        let deep =
            BlobError::Part { offset: start, field: "Item.owner", error: BlobPartError::TooDeep };
        assert_eq!(error, deep);
    });
}

#[test]
fn parts_that_share_their_bytes_are_refused() {
    with_memory(|memory| {
        // Both arrays of the root lead to the same 64 items: they would be checked again and again.
        let mut builder =
            BlobBuilder::<Item, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
        let inside = builder.root().at(blob_field!(Item, inside));
        let items = builder.array(inside, 8).expect("there is memory");
        let mut bytes = builder.finish();
        for place in items.iter() {
            let field = place.at(blob_field!(Item, name));
            let (start, end) = (field.offset() as usize, bytes.len() as u32);
            let all = [8, end - field.offset() - 8].map(u32::to_ne_bytes).concat();
            bytes.as_mut()[start..start + 8].copy_from_slice(&all);
        }
        let error = Blob::<Item>::open_structure(&bytes).expect_err("they overlap");
        let overlapping = matches!(
            error,
            BlobError::Part { field: "Item.name", error: BlobPartError::Overlapping, .. }
        );
        assert!(overlapping, "{error}");
    });
}

#[test]
#[should_panic(expected = "the field is not of this blob")]
fn a_field_of_another_blob_is_no_field_of_this_one() {
    with_memory(|memory| {
        let ours = chest(Endian::NATIVE, memory).expect("there is memory");
        let theirs = chest(Endian::NATIVE, memory).expect("there is memory");
        let ours = Blob::<Item>::open(&ours).expect("just built");
        let theirs = Blob::<Item>::open(&theirs).expect("just built");
        let _ = ours.str(&theirs.root().name);
    });
}

#[test]
fn a_blob_within_a_blob_is_opened_where_it_lies() {
    with_memory(|memory| {
        let inner = chest(Endian::NATIVE, memory).expect("there is memory");
        let mut outer = BlobBytes::try_copy_in(&[0; 32], memory).expect("there is memory");
        let at = outer.extend(inner.len(), super::BLOB_ALIGN).expect("there is memory");
        outer.as_mut()[at..].copy_from_slice(&inner);
        look_into(&Blob::open(&outer[at..]).expect("it was copied whole"));
    });
}

#[test]
fn a_refusal_leaves_a_blob_that_can_be_finished() {
    every_refusal(|memory| {
        let mut builder = BlobBuilder::<Item, _>::try_new_in(Endian::NATIVE, memory)?;
        let root = builder.root();
        let mut first = Ok(());
        let mut name = None;
        for round in 0..40 {
            let text = "long name ".repeat(round);
            let named = builder.string(root.at(blob_field!(Item, name)), &text);
            if named.is_ok() {
                name = Some(text);
            }
            first = first.and(named);
        }
        let counts = [7_u16; 300];
        let counted = builder.numbers(root.at(blob_field!(Item, counts)), &counts);
        let bytes = builder.finish();
        let blob = Blob::<Item>::open(&bytes).expect("what was built is whole");
        assert_eq!(blob.str(&blob.root().name), name.expect("one was set"));
        let found: Vec<u16> = blob.array(&blob.root().counts).to_vec();
        assert_eq!(found, if counted.is_ok() { &counts[..] } else { &[] });
        first.and(counted)
    });
}

#[test]
fn a_blob_stops_at_4_gib() {
    with_memory(|memory| {
        let mut builder =
            BlobBuilder::<Item, _>::try_new_in(Endian::NATIVE, memory).expect("memory");
        let before = memory.stats().requested;
        let inside = builder.root().at(blob_field!(Item, inside));
        let error = builder
            .array(inside, usize::MAX / size_of::<Item>())
            .expect_err("more than 32 bits can say");
        assert!(matches!(error, GrowError::Length { .. }), "{error}");
        assert_eq!(memory.stats().requested, before);
        assert!(Blob::<Item>::open(&builder.finish()).is_ok(), "it is as it was");
    });
}

#[test]
fn bytes_behind_a_blob_are_no_part_of_it() {
    with_memory(|memory| {
        let bytes = chest(Endian::NATIVE, memory).expect("there is memory");
        let told = bytes.len() as u64;
        let longer = [&bytes[..], &[0]].concat();
        let longer = BlobBytes::try_copy_in(&longer, memory).expect("there is memory");
        let wrong = BlobError::OtherLength { told, bytes: longer.len() };
        assert_eq!(Blob::<Item>::open_structure(&longer).unwrap_err(), wrong);
        let shorter = BlobBytes::try_copy_in(&bytes[..bytes.len() - 1], memory);
        let shorter = shorter.expect("there is memory");
        let wrong = BlobError::OtherLength { told, bytes: shorter.len() };
        assert_eq!(Blob::<Item>::open_structure(&shorter).unwrap_err(), wrong);
    });
}
