//! Damaged skeletons and clips are refused, or harmless.

use loligo_allocators::Allocator;
use loligo_animation::{
    BoneGroup, Clip, ClipTable, Machine, Players, Playhead, Skeleton, bone, groups_of,
};
use loligo_containers::BlobBytes;

use crate::clips::QUICK;
use crate::machine_rig::{ClipTerms, machine_bytes, packed, with_bytes};
use crate::memory::with_memory;
use crate::mocap::{MocapTerms, Random, body, clip};
use crate::rig::Rig;

use loligo_animation::compile::{ClipKeys, CompressOptions, RawEvent};

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
    each_byte_may_be_any_other(ClipKeys::Curves);
    each_byte_may_be_any_other(ClipKeys::Dense);
}

fn each_byte_may_be_any_other(keys: ClipKeys) {
    let body = crate::clips::chain(9);
    let terms = MocapTerms { seed: 8, frames: 40, rate: 30.0, noise: 0.5, speed: 0.1 };
    let mut raw = clip(&body, terms);
    raw.events = vec![RawEvent { frame: 3.5, name: "step".into(), bone: Some(2) }];
    let options = CompressOptions { jump_ratio: 1, bound: 1.0e-3, keys, ..QUICK() };
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
fn each_number_of_a_clip_may_be_an_extreme_one() {
    each_number_may_be_an_extreme_one(ClipKeys::Curves);
    each_number_may_be_an_extreme_one(ClipKeys::Dense);
}

fn each_number_may_be_an_extreme_one(keys: ClipKeys) {
    let body = crate::clips::chain(9);
    let terms = MocapTerms { seed: 8, frames: 40, rate: 30.0, noise: 0.5, speed: 0.1 };
    let options = CompressOptions { jump_ratio: 1, bound: 1.0e-3, keys, ..QUICK() };
    with_memory(|memory| {
        let rig = Rig::new(&body, &clip(&body, terms), &options, memory);
        let mut refused = 0;
        for at in 0..rig.clip.len() / 4 {
            for number in [0, i32::MAX as u32, i32::MIN as u32, u32::MAX - 1, u32::MAX] {
                let mut spoiled = rig.clip.to_vec();
                spoiled[4 * at..4 * at + 4].copy_from_slice(&number.to_le_bytes());
                let spoiled = BlobBytes::try_copy(&spoiled, memory).expect("memory");
                match Clip::open(&spoiled) {
                    Ok(clip) => play(clip, &rig.skeleton()),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > 100, "{refused} were refused");
    });
}

#[test]
fn several_bytes_of_a_clip_may_be_any_others() {
    several_bytes_may_be_any_others(ClipKeys::Curves);
    several_bytes_may_be_any_others(ClipKeys::Dense);
}

fn several_bytes_may_be_any_others(keys: ClipKeys) {
    let body = body(false);
    let terms = MocapTerms { seed: 4, frames: 50, rate: 30.0, noise: 0.5, speed: 0.5 };
    let options = CompressOptions { jump_ratio: 1, bound: 1.0e-3, keys, ..QUICK() };
    with_memory(|memory| {
        let rig = Rig::new(&body, &clip(&body, terms), &options, memory);
        assert_eq!(rig.clip().is_dense(), keys == ClipKeys::Dense, "as asked");
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

/// A machine with everything that one can have.
const MACHINE: &str = "
skeleton = \"chain\"
root = \"bone 0\"
variables = { speed = 0 side = 0.5 }
clips = { a = { clip = \"a\" marks = [ 4 20 ] } b = { clip = \"b\" marks = [ 12 2 ] } c = \"c\" }
masks = { upper = [ { bone = \"bone 1\" weight = 0.5 } ] }
layers = [
    {
        name = \"base\"
        start = \"move\"
        states = {
            one = { clip = \"c\" loops = false }
            move = { along = \"speed\" points = [ { clip = \"a\" at = 0 } { clip = \"b\" at = 2 } ] }
            list = { clips = [ { clip = \"a\" weight = \"1 - side\" } { clip = \"b\" weight = \"side\" } ] }
        }
        transitions = [
            { from = \"move\" to = \"list\" if = \"speed > 1\" sync = true seconds = 0.4 }
            { from = \"list\" to = \"one\" event = \"e\" seconds = 0.1 }
            { from = \"one\" to = \"move\" when = \"end\" if = \"state.time > 0.1\" start = 0.5 }
        ]
    }
    {
        name = \"over\" additive = true mask = \"upper\" weight = \"side\"
        states = { plane = { along = [ \"speed\" \"side\" ] points = [
            { clip = \"c\" at = [ 0 0 ] } { clip = \"c\" at = [ 1 0 ] } { clip = \"c\" at = [ 0 1 ] }
            { clip = \"c\" at = [ 2 2 ] } ] } }
    }
]";

/// The clips of the machine: their last frames and events.
fn machine_clips() -> [ClipTerms; 3] {
    [("a", 32, 32.0, vec![(7.0, "e")]), ("b", 21, 32.0, vec![(17.0, "e")]), ("c", 9, 32.0, vec![])]
}

/// Steps a machine of bytes that may be damaged: all stays finite, and weights add up.
fn step_all(bytes: &[u8], clips: &[Vec<u8>], memory: &dyn Allocator) -> Result<(), String> {
    with_bytes(bytes, clips, memory, |rig| {
        let variables = rig.table.machine().variable_count();
        for step in 0..12_u8 {
            for variable in 0..variables {
                rig.machines.set(0, variable, f32::from(step % 5) * 0.6);
            }
            for (.., weight, since) in rig.step([0.1, 0.01, 0.7][usize::from(step % 3)]) {
                assert!((0.0..=1.01).contains(&weight) && since >= 0.0, "{weight} {since}");
            }
            for layer in 0..rig.table.machine().layer_count() {
                let samples = rig.samples(layer);
                let sum: f32 = samples.iter().map(|(.., weight)| weight).sum();
                assert!((sum - 1.0).abs() < 1.0e-3, "{samples:?}");
                for (clip, frame, _) in samples {
                    let last = [32.0, 21.0, 9.0][usize::from(clip)];
                    assert!((0.0..=last).contains(&frame), "{frame} of {last}");
                }
            }
            let way = rig.machines.way(0);
            assert!(way.position.is_finite() && way.rotation.is_finite(), "{way:?}");
        }
    })
}

#[test]
fn each_byte_of_a_machine_may_be_any_other() {
    let whole = machine_bytes(MACHINE).expect("it is whole");
    let clips = packed(&machine_clips());
    with_memory(|memory| {
        step_all(&whole, &clips, memory).expect("it is whole");
        let (mut refused, mut played) = (0, 0);
        for at in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut spoiled = whole.clone();
                spoiled[at] ^= change;
                match step_all(&spoiled, &clips, memory) {
                    Ok(()) => played += 1,
                    Err(error) => {
                        assert!(error.contains("; "), "a remedy: {error}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 100 && played > 100, "{refused} were refused, {played} played");
        for length in 0..whole.len() {
            let short = BlobBytes::try_copy(&whole[..length], memory).expect("memory");
            assert!(Machine::open(&short).is_err(), "{length} bytes");
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
