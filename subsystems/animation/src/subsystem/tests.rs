//! Bones that are handed over and taken back, and feet on the ground.

use std::vec::Vec;

use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::{Allocator as _, PageAllocator};
use loligo_containers::{Endian, EventStream};
use loligo_entities::{Entity, Pose};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{Frame, Phase, Places, ResourceChange, Subsystem as _};
use loligo_tasks::{Settings, Tasks};

use super::body::Body;
use super::description::{CLIP_WORDS, FEET_SHIFT, FOOT_WORDS, HEAD, LOOPS};
use super::*;
use crate::compile::{CompressOptions, RawClip, RawSkeleton, compress};
use crate::motion::Playhead;

/// An entity that stays where it is: turned, and off the middle of the world.
struct Still;

const AT: Vec3 = Vec3::new(5.0, 2.0, -3.0);

fn own() -> Pose {
    Pose { position: AT, rotation: Quat::from_rotation_y(0.7), scale: Vec3::ONE }
}

impl Places for Still {
    fn pose(&self, _: Entity) -> Option<Pose> {
        Some(own())
    }

    fn matrix(&self, _: Entity) -> Option<Affine3A> {
        Some(Affine3A::from_rotation_translation(own().rotation, own().position))
    }

    fn set_poses(&mut self, _: &[Entity], _: &[Pose]) {}
}

/// Hips, and two legs that are bent a little; a tail that turns around y by a radian a second, with
/// a tip.
const BONES: [(&str, Option<usize>, Vec3); 9] = [
    ("hips", None, Vec3::new(0.0, 1.0, 0.0)),
    ("thigh.l", Some(0), Vec3::new(0.1, 0.0, 0.0)),
    ("shin.l", Some(1), Vec3::new(0.0, -0.45, 0.05)),
    ("foot.l", Some(2), Vec3::new(0.0, -0.45, -0.05)),
    ("thigh.r", Some(0), Vec3::new(-0.1, 0.0, 0.0)),
    ("shin.r", Some(4), Vec3::new(0.0, -0.45, 0.05)),
    ("foot.r", Some(5), Vec3::new(0.0, -0.45, -0.05)),
    ("tail", Some(0), Vec3::new(0.0, 0.0, -0.5)),
    ("tip", Some(7), Vec3::new(0.0, 0.0, -0.5)),
];

fn body() -> RawSkeleton {
    let mut raw = RawSkeleton::default();
    for (name, above, at) in BONES {
        raw.add(name, above, Pose::at(at));
    }
    raw
}

fn words() -> Vec<u32> {
    let mut words = std::vec![0; HEAD];
    let put = |words: &mut [u32], name: &str| {
        let hash = IdString64::new(name).hash();
        (words[0], words[1]) = (hash as u32, (hash >> 32) as u32);
    };
    put(&mut words[1..3], "body");
    words[9] = 1.0_f32.to_bits();
    (words[14], words[15]) = (1, 2 << FEET_SHIFT);
    let mut clip = [IdString32::new("swing").hash(), 0, 0, LOOPS, 0];
    put(&mut clip[1..3], "swing");
    words.extend(clip);
    for foot in ["foot.l", "foot.r"] {
        words.extend([IdString32::new(foot).hash(), 0.5_f32.to_bits()]);
    }
    words[0] = words.len() as u32;
    assert_eq!(words.len(), HEAD + CLIP_WORDS + 2 * FOOT_WORDS, "the words of a component");
    words
}

/// A character, and what is sent to it and by it.
struct Stage<'s, 'm> {
    animation: Animation<'m>,
    frame: Frame<'s>,
    entity: Entity,
}

impl<'m> Stage<'_, 'm> {
    /// Goes on by a 64th of a second, and returns the events of a type.
    fn step<E: Event>(&mut self) -> Vec<E> {
        self.animation.step(Phase::Simulate, &mut self.frame).expect("memory");
        let events = self.animation.events().expect("it has some");
        let found = events.iter().filter_map(|record| record.get::<E>()).collect();
        events.clear();
        found
    }

    fn send<E: Event>(&mut self, command: E) {
        let memory = PageAllocator::new("commands");
        let mut stream = EventStream::new_in(&memory);
        stream.try_push(command).expect("memory");
        for record in &stream {
            self.animation.command(&record).expect("memory");
        }
    }

    fn body(&mut self) -> &mut Body<'m> {
        self.animation.body_of(self.entity.to_bits()).expect("it is there")
    }

    /// Returns where a bone is in the world.
    fn place(&mut self, bone: &str) -> Pose {
        self.animation.bone(self.entity, IdString32::new(bone)).expect("it is there")
    }

    /// Answers what was asked for: each foot has its height, in the world.
    fn answer(&mut self, asked: &[FootAsked], heights: [Option<f32>; 2], normal: Vec3) {
        for (ask, height) in asked.iter().zip(heights) {
            let at = [ask.from[0], height.unwrap_or(0.0), ask.from[2]];
            let (asker, hit) = (ask.asker, u32::from(height.is_some()));
            self.send(FootAnswered { asker, hit, at, normal: normal.to_array(), material: 0 });
        }
    }

    /// Saves and loads it; its state is the same.
    fn save_and_load(&mut self) {
        let mut saved = Array::new_in(self.animation.characters.memory());
        self.animation.save(&mut saved).expect("memory");
        let hash = self.animation.state_hash();
        for length in 0..saved.len() {
            // What is torn may be of whole words, and is refused.
            assert!(self.animation.load(&saved[..length]).is_err() || length == 0, "{length}");
        }
        self.animation.load(&saved).expect("it was saved");
        assert_eq!(self.animation.state_hash(), hash, "as it was saved");
        self.animation.prepare().expect("memory");
    }
}

/// Runs a test with a character that swings its tail.
fn with_stage(test: impl FnOnce(&mut Stage<'_, '_>)) {
    let memory = PageAllocator::new("animation");
    {
        let raw = body();
        let sample = |frame: usize, bone: usize| {
            let turn = if bone == 7 { frame as f32 / 32.0 } else { 0.0 };
            Pose { rotation: Quat::from_rotation_y(turn), ..raw.bind[bone] }
        };
        let samples = (0..65).flat_map(|frame| (0..BONES.len()).map(move |bone| (frame, bone)));
        let samples = samples.map(|(frame, bone)| sample(frame, bone)).collect();
        let clip = RawClip { rate: 32.0, samples, ..RawClip::default() };
        let clip = compress(&raw, &clip, &CompressOptions::default()).expect("it is whole");
        let skeleton = raw.build(Endian::NATIVE).expect("it is whole");
        let mut animation = Animation::new(&memory);
        for (kind, name, payload) in
            [(SKELETON_TYPE, "body", &skeleton), (CLIP_TYPE, "swing", &clip.bytes)]
        {
            let (type_hash, name) = (IdString64::new(kind), IdString64::new(name));
            let change =
                ResourceChange { type_hash, name, debug_name: "", payload, is_changed: false };
            animation.resource(&change).expect("it is compiled");
        }
        let words = words();
        let (of, _) = description::Description::read(&words).expect("it is whole");
        let entity = Entity::from_bits(0x0100_0003).expect("an entity");
        let rig = animation.characters.rig_of(&of).expect("memory");
        let mut body = Body::new(entity, rig, &memory);
        body.voices[0].begin(0, Playhead::new(64.0, true), 1.0);
        animation.characters.add(body).expect("memory");
        animation.prepare().expect("memory");
        let settings = Settings { tasks: 64, workers: Some(0), ..Settings::default() };
        let mut tasks = Tasks::try_new(&settings, &memory).expect("threads");
        tasks.run(|worker| {
            let (mut still, step) = (Still, 1_000_000_000 / 64);
            let places = &mut still;
            let frame = Frame { number: 0, now: 0, step, worker, places, views: &[] };
            test(&mut Stage { animation, frame, entity });
        });
    }
    assert_eq!(memory.stats().live, 0, "blocks were never given back");
}

fn near(a: Vec3, b: Vec3) -> bool {
    (a - b).length() < 2.0e-3
}

#[test]
fn released_bones_go_on_as_they_moved() {
    with_stage(|stage| {
        stage.step::<ClipEnded>();
        let tail = IdString32::new("tail").hash();
        stage.send(PlaceBone { entity: 0x0100_0003, bone: tail, at: [0.0; 3], turn: [0.0; 4] });
        let before = stage.place("tail");
        stage.body().hand_over.is_due = true;
        let released = stage.step::<BoneReleased>();
        assert_eq!(released.len(), BONES.len());
        let tip = stage.place("tip").position - stage.place("tail").position;
        for (bone, (name, ..)) in released.iter().zip(BONES) {
            let place = stage.place(name);
            assert_eq!(bone.bone, IdString32::new(name).hash());
            assert_eq!(bone.entity, stage.entity.to_bits());
            assert!(near(Vec3::from_array(bone.at), place.position), "{name}: {bone:?}");
            let [speed, spin] = match name {
                "tail" => [Vec3::ZERO, Vec3::Y],
                "tip" => [Vec3::Y.cross(tip), Vec3::Y],
                _ => [Vec3::ZERO; 2],
            };
            let off = Vec3::from_array(bone.speed) - speed;
            assert!(off.length() < 0.02, "{name}: {bone:?}, not {speed}");
            assert!((Vec3::from_array(bone.spin) - spin).length() < 0.1, "{name}: {bone:?}");
        }
        assert!(before.rotation.angle_between(stage.place("tail").rotation) > 0.01);
        assert_eq!(stage.step::<BoneReleased>(), [], "once");
    });
}

#[test]
fn bones_are_where_they_are_placed_and_come_back() {
    with_stage(|stage| {
        let entity = stage.entity.to_bits();
        let place = |name: &str, at: Vec3, turn: Quat| PlaceBone {
            entity,
            bone: IdString32::new(name).hash(),
            at: at.to_array(),
            turn: turn.to_array(),
        };
        let (hips, foot) = (Vec3::new(6.0, 0.2, -3.0), Vec3::new(6.5, 0.1, -2.0));
        let turn = Quat::from_rotation_z(1.2);
        stage.step::<ClipEnded>();
        let animated = stage.place("hips");
        stage.send(place("hips", hips, turn));
        assert_eq!(stage.place("hips"), animated, "nothing was released");
        stage.body().hand_over.is_due = true;
        stage.save_and_load();
        stage.step::<BoneReleased>();
        // The order does not matter, nor names that there are not.
        stage.send(place("foot.l", foot, turn));
        stage.send(place("wing", foot, turn));
        stage.send(place("hips", hips, turn));
        stage.send(place("hips", Vec3::NAN, turn));
        for _ in 0..3 {
            let [at_hips, at_foot] = ["hips", "foot.l"].map(|bone| stage.place(bone));
            assert!(near(at_hips.position, hips) && near(at_foot.position, foot), "{at_hips:?}");
            assert!(at_foot.rotation.angle_between(turn) < 1.0e-3, "{at_foot:?}");
            // What was not placed is where it is among what is above it.
            let tail = at_hips.place(&Pose::at(BONES[7].2)).position;
            assert!(near(stage.place("tail").position, tail));
            stage.save_and_load();
            stage.step::<ClipEnded>();
        }
        let (center, radius) = stage.body().hand_over.sphere().expect("it is somewhere");
        assert!(center.distance(hips) <= radius + 1.0e-3);
        stage.body().hand_over.take_back(0.5);
        stage.send(place("hips", foot, turn));
        (0..16).for_each(|_| drop(stage.step::<ClipEnded>()));
        let half = stage.place("hips").position;
        assert!(near(half, (hips + animated.position) * 0.5), "half way: {half}");
        stage.save_and_load();
        (0..16).for_each(|_| drop(stage.step::<ClipEnded>()));
        assert!(!stage.body().hand_over.is_released());
        assert!(near(stage.place("hips").position, animated.position));
        stage.save_and_load();
    });
}

#[test]
fn feet_are_put_on_the_ground() {
    with_stage(|stage| {
        let feet =
            |stage: &mut Stage<'_, '_>| ["foot.l", "foot.r"].map(|foot| stage.place(foot).position);
        let asked = stage.step::<FootAsked>();
        let level = feet(stage);
        assert_eq!(asked.len(), 2);
        for (foot, ask) in asked.iter().enumerate() {
            assert_eq!(ask.asker, u64::from(stage.entity.to_bits()) | (foot as u64) << 32);
            let [from, to] = [ask.from, ask.to].map(Vec3::from_array);
            assert!(near(from, level[foot].with_y(AT.y + 0.5)), "{ask:?}");
            assert!(near(to, level[foot].with_y(AT.y - 0.5)), "{ask:?}");
        }
        for at in 0..20 {
            let asked = stage.step::<FootAsked>();
            stage.answer(&asked, [Some(AT.y + 0.2), Some(AT.y - 0.1)], Vec3::Y);
            if at == 2 {
                let moving = feet(stage);
                assert!(!near(moving[0], level[0]) && !near(moving[0], level[0] + Vec3::Y * 0.2));
                stage.save_and_load();
                assert!(near(feet(stage)[0], moving[0]), "on its way, as it was saved");
            }
        }
        let [left, right] = feet(stage);
        assert!(near(left, level[0] + Vec3::Y * 0.2), "{left} above {}", level[0]);
        assert!(near(right, level[1] - Vec3::Y * 0.1), "{right} below {}", level[1]);
        let hips = stage.place("hips").position;
        assert!(near(hips, AT + Vec3::Y * 0.9), "lowered as far as a foot needs it: {hips}");
        stage.save_and_load();
        assert!(near(feet(stage)[0], left), "as it was saved");
        let slope = Vec3::new(0.3, 1.0, 0.0).normalize();
        for _ in 0..40 {
            let asked = stage.step::<FootAsked>();
            stage.answer(&asked, [Some(AT.y); 2], slope);
        }
        let sole = stage.place("foot.l").rotation * Vec3::Y;
        assert!(sole.angle_between(slope) < 0.02, "{sole} on {slope}");
        for _ in 0..40 {
            let asked = stage.step::<FootAsked>();
            stage.answer(&asked, [None; 2], slope);
        }
        assert!(near(feet(stage)[0], level[0]) && near(feet(stage)[1], level[1]), "no ground");
        stage.body().feet.weight = 0.0;
        assert_eq!(stage.step::<FootAsked>(), [], "it does not look for the ground");
    });
}
