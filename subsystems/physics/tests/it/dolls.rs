//! Ragdolls: bones that physics moves from where they are held until they are dropped.

use glam::{Quat, Vec3};
use loligo_containers::BlobBytes;
use loligo_entities::Entity;
use loligo_ids::IdString32;
use loligo_interface::{Subsystem, SubsystemError};
use loligo_physics::{BoneMoved, DropBones, HoldBone, JointForm, NO_BONE, Ragdoll};

use crate::memory::with_memory;
use crate::play::{FLOOR, Play, SETTINGS, play_with};
use crate::project::TestProject;

const DOLL: &str = r#"settings = "game" actor = "limp"
bones = {
    hips = { shape = { template = "box" box = [ 0.3 0.2 0.2 ] } }
    spine = { parent = "hips" limits = [ -40 40 ]
        shape = { template = "box" capsule = { radius = 0.1 height = 0.5 } position = [ 0 0.25 0 ] } }
    head = { parent = "spine" joint = "hinge" limits = [ -20 20 ] rest = [ 0 0 0 1 ]
        shape = { template = "box" sphere = 0.12 position = [ 0 0.1 0 ] } }
}"#;

const HERO: &str = r#"components = { transform = {} ragdoll = { ragdoll = "doll" } }"#;

/// The bones of a hero at a height, with a finger that has no body.
const BONES: [(&str, f32); 4] = [("hips", 0.0), ("head", 0.6), ("spine", 0.1), ("finger", 0.3)];

fn doll() -> [(&'static str, Vec<u8>); 2] {
    let settings = SETTINGS
        .replace("lift = {", "limp = { kind = \"dynamic\" angular_damping = 0.5 } lift = {");
    [("game.physics", settings.into_bytes()), ("doll.ragdoll", DOLL.as_bytes().to_vec())]
}

fn play_doll(test: impl FnOnce(loligo_allocators::SharedRef<'_>, &TestProject)) {
    let files = doll();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    play_with(&files, test);
}

fn hold(play: &mut Play<'_>, hero: Entity, height: f32) {
    for (bone, above) in BONES {
        play.command(HoldBone {
            entity: hero.to_bits(),
            bone: IdString32::new(bone).hash(),
            at: [0.0, height + above, 0.0],
            turn: Quat::from_rotation_z(0.3).to_array(),
            speed: [1.0, 0.0, 0.0],
            spin: [0.0; 3],
        });
    }
}

/// Returns where a bone was last.
fn last(moved: &[BoneMoved], bone: &str) -> (Vec3, Quat) {
    let name = IdString32::new(bone).hash();
    let found = moved.iter().rfind(|moved| moved.bone == name).expect("it has moved");
    (Vec3::from_array(found.at), Quat::from_array(found.turn))
}

#[test]
fn bones_fall_hang_together_and_come_to_rest() {
    play_doll(|memory, project| {
        let mut play = Play::new(memory, project);
        play.spawn(FLOOR);
        let hero = play.spawn(HERO);
        play.update(1);
        assert!(play.events::<BoneMoved>().is_empty(), "nothing is held");
        hold(&mut play, hero, 2.0);
        play.update(1);
        let moved: Vec<BoneMoved> = play.events();
        assert_eq!(moved.len(), 3, "a finger has no body");
        assert!(moved.iter().all(|moved| moved.entity == hero.to_bits()));
        let mut all = moved;
        for _ in 0..600 {
            play.update(1);
            all.extend(play.events::<BoneMoved>());
        }
        let [hips, spine, head] = ["hips", "spine", "head"].map(|bone| last(&all, bone));
        assert!(hips.0.y < 0.5 && hips.0.x > 0.1, "it fell with its speed: {hips:?}");
        assert!((hips.0.distance(spine.0) - 0.1).abs() < 0.02, "{hips:?} {spine:?}");
        // The head is half a metre along the spine.
        let neck = spine.0 + spine.1 * (Quat::from_rotation_z(-0.3) * Vec3::Y * 0.5);
        assert!(neck.distance(head.0) < 0.05, "{neck} {head:?}");
        let nod = (spine.1.inverse() * head.1).to_axis_angle();
        assert!(nod.1.abs() < 25_f32.to_radians(), "within its limits: {nod:?}");
        assert_eq!(play.at(hero), Vec3::ZERO, "the entity stays");
        play.update(1);
        assert!(play.events::<BoneMoved>().is_empty(), "what rests is not sent");
    });
}

#[test]
fn bones_are_held_again_dropped_and_gone_with_their_entity() {
    play_doll(|memory, project| {
        let mut play = Play::new(memory, project);
        let hero = play.spawn(HERO);
        hold(&mut play, hero, 2.0);
        play.update(60);
        play.events::<BoneMoved>();
        hold(&mut play, hero, 5.0);
        play.update(1);
        let moved: Vec<BoneMoved> = play.events();
        assert_eq!(moved.len(), 3, "the same bodies");
        assert!(last(&moved, "hips").0.y > 4.9, "from where they are");
        play.command(DropBones { entity: hero.to_bits() });
        play.update(2);
        assert!(play.events::<BoneMoved>().is_empty(), "they are dropped");
        hold(&mut play, hero, 2.0);
        play.update(1);
        hold(&mut play, hero, 2.0);
        play.destroy(&[hero]);
        play.update(1);
        play.events::<BoneMoved>();
        play.update(1);
        assert!(play.events::<BoneMoved>().is_empty(), "they are gone with it");
        let world = format!("{:?}", play.physics);
        assert!(world.contains("actors: 0"), "nothing is left in the world: {world}");
        // An entity without a ragdoll is named.
        let other = play.spawn(FLOOR);
        hold(&mut play, other, 2.0);
        play.try_update(1);
        let Some(SubsystemError::Wrong { what, .. }) = play.errors.first() else {
            panic!("{:?}", play.errors)
        };
        assert!(what.contains("without a ragdoll"));
    });
}

#[test]
fn a_doll_is_saved_byte_for_byte() {
    play_doll(|memory, project| {
        for pause in [0, 1, 20] {
            let mut play = Play::new(memory, project);
            let mut other = Play::new(memory, project);
            for play in [&mut play, &mut other] {
                play.spawn(FLOOR);
            }
            let hero = play.spawn(HERO);
            other.spawn(HERO);
            hold(&mut play, hero, 1.5);
            play.update(pause);
            let state = play.saved();
            other.physics.load(&state).expect("it was saved");
            assert!(other.saved() == state, "what was read is what was written");
            for step in 0..60 {
                play.update(1);
                other.update(1);
                assert!(play.saved() == other.saved(), "step {step} after {pause}");
                // Events that nobody has taken are not saved.
                let events = [play.events::<BoneMoved>(), other.events::<BoneMoved>()];
                assert!(step == 0 || events[0] == events[1], "{events:?}");
            }
            for end in (0..state.len()).step_by(61) {
                assert!(end == 0 || other.physics.load(&state[..end]).is_err(), "{end} bytes");
            }
        }
    });
}

fn compiled(doll: &str) -> Result<TestProject, String> {
    let files = doll_files(doll);
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let project = TestProject::new(&files);
    project.compile().map(|()| project)
}

fn doll_files(doll_source: &str) -> [(&'static str, Vec<u8>); 2] {
    let [settings, _] = doll();
    [settings, ("doll.ragdoll", doll_source.as_bytes().to_vec())]
}

/// Returns a compiled ragdoll.
pub(crate) fn payload() -> Vec<u8> {
    compiled(DOLL).expect("it is right").payload("ragdoll", "doll")
}

#[test]
fn a_source_is_read_back() {
    let payload = payload();
    with_memory(|memory| {
        let payload = BlobBytes::try_copy(&payload, memory).expect("there is memory");
        let doll = Ragdoll::open(&payload).expect("it was compiled");
        let bones = doll.bones();
        assert_eq!(bones.len(), 3);
        assert_eq!(doll.actor(), IdString32::new("limp"));
        let parents = [bones[0].parent, bones[1].parent, bones[2].parent];
        assert_eq!(parents, [NO_BONE, 0, 1]);
        assert_eq!(doll.find(IdString32::new("head")), Some(2));
        assert_eq!(bones[1].joint, JointForm::Ball as u32);
        assert_eq!(bones[2].joint, JointForm::Hinge as u32);
        assert_eq!(bones[2].limits, [-20.0_f32, 20.0].map(f32::to_radians));
        assert_eq!(doll.shape(1).position, Vec3::new(0.0, 0.25, 0.0));
    });
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (from, to, expected) in [
        (
            "parent = \"hips\"",
            "parent = \"hipps\"",
            "there is no bone before it `hipps`; is `hips` meant?",
        ),
        ("parent = \"spine\"", "parent = \"head\"", "there is no bone before it `head`"),
        ("actor = \"limp\"", "actor = \"limb\"", "is `limp` meant?"),
        ("box = [ 0.3 0.2 0.2 ]", "", "a shape has one form"),
        (
            "sphere = 0.12",
            "mesh = { vertices = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 1 0 ] ] triangles = [ [ 0 1 2 ] ] }",
            "a bone moves by itself",
        ),
        ("joint = \"hinge\"", "joint = \"spring\"", "means nothing here"),
        ("[ -20 20 ]", "[ 20 -20 ]", "write the smaller number first"),
        ("hips = { shape", "hips = { limits = [ 0 1 ] shape", "has no joint"),
        ("joint = \"hinge\"", "joint = \"fixed\"", "a fixed joint has no limits"),
        ("rest = [ 0 0 0 1 ]", "rest = [ 0 0 0 0 ]", "a rotation has a length"),
    ] {
        assert!(DOLL.contains(from), "{from}");
        let error = compiled(&DOLL.replace(from, to)).err().expect(to);
        assert!(error.contains("doll.ragdoll:") && error.contains(expected), "{to}\n{error}");
    }
}
