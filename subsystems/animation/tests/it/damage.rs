//! Damaged skeletons and clips are refused, or harmless.

use loligo_animation::{BoneGroup, Clip, ClipTable, Players, Playhead, Skeleton, bone, groups_of};
use loligo_containers::BlobBytes;

use crate::clips::QUICK;
use crate::memory::with_memory;
use crate::mocap::{MocapTerms, Random, body, clip};
use crate::rig::Rig;

use loligo_animation::compile::{CompressOptions, RawEvent};

/// Plays a clip to and fro; all bones must stay finite.
fn play(clip: Clip<'_>, skeleton: &Skeleton<'_>) {
    with_memory(|memory| {
        let Ok(table) = ClipTable::try_new(clip, skeleton, memory) else { return };
        let mut players = Players::try_new(1, &table, memory).expect("memory");
        let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
        let last = clip.last_frame() as f32;
        let mut playhead = Playhead::new(last, true);
        playhead.step(3.0 * last).each_event(&clip, |event| {
            assert!((0.0..=last).contains(&event.frame), "{event:?}");
            assert!(event.bone.is_none_or(|bone| bone < skeleton.len()), "{event:?}");
        });
        for frame in [0.0, 1.5, last, 2.0, last / 2.0, last / 3.0, last, 0.0] {
            players.sample(&table, 0, frame, &mut pose);
            for index in 0..skeleton.len() {
                let found = bone(&pose, index);
                assert!(found.position.is_finite() && found.scale.is_finite(), "{found:?}");
                assert!((found.rotation.length() - 1.0).abs() < 0.01, "{found:?}");
            }
        }
    });
}

#[test]
fn each_byte_of_a_clip_may_be_any_other() {
    let body = crate::clips::chain(9);
    let terms = MocapTerms { seed: 8, frames: 40, rate: 30.0, noise: 0.5, speed: 0.1 };
    let mut raw = clip(&body, terms);
    raw.events = vec![RawEvent { frame: 3.5, name: "step".into(), bone: Some(2) }];
    let options = CompressOptions { jump_ratio: 1, bound: 1.0e-3, ..QUICK() };
    with_memory(|memory| {
        let rig = Rig::new(&body, &raw, &options, memory);
        assert!(rig.clip().jump_count() > 0, "{}", rig.statistics);
        let (mut refused, mut played) = (0, 0);
        let whole = rig.clip.to_vec();
        for at in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut spoiled = whole.clone();
                spoiled[at] ^= change;
                let spoiled = BlobBytes::try_copy(&spoiled, memory).expect("memory");
                match Clip::open(&spoiled) {
                    Ok(clip) => {
                        play(clip, &rig.skeleton());
                        played += 1;
                    }
                    Err(error) => {
                        assert!(error.to_string().ends_with("; recompile it"), "{error}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 100 && played > 100, "{refused} were refused, {played} played");
        for length in 0..whole.len() {
            let short = BlobBytes::try_copy(&whole[..length], memory).expect("memory");
            assert!(Clip::open(&short).is_err(), "{length} bytes");
        }
    });
}

#[test]
fn several_bytes_of_a_clip_may_be_any_others() {
    let body = body(false);
    let terms = MocapTerms { seed: 4, frames: 50, rate: 30.0, noise: 0.5, speed: 0.5 };
    let options = CompressOptions { jump_ratio: 1, bound: 1.0e-3, ..QUICK() };
    with_memory(|memory| {
        let rig = Rig::new(&body, &clip(&body, terms), &options, memory);
        let mut random = Random(12);
        let mut played = 0;
        for _ in 0..3000 {
            let mut spoiled = rig.clip.to_vec();
            for _ in 0..1 + (random.between(0.0, 4.0) as usize) {
                let at = random.between(0.0, spoiled.len() as f32) as usize;
                let at = at.min(spoiled.len() - 1);
                spoiled[at] = random.between(0.0, 256.0) as u8;
            }
            let spoiled = BlobBytes::try_copy(&spoiled, memory).expect("memory");
            if let Ok(clip) = Clip::open(&spoiled) {
                play(clip, &rig.skeleton());
                played += 1;
            }
        }
        assert!(played > 100, "{played} were played");
    });
}

#[test]
fn each_byte_of_a_skeleton_may_be_any_other() {
    let body = body(false);
    let terms = MocapTerms { seed: 8, frames: 2, rate: 30.0, noise: 0.5, speed: 0.1 };
    with_memory(|memory| {
        let rig = Rig::new(&body, &clip(&body, terms), &QUICK(), memory);
        let whole = rig.skeleton.to_vec();
        for at in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut spoiled = whole.clone();
                spoiled[at] ^= change;
                let spoiled = BlobBytes::try_copy(&spoiled, memory).expect("memory");
                let Ok(skeleton) = Skeleton::open(&spoiled) else { continue };
                let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
                skeleton.write_bind(&mut pose);
                for index in 0..skeleton.len() {
                    let bind = skeleton.bind(index);
                    assert!(bind.position.is_finite() && bind.scale.is_finite(), "{bind:?}");
                    assert!((bind.rotation.length() - 1.0).abs() < 0.01, "{bind:?}");
                }
                let mut spaces = vec![glam::Affine3A::IDENTITY; skeleton.len()];
                skeleton.write_matrices(&pose, &mut spaces);
                skeleton.write_skin(&mut spaces);
            }
        }
    });
}

#[test]
fn a_fault_is_named() {
    with_memory(|memory| {
        let body = body(false);
        let terms = MocapTerms { seed: 8, frames: 30, rate: 30.0, noise: 0.5, speed: 0.1 };
        let rig = Rig::new(&body, &clip(&body, terms), &QUICK(), memory);
        let spoil = |whole: &[u8], from: &[u8], to: &[u8]| {
            let at = whole.windows(from.len()).position(|part| part == from).expect("it is there");
            let mut spoiled = whole.to_vec();
            spoiled[at..at + to.len()].copy_from_slice(to);
            BlobBytes::try_copy(&spoiled, memory).expect("memory")
        };
        let rate = spoil(&rig.clip, &30.0_f32.to_ne_bytes(), &(-30.0_f32).to_ne_bytes());
        let error = Clip::open(&rate).expect_err("a rate below zero").to_string();
        assert!(error.contains("`rate` must be from 0.001 to 10000"), "{error}");
        let parents = [u16::MAX, 0, 1].map(u16::to_ne_bytes).concat();
        let ring = [u16::MAX, 2, 1].map(u16::to_ne_bytes).concat();
        let error = Skeleton::open(&spoil(&rig.skeleton, &parents, &ring)).expect_err("a ring");
        let error = error.to_string();
        assert!(
            error.contains("`parents` must be those of bones before the child, and is 1"),
            "{error}"
        );
    });
}
