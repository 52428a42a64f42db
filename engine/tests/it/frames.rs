//! Frames of a game: booted, run, drawn as text, shut down.

use glam::{Quat, Vec3};
use loligo_allocators::Arena;
use loligo_engine::{
    ARMED_FROM, DisabledSubsystems, Engine, EngineError, EngineOptions, FrameMemory, Logic,
    SubsystemAllocator, SubsystemMemory, World, with_engine,
};
use loligo_ids::id32;

use crate::support::Game;

/// Turns what is tagged so.
#[derive(Default)]
pub(crate) struct Turning {
    pub(crate) started: u32,
    pub(crate) events: u32,
}

impl<'m> Logic<'m> for Turning {
    fn start(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        self.started += 1;
        assert_eq!(world.tags().entities(id32!("turns")).len(), 1, "the hub is there");
    }

    fn update(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
        let angle = (world.now() as f64 / 1e9) as f32;
        let turning = world.tags().entities(id32!("turns")).first().copied();
        if let Some(entity) = turning {
            let is_turned =
                world.transforms_mut().set_rotation(entity, Quat::from_rotation_y(angle));
            assert!(is_turned, "the hub has a transform");
        }
    }

    fn event(
        &mut self,
        _: &mut World<'m>,
        _: &loligo_containers::EventRecord<'_>,
        _: &FrameMemory<'m>,
    ) {
        self.events += 1;
    }
}

/// Runs `frames` frames and returns the text of the last, and where the arm is.
fn run(options: &EngineOptions<'_>, frames: u32) -> (String, String) {
    with_engine(options, |engine| run_in(engine, frames).expect("frames are drawn"))
        .expect("it boots")
}

fn run_in(engine: &mut Engine<'_, '_>, frames: u32) -> Result<(String, String), EngineError> {
    let mut logic = Turning::default();
    for frame in 0..frames {
        if frame + 1 == frames {
            engine.want_text();
        }
        engine.frame(&mut logic)?;
    }
    engine.finish()?;
    assert_eq!((logic.started, logic.events), (1, 1), "it was started, and got the level's event");
    let world = engine.world();
    let arm = world.find(id32!("arm")).expect("the level has one");
    let place = world.transforms().world(arm).expect("it has a transform").translation;
    Ok((engine.text().to_owned(), format!("{place:?}")))
}

#[test]
fn sixty_frames_are_run_and_the_last_is_as_it_was_kept() {
    let game = Game::new(3);
    let data = game.data();
    let (text, place) = run(&game.options(&data), 60);
    assert_eq!(text, include_str!("frame.txt"), "the frame:\n{text}");
    assert!(place.starts_with("Vec3A(1.1085"), "{place} after 59 sixtieths of a second");
    assert!(game.log.all()[0].starts_with("drawn by nobody"), "{:?}", game.log.all());
}

#[test]
fn frames_that_set_up_or_are_kept_are_not_among_the_usual() {
    let game = Game::new(3);
    let data = game.data();
    for threads in [1, 2] {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            for frame in 0..ARMED_FROM + 8 {
                match frame {
                    12 => engine.want_text(),
                    14 => engine.want_picture(),
                    _ => {}
                }
                engine.frame(&mut ()).expect("a frame");
            }
            engine.finish().expect("they are drawn");
            assert_eq!(engine.own_times().len(), 6, "eight less the two that were asked for");
            assert!(engine.unusual_own_ns() > 0, "the others took something");
        })
        .expect("it boots");
    }
}

#[test]
fn a_frame_is_the_same_on_one_thread_and_on_many() {
    let game = Game::new(20);
    let data = game.data();
    let [one, two, five] = [1, 2, 5].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        run(&options, 30)
    });
    assert_eq!(one, two, "two threads");
    assert_eq!(one, five, "five threads");
    assert!(one.0.contains("meshes 402"), "all are there: {}", &one.0[..200]);
}

/// Turns everything that is seen.
struct Whirl;

impl<'m> Logic<'m> for Whirl {
    fn update(&mut self, world: &mut World<'m>, memory: &FrameMemory<'m>) {
        let angle = (world.now() as f64 / 1e9) as f32;
        let all = memory.alloc_slice_copy(world.models());
        for (at, entity) in all.iter().enumerate() {
            let turned = Quat::from_rotation_y(angle + at as f32);
            assert!(world.transforms_mut().set_rotation(*entity, turned), "{entity:?} is placed");
        }
    }
}

#[test]
fn what_several_threads_compute_of_a_frame_is_the_same_as_on_one() {
    // Enough that depths of transforms and the display list are cut into pieces.
    let game = Game::new(50);
    let data = game.data();
    let [one, two, three, six] = [1, 2, 3, 6].map(|threads| {
        let options = EngineOptions { threads: Some(threads), ..game.options(&data) };
        with_engine(&options, |engine| {
            (0..12).try_for_each(|_| engine.frame(&mut Whirl))?;
            engine.want_text();
            engine.frame(&mut Whirl)?;
            engine.finish()?;
            Ok::<_, EngineError>((engine.text().to_owned(), engine.drawn().draws))
        })
        .expect("it boots")
        .expect("frames are drawn")
    });
    assert!(one.1 > 2_048, "only {} draws", one.1);
    assert!(one == two && one == three && one == six, "threads change what is drawn");
}

/// Changes one thing of a world that is seen.
type Touch = fn(&mut World<'_>);

#[test]
fn the_text_of_a_frame_has_a_hash_of_all_that_is_seen() {
    struct Once(Touch);
    impl<'m> Logic<'m> for Once {
        fn start(&mut self, world: &mut World<'m>, _: &FrameMemory<'m>) {
            (self.0)(world);
        }
    }
    let mut game = Game::new(3);
    let text_of = |game: &Game, touch: Touch| {
        with_engine(&game.options(&game.data()), |engine| {
            engine.want_text();
            engine.frame(&mut Once(touch)).expect("a frame");
            engine.finish().expect("it is drawn");
            engine.text().to_owned()
        })
        .expect("it boots")
    };
    let text = text_of(&game, |_| {});
    assert_eq!(text, text_of(&game, |_| {}), "the same twice");
    let touches: [(&str, Touch); 4] = [
        ("a matrix", |world| {
            let arm = world.find(id32!("arm")).expect("the level has one");
            // As a race would leave it: no draw is another, and nothing is sorted otherwise.
            world.transforms_mut().set_position(arm, Vec3::new(2.0, 1e-4, 0.0));
        }),
        ("the camera", |world| {
            let eye = world.camera().expect("the level has one");
            world.camera_of_mut(eye).expect("it has one").field_of_view += 1e-6;
        }),
        ("the sun", |world| world.sun_mut().expect("the level has one").intensity += 1e-6),
        ("where the camera is", |world| {
            let eye = world.camera().expect("the level has one");
            world.transforms_mut().set_position(eye, Vec3::new(0.0, 6.0, 14.0001));
        }),
    ];
    for (what, touch) in touches {
        assert_ne!(text_of(&game, touch), text, "{what} is another, and the text is the same");
    }
    game.write("stone.material", "shader = \"plain\" layer = \"opaque\" roughness = 0.123");
    assert_eq!(game.compile(), [""; 0], "it is right");
    assert_ne!(text_of(&game, |_| {}), text, "a material is another, and the text is the same");
    game = Game::new(3);
    assert_eq!(text_of(&game, |_| {}), text, "and nothing of a machine or a run is in it");
}

#[test]
fn what_means_nothing_in_game_config_is_an_error_with_the_nearest() {
    let game = Game::new(1);
    let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
    for (line, said) in [
        (
            "titel = \"Yard\"",
            "game.config:1:1: the key `titel` means nothing here; is `title` meant?",
        ),
        ("script = \"mian\"", "game.config:1:10: there is no resource `mian` of type `lua`"),
        (
            "materials = [ \"gold\" ]",
            "game.config:1:15: there is no resource `gold` of type `material`",
        ),
        ("script = 5", "game.config:1:10: expected a string, found a number"),
    ] {
        game.write("game.config", &format!("{line}{config}"));
        let errors = game.compile();
        game.write("game.config", &config);
        assert_eq!(game.compile(), [""; 0], "it is right");
        assert!(errors.len() == 1 && errors[0].starts_with(said), "{line}: {errors:?}");
    }
    for (was, is, said) in [
        ("level = \"yard\"", "level = \"yarn\"", "there is no resource `yarn` of type `level`"),
        ("policy =", "polcy =", "the key `polcy` means nothing here; is `policy` meant?"),
        ("\"smoothed\"", "\"smooth\"", "the values are \"fixed\", \"each_frame\""),
    ] {
        game.write("game.config", &config.replace(was, is));
        let errors = game.compile();
        game.write("game.config", &config);
        assert_eq!(game.compile(), [""; 0], "it is right");
        assert!(errors.len() == 1 && errors[0].contains(said), "{is}: {errors:?}");
    }
    // Other settings are the game's own.
    game.write("weather.config", "titel = 1");
    assert_eq!(game.compile(), [""; 0], "it is right");
    // So is a material that a layer names.
    let frame = std::fs::read_to_string(game.sources().join("yard.frame")).expect("written");
    game.write("yard.frame", &frame.replace("material = \"sky\"", "material = \"ski\""));
    let errors = game.compile();
    let said = "yard.frame:8:103: there is no resource `ski` of type `material`";
    assert!(errors.len() == 1 && errors[0].starts_with(said), "{errors:?}");
}

#[test]
fn what_nobody_sees_is_warned_of() {
    let game = Game::new(1);
    game.write("stone.material", "shader = \"plain\" layer = \"opaqe\"");
    let level = std::fs::read_to_string(game.sources().join("yard.level")).expect("written");
    game.write("yard.level", &level.replace("camera = { far = 200 }", ""));
    let frame = std::fs::read_to_string(game.sources().join("yard.frame")).expect("written");
    let empty = "order = \"by_state\" }";
    game.write("yard.frame", &frame.replace("takes = \"picture\" material = \"sky\" }", empty));
    assert_eq!(game.compile(), [""; 0], "each is right by itself");
    let data = game.data();
    let is_blank = with_engine(&game.options(&data), |engine| {
        for _ in 0..3 {
            engine.frame(&mut ()).expect("a frame");
        }
        engine.finish().expect("it is drawn");
        engine.is_blank()
    });
    let lines = game.log.all();
    let stone = lines.iter().find(|line| line.starts_with("stone is never drawn")).expect("said");
    let names = ["(opaqe); the layers are #", "(shadow), #", "(opaque), #", "(sky)"];
    assert!(names.iter().all(|name| stone.contains(name)), "by their names: {stone}");
    let unseen = lines.iter().filter(|line| line.contains("the level has no camera")).count();
    assert_eq!(unseen, 1, "{lines:?}");
    assert!(is_blank.expect("it boots"), "nothing was drawn");
    // A right game says none of this.
    let right = Game::new(1);
    let data = right.data();
    let is_blank = with_engine(&right.options(&data), |engine| {
        engine.frame(&mut ()).expect("a frame");
        engine.finish().expect("it is drawn");
        engine.is_blank()
    });
    assert!(!is_blank.expect("it boots"), "boxes were drawn");
    assert_eq!(right.log.all().len(), 1, "it names the back end: {:?}", right.log.all());
}

#[test]
fn subsystems_may_be_left_out() {
    let game = Game::new(2);
    let data = game.data();
    for subsystems in
        [&["render"][..], &["monitor"], &["tools"], &["monitor", "render", "script", "tools"]]
    {
        let mut without = DisabledSubsystems::default();
        subsystems.iter().for_each(|subsystem| without.add(subsystem).expect("it may"));
        let options = EngineOptions { without, ..game.options(&data) };
        let (text, place) = run(&options, 20);
        assert_eq!(text.is_empty(), subsystems.contains(&"render"), "without {subsystems:?}");
        assert!(place.starts_with("Vec3A("), "the world goes on without {subsystems:?}");
    }
}

#[test]
fn every_allocator_of_a_plan_gives_the_same_frame() {
    let game = Game::new(2);
    let data = game.data();
    let expected = run(&game.options(&data), 12);
    for allocator in [
        SubsystemAllocator::Heap,
        SubsystemAllocator::Page,
        SubsystemAllocator::Guard,
        SubsystemAllocator::System,
        SubsystemAllocator::Buddy { bytes: 32 << 20, leaf: 64 },
    ] {
        let mut options = game.options(&data);
        for index in 0..loligo_engine::SUBSYSTEMS.len() {
            options.plan.set_subsystem(index, SubsystemMemory { allocator, budget: None });
        }
        assert_eq!(run(&options, 12), expected, "{allocator:?}");
    }
}

#[test]
fn a_subsystem_that_runs_out_of_its_budget_is_an_error() {
    let game = Game::new(2);
    let data = game.data();
    for (index, subsystem) in loligo_engine::SUBSYSTEMS.iter().enumerate() {
        let mut options = game.options(&data);
        let memory = SubsystemMemory { allocator: SubsystemAllocator::Shared, budget: Some(64) };
        options.plan.set_subsystem(index, memory);
        let booted = with_engine(&options, |engine| engine.frame(&mut ()));
        // A subsystem that needs nothing yet boots; one that does says so, and leaves nothing.
        if ["engine", "entities", "render", "resources", "tasks"].contains(subsystem) {
            let error = booted.and_then(|frame| frame).expect_err(subsystem).to_string();
            assert!(error.contains("memory") || error.contains("refuse"), "{subsystem}: {error}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_game_is_an_error() {
    let game = Game::new(1);
    let data = game.data();
    let missing = tempfile::tempdir().expect("a folder");
    let error = with_engine(&game.options(missing.path()), |_| ()).expect_err("there is no data");
    assert!(error.to_string().contains("resources"), "{error}");
    for (from, to, said) in [
        ("level = \"yard\"", "level = \"none\"", "there is no such resource; compile it"),
        ("level = \"yard\"", "", "game.config: `level` is missing or wrong; name a resource"),
        ("[ 640 360 ]", "[ 640 ]", "game.config: `window` is missing or wrong; give its width"),
        (
            "\"smoothed\"",
            "\"rough\"",
            "game.config: `time_step` is missing or wrong; give `policy`",
        ),
    ] {
        let config = std::fs::read_to_string(game.sources().join("game.config")).expect("written");
        game.write("game.config", &config.replace(from, to));
        assert_eq!(game.compile_unchecked(), [""; 0], "{to}");
        let error = with_engine(&game.options(&data), |_| ()).expect_err(to).to_string();
        assert!(error.contains(said), "{to}: {error}");
        game.write("game.config", &config);
        game.compile();
    }
    with_engine(&game.options(&data), |_| ()).expect("as it was");
}
