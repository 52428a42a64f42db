//! What models have for shaders besides their materials: in sources, by scripts, by logic, and on the render
//! thread.

use loligo_engine::{InstanceParameters, with_engine};
use loligo_entities::Pose;
use loligo_ids::id64;

use crate::support::Game;

const POST: &str = "components = {
    transform = {}
    model = { mesh = \"box\" material = \"stone\" }
    parameters = { color = [ 1 0 0 1 ] numbers = [ 1 2 3 4 ] }
}";

const SCRIPT: &str = "
local post, plain
function start()
    post = Entity.spawn('post', Vector3(0, 0, 0))
    plain = Entity.find('hub')
end
function update()
    if Game.frame() == 2 then
        print('post', Vector3.x(Model.color(post)), Vector3.y(Model.color(post)), Model.opacity(post), Model.number(post, 3))
        Model.set_color(plain, Vector3(0, 1, 0))
        Model.set_opacity(plain, 0.5)
        Model.set_number(plain, 4, 7)
        print('plain', Vector3.x(Model.color(plain)), Model.opacity(plain), Model.number(plain, 4))
        print(pcall(Model.number, plain, 5))
        print(pcall(Model.set_color, Entity.find('eye'), Vector3(1, 1, 1)))
    elseif Game.frame() == 4 then
        Entity.destroy(post)
    end
end
";

/// Returns the line about parameters of a frame as text.
fn line(text: &str) -> Option<String> {
    text.lines().find(|line| line.starts_with("parameters of ")).map(ToOwned::to_owned)
}

#[test]
fn models_have_parameters_from_sources_and_from_scripts() {
    let game = Game::new(1);
    game.write("post.entity", POST);
    game.start_with(SCRIPT);
    let data = game.data();
    let lines: Vec<Option<String>> = with_engine(&game.options(&data), |engine| {
        let frame = |engine: &mut loligo_engine::Engine<'_, '_>| {
            engine.want_text();
            engine.frame(&mut ()).expect("a frame");
            engine.finish().expect("it is drawn");
            line(engine.text())
        };
        (0..6).map(|_| frame(engine)).collect()
    })
    .expect("it boots");
    let count = |line: &Option<String>| line.as_ref().map(|line| line[14..15].to_owned());
    let counts: Vec<Option<String>> = lines.iter().map(count).collect();
    let [one, two] = ["1", "2"].map(|count| Some(count.to_owned()));
    assert_eq!(counts[1..], [one.clone(), two.clone(), two, one.clone(), one], "{lines:?}");
    assert_eq!((&lines[2], &lines[4]), (&lines[3], &lines[5]), "they stay");
    assert!(lines[1] != lines[5], "those of another");
    let log = game.log.all();
    let has = |part: &str| assert!(log.iter().any(|line| line.contains(part)), "{part}: {log:#?}");
    has("post\t1\t0\t1\t3");
    has("plain\t0\t0.5\t7");
    has("there is no number 5; they are 1 to 4");
    has("the entity has no model; give it one");
}

#[test]
fn logic_changes_parameters_and_a_copy_has_its_own() {
    let game = Game::new(1);
    game.write("post.entity", POST);
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    game.write("game.config", &format!("{config}\npackages = [ \"all\" ]"));
    game.write("all.package", "entity = [ \"post\" ]");
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        engine.frame(&mut ()).expect("a frame");
        let world = engine.world_mut();
        let spawn = |world: &mut loligo_engine::World<'_>| {
            let post = world.spawn_named(id64!("post"), &Pose::IDENTITY).expect("there is memory");
            post.expect("it is loaded")
        };
        let [first, second] = [spawn(world), spawn(world)];
        let changed = world.change_parameters(first, |own| own.numbers[0] = 9.0);
        assert!(changed.expect("there is memory"), "it has a model");
        let numbers = |entity| world.parameters(entity).map(|own| own.numbers);
        assert_eq!(numbers(first), Some([9.0, 2.0, 3.0, 4.0]));
        assert_eq!(numbers(second), Some([1.0, 2.0, 3.0, 4.0]));
        let hub = world.find(loligo_ids::IdString32::new("hub")).expect("it is there");
        assert_eq!(world.parameters(hub), Some(InstanceParameters::NEUTRAL), "it has none");
        let eye = world.find(loligo_ids::IdString32::new("eye")).expect("it is there");
        assert_eq!(world.parameters(eye), None, "it has no model");
    })
    .expect("it boots");
}
