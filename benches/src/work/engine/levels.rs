//! Levels of ten thousand models that come while a game runs: over several frames in addition to
//! what is there, or in one frame in its place.

use core::fmt::Write as _;

use glam::Vec3;
use loligo_engine::{BackEndChoice, Engine, EngineError, EngineOptions, TimeStep, with_engine};
use loligo_entities::Pose;
use loligo_ids::{id32, id64};

use super::{FRAME, compiled};
use crate::clock;
use crate::contender::{Contender, Pass};

const ENTITIES: usize = 10_000;

/// Frames before the level comes.
const WARM_FRAMES: u64 = 20;

const CONFIG: &str = "title = \"Levels\" level = \"start\" frame = \"levels\" window = [ 64 64 ] \
    packages = [ \"all\" ]";

const START: &str = "entities = { eye = { components = { transform = {} camera = {} } } }";

const SHADER: &str = "@vertex fn vs_main(@location(0) at: vec3<f32>) -> @builtin(position) vec4<f32> \
    { return vec4(at, 1.0); } @fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(1.0); }";

fn contender(
    name: &'static str,
    act: fn(&mut Engine<'_, '_>) -> Result<u64, EngineError>,
) -> Contender {
    let mut town = String::from("entities = {\n");
    for at in 0..ENTITIES {
        let (x, z) = (at % 100, at / 100);
        let _ = writeln!(
            town,
            "house{at} = {{ components = {{ tag = \"town\" transform = {{ position = [ {x} 0 {z} ] }} \
             model = {{ mesh = \"box\" material = \"stone\" }} }} }}"
        );
    }
    town.push('}');
    let files = [
        ("game.config", CONFIG),
        ("levels.frame", FRAME),
        ("start.level", START),
        ("town.level", &town),
        ("box.mesh", "shape = \"box\""),
        ("plain.shader", SHADER),
        ("stone.material", "shader = \"plain\" layer = \"opaque\""),
        ("all.package", "level = [ \"town\" ]"),
    ];
    let folder = compiled(files.map(|(name, text)| (name.to_owned(), text.to_owned())));
    Contender::new(name, move || {
        let data = folder.path().join("data");
        let options = EngineOptions {
            threads: Some(1),
            back_end: BackEndChoice::Text,
            time_step: Some(TimeStep::EachFrame { step: 10_000_000 }),
            ..EngineOptions::new(&data)
        };
        let run = with_engine(&options, |engine| {
            while engine.frames() < WARM_FRAMES {
                engine.frame(&mut ())?;
            }
            act(engine)
        });
        match run {
            Ok(Ok(ns)) => Pass { ns, operations: 1 },
            Ok(Err(error)) | Err(error) => unreachable!("the game runs: {error}"),
        }
    })
}

/// Returns how long a frame takes, until the next could begin, of this thread.
fn frame(engine: &mut Engine<'_, '_>) -> Result<u64, EngineError> {
    let began = clock::thread_cpu_ns();
    engine.frame(&mut ())?;
    Ok(clock::thread_cpu_ns() - began)
}

/// Returns a contender whose operation is how much longer than a frame of the whole level the
/// longest of those is in which the level comes.
pub(crate) fn over_frames() -> Contender {
    contender("over frames", |engine| {
        let mut longest = 0;
        let spawned = engine.world_mut().spawn_level(id64!("town"), &Pose::at(Vec3::ZERO))?;
        assert!(spawned.is_some(), "it is loaded");
        while engine.world().tags().entities(id32!("town")).len() < ENTITIES {
            longest = longest.max(frame(engine)?);
        }
        for _ in 0..3 {
            engine.frame(&mut ())?;
        }
        Ok(longest.saturating_sub(frame(engine)?))
    })
}

/// Returns a contender whose operation is how much longer than one after it the frame is in which
/// one level is in place of another as large.
pub(crate) fn in_one_frame() -> Contender {
    contender("in one frame", |engine| {
        engine.world_mut().load_level(id64!("town"));
        for _ in 0..3 {
            engine.frame(&mut ())?;
        }
        let usual = frame(engine)?;
        engine.world_mut().restart_level();
        let longest = frame(engine)?.max(frame(engine)?);
        assert_eq!(engine.world().tags().entities(id32!("town")).len(), ENTITIES, "it is there");
        Ok(longest.saturating_sub(usual))
    })
}
