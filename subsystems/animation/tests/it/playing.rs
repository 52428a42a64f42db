//! Any frame by any way, without memory, each byte once.

use loligo_animation::compile::{ClipKeys, CompressOptions};
use loligo_animation::{BoneGroup, ClipTable, Players, Poses, TableError, groups_of};
use proptest::prelude::*;

use crate::clips::{QUICK, chain};
use crate::memory::{every_refusal, with_memory};
use crate::mocap::{MocapTerms, Random, body, clip};
use crate::rig::Rig;
use crate::test_drawn::{check, seeded};

const TERMS: MocapTerms = MocapTerms { seed: 3, frames: 200, rate: 30.0, noise: 0.3, speed: 1.0 };

#[test]
fn any_frame_is_the_same_by_any_way() {
    let ways = prop::collection::vec(-5.0_f32..130.0, 1..60);
    let drawn = (any::<u64>(), 2_usize..120, 0_u32..3, any::<bool>(), 0_u32..9, ways);
    check(seeded(272, 24), &drawn, |(seed, frames, jump_ratio, is_dense, every, ways)| {
        let body = body(false);
        let raw = clip(&body, MocapTerms { seed, frames, ..TERMS });
        let keys = if is_dense { ClipKeys::Dense } else { ClipKeys::Curves };
        let options = CompressOptions { jump_ratio, bound: 1.0e-3, rounds: 2, keys, ..QUICK() };
        with_memory(|memory| {
            let rig = Rig::new(&body, &raw, &options, memory);
            // A track that jumps is a curve nevertheless.
            prop_assert!(is_dense || !rig.clip().is_dense());
            let table = ClipTable::try_new(rig.clip(), &rig.skeleton(), memory).expect("memory");
            let mut restarting =
                ClipTable::try_new(rig.clip(), &rig.skeleton(), memory).expect("memory");
            if every > 0 {
                restarting.try_add_restart_points(every).expect("memory");
            }
            let mut players = Players::try_new(1, &restarting, memory).expect("memory");
            let mut pose = vec![BoneGroup::IDENTITY; groups_of(body.len())];
            let mut wanted = pose.clone();
            for frame in ways {
                players.sample(&restarting, 0, frame, &mut pose);
                // A player that comes from the beginning.
                let mut fresh = Players::try_new(1, &table, memory).expect("memory");
                fresh.sample(&table, 0, frame, &mut wanted);
                prop_assert!(pose == wanted, "frame {}", frame);
                prop_assert_eq!(players.stream_position(0), fresh.stream_position(0));
            }
            Ok(())
        })
    });
}

#[test]
fn forward_playing_reads_each_byte_once_and_backwards_returns() {
    reads_each_byte_once(ClipKeys::Curves);
    reads_each_byte_once(ClipKeys::Dense);
}

fn reads_each_byte_once(keys: ClipKeys) {
    with_memory(|memory| {
        let body = body(false);
        let raw = clip(&body, TERMS);
        let rig = Rig::new(&body, &raw, &CompressOptions { keys, ..QUICK() }, memory);
        assert_eq!(rig.clip().is_dense(), keys == ClipKeys::Dense, "as asked");
        let table = ClipTable::try_new(rig.clip(), &rig.skeleton(), memory).expect("memory");
        let mut players = Players::try_new(1, &table, memory).expect("memory");
        let mut pose = vec![BoneGroup::IDENTITY; groups_of(body.len())];
        let mut positions = Vec::new();
        for half in 0..=398 {
            players.sample(&table, 0, half as f32 / 2.0, &mut pose);
            positions.push(players.stream_position(0));
        }
        assert!(positions.is_sorted(), "it never goes back");
        assert_eq!(positions.last(), Some(&rig.clip().stream_bytes()), "all was read");
        for half in (0..=398).rev() {
            players.sample(&table, 0, half as f32 / 2.0, &mut pose);
            assert_eq!(players.stream_position(0), positions[half], "frame {}", half as f32 / 2.0);
        }
    });
}

#[test]
fn jump_frames_are_used_and_bounded() {
    let body = body(false);
    let raw = clip(&body, MocapTerms { frames: 400, speed: 0.2, ..TERMS });
    // A dense clip begins with one.
    for (keys, least) in [(ClipKeys::Curves, 0), (ClipKeys::Dense, 1)] {
        with_memory(|memory| {
            let rig = Rig::new(&body, &raw, &CompressOptions { keys, ..QUICK() }, memory);
            let (clip, statistics) = (rig.clip(), &rig.statistics);
            assert!(clip.jump_count() > 1 + least, "{statistics}");
            let share = clip.jump_bytes() as f32 / clip.stream_bytes() as f32;
            assert!(share < 0.17, "an eighth of the stream, and where they are: {share}");
            let none = CompressOptions { jump_ratio: 0, keys, ..QUICK() };
            let without = Rig::new(&body, &raw, &none, memory);
            assert_eq!(without.clip().jump_count(), least);
        });
    }
}

#[test]
fn a_crowd_is_played_without_memory() {
    with_memory(|memory| {
        let body = body(false);
        let raw = clip(&body, MocapTerms { frames: 60, ..TERMS });
        let rig = Rig::new(&body, &raw, &QUICK(), memory);
        let table = ClipTable::try_new(rig.clip(), &rig.skeleton(), memory).expect("memory");
        let mut players = Players::try_new(50, &table, memory).expect("memory");
        let mut single = Players::try_new(1, &table, memory).expect("memory");
        let mut poses = Poses::try_new(50, body.len(), memory).expect("memory");
        let mut wanted = vec![BoneGroup::IDENTITY; groups_of(body.len())];
        let before = memory.stats();
        let mut random = Random(9);
        let mut frames: Vec<f32> = (0..50).map(|_| random.between(0.0, 60.0)).collect();
        for _ in 0..30 {
            players.sample_all(&table, &frames, &mut poses);
            for (index, frame) in frames.iter().enumerate() {
                single.sample(&table, 0, *frame, &mut wanted);
                assert!(poses.pose(index) == &*wanted, "character {index} at {frame}");
            }
            frames
                .iter_mut()
                .for_each(|frame| *frame = (*frame + random.between(-2.0, 3.0)).max(0.0));
        }
        let after = memory.stats();
        assert_eq!(format!("{before:?}"), format!("{after:?}"), "nothing was allocated or freed");
    });
}

#[test]
fn what_is_no_frame_is_the_nearest() {
    with_memory(|memory| {
        let body = body(false);
        let raw = clip(&body, MocapTerms { frames: 20, ..TERMS });
        let rig = Rig::new(&body, &raw, &QUICK(), memory);
        let table = ClipTable::try_new(rig.clip(), &rig.skeleton(), memory).expect("memory");
        let mut players = Players::try_new(1, &table, memory).expect("memory");
        let mut at = |frame| {
            let mut pose = vec![BoneGroup::IDENTITY; groups_of(body.len())];
            players.sample(&table, 0, frame, &mut pose);
            pose
        };
        let (first, last) = (at(0.0), at(19.0));
        for frame in [-1.0, f32::NEG_INFINITY, f32::NAN] {
            assert!(at(frame) == first, "{frame}");
        }
        for frame in [19.5, 1.0e9, f32::INFINITY] {
            assert!(at(frame) == last, "{frame}");
        }
    });
}

#[test]
fn a_clip_for_other_bones_is_refused() {
    with_memory(|memory| {
        let raw = clip(&body(false), MocapTerms { frames: 3, ..TERMS });
        let rig = Rig::new(&body(false), &raw, &QUICK(), memory);
        let other = chain(3).build(loligo_containers::Endian::NATIVE).expect("whole");
        let other = loligo_containers::BlobBytes::try_copy(&other, memory).expect("memory");
        let other = loligo_animation::Skeleton::open(&other).expect("a skeleton");
        let error = ClipTable::try_new(rig.clip(), &other, memory).expect_err("other bones");
        assert_eq!(error, TableError::Bones { clip: 22, skeleton: 3 });
    });
}

#[test]
fn memory_may_run_out_anywhere() {
    let body = body(false);
    let raw = clip(&body, MocapTerms { frames: 5, ..TERMS });
    with_memory(|outside| {
        let rig = Rig::new(&body, &raw, &QUICK(), outside);
        let refused = every_refusal(|memory| {
            let mut table = ClipTable::try_new(rig.clip(), &rig.skeleton(), memory)?;
            table.try_add_restart_points(4)?;
            let mut players = Players::try_new(2, &table, memory)?;
            let mut poses = Poses::try_new(2, body.len(), memory)?;
            players.sample_all(&table, &[1.0, 2.5], &mut poses);
            Ok::<(), TableError>(())
        });
        assert!(refused >= 16, "eight allocations in two ways: {refused}");
    });
}
