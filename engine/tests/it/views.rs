//! Views of the frame and the stages that they see: set by games, drawn, saved.

use loligo_engine::{BackEndChoice, DisabledSubsystems, Engine, EngineOptions, with_engine};
use loligo_ids::{IdString32, id32, id64};

use crate::pictures::SHADER;
use crate::support::Game;

/// What the player sees, and a map of another stage in its corner.
const FRAME: &str = "
targets = { shadow = { format = \"depth32f\" size = [ 512 512 ] } depth = { format = \"depth32f\" } }
views = { sun = { from = \"sun\" } map = { stage = 2 rectangle = [ 0.75 0 0.25 0.25 ] } }
passes = [
    { name = \"shadow\" view = \"sun\" depth = \"shadow\" clear = { depth = 1 } layers = [ { name = \"shadow\" order = \"by_state\" takes = \"all\" } ] }
    {
        name = \"main\" color = [ \"window\" ] depth = \"depth\" clear = { color = [ 0 0 0 1 ] depth = 1 } reads = [ \"shadow\" ]
        layers = [ { name = \"opaque\" order = \"by_state\" } { name = \"sky\" order = \"by_state\" } ]
    }
    {
        name = \"map\" view = \"map\" color = [ \"window\" ] depth = \"depth\" clear = { depth = 1 }
        layers = [ { name = \"opaque\" order = \"by_state\" } ]
    }
]
";

/// A second camera, a second sun and a lamp, for the map.
const LEVEL: &str = "
bird = { components = { transform = { position = [ 0 30 0 ] rotation = [ -0.7071068 0 0 0.7071068 ] } camera = { far = 90 } } }
moon = { components = { transform = {} sun = { intensity = 0.25 } } }
lamp = { components = { transform = { position = [ 0 9 0 ] } light = { intensity = 40 range = 30 } } }
box0 =";

fn game(script: Option<&str>) -> Game {
    let game = Game::new(2);
    let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
    game.write("yard.level", &level.replacen("box0 =", LEVEL, 1));
    game.write("yard.frame", FRAME);
    if let Some(script) = script {
        let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
        game.write("game.config", &format!("{config}\nscript = \"main\""));
        game.write("main.lua", script);
    }
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

/// Runs a frame, and returns its text.
fn text(engine: &mut Engine<'_, '_>) -> String {
    engine.want_text();
    engine.frame(&mut ()).expect("a frame");
    engine.finish().expect("it is drawn");
    engine.text().to_owned()
}

/// Returns the lines of a pass.
fn pass<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let is_it = |line: &&str| line.starts_with("pass ") && line.contains(&format!(" {name}"));
    let lines = text.lines().skip_while(|line| !is_it(line));
    let rest = lines.clone().skip(1).take_while(|line| line.starts_with(' '));
    lines.take(1).chain(rest).collect()
}

/// Returns how many instances a pass draws.
fn drawn(text: &str, name: &str) -> u32 {
    let counts = pass(text, name).into_iter().filter_map(|line| {
        let (_, range) = line.split_once("instances ")?;
        let (first, end) = range.split_once("..")?;
        Some(end.parse::<u32>().ok()? - first.parse::<u32>().ok()?)
    });
    counts.sum()
}

fn view(text: &str) -> &str {
    text.lines().find(|line| line.starts_with("view ")).unwrap_or_default()
}

fn move_all(engine: &mut Engine<'_, '_>, names: &[IdString32], stage: u8) -> usize {
    let moved = names.iter().map(|name| {
        let entity = engine.world().find(*name).expect("the level has it");
        engine.world_mut().move_to_stage(entity, stage).expect("there is memory")
    });
    moved.collect::<Vec<_>>().into_iter().sum()
}

#[test]
fn what_is_on_a_stage_is_seen_by_its_views_alone() {
    let game = game(None);
    let data = game.data();
    let of = |threads| EngineOptions { threads: Some(threads), ..game.options(&data) };
    let runs = [1, 5].map(|threads| {
        with_engine(&of(threads), |engine| {
            let first = text(engine);
            assert_eq!((drawn(&first, "main"), drawn(&first, "map")), (6, 0));
            assert_eq!(drawn(&first, "shadow"), 6, "{first}");
            assert!(view(&first).contains("stage 2"), "{first}");
            assert!(view(&first).contains("lights 0"), "the lamp is not there: {first}");
            assert!(first.contains("lights 1: seen 1"), "{first}");

            // The hub has an arm below it.
            let names = [id32!("hub"), id32!("bird"), id32!("lamp"), id32!("moon")];
            assert_eq!(move_all(engine, &names, 2), 5);
            let second = text(engine);
            assert_eq!((drawn(&second, "main"), drawn(&second, "map")), (4, 2), "{second}");
            assert_eq!(drawn(&second, "shadow"), 4, "the sun shines on the first stage: {second}");
            assert!(view(&second).contains("eye 0.000 30.000 0.000"), "{second}");
            assert!(view(&second).contains("lights 1"), "{second}");
            assert!(second.contains("lights 1: seen 0"), "{second}");
            assert_ne!(scene(view(&first)), scene(view(&second)), "another camera and sun");

            assert_eq!(move_all(engine, &[id32!("hub")], 0), 2);
            let third = text(engine);
            assert_eq!((drawn(&third, "main"), drawn(&third, "map")), (6, 0), "{third}");
            let hub = engine.world().find(id32!("hub")).expect("it is there");
            assert_eq!(engine.world_mut().move_to_stage(hub, 16).expect("nothing"), 0);
            [first, second, third]
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with five threads");
}

fn scene(line: &str) -> Option<&str> {
    line.split_once("scene ")?.1.split(',').next()
}

#[test]
fn a_game_moves_hides_and_aims_views() {
    let game = game(None);
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let (map, player) = (id64!("map"), id64!("player"));
        let bird = engine.world().find(id32!("bird")).expect("the level has it");
        let hub = engine.world().find(id32!("hub")).expect("the level has it");
        let world = engine.world_mut();
        assert_eq!(world.view_camera(map), None, "there is none on its stage");
        assert!(world.set_view_camera(map, bird), "it may be on another");
        assert!(!world.set_view_camera(map, hub), "it has no camera");
        assert!(!world.set_view_camera(id64!("mop"), bird), "there is no such view");
        assert!(!world.has_view(id64!("mop")) && world.has_view(map) && world.has_view(player));
        assert!(world.set_view_part(map, [0.5, 0.5, 0.5, 0.5]));
        for wrong in [[0.5, 0.5, 0.6, 0.5], [0.0, 0.0, 0.0, 1.0], [f32::NAN, 0.0, 1.0, 1.0]] {
            assert!(!world.set_view_part(map, wrong), "{wrong:?}");
        }
        let seen = text(engine);
        assert!(view(&seen).contains("eye 0.000 30.000 0.000, part 0.5 0.5 0.5 0.5"), "{seen}");

        assert!(engine.world_mut().show_view(map, false));
        assert_eq!(view(&text(engine)), "", "it is hidden");
        assert!(engine.world_mut().show_view(map, true));
        assert!(engine.world_mut().set_camera(bird));
        let seen = text(engine);
        assert!(seen.starts_with("frame 2: 640 x 360, eye 0.000 30.000 0.000"), "{seen}");
        engine.world_mut().show_view(player, false);
        let seen = text(engine);
        assert_eq!((drawn(&seen, "main"), drawn(&seen, "shadow")), (0, 0), "{seen}");
        assert!(!pass(&seen, "main").concat().contains("job"), "no sky either: {seen}");
    })
    .expect("it boots");
}

#[test]
fn views_and_stages_are_saved() {
    let game = game(None);
    let data = game.data();
    let options = game.options(&data);
    let (saved, wanted) = with_engine(&options, |engine| {
        move_all(engine, &[id32!("hub"), id32!("lamp")], 2);
        let bird = engine.world().find(id32!("bird")).expect("the level has it");
        engine.world_mut().set_view_camera(id64!("map"), bird);
        engine.world_mut().set_view_part(id64!("map"), [0.0, 0.0, 0.25, 0.5]);
        engine.world_mut().set_camera(bird);
        text(engine);
        let saved = engine.save().expect("there is memory").to_vec();
        (saved, text(engine))
    })
    .expect("it boots");
    let (found, hidden) = with_engine(&options, |engine| {
        text(engine);
        engine.world_mut().show_view(id64!("map"), false);
        engine.load(&saved).expect("it is whole");
        let found = text(engine);
        engine.world_mut().show_view(id64!("map"), false);
        (found, text(engine))
    })
    .expect("it boots");
    assert!(view(&wanted).contains("part 0 0 0.25 0.5"), "{wanted}");
    // Render objects are made in another order, so rows are others.
    let seen = |text: &str| {
        let counts = ["shadow", "main", "map"].map(|name| drawn(text, name));
        (counts, view(text).to_owned(), text.lines().next().map(str::to_owned))
    };
    assert_eq!(seen(&found), seen(&wanted));
    assert_eq!(view(&hidden), "", "the view is there to be changed");
}

#[test]
fn a_frame_that_changes_keeps_what_the_game_has_said() {
    let game = game(None);
    let data = game.data();
    let recompile = |_: &mut dyn FnMut(&dyn core::fmt::Display)| {
        assert_eq!(game.compile(), [""; 0], "it is right");
        true
    };
    let options = EngineOptions { recompile: Some(&recompile), ..game.options(&data) };
    with_engine(&options, |engine| {
        let mut tool = crate::tools::Tool::connect(engine);
        engine.world_mut().set_view_part(id64!("map"), [0.0, 0.0, 0.5, 0.5]);
        assert!(view(&text(engine)).contains("part 0 0 0.5 0.5"));
        for (frame, is_there) in [
            (
                FRAME.replace("map = {", "chart = {").replace("view = \"map\"", "view = \"chart\""),
                false,
            ),
            (FRAME.replace("stage = 2", "stage = 0"), true),
        ] {
            game.write("yard.frame", &frame);
            let reload = serde_json::json!({ "type": "reload" });
            tool.ask(&reload, engine, &mut crate::frames::Turning::default());
            let seen = text(engine);
            assert_eq!(view(&seen).contains("part 0 0 0.5 0.5"), is_there, "{seen}");
            assert_eq!(view(&seen).starts_with("view chart"), !is_there, "{seen}");
            assert_eq!(drawn(&seen, "map"), if is_there { 6 } else { 0 }, "{seen}");
        }
    })
    .expect("it boots");
}

const SCRIPT: &str = "
function start()
    local hub = Entity.find('hub')
    Stage.move(hub, 2)
    View.set_camera('map', Entity.find('bird'))
    View.set_part('map', 0, 0, 0.5, 0.5)
    View.show('sun', true)
    print(Stage.of(hub), Stage.of(Entity.find('arm')), View.camera('map') == Entity.find('bird'))
    for _, wrong in ipairs({
        function() View.show('mop', true) end,
        function() View.set_camera('map', hub) end,
        function() View.set_part('map', 0.5, 0, 1, 1) end,
        function() Stage.move(hub, 16) end,
        function() Stage.move(hub, 0.5) end,
    }) do
        print(select(2, pcall(wrong)))
    end
end
";

#[test]
fn scripts_have_views_and_stages() {
    let game = game(Some(SCRIPT));
    let data = game.data();
    let seen = with_engine(&game.options(&data), text).expect("it boots");
    assert!(view(&seen).contains("part 0 0 0.5 0.5"), "{seen}");
    assert_eq!(drawn(&seen, "map"), 2, "{seen}");
    let before = game.log.all();
    let said: Vec<_> = before.iter().flat_map(|line| line.lines()).skip(1).collect();
    let mut wanted = vec![
        "2\t2\ttrue",
        "the frame has no view `mop`; add it to `views` in the frame",
        "the entity has no camera; give it one",
        "[0.5, 0.0, 1.0, 1.0] is no part of the picture",
        "there is no such stage; take a whole number from 0 to 15",
        "there is no such stage; take a whole number from 0 to 15",
    ];
    let is_as_wanted = |said: &[&str], wanted: &[&str]| {
        assert_eq!(said.len(), wanted.len(), "{said:?}");
        for (said, wanted) in said.iter().zip(wanted) {
            assert!(said.contains(wanted), "{said}");
        }
    };
    is_as_wanted(&said, &wanted);

    // Where nothing is drawn there is no frame, and the game may name any view.
    let mut without = DisabledSubsystems::default();
    without.add("render").expect("it is a subsystem");
    let options = EngineOptions { without, ..game.options(&data) };
    with_engine(&options, |engine| engine.frame(&mut ()).expect("a frame")).expect("it boots");
    let after = game.log.all();
    let said: Vec<_> = after.iter().skip(before.len()).flat_map(|line| line.lines()).collect();
    wanted[1] = "";
    is_as_wanted(&said, &wanted);
}

#[test]
fn each_view_draws_its_part_of_the_picture() {
    let game = Game::new(1);
    game.write("screen.shader", SHADER);
    for (name, color) in [("red", "1 0 0"), ("blue", "0 0 1")] {
        let text = format!(
            "shader = \"screen\" layer = \"{name}\" casts_shadow = false color = [ {color} 1 ]"
        );
        game.write(&format!("{name}.material"), &text);
    }
    game.write(
        "yard.frame",
        "views = { player = { rectangle = [ 0 0 0.5 1 ] } right = { rectangle = [ 0.5 0.5 0.5 0.5 ] } }
        passes = [
            { name = \"a\" color = [ \"window\" ] clear = { color = [ 0 1 0 1 ] } layers = [ { name = \"red\" takes = \"picture\" material = \"red\" } ] }
            { name = \"b\" view = \"right\" color = [ \"window\" ] layers = [ { name = \"blue\" takes = \"picture\" material = \"blue\" } ] }
        ]",
    );
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &config.replace("[ 640 360 ]", "[ 64 48 ]"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    let options = EngineOptions { back_end: BackEndChoice::Auto, ..game.options(&data) };
    with_engine(&options, |engine| {
        let corners = |engine: &mut Engine<'_, '_>| {
            engine.want_picture();
            engine.frame(&mut ()).expect("a frame");
            engine.finish().expect("it is drawn");
            let picture = engine.picture();
            let pixel = |x: usize, y: usize| picture.get((y * 64 + x) * 4..)?.first_chunk::<3>();
            [(31, 0), (32, 0), (32, 24), (63, 47)].map(|(x, y)| pixel(x, y).copied())
        };
        let (red, green, blue) = (Some([255, 0, 0]), Some([0, 255, 0]), Some([0, 0, 255]));
        let seen = corners(engine);
        if seen[0].is_none() {
            return println!("there is no driver: {:?}", game.log.all());
        }
        assert_eq!(seen, [red, green, blue, blue], "{:?}", game.log.all());
        engine.world_mut().set_view_part(id64!("right"), [0.5, 0.0, 0.5, 0.5]);
        assert_eq!(corners(engine), [red, blue, green, green], "{:?}", game.log.all());
        engine.world_mut().show_view(id64!("player"), false);
        assert_eq!(corners(engine), [green, blue, green, green], "{:?}", game.log.all());
    })
    .expect("it boots");
}
