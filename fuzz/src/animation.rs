//! Skeletons, clips and state machines: opened or refused, and played as far as they are right.

use std::sync::OnceLock;

use loligo_allocators::Allocator;
use loligo_animation::compile::{
    ClipKeys, CompressOptions, RawClip, RawEvent, RawSkeleton, compile_machine, compress,
};
use loligo_animation::{
    BoneGroup, Clip, ClipTable, Machine, MachineTable, Machines, Players, Playhead, Skeleton,
    StoredClip, bone, groups_of,
};
use loligo_containers::{BlobBytes, Endian};
use loligo_entities::Pose;

/// The bones of the skeleton that clips and machines are played on.
const BONES: usize = 9;

/// The most clips that a machine is played with: each is a clip of the body.
const CLIPS_MAX: usize = 16;

/// A skeleton and a clip that are right.
struct Body {
    raw: RawSkeleton,
    skeleton: Vec<u8>,
    clip: Vec<u8>,
    packed: Vec<u8>,
}

fn body() -> &'static Body {
    static BODY: OnceLock<Body> = OnceLock::new();
    BODY.get_or_init(|| {
        let mut raw = RawSkeleton::default();
        for at in 0..BONES {
            let place = Pose::at([0.0, 0.2, 0.0].into());
            raw.add(&format!("bone {at}"), at.checked_sub(1), place);
        }
        let pose = |frame: usize, bone: usize| {
            let mut pose = raw.bind[bone];
            pose.position.x = 0.01 * (frame * (bone + 1) % 7) as f32;
            pose
        };
        let samples = (0..33).flat_map(|frame| (0..BONES).map(move |bone| (frame, bone)));
        let samples = samples.map(|(frame, bone)| pose(frame, bone)).collect();
        let event = |frame| RawEvent { frame, name: "step".into(), bone: Some(2) };
        let clip = RawClip {
            rate: 30.0,
            samples,
            events: vec![event(3.0), event(32.0)],
            jumps: Vec::new(),
        };
        let options = CompressOptions {
            bound: 1.0e-3,
            rounds: 2,
            jump_ratio: 1,
            ..CompressOptions::default()
        };
        let dense = CompressOptions { keys: ClipKeys::Dense, bound: 1.0e-4, ..options };
        let packed = compress(&raw, &clip, &dense).expect("it is whole").packed;
        let packed = packed.expect("it has fewer bytes");
        let clip = compress(&raw, &clip, &options).expect("it is whole").bytes;
        let skeleton = raw.build(Endian::NATIVE).expect("it is whole");
        Body { raw, skeleton, clip, packed }
    })
}

fn aligned<'m>(bytes: &[u8], memory: &'m dyn Allocator) -> BlobBytes<'m> {
    BlobBytes::try_copy(bytes, memory).expect("an input is short")
}

/// Opens a skeleton, and walks through it.
pub fn skeleton(bytes: &[u8], memory: &dyn Allocator) {
    let bytes = aligned(bytes, memory);
    let Ok(skeleton) = Skeleton::open(&bytes) else { return };
    let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
    skeleton.write_bind(&mut pose);
    let mut spaces = vec![glam::Affine3A::IDENTITY; skeleton.len()];
    skeleton.write_matrices(&pose, &mut spaces);
    skeleton.write_skin(&mut spaces);
    assert!((0..skeleton.len()).all(|at| bone(&pose, at).rotation.is_finite()), "{skeleton:?}");
}

/// Opens a clip, and plays it forwards, backwards and in leaps if it is for the body.
pub fn clip(bytes: &[u8], memory: &dyn Allocator) {
    let Ok(stored) = StoredClip::try_new(bytes, memory) else { return };
    let clip = stored.clip().expect("it is whole");
    clip.verify().expect("it was opened");
    let last = clip.last_frame() as f32;
    let mut playhead = Playhead::new(last, true);
    for frames in [3.0 * last, -0.5 * last, 0.3] {
        playhead.step(frames).each_event(&clip, |event| {
            assert!((0.0..=last).contains(&event.frame), "{event:?}");
        });
    }
    let skeleton = aligned(&body().skeleton, memory);
    let skeleton = Skeleton::open(&skeleton).expect("it is whole");
    let Ok(table) = ClipTable::try_new(clip, &skeleton, memory) else { return };
    let Ok(mut players) = Players::try_new(1, &table, memory) else { return };
    let mut pose = vec![BoneGroup::IDENTITY; groups_of(BONES)];
    for frame in [0.0, 1.5, last, 2.0, last / 2.0, 0.0] {
        players.sample(&table, 0, frame, &mut pose);
        let is_whole = |at| {
            let found = bone(&pose, at);
            found.position.is_finite() && (found.rotation.length() - 1.0).abs() < 0.01
        };
        assert!((0..BONES).all(is_whole), "{clip:?} at {frame}");
    }
}

/// Opens a machine, and steps it with clips of the body.
pub fn machine(bytes: &[u8], memory: &dyn Allocator) {
    let bytes = aligned(bytes, memory);
    let Ok(machine) = Machine::open(&bytes) else { return };
    let skeleton = aligned(&body().skeleton, memory);
    let skeleton = Skeleton::open(&skeleton).expect("it is whole");
    let clip = aligned(&body().clip, memory);
    let clip = Clip::open(&clip).expect("it is whole");
    let Ok(table) = ClipTable::try_new(clip, &skeleton, memory) else { return };
    let count = machine.clips().len();
    if count > CLIPS_MAX {
        return;
    }
    let clips = vec![&table; count];
    let Ok(table) = MachineTable::try_new(machine, &skeleton, &clips, memory) else { return };
    let Ok(mut machines) = Machines::try_new(2, &table, memory) else { return };
    let mut saved = vec![0; machines.saved_bytes()];
    for step in 0..24_u8 {
        for variable in 0..machine.variable_count() {
            machines.set(0, variable, f32::from(step % 5) * 0.6 - 0.6);
        }
        let seconds = [0.1, 0.01, 0.7, 0.0][usize::from(step % 4)];
        machines.step(&table, seconds, |event| {
            assert!(
                (0.0..=1.01).contains(&event.weight) && event.seconds_since >= 0.0,
                "{event:?}"
            );
        });
        for layer in 0..machine.layer_count() {
            let samples = machines.samples(0, layer);
            let sum: f32 = samples.iter().map(|sample| sample.weight).sum();
            assert!((sum - 1.0).abs() < 1.0e-2, "{samples:?}");
            assert!(
                samples.iter().all(|sample| (0.0..=32.0).contains(&sample.frame)),
                "{samples:?}"
            );
        }
        let way = machines.way(0);
        assert!(way.position.is_finite() && way.rotation.is_finite(), "{way:?}");
        machines.save(&table, 0, &mut saved);
        machines.restore(&table, 1, &saved).expect("it was saved");
    }
}

/// Compiles a source, and runs what it becomes.
pub fn machine_source(source: &[u8], memory: &dyn Allocator) {
    match compile_machine(source, &body().raw, Endian::NATIVE) {
        Ok(compiled) => {
            let bytes = aligned(&compiled.bytes, memory);
            assert!(Machine::open(&bytes).is_ok(), "what is compiled can be opened");
            machine(&compiled.bytes, memory);
        }
        Err(error) => assert!(!error.reason.is_empty() && !error.remedy.is_empty(), "{error:?}"),
    }
}

/// Returns inputs to begin with: the target, a name, and the bytes.
pub fn seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let source = SOURCE.as_bytes();
    let compiled = compile_machine(source, &body().raw, Endian::NATIVE).expect("it is whole").bytes;
    let with = |kind: u8, bytes: &[u8]| [&[kind][..], bytes].concat();
    vec![
        ("skeleton", "chain", body().skeleton.clone()),
        ("clip", "chain", body().clip.clone()),
        ("clip", "packed", body().packed.clone()),
        ("machine", "compiled", with(1, &compiled)),
        ("machine", "source", with(0, source)),
    ]
}

/// A machine with everything that one can have.
const SOURCE: &str = r#"skeleton = "chain"
root = "bone 0"
variables = { speed = 0 side = 0.5 }
clips = { a = { clip = "a" marks = [ 4 20 ] } b = { clip = "b" marks = [ 12 2 ] } c = "c" }
masks = { upper = [ { bone = "bone 1" weight = 0.5 } ] }
layers = [
    {
        name = "base"
        start = "move"
        states = {
            one = { clip = "c" loops = false }
            move = { along = "speed" points = [ { clip = "a" at = 0 } { clip = "b" at = 2 } ] }
            list = { clips = [ { clip = "a" weight = "1 - side" } { clip = "b" weight = "side" } ] }
        }
        transitions = [
            { from = "move" to = "list" if = "speed > 1" sync = true seconds = 0.4 }
            { from = "list" to = "one" event = "step" seconds = 0.1 }
            { from = "one" to = "move" when = "end" if = "state.time > 0.1" start = 0.5 }
        ]
    }
    {
        name = "over" additive = true mask = "upper" weight = "side"
        states = { plane = { along = [ "speed" "side" ] points = [
            { clip = "c" at = [ 0 0 ] } { clip = "c" at = [ 1 0 ] } { clip = "c" at = [ 0 1 ] }
            { clip = "c" at = [ 2 2 ] } ] } }
    }
]
"#;
