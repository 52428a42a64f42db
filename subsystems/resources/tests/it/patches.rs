//! What a game sees through bundles and patches is what it sees from loose files.

use std::path::Path;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::Endian;
use loligo_ids::{IdString64, murmur2_64a};
use loligo_resources::{
    Bundle, BundleErrorKind, BundleSource, Bundles, DataFolder, LoadErrorKind, ResourceKey,
    Resources, TableSource,
};

use crate::made::Made;
use crate::packed::{Packed, SharedHeap, payload, with_shared_memory};

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = murmur2_64a(&self.0.to_le_bytes()[..], 1);
        (self.0 >> 16) % end
    }
}

const NAMES: [&str; 6] = ["door", "wall", "tree", "units/door", "sky", "x"];
const PROPERTIES: [&[&str]; 4] = [&[], &["fr"], &["noblood"], &["fr", "noblood"]];
const KINDS: [&str; 2] = ["text", "mesh"];

/// Changes a variant or takes it away: in the loose files, and in what bundles are made of.
fn edit(random: &mut Random, made: &mut Made, game: &mut Packed) {
    let kind = KINDS[random.below(2) as usize];
    let name = NAMES[random.below(6) as usize];
    let properties = PROPERTIES[random.below(4) as usize];
    if random.below(3) == 0 {
        made.remove_variant(kind, name, properties);
        game.remove(ResourceKey::new(kind, name), properties);
        return;
    }
    // Few contents, so that a file comes back and is of several variants; some span blocks.
    let bytes = [3, 500, 5000, 9000][random.below(4) as usize];
    let payload = payload(bytes, random.below(3), random.below(2) == 0);
    made.put(kind, name, properties, &payload);
    game.put((kind, name), properties, &payload);
}

/// What a load came to: the payload, or why not.
fn outcome<A: Allocator + ?Sized>(
    resources: &mut Resources<'_, A>,
    key: ResourceKey,
) -> Result<Vec<u8>, String> {
    resources.load(key).map_err(|error| error.to_string())?;
    let payload = resources.get(key).map(|resource| resource.payload().to_vec());
    resources.unload(key);
    payload.ok_or_else(String::new)
}

/// Loads everything there can be, under several preferences, and compares.
fn compare<'p>(
    made: &Path,
    bundles: &Bundles<'_, SharedHeap<'p>>,
    heap: &SharedHeap<'p>,
    seed: u64,
) {
    let loose = DataFolder::new(made).expect("UTF-8");
    let packed = DataFolder::bundled(made, bundles).expect("UTF-8");
    let mut loose = Resources::try_open_in(loose, heap).expect("a table");
    let mut packed = Resources::try_open_in(packed, heap).expect("a table");
    assert_eq!(loose.table().entries(), packed.table().entries(), "seed {seed}");
    for order in [&[][..], &["fr"], &["noblood", "fr"], &["fr", "noblood"]] {
        let order: Vec<IdString64> = order.iter().map(|name| IdString64::new(name)).collect();
        for resources in [&mut loose, &mut packed] {
            resources.try_set_preference_order(&order, &mut |_| {}).expect("memory");
        }
        for (kind, name) in KINDS.iter().flat_map(|kind| NAMES.map(|name| (kind, name))) {
            let key = ResourceKey::new(kind, name);
            let (wanted, found) = (outcome(&mut loose, key), outcome(&mut packed, key));
            assert_eq!(found, wanted, "seed {seed}: {name}.{kind} with {order:?}");
        }
    }
}

#[test]
fn a_game_sees_through_patches_what_it_sees_from_loose_files() {
    for seed in 0..24 {
        let (mut random, mut made, mut game) = (Random(seed), Made::new(), Packed::default());
        with_shared_memory(|heap| {
            let mut files: Vec<Vec<u8>> = Vec::new();
            for _ in 0..5 {
                for _ in 0..random.below(12) {
                    edit(&mut random, &mut made, &mut game);
                }
                made.save();
                let bundles = opened(&files, heap).expect("they fit together");
                let next = game.over(&bundles, 4096, heap);
                drop(bundles);
                files.push(next);
                // In any order: the headers say which is which.
                let turn = random.below(files.len() as u64) as usize;
                let mut turned = files.clone();
                turned.rotate_left(turn);
                let bundles = opened(&turned, heap).expect("they fit together");
                assert_eq!(bundles.bundles().len(), files.len(), "seed {seed}");
                compare(made.path(), &bundles, heap, seed);
            }
        });
    }
}

/// Opens bundles that are in memory.
fn opened<'a, 'p>(
    files: &'a [Vec<u8>],
    heap: &'a SharedHeap<'p>,
) -> Result<Bundles<'a, SharedHeap<'p>>, loligo_resources::BundleError> {
    let mut bundles = Bundles::new_in(heap);
    for (at, file) in files.iter().enumerate() {
        bundles.try_add(Bundle::try_from_bytes_in(&format!("{at}.bundle"), file, heap)?)?;
    }
    bundles.try_settle()?;
    Ok(bundles)
}

fn village() -> (Packed, Packed) {
    let mut old = Packed::default();
    old.put(("text", "door"), &[], b"a door");
    old.put(("text", "wall"), &[], b"a wall");
    let mut new = old.clone();
    new.put(("text", "door"), &[], b"a gate");
    new.remove(ResourceKey::new("text", "wall"), &[]);
    (old, new)
}

#[test]
fn a_patch_has_only_what_is_new() {
    let (old, mut new) = village();
    // A file that is there already, under another name.
    let (file, bytes) = *old.variants.values().next().expect("two");
    new.variants.insert((ResourceKey::new("text", "arch"), Vec::new()), (file, bytes));
    with_shared_memory(|heap| {
        let files = [old.over(&Bundles::new_in(heap), 4096, heap)];
        let bundles = opened(&files, heap).expect("one");
        let patch = new.over(&bundles, 4096, heap);
        let patch = Bundle::try_from_bytes_in("1.bundle", &patch, heap).expect("it is whole");
        assert_eq!(patch.files().len(), 1, "the gate");
        let removed = patch.variants().entries().iter().filter(|entry| entry.bytes == 0).count();
        assert_eq!((patch.variants().entries().len(), removed), (3, 1));
        assert_eq!(patch.header().layer, 1);
        let same = old.over(&bundles, 4096, heap);
        let same = Bundle::try_from_bytes_in("1.bundle", &same, heap).expect("it is whole");
        assert_eq!((same.files().len(), same.variants().entries().len()), (0, 0), "nothing is new");
    });
}

#[test]
fn bundles_that_do_not_fit_together_are_refused() {
    let (old, new) = village();
    with_shared_memory(|heap| {
        let base = old.over(&Bundles::new_in(heap), 4096, heap);
        let other = new.over(&Bundles::new_in(heap), 4096, heap);
        let only = [base.clone()];
        let bundles = opened(&only, heap).expect("one");
        let first = new.over(&bundles, 4096, heap);
        drop(bundles);
        let two = [base.clone(), first.clone()];
        let bundles = opened(&two, heap).expect("two");
        let second = old.over(&bundles, 4096, heap);
        let (layer, below) = (bundles.next_layer(), bundles.state(bundles.next_layer()));
        drop(bundles);
        let refusal = |files: &[&Vec<u8>]| {
            let files: Vec<Vec<u8>> = files.iter().copied().cloned().collect();
            opened(&files, heap).err().map(|error| error.kind)
        };
        assert!(refusal(&[&base, &first, &second]).is_none());
        for wrong in [&[&first][..], &[&base, &second], &[&other, &first]] {
            let kind = refusal(wrong);
            assert!(matches!(kind, Some(BundleErrorKind::OtherBelow { .. })), "{kind:?}");
        }
        let kind = refusal(&[&base, &other]);
        assert!(matches!(kind, Some(BundleErrorKind::Twice)), "{kind:?}");
        let (key, file) =
            (ResourceKey::new("text", "arch"), loligo_resources::ContentHash([9; 32]));
        let source = BundleSource {
            platform: "here",
            endian: Endian::NATIVE,
            layer,
            below,
            block_bytes: 4096,
            variants: &[TableSource { key, properties: &[], file, bytes: 100 }],
            files: &[],
        };
        let nowhere = new.write(&source, heap);
        let kind = refusal(&[&base, &first, &nowhere]);
        assert!(matches!(kind, Some(BundleErrorKind::NoFile)), "{kind:?}");
        let elsewhere =
            new.write(&BundleSource { platform: "there", variants: &[], ..source }, heap);
        let kind = refusal(&[&base, &first, &elsewhere]);
        assert!(matches!(kind, Some(BundleErrorKind::OtherPlatform)), "{kind:?}");
    });
}

#[test]
fn a_folder_of_bundles_is_found_and_loose_files_come_first() {
    let (old, _) = village();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("the folder may be written");
    };
    with_shared_memory(|heap| {
        let found = || Bundles::try_find_in(folder.path(), heap);
        assert!(found().expect("an empty folder").is_none());
        write("game.bundle", &old.over(&Bundles::new_in(heap), 4096, heap));
        write(".part.bundle", b"one that is being written");
        let bundles = found().expect("it is whole").expect("one");
        let data = DataFolder::bundled(folder.path(), &bundles).expect("UTF-8");
        let mut resources = Resources::try_open_in(data, heap).expect("a table");
        let [door, arch] = ["door", "arch"].map(|name| ResourceKey::new("text", name));
        assert_eq!(outcome(&mut resources, door), Ok(b"a door".to_vec()));
        let error = resources.load(arch).expect_err("there is none");
        assert!(matches!(error.kind, LoadErrorKind::Unknown), "{error}");
        assert_eq!(resources.reload(&mut |_| {}).expect("a table"), 0);
        write("other.bundle", b"no bundle");
        let error = found().expect_err("one is none").to_string();
        assert!(error.starts_with("bundle `other.bundle`: it was cut"), "{error}");
        write("resources", b"");
        assert!(found().expect("there is a table").is_none());
    });
}

/// Memory that refuses the n-th request leaves nothing.
#[test]
fn memory_that_runs_out_is_an_error_and_nothing_is_kept() {
    use loligo_allocators::{FailingAllocator, Refusals};
    let (old, _) = village();
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new_in("heap", &pages);
    let bytes = {
        let wanted = old.wanted();
        let none = Bundles::new_in(&heap);
        let difference = none.try_difference_in(&wanted, &heap).expect("memory");
        let source = BundleSource {
            platform: "here",
            endian: Endian::NATIVE,
            layer: 0,
            below: 0,
            block_bytes: 4096,
            variants: &difference.variants,
            files: &difference.files,
        };
        old.write(&source, &heap)
    };
    let (mut is_whole, mut refused) = (false, 0);
    for nth in 0..100 {
        let failing = FailingAllocator::new_in("failing", Refusals::Nth(nth), &heap);
        let run = || -> Result<(), loligo_resources::BundleError> {
            let mut bundles = Bundles::new_in(&failing);
            bundles.try_add(Bundle::try_from_bytes_in("a.bundle", &bytes, &failing)?)?;
            bundles.try_settle()?;
            for variant in bundles.variants() {
                bundles.read(variant.file, 0, &mut [0; 8])?;
            }
            Ok(())
        };
        match run() {
            // What grows in place first is moved where that is refused.
            Ok(()) => is_whole = true,
            Err(error) => {
                assert!(matches!(error.kind, BundleErrorKind::Memory(_)), "{error}");
                is_whole = false;
                refused += 1;
            }
        }
        assert_eq!(failing.stats().live, 0, "request {nth}");
    }
    assert!(is_whole && refused > 5, "it ends, after {refused} refusals");
}
