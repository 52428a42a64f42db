//! Skeletons and clips of glTF files, through a project.

use std::fs;

use glam::{Affine3A, Quat, Vec3};
use loligo_animation::compile::register;
use loligo_animation::{
    BoneGroup, Clip, ClipTable, Players, Skeleton, StoredClip, bone, groups_of, space_of,
};
use loligo_compiler::{Compilers, Entry, Index, Project, Threads};
use loligo_containers::BlobBytes;
use loligo_ids::id32;
use loligo_resources::HEADER_BYTES;

use crate::gltf_model::{Model, arm};
use crate::memory::with_memory;

/// Compiles a project of a model, its skeleton and a clip of it; returns the payloads, or the errors.
fn compiled(model: &Model, skeleton: &str, clip: &str) -> Result<[Vec<u8>; 2], String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (sources, data) = (folder.path().join("sources"), folder.path().join("data"));
    fs::create_dir(&sources).expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(sources.join(name), text).expect("it can be written");
    write("arm.gltf", &model.text());
    write("arm.skeleton", skeleton);
    write("wave.clip", clip);
    let mut compilers = Compilers::built_in();
    register(&mut compilers);
    let project = Project::new(&sources, &data, &compilers);
    let report = project.compile(&Threads::default()).expect("the folders are there");
    if !report.errors.is_empty() {
        let texts: Vec<_> = report.errors.iter().map(ToString::to_string).collect();
        return Err(texts.join("\n"));
    }
    let index = fs::read(data.join("index")).expect("it is there");
    let index = Index::from_bytes(&index).expect("it is whole");
    Ok([("skeleton", "arm"), ("clip", "wave")].map(|(type_name, name)| {
        let is_it =
            |entry: &&Entry| (&*entry.name.type_name, &*entry.name.name) == (type_name, name);
        let entry = index.entries.iter().find(is_it).expect("it was compiled");
        let file = entry.output.expect("it went well").file;
        let bytes = fs::read(data.join(format!("blobs/{file}"))).expect("it is there");
        bytes[HEADER_BYTES..].to_vec()
    }))
}

const SKELETON: &str = r#"file = "arm.gltf""#;
const CLIP: &str = r#"skeleton = "arm""#;

/// Runs a test with an opened skeleton, and the pose of a compiled clip at a frame.
fn with_clip(
    model: &Model,
    clip: &str,
    test: impl FnOnce(&Skeleton<'_>, &Clip<'_>, &mut dyn FnMut(f32) -> Vec<BoneGroup>),
) {
    let [skeleton, clip] = compiled(model, SKELETON, clip).expect("it is whole");
    with_memory(|memory| {
        let aligned = |bytes: &[u8]| BlobBytes::try_copy(bytes, memory).expect("memory");
        let skeleton = aligned(&skeleton);
        let skeleton = Skeleton::open(&skeleton).expect("a skeleton");
        let clip = StoredClip::try_new(&clip, memory).expect("a clip");
        let clip = clip.clip().expect("it is whole");
        let table = ClipTable::try_new(clip, &skeleton, memory).expect("memory");
        let mut players = Players::try_new(1, &table, memory).expect("memory");
        test(&skeleton, &clip, &mut |frame| {
            let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
            players.sample(&table, 0, frame, &mut pose);
            pose
        });
    });
}

const QUARTER: [f32; 8] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.707_106_77, 0.707_106_77];

/// Makes an arm whose shoulder turns a quarter around z within a second.
fn turning() -> Model {
    let mut model = arm();
    model.animate("turn", &[(1, "rotation", "LINEAR", &[0.0, 1.0], &QUARTER)]);
    model
}

#[test]
fn bones_are_the_joints_and_what_is_above_them() {
    with_clip(&turning(), CLIP, |skeleton, _, _| {
        assert_eq!(skeleton.names(), [id32!("root"), id32!("shoulder"), id32!("elbow")]);
        assert_eq!(skeleton.parents(), [loligo_animation::NO_BONE, 0, 1]);
        assert_eq!(skeleton.find(id32!("prop")), None, "it is no joint");
        let mut pose = vec![BoneGroup::IDENTITY; groups_of(3)];
        skeleton.write_bind(&mut pose);
        let shoulder = space_of(skeleton, &pose, 1).position;
        assert!(shoulder.distance(Vec3::Y) < 1.0e-5, "z up became y up: {shoulder}");
        let mut spaces = [Affine3A::IDENTITY; 3];
        skeleton.write_matrices(&pose, &mut spaces);
        skeleton.write_skin(&mut spaces);
        for (bone, space) in spaces.iter().enumerate().skip(1) {
            let moved = space.transform_point3(Vec3::new(0.5, 0.2, 1.0));
            let wanted = Vec3::new(0.5, 1.0, -0.2);
            assert!(moved.distance(wanted) < 1.0e-5, "bone {bone} moves the skin to {moved}");
        }
    });
}

#[test]
fn events_are_of_bones_by_name() {
    let text = r#"skeleton = "arm" events = [
        { name = "hit" frame = 20 bone = "elbow" } { name = "whoosh" frame = 12.5 } ]"#;
    with_clip(&turning(), text, |_, clip, _| {
        let [first, second] = clip.events() else { panic!("{:?}", clip.events()) };
        assert_eq!((first.name(), first.frame(), first.bone()), (id32!("whoosh"), 12.5, None));
        assert_eq!((second.name(), second.frame(), second.bone()), (id32!("hit"), 20.0, Some(2)));
    });
    let wrong = |event: &str| {
        let text = format!(r#"skeleton = "arm" events = [ {event} ]"#);
        compiled(&turning(), SKELETON, &text).expect_err("it is wrong")
    };
    let bone = wrong(r#"{ name = "hit" frame = 3 bone = "elbo" }"#);
    assert!(bone.contains("has no bone `elbo`; is `elbow` meant?"), "{bone}");
    let late = wrong(r#"{ name = "hit" frame = 31 }"#);
    assert!(late.contains("the event `hit` is at frame 31; name one of the bones"), "{late}");
    let key = wrong(r#"{ name = "hit" frame = 3 foot = "left" }"#);
    assert!(key.contains("the key `foot` means nothing here"), "{key}");
}

#[test]
fn rotations_turn_at_the_same_speed() {
    with_clip(&turning(), CLIP, |_, clip, at| {
        assert_eq!((clip.last_frame(), clip.rate(), clip.track_count()), (30, 30.0, 1));
        for frame in [0.0, 7.5, 15.0, 29.0, 30.0] {
            let wanted = Quat::from_rotation_z(frame / 30.0 * core::f32::consts::FRAC_PI_2);
            let angle = bone(&at(frame), 1).rotation.angle_between(wanted);
            assert!(angle < 2.0e-3, "frame {frame}: {angle}");
        }
    });
    with_clip(&turning(), r#"skeleton = "arm" rate = 10 bound_cm = 1"#, |_, clip, _| {
        assert_eq!((clip.last_frame(), clip.rate()), (10, 10.0));
    });
    for (keys, is_dense) in [("curves", false), ("dense", true)] {
        with_clip(&turning(), &format!("{CLIP} keys = \"{keys}\""), |_, clip, _| {
            assert_eq!(clip.is_dense(), is_dense, "{keys}");
        });
    }
}

#[test]
fn steps_jump_and_cubic_curves_are_followed() {
    let mut model = arm();
    let steps = [0.5, 0.0, 0.0, 0.9, 0.0, 0.0, 0.1, 0.0, 0.0];
    // From 1 at a slope of 0 to 2 at a slope of 0: tangent, value, tangent.
    let cubic = [[0.0; 3], [1.0; 3], [0.0; 3], [0.0; 3], [2.0; 3], [0.0; 3]].concat();
    model.animate(
        "mixed",
        &[
            (2, "translation", "STEP", &[0.0, 0.5, 1.0], &steps),
            (1, "scale", "CUBICSPLINE", &[0.0, 1.0], &cubic),
            (3, "translation", "LINEAR", &[0.0], &[9.0, 9.0, 9.0]),
        ],
    );
    with_clip(&model, CLIP, |_, _, at| {
        let mut x = |frame: f32| bone(&at(frame), 2).position.x;
        for (frame, wanted) in
            [(0.0, 0.5), (14.0, 0.5), (14.9, 0.5), (15.0, 0.9), (28.0, 0.9), (30.0, 0.1)]
        {
            assert!((x(frame) - wanted).abs() < 1.0e-3, "frame {frame}: {}", x(frame));
        }
        let mut scale = |frame: f32| bone(&at(frame), 1).scale.y;
        for (frame, wanted) in [(0.0, 1.0), (7.5, 1.15625), (15.0, 1.5), (30.0, 2.0)] {
            assert!((scale(frame) - wanted).abs() < 1.0e-3, "frame {frame}: {}", scale(frame));
        }
    });
}

/// Returns the errors of an arm that was changed.
fn refused(change: &dyn Fn(&mut Model), clip: &str) -> String {
    let mut model = arm();
    change(&mut model);
    compiled(&model, SKELETON, clip).expect_err("it is wrong")
}

/// Adds an animation that is right.
fn turn(model: &mut Model) {
    model.animate("turn", &[(1, "rotation", "LINEAR", &[0.0, 1.0], &QUARTER)]);
}

#[test]
fn an_animation_that_is_not_played_is_named() {
    let morph = refused(
        &|model| model.animate("smile", &[(1, "weights", "LINEAR", &[0.0, 1.0], &[0.0, 1.0])]),
        CLIP,
    );
    assert!(
        morph.contains("`smile` moves morph targets of `shoulder`, which are not played"),
        "{morph}"
    );
    let none = refused(&|_| (), CLIP);
    assert!(none.contains("there is no animation in it; export it with its animations"), "{none}");
    let several = refused(
        &|model| {
            turn(model);
            model.animate("back", &[(1, "rotation", "LINEAR", &[0.0, 1.0], &QUARTER)]);
        },
        CLIP,
    );
    assert!(several.contains("several animations in it; name one of turn, back"), "{several}");
    let unknown = refused(&turn, r#"skeleton = "arm" animation = "run""#);
    assert!(unknown.contains("has no animation `run`; name one of turn"), "{unknown}");
}

#[test]
fn wrong_curves_are_named() {
    let times = refused(
        &|model| model.animate("a", &[(1, "rotation", "LINEAR", &[1.0, 0.5], &QUARTER)]),
        CLIP,
    );
    assert!(
        times.contains("the Rotation of `shoulder`: its times do not ascend from 0"),
        "{times}"
    );
    let few = refused(
        &|model| model.animate("a", &[(1, "rotation", "CUBICSPLINE", &[0.0, 1.0], &QUARTER)]),
        CLIP,
    );
    assert!(few.contains("2 values for 2 times"), "{few}");
    let zero =
        refused(&|model| model.animate("a", &[(1, "rotation", "LINEAR", &[0.0], &[0.0; 4])]), CLIP);
    assert!(zero.contains("not finite, or no rotation"), "{zero}");
    let prop = refused(
        &|model| model.animate("a", &[(3, "rotation", "LINEAR", &[0.0, 1.0], &QUARTER)]),
        CLIP,
    );
    assert!(prop.contains("moves no bone of the skeleton"), "{prop}");
    let long = refused(
        &|model| model.animate("a", &[(1, "rotation", "LINEAR", &[0.0, 1.0e9], &QUARTER)]),
        CLIP,
    );
    assert!(long.contains("frames at 30 a second; 65534 are possible"), "{long}");
    let twice = refused(
        &|model| {
            let channel = (1, "rotation", "LINEAR", &[0.0, 1.0][..], &QUARTER[..]);
            model.animate("a", &[channel, channel]);
        },
        CLIP,
    );
    assert!(twice.contains("two channels are the Rotation of `shoulder`"), "{twice}");
}

#[test]
fn wrong_skeletons_and_sources_are_named() {
    let names = refused(&|model| model.nodes = model.nodes.replace("elbow", "shoulder"), CLIP);
    assert!(names.contains("two bones are called `shoulder`"), "{names}");
    let outside = refused(&|model| model.nodes = model.nodes.replace("[ 3, 1 ]", "[ 3 ]"), CLIP);
    assert!(outside.contains("the joint `shoulder` is not in the scene"), "{outside}");
    let skins = refused(&|model| model.skins.clear(), CLIP);
    assert!(skins.contains("there is no skin in it; bind a mesh to bones"), "{skins}");
    let skeleton = refused(&turn, r#"skeleton = "leg""#);
    assert!(skeleton.contains("there is no skeleton `leg`; add it to the project"), "{skeleton}");
    let key = refused(&turn, r#"skeleton = "arm" bounds_cm = 1"#);
    assert!(key.contains("the key `bounds_cm` means nothing here; is `bound_cm` meant?"), "{key}");
    let keys = refused(&turn, r#"skeleton = "arm" keys = "few""#);
    assert!(keys.contains("cannot be stored as `few`; write `smallest`, `curves`"), "{keys}");
    let file = refused(&turn, r#"skeleton = "arm" file = "leg.gltf""#);
    assert!(file.contains("there is no file `leg.gltf`"), "{file}");
}
