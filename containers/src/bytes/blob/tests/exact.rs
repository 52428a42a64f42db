//! Depth, shapes, texts that are taken away again, and fields that lead just beyond the end.

use std::format;

use super::{Item, chest};
use crate::bytes::blob::check::{BlobChecker, BlobRefused, BlobShapes};
use crate::bytes::blob::parts::BlobType;
use crate::bytes::blob::{
    BLOB_ALIGN, BLOB_DEPTH, Blob, BlobBuilder, BlobBytes, BlobError, BlobPartError, BlobPlace,
    Endian,
};
use crate::testing::test_memory::{Memory, with_memory};
use crate::{blob_field, blob_struct};

type Builder<'a> = BlobBuilder<'a, Item, Memory<'a>>;

fn builder<'a>(memory: &'a Memory<'a>) -> Builder<'a> {
    Builder::try_new_in(Endian::NATIVE, memory).expect("there is memory")
}

/// Nests items `depth` deep and returns where the innermost is.
fn nest(builder: &mut Builder<'_>, depth: u32) -> BlobPlace<Item> {
    let mut place = builder.root();
    for _ in 0..depth {
        place = builder.option(place.at(blob_field!(Item, owner))).expect("there is memory");
    }
    place
}

#[test]
#[should_panic(expected = "a Item lies 64 parts deep, which no reader follows")]
fn no_part_is_built_that_no_reader_follows() {
    with_memory(|memory| {
        nest(&mut builder(memory), BLOB_DEPTH + 1);
    });
}

#[test]
fn text_and_numbers_may_lie_one_part_deeper() {
    with_memory(|memory| {
        let mut builder = builder(memory);
        let last = nest(&mut builder, BLOB_DEPTH);
        builder.string(last.at(blob_field!(Item, name)), "deep").expect("there is memory");
        builder.numbers(last.at(blob_field!(Item, counts)), &[1, 2]).expect("there is memory");
        let bytes = builder.finish();
        let blob = Blob::<Item>::open(&bytes).expect("as deep as a reader follows");
        let mut item = blob.root();
        while let Some(owner) = blob.option(&item.owner) {
            item = owner;
        }
        assert_eq!((blob.str(&item.name), blob.array(&item.counts)), ("deep", &[1, 2][..]));
    });
}

#[test]
fn parts_beside_each_other_are_not_within_each_other() {
    with_memory(|memory| {
        let mut builder = builder(memory);
        let count = 3 * BLOB_DEPTH as usize;
        let inside = builder.root().at(blob_field!(Item, inside));
        let places = builder.array(inside, count).expect("there is memory");
        for (number, place) in places.iter().enumerate() {
            let owner = builder.option(place.at(blob_field!(Item, owner)));
            let owner = owner.expect("there is memory");
            builder.set(owner.at(blob_field!(Item, seed)), number as u64);
        }
        let bytes = builder.finish();
        let blob = Blob::<Item>::open(&bytes).expect("all are two parts deep");
        let owners = blob.array(&blob.root().inside).iter();
        let seeds = owners.filter_map(|item| blob.option(&item.owner)).map(|owner| owner.seed);
        assert!(seeds.eq(0..count as u64), "each its own");
    });
}

#[test]
fn parts_of_different_depths_beside_each_other_are_not_within_each_other() {
    with_memory(|memory| {
        for step in 1..5 {
            let mut builder = builder(memory);
            let count = 3 * BLOB_DEPTH;
            let inside = builder.root().at(blob_field!(Item, inside));
            let places = builder.array(inside, count as usize).expect("there is memory");
            for (number, place) in places.iter().enumerate() {
                let mut place = place;
                for _ in 0..number as u32 % step + 1 {
                    let owner = builder.option(place.at(blob_field!(Item, owner)));
                    place = owner.expect("there is memory");
                }
            }
            let bytes = builder.finish();
            let blob = Blob::<Item>::open(&bytes);
            assert!(blob.is_ok(), "none is more than {} parts deep", step + 1);
        }
    });
}

#[test]
fn a_text_that_is_taken_away_is_none() {
    with_memory(|memory| {
        for endian in [Endian::NATIVE, Endian::Little, Endian::Big] {
            let mut builder = Builder::try_new_in(endian, memory).expect("there is memory");
            let name = builder.root().at(blob_field!(Item, name));
            builder.string(name, "abc").expect("there is memory");
            let kind = builder.root().at(blob_field!(Item, kind));
            builder.set(kind, loligo_ids::IdString32::from_hash(0x1111_1111));
            builder.string(name, "").expect("nothing is taken");
            let bytes = builder.finish();
            let at = crate::bytes::blob::HEADER;
            assert_eq!(bytes[at..at + 12], [0, 0, 0, 0, 0, 0, 0, 0, 17, 17, 17, 17], "{endian:?}");
            assert_eq!(bytes.len(), at + size_of::<Item>() + 3, "{endian:?}: the letters stay");
            if endian == Endian::NATIVE {
                let blob = Blob::<Item>::open(&bytes).expect("just built");
                assert_eq!(blob.str(&blob.root().name), "", "no text");
            }
        }
    });
}

#[test]
#[should_panic(expected = "the field is not of this blob")]
fn a_field_of_a_blob_behind_leads_beyond_the_end() {
    with_memory(|memory| {
        let ours = chest(Endian::NATIVE, memory).expect("there is memory");
        let mut builder = builder(memory);
        let name = builder.root().at(blob_field!(Item, name));
        builder.string(name, &"long name ".repeat(100)).expect("there is memory");
        let theirs = builder.finish();
        let mut both = BlobBytes::try_copy_in(&ours, memory).expect("there is memory");
        let at = both.extend(theirs.len(), BLOB_ALIGN).expect("there is memory");
        both.as_mut()[at..].copy_from_slice(&theirs);
        let first = Blob::<Item>::open(&both[..ours.len()]).expect("it was copied whole");
        let second = Blob::<Item>::open(&both[at..]).expect("it was copied whole");
        // It begins closer past the end of the first blob than it is long.
        let _ = first.str(&second.root().name);
    });
}

blob_struct! {
    struct Row {
        flags: [bool; 3],
        next: u8,
    }
}

#[test]
fn what_lies_behind_an_array_is_none_of_its_elements() {
    with_memory(|memory| {
        let mut builder = BlobBuilder::<Row, Memory<'_>>::try_new_in(Endian::NATIVE, memory)
            .expect("there is memory");
        let root = builder.root();
        builder.set(root.at(blob_field!(Row, flags)), [true, false, true]);
        builder.set(root.at(blob_field!(Row, next)), 7);
        let bytes = builder.finish();
        let blob = Blob::<Row>::open(&bytes).expect("7 is no flag");
        assert_eq!((blob.root().flags, blob.root().next), ([true, false, true], 7), "as set");
    });
}

#[test]
fn bytes_are_led_to_once() {
    let bytes = [2; 16];
    let mut checker = BlobChecker::new(&bytes);
    assert_eq!(checker.take(4, 12, "most"), Ok(&bytes[4..]), "twelve of sixteen");
    assert_eq!(checker.take(0, 4, "rest"), Ok(&bytes[..4]), "just as many as are left");
    assert_eq!(checker.take(0, 0, "none"), Ok(&[][..]), "nothing is left, or needed");
    let refused = checker.take(3, 1, "more").expect_err("none are left");
    let error = BlobPartError::Overlapping;
    assert_eq!(checker.error(refused), BlobError::Part { offset: 3, field: "more", error });
    let refused = checker.take(3, 14, "beyond").expect_err("so many there never were");
    let error = BlobPartError::Beyond { end: 17, bytes: 16 };
    assert_eq!(checker.error(refused), BlobError::Part { offset: 3, field: "beyond", error });
    // As where a type of the program's own hands on what another checker said.
    let fresh = BlobChecker::new(&bytes);
    let (field, error) = ("a type of the program's own", BlobPartError::Refused);
    assert_eq!(fresh.error(refused), BlobError::Part { offset: 0, field, error }, "no reason");
}

macro_rules! kinds {
    ($module:ident, $field:ident) => {
        mod $module {
            //! Structs that differ in the name of one field alone, which is within another.

            use crate::blob_struct;
            use crate::bytes::blob::{BlobArray, BlobOption};

            blob_struct! {
                pub(super) struct Inner {
                    pub(super) $field: u32,
                }
                pub(super) struct Direct {
                    pub(super) inner: Inner,
                }
                pub(super) struct Few {
                    pub(super) inner: [Inner; 2],
                }
                pub(super) struct Many {
                    pub(super) inner: BlobArray<Inner>,
                }
                pub(super) struct Maybe {
                    pub(super) inner: BlobOption<Inner>,
                }
                pub(super) struct Deep {
                    pub(super) inner: BlobArray<BlobOption<[Direct; 3]>>,
                }
            }
        }
    };
}

kinds!(here, one);
kinds!(there, other);

#[test]
fn a_shape_is_that_of_all_that_lies_within() {
    let shapes = [
        (BlobShapes::of::<here::Inner>().hash(), BlobShapes::of::<there::Inner>().hash(), "itself"),
        (
            BlobShapes::of::<here::Direct>().hash(),
            BlobShapes::of::<there::Direct>().hash(),
            "a field",
        ),
        (
            BlobShapes::of::<here::Few>().hash(),
            BlobShapes::of::<there::Few>().hash(),
            "an array in place",
        ),
        (BlobShapes::of::<here::Many>().hash(), BlobShapes::of::<there::Many>().hash(), "an array"),
        (
            BlobShapes::of::<here::Maybe>().hash(),
            BlobShapes::of::<there::Maybe>().hash(),
            "an option",
        ),
        (
            BlobShapes::of::<here::Deep>().hash(),
            BlobShapes::of::<there::Deep>().hash(),
            "all of them",
        ),
    ];
    for (index, (here, there, within)) in shapes.into_iter().enumerate() {
        assert_ne!(here, there, "{within}");
        assert!(shapes[..index].iter().all(|other| other.0 != here), "{within}: a different one");
    }
}

/// A type of the program that is made of `N` kinds of structs.
struct Kinds<const N: usize>(#[expect(dead_code, reason = "it is of some size")] u8);

// SAFETY: a byte, of which every pattern of bits is a value.
unsafe impl<const N: usize> BlobType for Kinds<N> {
    const NAME: &'static str = "Kinds";
    const PLAIN: bool = true;

    fn check(_: &mut BlobChecker<'_>, _: usize) -> Result<(), BlobRefused> {
        panic!("plain values are not looked at one by one")
    }

    fn shapes(shapes: &mut BlobShapes) {
        for kind in 0..N {
            assert!(shapes.add::<u8>(&format!("kind {kind}")), "{kind} is new");
        }
        for kind in 0..N {
            assert!(!shapes.add::<u8>(&format!("kind {kind}")), "{kind} is known");
        }
    }
}

#[test]
fn plain_values_are_not_looked_at_one_by_one() {
    let bytes = [7; 64];
    let mut checker = BlobChecker::new(&bytes);
    assert_eq!(<[Kinds<1>; 3]>::check(&mut checker, 4), Ok(()), "in place");
    let led = checker.lead_to::<[Kinds<1>; 3]>((0, 8), 8, 5, "field");
    assert_eq!(led, Ok(&bytes[8..23]), "led to");
}

#[test]
fn a_blob_is_made_of_up_to_64_kinds_of_structs() {
    let (few, many) = (BlobShapes::of::<Kinds<1>>().hash(), BlobShapes::of::<Kinds<64>>().hash());
    assert_ne!(few, many, "each kind counts");
    assert_ne!(BlobShapes::of::<Kinds<63>>().hash(), many, "also the last");
}

#[test]
#[should_panic(expected = "at most 64 kinds of structs and enums, and `kind 64` is one more")]
fn a_blob_is_made_of_no_more_kinds_of_structs() {
    let _ = BlobShapes::of::<Kinds<65>>();
}
