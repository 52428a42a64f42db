//! Targets of meshes: weights from sources, from scripts and from logic, in the frame's text and,
//! where there is a driver, in its picture.

use loligo_engine::{BackEndChoice, Engine, EngineError, with_engine};
use loligo_ids::IdString32;

use crate::support::Game;

const TOTEM: &str = include_str!("golden/totem.gltf");

const SCRIPT: &str = "
local totem
function start()
    totem = Entity.find('totem')
end
function update()
    local frame = Game.frame()
    if frame == 2 then
        print('weights', Model.weight(totem, 'tall'), Model.weight(totem, 'wide'))
        Model.set_weight(totem, 'tall', 1)
        print('tall', Model.weight(totem, 'tall'))
        print(pcall(Model.set_weight, totem, 'tal', 1))
        print(pcall(Model.set_weight, totem, 'tall', 0 / 0))
        print(pcall(Model.weight, Entity.find('eye'), 'tall'))
    elseif frame == 3 then
        Model.set_weight(totem, 'tall', 0)
    elseif frame == 4 then
        Entity.destroy(totem)
    end
end
";

fn game(weights: &str) -> Game {
    let game = Game::new(1);
    game.write("totem.gltf", TOTEM);
    game.write("totem.mesh", "file = \"totem.gltf\"");
    game.write(
        "red.material",
        "shader = \"core/shaders/standard\" color = [ 1 0 0 1 ] emission = 4",
    );
    game.write(
        "yard.level",
        &format!(
            "entities = {{
            eye = {{ components = {{ transform = {{ position = [ 0 1 6 ] }} camera = {{}} }} }}
            totem = {{ components = {{
                transform = {{ position = [ 0 0 0 ] }}
                model = {{ mesh = \"totem\" material = \"red\" }}
                {weights}
            }} }}
        }}"
        ),
    );
    game.write("main.lua", SCRIPT);
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    let config = config.replace("[ 640 360 ]", "[ 64 64 ]").replace("frame = \"yard\"", "");
    game.write("game.config", &format!("{config}\nscript = \"main\""));
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

/// Draws a frame, and returns its line about weights.
fn frame(engine: &mut Engine<'_, '_>) -> Option<String> {
    engine.want_text();
    engine.frame(&mut ()).expect("a frame");
    engine.finish().expect("it is drawn");
    let mut lines = engine.text().lines();
    lines.find(|line| line.starts_with("weights ")).map(ToOwned::to_owned)
}

#[test]
fn scripts_set_weights_by_name() {
    let game = game("weights = { tall = 0.5 }");
    let data = game.data();
    let lines: Vec<Option<String>> =
        with_engine(&game.options(&data), |engine| (0..6).map(|_| frame(engine)).collect())
            .expect("it boots");
    let [_, half, all, none, gone, after] = &lines[..] else { panic!("six frames") };
    assert!(half.as_ref().is_some_and(|line| line.starts_with("weights 2: ")), "{lines:?}");
    assert!(all.is_some() && all != half, "{lines:?}");
    assert_eq!([none, gone, after], [&None; 3], "it is at rest, then gone: {lines:?}");
    let log = game.log.all();
    let has = |part: &str| assert!(log.iter().any(|line| line.contains(part)), "{part}: {log:#?}");
    has("weights\t0.5\t0.4");
    has("tall\t1");
    has("`tal`: the mesh is not loaded, or has no target of that name");
    has("NaN is no weight");
    has("the entity has no model; give it one");
}

#[test]
fn logic_sets_weights_up_to_64_of_them() {
    let game = game("");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frame(engine);
        let world = engine.world_mut();
        let [totem, eye] =
            ["totem", "eye"].map(|name| world.find(IdString32::new(name)).expect("it is there"));
        let tall = IdString32::new("tall");
        assert!(!world.set_weight(eye, tall, 1.0).expect("there is memory"), "it has no model");
        assert_eq!(world.weight(eye, tall), None);
        assert_eq!(world.weight(totem, IdString32::new("wide")), Some(0.4), "that of the mesh");
        let unknown = world.set_weight(totem, IdString32::new("low"), 1.0);
        assert!(matches!(unknown, Err(EngineError::Wrong { .. })), "{unknown:?}");
        assert!(world.set_weight(totem, tall, 1.0).expect("there is memory"), "it has a model");
        assert!(frame(engine).is_some(), "they are in the frame");
    })
    .expect("it boots");
}

#[test]
fn weights_move_what_is_seen() {
    let game = game("");
    let data = game.data();
    let options =
        loligo_engine::EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
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
        let tops = [top(), top(), top(), top()];
        let [_, Some(rest), Some(tall), Some(low)] = tops else {
            assert!(game.log.all().iter().any(|line| line.contains("drawn by nobody")), "{tops:?}");
            return println!("there is no driver: {:?}", game.log.all());
        };
        // The target raises the top by 1.2 metres, of some ten pixels each.
        assert!(rest > tall + 8 && low == rest, "{tops:?}");
    })
    .expect("it boots");
}
