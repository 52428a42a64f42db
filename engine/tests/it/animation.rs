//! Characters in a game: they play, walk, are heard, followed, seen, saved and compiled again.

use glam::Vec3;
use loligo_engine::{Engine, EngineOptions, with_engine};
use loligo_entities::Entity;
use loligo_ids::id32;

use crate::support::{Game, frames, place};

/// The person of the sample, and its component.
const PERSON: &str = "transform = { position = [ 0 0 -3 ] } animation = {
    skeleton = \"walker\" mesh = \"walker\" material = \"stone\" root_motion = true
    clips = {
        idle = \"idle\" walk = \"walk\" turn = { clip = \"turn\" loops = false }
        wave = { clip = \"wave\" loops = false above = \"arm.r\" }
    }
    play = \"PLAY\" DETAILS
}";

/// A game with a person that plays a clip, in front of a camera.
fn game(play: &str, details: &str, script: &str) -> Game {
    let game = Game::new(1);
    game.add_walker();
    for (clip, animation) in [("idle", "idle"), ("turn", "turn_left"), ("wave", "wave")] {
        let source = format!("skeleton = \"walker\" animation = \"{animation}\"");
        game.write(&format!("{clip}.clip"), &source);
    }
    game.write("walk.clip", WALK);
    let person = PERSON.replace("PLAY", play).replace("DETAILS", details);
    game.write("person.entity", &format!("components = {{ {person} }}"));
    game.write(
        "yard.level",
        "entities = {
            eye = { components = { transform = { position = [ 0 1 4 ] } camera = {} } }
            person = { inherit = \"person\" children = {
                hat = { components = {
                    transform = {} attach = { bone = \"head\" position = [ 0 0.2 0 ] }
                } }
            } }
        }",
    );
    game.start_with(script);
    game
}

const WALK: &str = "skeleton = \"walker\" animation = \"walk\" events = [
    { name = \"step\" frame = 1 bone = \"foot.l\" } { name = \"step\" frame = 16 bone = \"foot.r\" }
]";

/// Runs a frame, and returns what it draws as text.
fn text(engine: &mut Engine<'_, '_>) -> String {
    engine.want_text();
    frames(engine, 1);
    engine.finish().expect("it is drawn");
    engine.text().to_owned()
}

/// Returns the line with the bones of a frame.
fn bones(text: &str) -> Option<String> {
    text.lines().find(|line| line.starts_with("skinned ")).map(str::to_owned)
}

fn find(engine: &Engine<'_, '_>, name: loligo_ids::IdString32) -> Entity {
    engine.world().find(name).expect("the level has it")
}

#[test]
fn a_person_walks_by_the_way_of_its_clip() {
    let game = game("walk", "", "");
    let data = game.data();
    let runs = [1, 4].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            let before = text(engine);
            assert!(bones(&before).is_some_and(|line| line.starts_with("skinned 1: ")), "{before}");
            frames(engine, 59);
            let then = place(engine, id32!("person"));
            frames(engine, 60);
            let way = place(engine, id32!("person")) - then;
            assert!((way - Vec3::Z * 1.15).length() < 0.02, "a metre and more in a second: {way}");
            let hat = place(engine, id32!("hat")) - place(engine, id32!("person"));
            assert!((1.6..2.0).contains(&hat.y) && hat.x.abs() < 0.1, "it is on the head: {hat}");
            (before, text(engine), engine.state_hashes().collect::<Vec<_>>())
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with four threads");
    assert_ne!(bones(&runs[0].0), bones(&runs[0].1), "it moves");
    assert_eq!(game.log.errors(), [""; 0]);
}

#[test]
fn scripts_hear_steps_and_ends() {
    let game = game(
        "walk",
        "",
        "local STEP, TURN = Animation.id('step'), Animation.id('turn')
        function clip_event(entity, name, bone, at)
            local foot = bone == Animation.id('foot.l') and 'left' or 'right'
            local x, y, z = Vector3.elements(at)
            print('step', name == STEP, entity == Entity.find('person'), foot, y < 0.2, x > 0)
        end
        function clip_ended(entity, clip) print('ended', clip == TURN) end
        function update()
            if Game.frame() == 90 then Animation.fade(Entity.find('person'), 'turn', 0.2) end
        end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 240);
        let turned = engine.world().transforms().pose(find(engine, id32!("person")));
        let front = turned.expect("it is there").rotation * Vec3::Z;
        assert!(front.x > 0.9, "a quarter to the left: {front}");
    })
    .expect("it boots");
    let log = game.log.all();
    let steps: Vec<_> = log.iter().filter_map(|line| line.split("step\t").nth(1)).collect();
    assert_eq!(
        steps[..3],
        [
            "true\ttrue\tleft\ttrue\ttrue",
            "true\ttrue\tright\ttrue\tfalse",
            "true\ttrue\tleft\ttrue\ttrue"
        ],
        "{log:#?}"
    );
    assert_eq!(log.iter().filter(|line| line.contains("ended\ttrue")).count(), 1, "{log:#?}");
}

#[test]
fn a_saved_world_plays_on_byte_for_byte() {
    let script = "function update()
        local person, frame = Entity.find('person'), Game.frame()
        if frame == 20 then Animation.fade(person, 'idle', 1) end
        if frame == 30 then
            Animation.play(person, 'wave')
            Animation.look_at(person, 'head', Vector3(5, 1, 4), 0.8)
            Animation.set_speed(person, 0.7)
        end
        if frame == 70 then print(Vector3.elements(Animation.bone_position(person, 'hand.r'))) end
    end";
    let game = game("walk", "", script);
    let data = game.data();
    let options = game.options(&data);
    for (before, after) in [(1, 60), (25, 60), (45, 90)] {
        let frame = |engine: &mut Engine<'_, '_>| {
            let bones = bones(&text(engine));
            (bones, engine.state_hashes().collect::<Vec<_>>())
        };
        let (bytes, went_on) = with_engine(&options, |engine| {
            frames(engine, before);
            let bytes = engine.save().expect("there is memory").to_vec();
            (bytes, (0..after).map(|_| frame(engine)).collect::<Vec<_>>())
        })
        .expect("it boots");
        let loaded = with_engine(&options, |engine| {
            engine.load(&bytes).expect("it was saved");
            let again = engine.save().expect("there is memory").to_vec();
            assert!(again == bytes, "what was loaded is saved as the same bytes");
            (0..after).map(|_| frame(engine)).collect::<Vec<_>>()
        })
        .expect("it boots");
        let at = went_on.iter().zip(&loaded).position(|(old, new)| old != new);
        assert_eq!(at, None, "after {before}: {:?}", at.map(|at| (&went_on[at], &loaded[at])));
    }
}

#[test]
fn who_is_not_seen_is_not_posed_and_stays_in_step() {
    // The camera looks away for some time, and back.
    let script = |away: &str| {
        format!(
            "function update()
                local eye, frame = Entity.find('eye'), Game.frame()
                if frame == 30 then Transform.set_rotation(eye, {away}) end
                if frame == 70 then Transform.set_rotation(eye, Quaternion.new(0, 0, 0, 1)) end
            end"
        )
    };
    let run = |away: &str| {
        let game = game("walk", "", &script(away));
        let data = game.data();
        with_engine(&game.options(&data), |engine| {
            (0..100)
                .map(|_| (bones(&text(engine)), place(engine, id32!("hat"))))
                .collect::<Vec<_>>()
        })
        .expect("it boots")
    };
    let (seen, unseen) = (run("Quaternion.new(0, 0, 0, 1)"), run("Quaternion.new(0, 1, 0, 0)"));
    assert_eq!(unseen[..30], seen[..30]);
    assert!(unseen[30..70].iter().all(|(bones, _)| bones.is_none()), "nobody is posed: {unseen:?}");
    assert!(unseen[30..70].iter().zip(&seen[30..70]).all(|(a, b)| a.1 == b.1), "the hat follows");
    assert_eq!(unseen[70..], seen[70..], "as if it had been seen all the time");
}

#[test]
fn far_away_poses_are_fewer_and_some_bones_rest() {
    let details = "details = [ { distance = 2 rate = 15 resting = [ \"arm.l\" ] } ]";
    let changes = |details: &str| {
        let game = game("idle", details, "");
        // Without a hat, for which it would be posed in each frame.
        game.write(
            "yard.level",
            "entities = {
                eye = { components = { transform = { position = [ 0 1 4 ] } camera = {} } }
                person = { inherit = \"person\" }
            }",
        );
        assert_eq!(game.compile(), [""; 0], "it is right");
        let data = game.data();
        with_engine(&game.options(&data), |engine| {
            let lines: Vec<_> =
                (0..61).map(|_| bones(&text(engine)).expect("it is seen")).collect();
            lines.windows(2).filter(|pair| pair[0] != pair[1]).count()
        })
        .expect("it boots")
    };
    assert_eq!(changes(""), 60, "each frame has a pose");
    assert!((14..=16).contains(&changes(details)), "15 a second: {}", changes(details));
}

#[test]
fn a_clip_is_compiled_again_while_it_is_played() {
    let game = game("walk", "", "");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        let mut way = |source: &str| {
            game.write("walk.clip", source);
            assert_eq!(game.compile(), [""; 0], "it is right");
            engine.reload(&mut ()).expect("there is memory");
            frames(engine, 30);
            let before = place(engine, id32!("person"));
            frames(engine, 60);
            let after = place(engine, id32!("person"));
            assert!(bones(&text(engine)).is_some(), "it is drawn");
            (after - before).length()
        };
        let walks = way(WALK);
        assert!((walks - 1.15).abs() < 0.02, "{walks}");
        let idles = way("skeleton = \"walker\" animation = \"idle\" rate = 20");
        assert!(idles < 0.05, "{idles}");
        // A clip for other bones is refused, and what can be played is.
        let walks = way(WALK);
        assert!((walks - 1.15).abs() < 0.02, "{walks}");
    })
    .expect("it boots");
    assert_eq!(game.log.errors(), [""; 0]);
}

/// What a script asks of a character, and what it prints.
const REACHING: &str = "local person
    local function hand() return Vector3.elements(Animation.bone_position(person, 'hand.r')) end
    function update()
        person = Entity.find('person')
        local frame = Game.frame()
        if frame == 5 then
            print('idle', Animation.is_playing(person, 'idle'), Animation.is_playing(person, 'walk'))
            Animation.fade(person, 'walk', 0.5)
            print('both', Animation.weight(person, 'walk'))
        elseif frame == 20 then
            local weight = Animation.weight(person, 'walk')
            print('fading', weight > 0.4 and weight < 0.6, Animation.time(person, 'walk') > 0.2)
            Animation.set_time(person, 'walk', 0.5)
            print('time', Animation.time(person, 'walk'))
        elseif frame == 60 then
            print('walks', Animation.weight(person, 'walk'), Animation.is_playing(person, 'idle'))
            Animation.set_speed(person, 0)
            print('speed', Animation.speed(person))
        elseif frame == 62 then
            local x, y, z = hand()
            Animation.reach(person, 'hand.r', Vector3(x - 0.1, y + 0.1, z + 0.1), 1)
            local a, b, c = hand()
            print('reach', math.abs(a - x + 0.1) < 0.01, math.abs(b - y - 0.1) < 0.01, math.abs(c - z - 0.1) < 0.01)
            Animation.reach(person, 'hand.r', Vector3(0, 0, 0), 0)
            local back = hand()
            print('back', math.abs(back - x) < 1e-5)
            Animation.look_at(person, 'head', Vector3(-9, 1.6, z), 1)
            local front = Quaternion.rotate(Animation.bone_rotation(person, 'head'), Vector3(0, 0, 1))
            print('look', Vector3.x(front) < -0.8)
        elseif frame == 63 then
            local box = Entity.spawn('post', Vector3(0, 0, 0))
            Transform.link(box, person)
            Animation.attach(box, person, 'hand.l')
            print('detach', Animation.detach(Entity.find('hat')), Animation.detach(Entity.find('hat')))
        elseif frame == 64 then
            Animation.set_visible(person, false)
            print(pcall(Animation.play, person, 'fly'))
            print(pcall(Animation.play, Entity.find('eye'), 'walk'))
            print(pcall(Animation.bone_position, person, 'tail'))
            Animation.stop(person, 0)
        elseif frame == 66 then
            print('stopped', Animation.is_playing(person, 'walk'))
            Animation.set_visible(person, true)
            Animation.show_bones(true)
        end
    end";

#[test]
fn scripts_reach_all_of_a_character() {
    let game = game("idle", "", REACHING);
    game.write("post.entity", "components = { transform = {} tag = \"post\" }");
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 65);
        assert_eq!(bones(&text(engine)), None, "it is hidden");
        let post = engine.world().tags().entities(id32!("post"))[0];
        let at = engine.world().transforms().pose(post).expect("it is there").position;
        assert!(at.x > 0.15 && (0.6..1.1).contains(&at.y), "it is in the left hand: {at}");
        frames(engine, 3);
        let lines = crate::debug_draw::bytes(engine) / 32;
        assert_eq!(lines, 19, "a line for each bone with a parent");
    })
    .expect("it boots");
    let log = game.log.all();
    for wanted in [
        "idle\ttrue\tfalse",
        "both\t0",
        "fading\ttrue\ttrue",
        "time\t0.5",
        "walks\t1\tfalse",
        "speed\t0",
        "reach\ttrue\ttrue\ttrue",
        "back\ttrue",
        "look\ttrue",
        "detach\ttrue\tfalse",
        "stopped\tfalse",
        "no clip of that name",
        "has no component `animation`",
        "no bone of that name",
    ] {
        assert!(log.iter().any(|line| line.contains(wanted)), "{wanted}: {log:#?}");
    }
}

const HANDING_OVER: &str = "
    local person, frame = nil, 0
    function update()
        frame = frame + 1
        person = person or Entity.find('person')
        if frame == 2 then
            Animation.set_feet(person, 0.5)
            print('level', Animation.foot_height(person, 'foot.l'))
            print(pcall(Animation.foot_height, person, 'head'))
            print('not', Animation.is_released(person))
            Animation.release(person)
        elseif frame == 4 then
            print('released', Animation.is_released(person))
            Animation.take_back(person, 0.1)
        elseif frame == 20 then
            print('taken', Animation.is_released(person))
        end
    end";

#[test]
fn scripts_hand_bones_over_and_take_them_back() {
    let game =
        game("walk", "feet = [ \"foot.l\" { bone = \"foot.r\" reach = 0.4 } ]", HANDING_OVER);
    let data = game.data();
    with_engine(&game.options(&data), |engine| frames(engine, 24)).expect("it boots");
    let log = game.log.all();
    for wanted in
        ["level\t0", "no foot of that name", "not\tfalse", "released\ttrue", "taken\tfalse"]
    {
        assert!(log.iter().any(|line| line.contains(wanted)), "{wanted}: {log:#?}");
    }
    game.write("person.entity", "components = { transform = {} animation = { skeleton = \"walker\" feet = [ { reach = 1 } ] } }");
    let wrong = game.compile();
    assert!(wrong.iter().any(|line| line.contains("an object with the key `bone`")), "{wrong:#?}");
}

const MACHINE: &str = "skeleton = \"walker\" root = \"root\" variables = { speed = 0 }
clips = { idle = \"idle\" walk = \"walk\" wave = \"wave\" }
masks = { arm = [ \"arm.r\" ] }
layers = [
    {
        name = \"body\" states = { idle = { clip = \"idle\" } walk = { clip = \"walk\" speed = \"speed\" } }
        transitions = [
            { from = \"idle\" to = \"walk\" if = \"speed > 0\" seconds = 0.3 }
            { from = \"walk\" to = \"idle\" if = \"speed == 0\" seconds = 0.3 }
        ]
    }
    { name = \"arm\" mask = \"arm\" weight = \"speed - 1\" states = { wave = { clip = \"wave\" } } }
    { name = \"breath\" additive = true weight = 0.5 states = { idle = { clip = \"idle\" } } }
]";

/// A game with a person that a state machine drives.
fn driven(script: &str) -> Game {
    let game = game("idle", "", script);
    game.write("person.machine", MACHINE);
    let person = PERSON.replace("play = \"PLAY\" DETAILS", "machine = \"person\"");
    game.write("person.entity", &format!("components = {{ {person} }}"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    game
}

const DRIVES: &str = "
    function clip_event(entity, name, bone, at) print('step', bone == Animation.id('foot.r')) end
    function update()
        local person, frame = Entity.find('person'), Game.frame()
        if frame == 30 then
            print('is', Animation.is_in(person, 'idle'), Animation.get(person, 'speed'))
            Animation.set(person, 'speed', 1)
        elseif frame == 60 then
            print('walks', Animation.is_in(person, 'walk'), Animation.get(person, 'speed'))
        elseif frame == 200 then
            Animation.set(person, 'speed', 1.5)
            print(pcall(Animation.set, person, 'sped', 1))
            print(pcall(Animation.get, Entity.find('eye'), 'speed'))
        elseif frame == 230 then
            Animation.fade(person, 'turn', 0.2)
        end
    end";

#[test]
fn a_machine_drives_a_person() {
    let game = driven(DRIVES);
    let data = game.data();
    let runs = [1, 4].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            frames(engine, 90);
            let then = place(engine, id32!("person"));
            assert!((then.z + 3.0).abs() < 1.1, "it has just begun to walk: {then}");
            frames(engine, 60);
            let way = place(engine, id32!("person")) - then;
            assert!((way - Vec3::Z * 1.15).length() < 0.02, "by its root: {way}");
            frames(engine, 60);
            let then = place(engine, id32!("person"));
            frames(engine, 10);
            let way = place(engine, id32!("person")) - then;
            assert!((way.z - 1.5 * 1.15 / 6.0).abs() < 0.03, "faster: {way}");
            (bones(&text(engine)), engine.state_hashes().collect::<Vec<_>>())
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with four threads");
    let log = game.log.all();
    for wanted in ["is\ttrue\t0", "walks\ttrue\t1", "no variable of that name", "no component"] {
        assert!(log.iter().any(|line| line.contains(wanted)), "{wanted}: {log:#?}");
    }
    assert!(log.iter().filter(|line| line.contains("step\t")).count() >= 8, "{log:#?}");
    assert_eq!(game.log.errors(), [""; 0]);
}

#[test]
fn a_machine_goes_on_as_it_was_saved_and_when_it_is_compiled_again() {
    let game = driven(DRIVES);
    let data = game.data();
    let options = game.options(&data);
    let frame = |engine: &mut Engine<'_, '_>| {
        let bones = bones(&text(engine));
        (bones, engine.state_hashes().collect::<Vec<_>>())
    };
    for (before, after) in [(1, 60), (35, 60), (205, 60)] {
        let (bytes, went_on) = with_engine(&options, |engine| {
            frames(engine, before);
            let bytes = engine.save().expect("there is memory").to_vec();
            (bytes, (0..after).map(|_| frame(engine)).collect::<Vec<_>>())
        })
        .expect("it boots");
        let loaded = with_engine(&options, |engine| {
            engine.load(&bytes).expect("it was saved");
            assert!(engine.save().expect("there is memory").to_vec() == bytes, "the same bytes");
            (0..after).map(|_| frame(engine)).collect::<Vec<_>>()
        })
        .expect("it boots");
        let at = went_on.iter().zip(&loaded).position(|(old, new)| old != new);
        assert_eq!(at, None, "after {before}: {:?}", at.map(|at| (&went_on[at], &loaded[at])));
    }
    with_engine(&options, |engine| {
        frames(engine, 100);
        game.write("person.machine", &MACHINE.replace("0.3", "0.4"));
        assert_eq!(game.compile(), [""; 0], "it is right");
        engine.reload(&mut ()).expect("there is memory");
        let then = place(engine, id32!("person"));
        frames(engine, 60);
        let way = place(engine, id32!("person")) - then;
        assert!((way - Vec3::Z * 1.15).length() < 0.04, "it walks on: {way}");
    })
    .expect("it boots");
}

#[test]
fn a_frame_of_many_allocates_nothing() {
    let game = game(
        "walk",
        "",
        "function start()
            local places = {}
            for i = 1, 60 do places[#places + 1] = Vector3(i % 10 - 5, 0, -i / 10) end
            Entity.spawn_many('person', places)
        end",
    );
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        frames(engine, 80);
        let stats = |engine: &Engine<'_, '_>| {
            engine.memory().subsystem("animation").expect("it has a proxy").stats()
        };
        let before = stats(engine);
        frames(engine, 60);
        let after = stats(engine);
        assert_eq!(after.allocations_total, before.allocations_total, "{before:?} {after:?}");
        let shown = bones(&text(engine)).expect("they are seen");
        assert!(shown.starts_with("skinned 61: "), "{shown}");
    })
    .expect("it boots");
}
