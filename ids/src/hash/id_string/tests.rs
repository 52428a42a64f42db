//! Plain numbers that print as what they are.

use std::collections::{BTreeSet, HashSet};
use std::format;
use std::string::ToString;

use super::*;

const ROOT: IdString32 = crate::id32!("root_point");
const LARCH: &str = "vegetation/trees/larch_3.mesh";

#[test]
fn the_compiler_hashes() {
    const FROM_CONSTANT: IdString64 = crate::id64!(LARCH);
    assert_eq!(ROOT.hash(), 0x5e43_bd96);
    assert_eq!(FROM_CONSTANT.hash(), murmur2_64a(LARCH, 0));
    assert_eq!(IdString64::new(LARCH), FROM_CONSTANT);
    assert_eq!(IdString32::from_hash(0x5e43_bd96), ROOT);
    assert!(matches!(IdString32::new("root_point"), ROOT), "it can be a pattern");
}

#[test]
fn they_are_plain_data() {
    assert_eq!((size_of::<IdString32>(), align_of::<IdString32>()), (4, 4));
    assert_eq!((size_of::<IdString64>(), align_of::<IdString64>()), (8, align_of::<u64>()));
    assert_eq!(IdString32::default(), crate::id32!(""));
    assert_eq!(IdString64::default(), crate::id64!(""));
}

#[test]
fn they_print_all_their_digits() {
    let small = IdString32::from_hash(0xab);
    assert_eq!(small.to_string(), "000000ab");
    assert_eq!(format!("{small:?}"), "IdString32(0x000000ab)");
    let wide = IdString64::from_hash(0x3e72_8af1_0245_bc71);
    assert_eq!(wide.to_string(), "3e728af10245bc71");
    assert_eq!(format!("{wide:?}"), "IdString64(0x3e728af10245bc71)");
    assert_eq!(IdString64::from_hash(1).to_string().len(), 16);
}

#[test]
fn they_are_ordered_as_their_hashes() {
    let hashes = [5, 0, u32::MAX, 7];
    let sorted: BTreeSet<_> = hashes.into_iter().map(IdString32::from_hash).collect();
    assert!(sorted.iter().map(|id| id.hash()).eq([0, 5, 7, u32::MAX]));
    let set: HashSet<_> = hashes.into_iter().map(IdString32::from_hash).collect();
    assert!(set.contains(&IdString32::from_hash(7)));
}

#[test]
fn the_trait_says_the_same() {
    assert_eq!(<IdString32 as IdString>::BYTES, 4);
    assert_eq!(IdString32::with_seed("larch", 1 << 32 | 3).hash(), murmur2_32("larch", 3));
    assert_eq!(
        IdString64::with_seed("larch", 1 << 32 | 3).hash(),
        murmur2_64a("larch", 1 << 32 | 3)
    );
    assert_eq!(IdString32::from_u64(ROOT.to_u64()), ROOT);
    let wide = IdString64::new(LARCH);
    assert_eq!(IdString64::from_u64(wide.to_u64()), wide);
}

#[test]
fn an_id_is_plain_data() {
    let ids = [IdString32::new("wood"), IdString32::new("axe")];
    let hashes: &[u32] = bytemuck::cast_slice(&ids);
    assert_eq!(hashes, [ids[0].hash(), ids[1].hash()]);
    let wide: IdString64 = bytemuck::Zeroable::zeroed();
    assert_eq!(wide, IdString64::from_hash(0));
}
