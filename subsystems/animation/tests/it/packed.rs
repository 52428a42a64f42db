//! Packed clips: expanded to the same, whole or in parts, played while they load; damage, and refused memory.

use loligo_allocators::Allocator;
use loligo_animation::compile::{ClipKeys, CompressOptions, CompressedClip, RawSkeleton, compress};
use loligo_animation::{
    BoneGroup, Clip, ClipTable, LoadingClip, LoadingError, Players, Skeleton, StoredClip,
    StoredClipError, groups_of,
};
use loligo_containers::{BlobBytes, Endian};
use proptest::prelude::*;

use crate::clips::QUICK;
use crate::memory::{every_refusal, with_memory};
use crate::mocap::{MocapTerms, body, clip};
use crate::test_drawn::{check, seeded};

const TERMS: MocapTerms = MocapTerms { seed: 5, frames: 150, rate: 30.0, noise: 0.3, speed: 1.0 };

/// Returns a dense clip, and its packed form if that has fewer bytes.
fn compressed(
    body: &RawSkeleton,
    terms: MocapTerms,
    jump_ratio: u32,
) -> (CompressedClip, Option<Vec<u8>>) {
    let keys = ClipKeys::Dense;
    let options = CompressOptions { jump_ratio, bound: 1.0e-3, rounds: 2, keys, ..QUICK() };
    let found = compress(body, &clip(body, terms), &options).expect("it can be compressed");
    assert!(found.statistics.is_dense, "as asked");
    let packed = found.packed.clone();
    let stored = packed.as_ref().unwrap_or(&found.bytes);
    assert_eq!(stored.len(), found.statistics.stored_bytes, "the shorter one is stored");
    (found, packed)
}

/// Returns a dense clip that is long enough to be packed, and that.
fn packed(body: &RawSkeleton, terms: MocapTerms, jump_ratio: u32) -> (CompressedClip, Vec<u8>) {
    let (found, packed) = compressed(body, terms, jump_ratio);
    (found, packed.expect("it has fewer bytes"))
}

/// The poses of a clip at some frames, each by a player that comes from the one before.
fn poses(clip: Clip<'_>, skeleton: &Skeleton<'_>, memory: &dyn Allocator) -> Vec<Vec<BoneGroup>> {
    let table = ClipTable::try_new(clip, skeleton, memory).expect("memory");
    let mut players = Players::try_new(1, &table, memory).expect("memory");
    let last = clip.last_frame() as f32;
    let mut frames: Vec<f32> = (0..=2 * clip.last_frame()).map(|half| half as f32 * 0.5).collect();
    frames.extend([last, 0.0, 0.71 * last, 0.3 * last, 0.9 * last, 1.5]);
    let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
    let sampled = frames.into_iter().map(|frame| {
        players.sample(&table, 0, frame, &mut pose);
        pose.clone()
    });
    sampled.collect()
}

#[test]
fn packed_clips_expand_to_the_same() {
    for (frames, jump_ratio) in [(20, 8), (31, 0), (32, 1), (33, 8), (64, 2), (65, 0), (200, 1)] {
        let body = body(false);
        let (found, packed) = compressed(&body, MocapTerms { frames, ..TERMS }, jump_ratio);
        let Some(packed) = packed else {
            assert!(frames <= 32, "{frames} frames: what is packed is no shorter");
            continue;
        };
        with_memory(|memory| {
            let skeleton = BlobBytes::try_copy(&body.build(Endian::NATIVE).unwrap(), memory);
            let (skeleton, bytes) = (skeleton.unwrap(), BlobBytes::try_copy(&found.bytes, memory));
            let bytes = bytes.expect("memory");
            let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
            let ready = Clip::open(&bytes).expect("a clip");
            let stored = StoredClip::try_new(&packed, memory).expect("it is whole");
            let expanded = stored.clip().expect("it is whole");
            expanded.verify().expect("as one that was never packed");
            assert_eq!(expanded.last_ready(), expanded.last_frame());
            let sizes = |clip: &Clip<'_>| {
                let streams = [clip.stream_bytes(), clip.jump_bytes(), clip.jump_count()];
                (streams, clip.key_count(), clip.track_count(), clip.events().len())
            };
            assert_eq!(sizes(&expanded), sizes(&ready), "{frames} frames");
            let same = poses(expanded, &skeleton, memory) == poses(ready, &skeleton, memory);
            assert!(same, "{frames} frames, a jump frame after {jump_ratio} times its bytes");
        });
    }
}

#[test]
fn a_clip_plays_while_it_loads() {
    let body = body(false);
    let cuts = prop::collection::vec(0.0_f64..1.0, 1..7);
    let asked = prop::collection::vec(-3.0_f32..170.0, 4..16);
    let (found, packed) = packed(&body, TERMS, 1);
    check(seeded(27, 16), &(cuts, asked), |(cuts, asked)| {
        with_memory(|memory| {
            let skeleton = BlobBytes::try_copy(&body.build(Endian::NATIVE).unwrap(), memory);
            let (skeleton, bytes) = (skeleton.unwrap(), BlobBytes::try_copy(&found.bytes, memory));
            let bytes = bytes.expect("memory");
            let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
            let whole = ClipTable::try_new(Clip::open(&bytes).expect("a clip"), &skeleton, memory);
            let whole = whole.expect("memory");
            let mut wanted = vec![BoneGroup::IDENTITY; groups_of(body.len())];
            let mut pose = wanted.clone();
            let mut loading = LoadingClip::new(memory);
            let (mut players, mut held) = (None, 0);
            let mut ends: Vec<usize> =
                cuts.iter().map(|part| (part * packed.len() as f64) as usize).collect();
            ends.push(packed.len());
            ends.sort_unstable();
            let mut begin = 0;
            for end in ends {
                loading.try_feed(&packed[begin..end], &skeleton).expect("it is right");
                begin = end;
                let Some(clip) = loading.clip() else { continue };
                let players = match &mut players {
                    Some(players) => players,
                    none => none.insert(loading.try_players(1).expect("memory").expect("there")),
                };
                for frame in &asked {
                    loading.sample(players, 0, *frame, &mut pose);
                    let ready = frame.min(clip.last_ready() as f32);
                    held += u64::from(ready < *frame && clip.last_ready() < clip.last_frame());
                    prop_assert_eq!(players.held_count(), held);
                    let mut fresh = Players::try_new(1, &whole, memory).expect("memory");
                    fresh.sample(&whole, 0, ready, &mut wanted);
                    prop_assert!(pose == wanted, "frame {} of {}", frame, clip.last_ready());
                }
            }
            loading.try_end(&skeleton).expect("it is whole");
            prop_assert!(loading.is_whole());
            Ok(())
        })
    });
}

#[test]
fn each_block_brings_frames() {
    let body = body(false);
    let (_, packed) = packed(&body, TERMS, 8);
    with_memory(|memory| {
        let skeleton = BlobBytes::try_copy(&body.build(Endian::NATIVE).unwrap(), memory).unwrap();
        let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
        let mut loading = LoadingClip::new(memory);
        let mut ready = Vec::new();
        for byte in &packed {
            loading.try_feed(core::slice::from_ref(byte), &skeleton).expect("it is right");
            ready.extend(loading.clip().map(|clip| clip.last_ready()));
        }
        ready.dedup();
        assert_eq!(ready, [29, 61, 93, 125, 149], "32 frames each, without the last two");
        assert!(loading.is_whole());
        let error = loading.try_feed(&[0], &skeleton).expect_err("it was whole");
        assert!(error.to_string().contains("`packed` must be as long as it says"), "{error}");
    });
}

#[test]
fn a_clip_that_is_not_packed_comes_in_parts_as_well() {
    let body = body(false);
    let (found, _) = packed(&body, MocapTerms { frames: 40, ..TERMS }, 8);
    with_memory(|memory| {
        let skeleton = BlobBytes::try_copy(&body.build(Endian::NATIVE).unwrap(), memory).unwrap();
        let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
        let mut loading = LoadingClip::new(memory);
        for part in found.bytes.chunks(7) {
            loading.try_feed(part, &skeleton).expect("it is right");
            assert!(loading.clip().is_none() && loading.try_players(1).unwrap().is_none());
        }
        loading.try_end(&skeleton).expect("it is right");
        assert_eq!(loading.clip().map(|clip| clip.last_ready()), Some(39));
        let mut short = LoadingClip::new(memory);
        short.try_feed(&found.bytes[..99], &skeleton).expect("as far as it goes");
        let error = short.try_end(&skeleton).expect_err("it is not whole");
        assert!(error.to_string().starts_with("no compiled clip: "), "{error}");
    });
}

#[test]
fn each_byte_of_a_packed_clip_may_be_any_other() {
    let body = crate::clips::chain(9);
    let terms = MocapTerms { seed: 8, frames: 40, rate: 30.0, noise: 0.5, speed: 0.1 };
    let (_, whole) = packed(&body, terms, 1);
    with_memory(|memory| {
        let skeleton = BlobBytes::try_copy(&body.build(Endian::NATIVE).unwrap(), memory).unwrap();
        let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
        let (mut refused, mut played) = (0, 0);
        for at in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut spoiled = whole.clone();
                spoiled[at] ^= change;
                match StoredClip::try_new(&spoiled, memory) {
                    Ok(stored) => {
                        let clip = stored.clip().expect("it is whole");
                        clip.verify().expect("what is expanded is right");
                        let table = ClipTable::try_new(clip, &skeleton, memory);
                        if let Ok(table) = table {
                            let mut players = Players::try_new(1, &table, memory).expect("memory");
                            let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
                            for frame in [0.0, 17.5, 39.0, 3.0] {
                                players.sample(&table, 0, frame, &mut pose);
                            }
                        }
                        played += 1;
                    }
                    Err(StoredClipError::Data(error)) => {
                        assert!(error.to_string().ends_with("; recompile it"), "{error}");
                        refused += 1;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
        // All of the blocks, and much of the head.
        assert!(refused > 3 * whole.len() / 2, "{refused} of {} were refused", 3 * whole.len());
        assert!(played > 100, "{played} were played");
        for length in 0..whole.len() {
            let error = StoredClip::try_new(&whole[..length], memory).expect_err("it is short");
            assert!(matches!(error, StoredClipError::Data(_)), "{length} bytes: {error}");
        }
    });
}

#[test]
fn a_few_bytes_do_not_ask_for_all_memory() {
    let body = body(false);
    let (_, whole) = packed(&body, MocapTerms { frames: 33, ..TERMS }, 8);
    with_memory(|memory| {
        // The last frame is the second word of the root, after the headers of the file and the blob.
        let mut spoiled = whole.clone();
        assert_eq!(spoiled[32 + 48 + 4..][..4], 32_u32.to_ne_bytes(), "where the last frame is");
        spoiled[32 + 48 + 4..][..4].copy_from_slice(&60_000_u32.to_ne_bytes());
        let error = StoredClip::try_new(&spoiled, memory).expect_err("no byte has 1000 numbers");
        assert!(error.to_string().contains("256 numbers a byte"), "{error}");
    });
}

#[test]
fn memory_that_is_refused_is_an_error() {
    let body = body(false);
    let (_, whole) = packed(&body, MocapTerms { frames: 70, ..TERMS }, 1);
    let skeleton = body.build(Endian::NATIVE).expect("it is whole");
    let refusals = every_refusal(|memory| {
        let stored = StoredClip::try_new(&whole, memory);
        let is_memory = |error: &StoredClipError| matches!(error, StoredClipError::Memory(_));
        stored.inspect_err(|error| assert!(is_memory(error), "{error}"))?;
        Ok::<(), StoredClipError>(())
    });
    assert!(refusals > 20, "{refusals}");
    with_memory(|enough| {
        let skeleton = BlobBytes::try_copy(&skeleton, enough).expect("memory");
        let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
        every_refusal(|memory| {
            let mut loading = LoadingClip::new(memory);
            for part in whole.chunks(500) {
                loading.try_feed(part, &skeleton)?;
            }
            loading.try_end(&skeleton)
        });
    });
    let other = crate::clips::chain(3).build(Endian::NATIVE).expect("it is whole");
    with_memory(|memory| {
        let skeleton = BlobBytes::try_copy(&other, memory).expect("memory");
        let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
        let error = LoadingClip::new(memory).try_feed(&whole, &skeleton).expect_err("other bones");
        assert!(matches!(error, LoadingError::Table(_)), "{error}");
    });
}
