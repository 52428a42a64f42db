//! Every split: round trips, the niche, and bits that are not an id.

use std::collections::{BTreeSet, HashSet};
use std::format;

use crate::id::{Id, Repr, SmallId, TableId};

/// Has none of the traits that ids have.
struct Plain;

fn round_trip<R: Repr, const I: u32, const G: u32>() {
    type Of<R, const I: u32, const G: u32> = Id<Plain, R, I, G>;
    assert_eq!(size_of::<Option<Of<R, I, G>>>(), size_of::<R>(), "the niche of {I}+{G}");
    let top = Of::<R, I, G>::INDEX_MASK;
    for index in [0, 1, top / 2, top] {
        for generation in [1, Of::<R, I, G>::GENERATIONS / 2 + 1, Of::<R, I, G>::GENERATIONS] {
            let last = (1_u64 << Of::<R, I, G>::TAG_BITS) - 1;
            for tag in [0, last.min(1), last] {
                let bits = tag.checked_shl(I + G).unwrap_or(0) | generation << I | index;
                let id =
                    Of::<R, I, G>::from_bits(R::narrow(bits)).expect("the generation is not 0");
                assert_eq!(id.to_bits().wide(), bits, "bits of {I}+{G}");
                let parts = (id.index().wide(), id.generation().wide(), id.tag().wide());
                assert_eq!(parts, (index, generation, tag), "parts of {I}+{G}");
            }
        }
        assert!(Of::<R, I, G>::from_bits(R::narrow(index)).is_none(), "generation 0 of {I}+{G}");
    }
}

#[test]
fn every_split_round_trips() {
    round_trip::<u32, 16, 16>();
    round_trip::<u32, 20, 12>();
    round_trip::<u32, 22, 10>();
    round_trip::<u32, 16, 12>();
    round_trip::<u32, 31, 1>();
    round_trip::<u32, 1, 31>();
    round_trip::<u32, 2, 2>();
    round_trip::<u64, 32, 24>();
    round_trip::<u64, 32, 32>();
    round_trip::<u64, 48, 16>();
    round_trip::<u64, 32, 16>();
    round_trip::<u64, 63, 1>();
    round_trip::<u64, 1, 63>();
}

/// Where index, generation and tag of the default meet.
#[test]
fn the_default_is_32_bits_of_index_24_of_generation_and_8_of_tag() {
    type Wide = Id<Plain>;
    assert_eq!((size_of::<Wide>(), size_of::<Option<Wide>>()), (8, 8), "8 bytes");
    assert_eq!((Wide::SLOTS, Wide::GENERATIONS, Wide::TAG_BITS), (1 << 32, (1 << 24) - 1, 8));
    let parts = |bits| {
        let id = Wide::from_bits(bits);
        id.map(|id| (id.index(), id.generation(), id.tag()))
    };
    assert_eq!(parts(u64::MAX), Some((u32::MAX.into(), 0xff_ffff, 0xff)), "all bits");
    assert_eq!(parts(0x0000_0001_0000_0000), Some((0, 1, 0)), "the lowest bit of the generation");
    assert_eq!(parts(0x0080_0000_ffff_ffff), Some((u32::MAX.into(), 1 << 23, 0)), "the highest");
    assert_eq!(parts(0x0100_0001_8000_0000), Some((1 << 31, 1, 1)), "the lowest bit of the tag");
    assert_eq!(parts(0xff00_0000_ffff_ffff), None, "no generation between tag and index");
    type Small = SmallId<Plain>;
    assert_eq!((size_of::<Small>(), size_of::<Option<Small>>()), (4, 4), "4 bytes");
    assert_eq!((Small::SLOTS, Small::GENERATIONS, Small::TAG_BITS), (1 << 20, 4_095, 0));
}

#[test]
fn zero_is_none_and_none_is_zero() {
    assert!(Id::<Plain>::from_bits(0).is_none(), "0 is no id");
    let none: Option<Id<Plain>> = bytemuck::Zeroable::zeroed();
    assert!(none.is_none(), "zeroed memory is None");
    assert_eq!(bytemuck::cast::<Option<Id<Plain>>, u64>(None), 0, "None is stored as 0");
    let some = bytemuck::cast::<u64, Option<Id<Plain>>>(0x0300_0000_0007);
    assert_eq!(some.map(|id| (id.index(), id.generation())), Some((7, 0x300)), "plain data");
    let some = bytemuck::cast::<u32, Option<SmallId<Plain>>>(0x0030_0007);
    assert_eq!(some.map(|id| (id.index(), id.generation())), Some((7, 3)), "plain data");
}

#[test]
fn an_id_has_its_traits_whatever_its_tag_has() {
    let low = Id::<Plain>::from_bits(1 << 32).expect("generation 1");
    let high = Id::<Plain>::from_bits(2 << 32).expect("generation 2");
    let copy = low;
    assert_eq!(copy, low, "ids are Copy and Eq");
    assert!(low < high, "ids are ordered");
    assert_eq!([low, low].into_iter().collect::<HashSet<_>>().len(), 1, "ids can be hashed");
    assert_eq!([low, high].into_iter().collect::<BTreeSet<_>>().len(), 2, "and sorted");
    fn crosses_threads<T: Send + Sync + Unpin>(_: T) {}
    crosses_threads(Id::<*const u8>::from_bits(1 << 32));
}

#[test]
fn an_id_prints_its_parts() {
    let id = Id::<Plain, u32, 16, 12>::from_bits(0x2003_0007).expect("generation 3");
    assert_eq!(format!("{id:?}"), "Id(7v3@2)", "tag, generation, index");
    let id = Id::<Plain, u64, 32, 32>::from_bits(0x3_0000_0007).expect("generation 3");
    assert_eq!(format!("{id:?}"), "Id(7v3)", "no tag");
}
