//! Settings that change while a game runs, and what a profiler sees of it.

use loligo_allocators::PageAllocator;
use loligo_monitor::{GraphLimits, Graphs, Monitor, Options};

use crate::play::{CRATE, FLOOR, Play, SETTINGS, play};
use crate::project::TestProject;

/// Compiles other settings and hands them to a game.
fn give(play: &mut Play<'_>, from: &str, to: &str) {
    let settings = SETTINGS.replace(from, to);
    assert_ne!(settings, SETTINGS, "{from} is in them");
    let project = TestProject::new(&[("game.physics", settings.as_bytes())]);
    project.compile().expect("it is right");
    play.give(&project, "physics", "game", true);
}

#[test]
fn live_actors_are_as_the_settings_of_now_say() {
    play(|memory, project| {
        // Without friction, it slides on.
        let slid = |change: Option<(&str, &str)>| {
            let mut play = Play::new(memory, project);
            play.spawn(FLOOR);
            let thing = play.spawn(&CRATE.replace("0 3 0", "0 0.5 0").replace("1 0 0", "3 0 0"));
            play.update(1);
            if let Some((from, to)) = change {
                give(&mut play, from, to);
            }
            play.update(120);
            play.at(thing)
        };
        let as_made = slid(None);
        assert!(as_made.x < 2.0 && (as_made.y - 0.5).abs() < 0.02, "{as_made}");
        let smooth = slid(Some((
            "stone = { friction = 0.8 density = 2600 } wood = { friction = 0.5",
            "stone = { friction = 0 density = 2600 } wood = { friction = 0",
        )));
        assert!(smooth.x > 5.0, "materials: {smooth}");
        let through = slid(Some((
            "ground = { meets = \"*\" } thing = { meets = \"*\" }",
            "ground = { meets = [ \"ground\" ] } thing = { meets = [ \"thing\" ] }",
        )));
        assert!(through.y < -5.0, "groups: {through}");
        let light = slid(Some((
            "box = { kind = \"dynamic\" }",
            "box = { kind = \"dynamic\" gravity_scale = -1 }",
        )));
        assert!(light.y > 5.0, "templates: {light}");
        let slow = slid(Some((
            "box = { kind = \"dynamic\" }",
            "box = { kind = \"dynamic\" linear_damping = 50 }",
        )));
        assert!(slow.x < 0.3, "damping: {slow}");
        let up = slid(Some(("stay_rate = 4", "stay_rate = 4 gravity = [ 0 3 0 ]")));
        assert!(up.y > 3.0, "gravity: {up}");
        let same = slid(Some(("stay_rate = 4", "stay_rate = 5")));
        assert_eq!(same, as_made, "what has not changed stays");
    });
}

#[test]
fn a_profiler_sees_steps_and_counts() {
    play(|memory, project| {
        let pages = PageAllocator::new("debug");
        let monitor = Monitor::try_new(&Options::default(), &pages).expect("there is memory");
        let limits = GraphLimits { graphs: 1, series: 8, history_max: 64 };
        let mut graphs = Graphs::try_new(&limits, &pages).expect("there is memory");
        graphs.command("graph make g").expect("it is right");
        for series in [
            "add g physics_actors",
            "add g physics_awake",
            "add g physics_contacts",
            "add_scope g physics_step",
            "add_scope g rapier3d",
        ] {
            graphs.command(&format!("graph {series}")).expect("it is right");
        }
        let recorder = monitor.try_recorder("main").expect("there is memory");
        recorder.run(|| {
            let mut play = Play::new(memory, project);
            play.spawn(FLOOR);
            play.spawn(CRATE);
            for _ in 0..60 {
                play.update(1);
                loligo_monitor::current::frame();
            }
        });
        recorder.flush();
        assert_eq!(monitor.drain(&mut [&mut graphs]).lost, 0, "it is few");
        let graph = graphs.get("g").expect("it was made");
        let last = |series: usize| graph.series()[series].points().last().expect("some").value;
        assert_eq!((last(0), last(1), last(2)), (2.0, 1.0, 1.0), "actors, awake, contacts");
        assert!(last(3) >= last(4) && last(4) > 0.0, "{} and {} ms", last(3), last(4));
    });
}
