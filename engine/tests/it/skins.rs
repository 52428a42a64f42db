//! Meshes that bones move, drawn by a subsystem of a game: as text and, where there is a driver, as
//! a picture.

use glam::{Affine3A, Vec3};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::EventReader;
use loligo_engine::{BackEndChoice, EngineOptions, with_engine};
use loligo_ids::{IdString64, id64};
use loligo_interface::{
    Drawer, Drawing, MadeDrawer, MadeSubsystem, SkinnedMesh, Skinner, Subsystem, SubsystemError,
    SubsystemRow, Viewpoint,
};

use crate::support::Game;

struct Nothing;

impl<'m> Subsystem<'m> for Nothing {}

/// Draws a flag of which one bone is at its pole, and one as far up as frames were drawn.
#[derive(Default)]
struct Flag {
    frames: u32,
    moved: Option<SkinnedMesh>,
}

impl Drawer for Flag {
    fn read(&mut self, _: EventReader<'_>) -> Result<(), SubsystemError> {
        Ok(())
    }

    fn skin(&mut self, to: &mut dyn Skinner) -> Result<(), SubsystemError> {
        let flag = id64!("flag");
        let names = ["pole", "end"].map(|name| IdString64::new(name).hash());
        assert_eq!(to.bones(flag), names, "in the order of the skin");
        assert!(to.bones(id64!("box")).is_empty(), "no bones move it");
        assert_eq!(to.skin(id64!("box"), &[])?, None, "no bones move it");
        assert!(to.skin(flag, &[Affine3A::IDENTITY]).is_err(), "it has two bones");
        self.frames += 1;
        let up = Affine3A::from_translation(Vec3::Y * self.frames as f32);
        self.moved = to.skin(flag, &[Affine3A::IDENTITY, up])?;
        Ok(())
    }

    fn draw(&mut self, view: &Viewpoint, to: &mut dyn Drawing) -> Result<(), SubsystemError> {
        let moved = self.moved.expect("it is loaded");
        let seventh = to.skinned(SkinnedMesh { number: 7 }, id64!("red"), Vec3::ZERO);
        assert!(seventh.is_err() && view.stage == 0, "there is one in this frame");
        to.skinned(moved, id64!("red"), Vec3::ZERO)
    }
}

fn make(memory: SharedRef<'_>) -> Result<MadeSubsystem<'_>, SubsystemError> {
    Ok(own_dyn!(Own::new_in(Nothing, memory)? => dyn Subsystem<'_> + '_))
}

fn make_drawer(memory: SharedRef<'_>) -> Result<MadeDrawer<'_>, SubsystemError> {
    Ok(own_dyn!(Own::new_in(Flag::default(), memory)? => dyn Drawer + '_))
}

const ROW: SubsystemRow = SubsystemRow::new("flags", make).with_drawer(make_drawer);

/// A triangle a metre wide and high, whose upper corner is moved by the second bone.
const FLAG: &str = r#"{
  "asset": { "version": "2.0" }, "scene": 0, "scenes": [ { "nodes": [ 0 ] } ],
  "nodes": [ { "mesh": 0, "skin": 0 }, { "name": "pole" }, { "name": "end" } ],
  "skins": [ { "joints": [ 1, 2 ] } ],
  "meshes": [ { "primitives": [ { "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } } ] } ],
  "accessors": [
    { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [-1,0,0], "max": [1,1,0] },
    { "bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4" },
    { "bufferView": 2, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC4" }
  ],
  "bufferViews": [
    { "buffer": 0, "byteOffset": 0, "byteLength": 36 },
    { "buffer": 0, "byteOffset": 36, "byteLength": 12 },
    { "buffer": 0, "byteOffset": 48, "byteLength": 12 }
  ],
  "buffers": [ { "byteLength": 60, "uri": "flag.bin" } ]
}"#;

/// A game that has the flag, and no box of the level in the way.
fn game() -> Game {
    let game = Game::new(1);
    game.write("flag.gltf", FLAG);
    let mut bytes: Vec<u8> = Vec::new();
    for corner in [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0_f32]] {
        bytes.extend(corner.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    bytes.extend([255, 0, 0, 0].repeat(3));
    std::fs::write(game.sources().join("flag.bin"), &bytes).expect("it may be written");
    game.write("flag.mesh", "file = \"flag.gltf\"");
    game.write(
        "red.material",
        "shader = \"core/shaders/standard\" color = [ 1 0 0 1 ] emission = 4",
    );
    game.write(
        "yard.level",
        "entities = {
            eye = { components = { transform = { position = [ 0 1 6 ] } camera = {} } }
            box = { components = { transform = { position = [ 0 -50 0 ] } model = { mesh = \"box\" material = \"red\" } } }
            flag = { components = { transform = { position = [ 0 -60 0 ] } model = { mesh = \"flag\" material = \"red\" } } }
        }",
    );
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    let config = config.replace("[ 640 360 ]", "[ 64 64 ]").replace("frame = \"yard\"", "");
    game.write("game.config", &config);
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

#[test]
fn bones_of_a_frame_are_in_its_text() {
    let game = game();
    let data = game.data();
    let runs = [1, 5].map(|threads| {
        let options =
            EngineOptions { threads: Some(threads), subsystems: &[ROW], ..game.options(&data) };
        with_engine(&options, |engine| {
            let texts = (0..2).map(|_| {
                engine.want_text();
                engine.frame(&mut ()).expect("a frame");
                engine.finish().expect("it is drawn");
                engine.text().to_owned()
            });
            texts.collect::<Vec<_>>()
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with five threads");
    let line =
        |text: &str| text.lines().find(|line| line.starts_with("skinned ")).map(str::to_owned);
    let [first, second] = [0, 1].map(|at| line(&runs[0][at]).expect("it has a line"));
    assert!(first.starts_with("skinned 1: 2 bones, hash "), "{first}");
    assert_ne!(first, second, "a bone has moved");
    assert!(runs[0][0].contains("vertex 524288, "), "after all others: {}", runs[0][0]);
}

#[test]
fn bones_move_what_is_seen() {
    let game = game();
    let data = game.data();
    let options =
        EngineOptions { back_end: BackEndChoice::Auto, subsystems: &[ROW], ..game.options(&data) };
    with_engine(&options, |engine| {
        // The topmost red row of a picture.
        let mut top = || {
            engine.want_picture();
            engine.frame(&mut ()).expect("a frame");
            engine.finish().expect("it is drawn");
            let rows: Vec<&[u8]> = engine.picture().chunks_exact(64 * 4).collect();
            let is_red = |pixel: &[u8]| pixel[0] > 150 && pixel[1] < 100;
            rows.iter().position(|row| row.chunks_exact(4).any(is_red))
        };
        let tops = [top(), top(), top()];
        let [Some(one), Some(two), Some(three)] = tops else {
            assert!(game.log.all().iter().any(|line| line.contains("drawn by nobody")), "{tops:?}");
            return println!("there is no driver: {:?}", game.log.all());
        };
        // A metre is some ten pixels.
        assert!(one > two + 7 && two > three + 7, "each frame it is higher: {tops:?}");
    })
    .expect("it boots");
}
