//! Bundles from any bytes: refused, or all of their files can be asked for; and one that is right.

use std::io::Cursor;

use loligo_allocators::Allocator;
use loligo_containers::Endian;
use loligo_ids::IdString64;
use loligo_resources::{
    Bundle, BundleSource, BundleWriteError, Bundles, ContentHash, ResourceKey, TableSource,
    write_bundle,
};

/// Opens a bundle, reads what is in it, and uses it as a game.
pub fn bundle(bytes: &[u8], memory: &dyn Allocator) {
    let Ok(bundle) = Bundle::try_from_bytes("fuzzed.bundle", bytes, memory) else { return };
    assert_eq!(bundle.validate(), Ok(()), "what is accepted is whole");
    let mut into = [0; 300];
    for (file, bytes) in bundle.files() {
        let count = into.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
        let first = bundle.read(file, 0, &mut into[..count]).is_ok();
        let again = bundle.read(file, 0, &mut into[..count]).is_ok();
        assert_eq!(first, again, "a block is right or wrong each time");
        // One past the end, and one that wraps around.
        assert!(bundle.read(file, bytes, &mut into[..1]).is_err(), "past the end");
        assert!(bundle.read(file, u64::MAX, &mut into[..1]).is_err(), "past all");
        let _ = bundle.read(file, bytes - count as u64, &mut into[..count]);
    }
    let mut named = 0_u32;
    if let Ok(damaged) = bundle.verify(&mut |_| named += 1) {
        assert!(named >= damaged && damaged <= bundle.block_count(), "each is named");
    }
    let mut bundles = Bundles::new_in(memory);
    if bundles.try_add(bundle).is_ok() && bundles.try_settle().is_ok() {
        for variant in bundles.variants() {
            assert_eq!(bundles.bytes_of(variant.file), Some(variant.bytes), "each has a file");
        }
    }
}

/// Returns inputs to begin with, as the other seeds: a bundle of small blocks, of which one is stored as
/// it is, in either byte order, and a patch.
///
/// # Errors
///
/// [`BundleWriteError`] if there is no memory.
pub fn seeds(
    memory: &dyn Allocator,
) -> Result<Vec<(&'static str, &'static str, Vec<u8>)>, BundleWriteError> {
    let noise: Vec<u8> =
        (0..5000_u32).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 23) as u8).collect();
    let contents = [&noise[..], b"EXIT", &[7; 900]];
    let hash = |at: usize| ContentHash([at as u8 + 1; 32]);
    let files: Vec<(ContentHash, u64)> =
        contents.iter().enumerate().map(|(at, of)| (hash(at), of.len() as u64)).collect();
    let properties = [IdString64::new("fr")];
    let mut variants: Vec<TableSource<'_>> = Vec::new();
    for (at, name) in ["door", "signs/exit", "wall"].into_iter().enumerate() {
        let (file, bytes) = files[at];
        let key = ResourceKey::new("text", name);
        variants.push(TableSource { key, properties: &[], file, bytes });
    }
    variants.push(TableSource { properties: &properties, ..variants[1] });
    variants.sort_by_key(|of| (of.key, of.properties));
    let mut read = |file: ContentHash, into: &mut [u8]| {
        into.copy_from_slice(contents[usize::from(file.0[0]) - 1]);
        Ok(())
    };
    let whole = BundleSource {
        platform: "here",
        endian: Endian::NATIVE,
        layer: 0,
        below: 0,
        block_bytes: 4096,
        variants: &variants,
        files: &files,
    };
    let removed = TableSource { file: ContentHash([0; 32]), bytes: 0, ..variants[0] };
    let patch =
        BundleSource { layer: 1, below: 5, variants: &[removed], files: &files[1..2], ..whole };
    let big = BundleSource { endian: Endian::Big, files: &files[1..], ..whole };
    let mut seeds = Vec::new();
    for (name, source) in [("whole", whole), ("patch", patch), ("big", big)] {
        let mut out = Cursor::new(Vec::new());
        write_bundle(&source, &mut read, &mut out, memory)?;
        seeds.push(("bundle", name, out.into_inner()));
    }
    Ok(seeds)
}
