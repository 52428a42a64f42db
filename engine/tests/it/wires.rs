//! What the events of one subsystem mean to another: feet are on the ground that physics knows, steps are
//! heard as of that ground, and bones fall.

use loligo_engine::{EngineOptions, with_engine};
use loligo_ids::id32;

use crate::physics::SETTINGS;
use crate::support::{Game, frames, place};

const DOLL: &str = r#"settings = "game"
bones = {
    hips = { shape = { template = "limb" box = [ 0.3 0.2 0.2 ] } }
    chest = { parent = "hips" limits = [ -40 40 ]
        shape = { template = "limb" box = [ 0.35 0.4 0.2 ] position = [ 0 0.1 0 ] } }
    head = { parent = "chest" limits = [ -40 40 ]
        shape = { template = "limb" sphere = 0.12 position = [ 0 0.1 0 ] } }
    thigh.l = { parent = "hips" limits = [ -60 60 ]
        shape = { template = "limb" box = [ 0.12 0.36 0.12 ] position = [ 0 -0.21 0 ] } }
    shin.l = { parent = "thigh.l" joint = "hinge" limits = [ 0 120 ]
        shape = { template = "limb" box = [ 0.1 0.34 0.1 ] position = [ 0 -0.2 0 ] } }
    thigh.r = { parent = "hips" limits = [ -60 60 ]
        shape = { template = "limb" box = [ 0.12 0.36 0.12 ] position = [ 0 -0.21 0 ] } }
    shin.r = { parent = "thigh.r" joint = "hinge" limits = [ 0 120 ]
        shape = { template = "limb" box = [ 0.1 0.34 0.1 ] position = [ 0 -0.2 0 ] } }
}"#;

const PERSON: &str = r#"components = {
    transform = {} ragdoll = { ragdoll = "doll" }
    animation = {
        skeleton = "walker" mesh = "walker" material = "stone"
        clips = { idle = "idle" walk = "walk" } play = "walk"
        feet = [ "foot.l" "foot.r" ]
    }
}"#;

const WALK: &str = r#"skeleton = "walker" animation = "walk" events = [
    { name = "step" frame = 1 bone = "foot.l" } { name = "step" frame = 16 bone = "foot.r" }
]"#;

const LEVEL: &str = r#"entities = {
    eye = { components = { transform = { position = [ 0 1 4 ] } camera = {} } }
    ground = { components = {
        transform = { position = [ 0 -0.5 0 ] } actor = { collision = "floor" template = "floor" }
    } }
    kerb = { components = {
        transform = { position = [ 10 -0.4 0 ] } actor = { collision = "floor" template = "floor" }
    } }
    person = { inherit = "person" children = {
        hat = { components = { transform = {} attach = { bone = "head" } } }
    } }
}"#;

fn game(script: &str) -> Game {
    let game = Game::new(1);
    game.add_walker();
    let limb = "impacts = \"game\" shapes = { limb = { material = \"wood\" group = \"thing\" }";
    for (path, text) in [
        ("game.physics", &*SETTINGS.replace("shapes = {", limb)),
        (
            "game.impacts",
            r#"settings = "game"
            rows = [ { kind = "footstep" materials = [ "*" "stone" ] effect = "steps/stone" strength = 0.5 } ]"#,
        ),
        (
            "floor.collision",
            r#"settings = "game" shapes = [ { template = "floor" box = [ 19 1 40 ] } ]"#,
        ),
        ("doll.ragdoll", DOLL),
        ("idle.clip", "skeleton = \"walker\" animation = \"idle\""),
        ("walk.clip", WALK),
        ("person.entity", PERSON),
        ("yard.level", LEVEL),
    ] {
        game.write(path, text);
    }
    game.start_with(script);
    game
}

#[test]
fn bones_fall_and_are_taken_back() {
    let game = game(
        "local frame = 0
        function update()
            frame = frame + 1
            local person = Entity.find('person')
            if frame == 20 then Animation.release(person) end
            if frame == 260 then Animation.take_back(person, 0.2) end
        end",
    );
    let data = game.data();
    let runs = [1, 4].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            frames(engine, 18);
            let upright = place(engine, id32!("hat")).y;
            assert!((1.5..1.9).contains(&upright), "it is upright: {upright}");
            frames(engine, 230);
            let lying = place(engine, id32!("hat")).y;
            assert!(
                (-0.05..0.9).contains(&lying),
                "its head is down, and above the ground: {lying}"
            );
            let hashes: Vec<_> = engine.state_hashes().collect();
            frames(engine, 60);
            let again = place(engine, id32!("hat")).y;
            assert!((again - upright).abs() < 0.1, "it is as before: {again} and {upright}");
            hashes
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with four threads");
    assert!(game.log.all().iter().all(|line| !line.contains("error")), "{:#?}", game.log.all());
}

#[test]
fn steps_are_heard_as_of_the_ground() {
    let game = game(
        "local steps, right = 0, 0
        function impact(name, kind, entity, other, at, strength)
            local _, y = Vector3.elements(at)
            steps = steps + 1
            if name == Physics.effect('steps/stone') and kind == 1 and strength == 0.5
                and entity == Entity.find('person') and other == Entity.find('ground')
                and math.abs(y) < 0.01 then right = right + 1 end
            print('steps', steps, right)
        end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| frames(engine, 130)).expect("it boots");
    let log = game.log.all();
    assert!(log.iter().any(|line| line.contains("steps\t4\t4")), "two a second: {log:#?}");
}

#[test]
fn feet_are_on_the_ground_that_is_there() {
    let game = game(
        "local frame = 0
        function update()
            frame = frame + 1
            local person = Entity.find('person')
            if frame == 1 then
                Transform.set_xyz(person, 0.5, 0, 0)
            end
            if frame == 60 then
                print('feet', string.format('%.2f %.2f', Animation.foot_height(person, 'foot.l'),
                    Animation.foot_height(person, 'foot.r')))
                Physics.show_casts(true)
            end
        end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 62);
        // A ray for each foot, and a normal where it hits.
        assert_eq!(crate::debug_draw::bytes(engine) / 32, 4, "they are seen");
    })
    .expect("it boots");
    let log = game.log.all();
    // The kerb is 0.1 higher, from x = 0.5 on: under the left foot, which is at 0.6.
    assert!(log.iter().any(|line| line.contains("feet\t0.10 0.00")), "{log:#?}");
}
