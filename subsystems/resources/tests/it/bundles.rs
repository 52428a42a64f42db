//! Bundles: what was put is read, and what is damaged is refused by block and resource.

use loligo_allocators::Allocator;
use loligo_containers::Endian;
use loligo_resources::{
    BUNDLE_FORMAT, BlockError, Bundle, BundleErrorKind, BundleSource, BundleWriteError, Bundles,
    ContentHash, DataFolder, LoadErrorKind, ResourceKey, Resources, write_bundle,
};

use crate::packed::{Packed, SharedHeap, payload, with_shared_memory};

const BLOCK: u32 = 4096;

/// Small ones and long ones, of which some are stored as they are.
fn game() -> Packed {
    let mut game = Packed::default();
    for (at, bytes) in [0, 1, 40, 900, 3000, 4000, 4096, 5000, 9000, 20_000].into_iter().enumerate()
    {
        for is_noise in [false, true] {
            let name = format!("parts/{at}{is_noise}");
            game.put(("text", &name), &[], &payload(bytes, at as u64, is_noise));
        }
    }
    game.put(("text", "parts/3true"), &["fr", "noblood"], b"another");
    game
}

/// As few bytes as have every kind of block: each is damaged in turn.
fn small_game() -> Packed {
    let mut game = Packed::default();
    for (name, bytes, is_noise) in [("a", 40, true), ("b", 5000, true), ("c", 300, false)] {
        game.put(("text", name), &[], &payload(bytes, 1, is_noise));
    }
    game.put(("text", "a"), &["fr"], b"another");
    game
}

fn bundle_of(game: &Packed, heap: &SharedHeap<'_>) -> Vec<u8> {
    game.over(&Bundles::new_in(heap), BLOCK, heap)
}

/// Reads every file of a game from a bundle; returns how many can be read. Those that can are right.
fn read_all<A: Allocator + ?Sized>(game: &Packed, bundle: &Bundle<'_, A>) -> usize {
    let read = |(hash, bytes): (ContentHash, u64)| {
        let mut into = vec![0; bytes as usize];
        bundle.read(hash, 0, &mut into).ok()?;
        assert_eq!(Some(&into), game.files.get(&hash.0), "what is read is right");
        Some(())
    };
    bundle.files().filter_map(read).count()
}

#[test]
fn what_was_put_is_read_from_any_place() {
    let game = game();
    with_shared_memory(|heap| {
        let bytes = bundle_of(&game, heap);
        assert_eq!(bytes, bundle_of(&game, heap), "the same bytes each time");
        let bundle = Bundle::try_from_bytes_in("game.bundle", &bytes, heap).expect("it is whole");
        assert_eq!(bundle.validate(), Ok(()));
        assert_eq!(read_all(&game, &bundle), game.files.len());
        for (hash, file) in &game.files {
            for (from, count) in [(0, 1), (15, 33), (4095, 2), (4096, 4096), (8000, 9000)] {
                let mut into = vec![0; count];
                let read = bundle.read(ContentHash(*hash), from as u64, &mut into);
                match file.get(from..from + count) {
                    Some(part) => assert!(read.is_ok() && into == part, "{count} from {from}"),
                    None => assert!(read.is_err(), "{count} from {from} are past the end"),
                }
            }
        }
        assert!(bundle.read(ContentHash([1; 32]), 0, &mut [0]).is_err(), "a file of no bundle");
        assert_eq!(bundle.verify(&mut |damage| panic!("{damage:?}")), Ok(0));
        let [stored, data] = bundle.block_sizes();
        assert!(stored < data, "{stored} of {data} bytes");
    });
}

#[test]
fn threads_read_the_same_blocks_at_the_same_time() {
    let game = game();
    with_shared_memory(|heap| {
        let bytes = bundle_of(&game, heap);
        let bundle = Bundle::try_from_bytes_in("game.bundle", &bytes, heap).expect("it is whole");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(read_all(&game, &bundle), game.files.len()));
            }
        });
    });
}

#[test]
fn every_damaged_byte_is_refused_or_harmless() {
    let game = small_game();
    with_shared_memory(|heap| {
        let whole = bundle_of(&game, heap);
        let (mut refused, mut partly) = (0, 0);
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            let Ok(bundle) = Bundle::try_from_bytes_in("game.bundle", &damaged, heap) else {
                refused += 1;
                continue;
            };
            // What can be read is right, which `read_all` asserts.
            let right = read_all(&game, &bundle);
            let mut named = 0;
            let blocks = bundle.verify(&mut |damage| named += u32::from(damage.resource.is_some()));
            let blocks = blocks.expect("memory");
            assert_eq!(blocks, 1, "byte {at} is found");
            partly += u32::from(right < game.files.len());
            let lost = (game.files.len() - right) as u32;
            assert!(named >= lost, "byte {at}: {named} named, {lost} lost");
        }
        assert!(refused > 128 && partly > 1000, "{refused} refused, {partly} in part");
    });
}

#[test]
fn a_bundle_that_was_cut_is_refused_or_the_rest_works() {
    let game = game();
    with_shared_memory(|heap| {
        let whole = bundle_of(&game, heap);
        let mut most = 0;
        for end in (0..whole.len()).rev().step_by(97) {
            let Ok(bundle) = Bundle::try_from_bytes_in("game.bundle", &whole[..end], heap) else {
                assert!(end < 4096, "its index is whole at {end}");
                continue;
            };
            let right = read_all(&game, &bundle);
            let mut is_cut = false;
            let damage = &mut |damage: loligo_resources::BundleDamage| {
                is_cut |= damage.error == BlockError::Cut;
            };
            assert!(bundle.verify(damage).expect("memory") > 0 && is_cut, "cut at {end}");
            most = most.max(right);
        }
        assert!(most > game.files.len() / 2, "{most} of {} can be read", game.files.len());
    });
}

#[test]
fn a_damaged_block_is_named_with_its_resource() {
    let mut game = Packed::default();
    game.put(("text", "units/door"), &[], &payload(9000, 1, true));
    game.put(("text", "units/wall"), &[], &payload(90, 2, false));
    with_shared_memory(|heap| {
        let mut bytes = bundle_of(&game, heap);
        // The first block is at the first multiple of 4096.
        let noise = &game.files.values().find(|file| file.len() > 4096).expect("the door")[..64];
        let at = bytes.windows(64).position(|part| part == noise).expect("it is stored as it is");
        bytes[at + 5000] ^= 1;
        let mut bundles = Bundles::new_in(heap);
        let bundle = Bundle::try_from_bytes_in("game.bundle", &bytes, heap).expect("its index is");
        bundles.try_add(bundle).expect("memory");
        bundles.try_settle().expect("it is alone");
        let folder = DataFolder::bundled(".".as_ref(), &bundles).expect("UTF-8");
        let mut resources = Resources::try_open_in(folder, heap).expect("a table");
        let door = ResourceKey::new("text", "units/door");
        let error = resources.load(door).expect_err("it is damaged");
        let LoadErrorKind::Bundle(inner) = &error.kind else { panic!("{error}") };
        assert!(
            matches!(inner.kind, BundleErrorKind::Block { error: BlockError::Checksum, .. }),
            "{error}"
        );
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("resource {door}: bundle `game.bundle`: block "))
                && text.ends_with("is damaged: its checksum is another; install it again"),
            "{text}"
        );
        resources.load(ResourceKey::new("text", "units/wall")).expect("the rest works");
    });
}

#[test]
fn bundles_of_either_byte_order_are_read_and_only_ours_played() {
    let game = game();
    with_shared_memory(|heap| {
        let wanted = game.wanted();
        let none = Bundles::new_in(heap);
        let difference = none.try_difference_in(&wanted, heap).expect("memory");
        for endian in [Endian::Little, Endian::Big] {
            let source = BundleSource {
                platform: "there",
                endian,
                layer: 0,
                below: 0,
                block_bytes: BLOCK,
                variants: &difference.variants,
                files: &difference.files,
            };
            let bytes = game.write(&source, heap);
            let bundle = Bundle::try_from_bytes_in("game.bundle", &bytes, heap).expect("whole");
            assert_eq!((bundle.header().endian, bundle.header().platform()), (endian, "there"));
            assert_eq!(read_all(&game, &bundle), game.files.len());
            let mut bundles = Bundles::new_in(heap);
            bundles.try_add(bundle).expect("memory");
            bundles.try_settle().expect("it is alone");
            let folder = DataFolder::bundled(".".as_ref(), &bundles);
            assert_eq!(folder.is_ok(), endian == Endian::NATIVE);
            if let Err(error) = folder {
                assert!(error.to_string().contains("the other byte order"), "{error}");
            }
        }
    });
}

#[test]
fn what_is_not_a_bundle_is_said() {
    with_shared_memory(|heap| {
        let mut bytes = bundle_of(&game(), heap);
        let refusal = |bytes: &[u8]| {
            let opened = Bundle::try_from_bytes_in("game.bundle", bytes, heap);
            opened.err().map(|error| error.to_string()).expect("it is refused")
        };
        assert!(refusal(b"").contains("it was cut: it has 0 bytes"), "{}", refusal(b""));
        assert!(refusal(&[b'x'; 500]).contains("it is not a bundle"));
        let cut = refusal(&bytes[..300]);
        assert!(cut.contains("it was cut: it has 300 bytes, and its index ends at byte "), "{cut}");
        bytes[12..16].copy_from_slice(&(BUNDLE_FORMAT + 1).to_ne_bytes());
        assert!(refusal(&bytes).contains("it is in version 2 of the format"));
    });
}

#[test]
fn a_source_that_is_wrong_is_not_written() {
    with_shared_memory(|heap| {
        let file = (ContentHash([3; 32]), 5);
        let source = BundleSource {
            platform: "here",
            endian: Endian::NATIVE,
            layer: 0,
            below: 0,
            block_bytes: BLOCK,
            variants: &[],
            files: &[file],
        };
        let written = |source: &BundleSource<'_>| {
            let mut out = std::io::Cursor::new(Vec::new());
            write_bundle(source, &mut |_, _| Ok(()), &mut out, heap)
        };
        assert!(written(&source).is_ok());
        for wrong in [
            BundleSource { block_bytes: 5000, ..source },
            BundleSource { platform: "", ..source },
            BundleSource { layer: 1, ..source },
            BundleSource { below: 1, ..source },
            BundleSource { files: &[file, file], ..source },
            BundleSource { files: &[(file.0, 0)], ..source },
        ] {
            let refused = written(&wrong);
            assert!(matches!(refused, Err(BundleWriteError::Source(_))), "{wrong:?}");
        }
    });
}
