//! What players do: it reaches scripts and logic in the same frame, is recorded and played back.

use loligo_engine::{Engine, EngineError, EngineOptions, ReplayDifference, with_engine};
use loligo_ids::id32;
use loligo_platform::{FocusChange, KeyCode, KeyInput, KeySymbol, MouseMotion, TextInput};

use crate::support::Game;

const CONTROLS: &str = "contexts = {
    play = {
        actions = { jump = [ \"Space\" ] }
        axes = { move_x = [ \"KeyD\" \"-KeyA\" ] }
    }
}";

const SCRIPT: &str = "
function update(step)
    if Input.pressed('jump') then print('jump', Game.frame()) end
    local hub = Entity.find('hub')
    local x, y, z = Vector3.elements(Transform.position(hub))
    Transform.set_xyz(hub, x + Input.value('move_x') * step, y, z)
    if Input.text() ~= '' then print('typed', Input.text(), Input.mouse()) end
end
";

fn game(script: &str) -> Game {
    let game = Game::new(1);
    game.write("game.input", CONTROLS);
    game.start_with(script);
    game
}

fn key(code: KeyCode, is_pressed: bool) -> KeyInput {
    KeyInput { code, is_pressed, is_repeat: false, symbol: KeySymbol::NONE }
}

/// A player who jumps, walks to the right for ten frames and types.
fn play(engine: &mut Engine<'_, '_>) -> Result<(), EngineError> {
    for frame in 0..30 {
        match frame {
            5 => engine.do_input(key(KeyCode::Space, true))?,
            6 => engine.do_input(key(KeyCode::Space, false))?,
            10 => engine.do_input(key(KeyCode::KeyD, true))?,
            20 => engine.do_input(key(KeyCode::KeyD, false))?,
            25 => {
                engine.do_input(TextInput { character: 'ß' })?;
                engine.do_input(MouseMotion { delta: [1.0, 0.0], position: [7.0, 9.0] })?;
            }
            _ => {}
        }
        engine.frame(&mut ())?;
    }
    Ok(())
}

fn hub(engine: &Engine<'_, '_>) -> f32 {
    let hub = engine.world().find(id32!("hub")).expect("the level has one");
    engine.world().transforms().pose(hub).expect("it has one").position.x
}

#[test]
fn what_a_player_does_reaches_scripts_in_the_same_frame() {
    let game = game(SCRIPT);
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        play(engine).expect("it runs");
        assert!((hub(engine) - 10.0 / 60.0).abs() < 1e-4, "ten frames to the right");
        engine.do_input(key(KeyCode::KeyA, true)).expect("there is memory");
        engine.frame(&mut ()).expect("a frame");
        let input = engine.world().input().expect("it is there");
        assert_eq!(input.value(id32!("move_x")), -1.0, "logic asks for it as well");
        engine.do_input(FocusChange { is_focused: false }).expect("there is memory");
        engine.frame(&mut ()).expect("a frame");
        let input = engine.world().input().expect("it is there");
        assert_eq!(input.value(id32!("move_x")), 0.0, "another program has the keyboard");
    })
    .expect("it boots");
    let log = game.log.all();
    let jumps: Vec<_> = log.iter().filter(|line| line.contains("jump")).collect();
    assert_eq!(jumps.len(), 1, "once: {log:#?}");
    assert!(jumps[0].contains("jump\t5"), "{jumps:?}");
    assert!(log.iter().any(|line| line.contains("typed\tß\t7\t9")), "{log:#?}");
}

#[test]
fn an_action_that_no_file_has_is_named() {
    let game = game("function update() print(pcall(Input.pressed, 'fly')) end");
    let data = game.data();
    with_engine(&game.options(&data), |engine| engine.frame(&mut ()).expect("a frame"))
        .expect("it boots");
    let log = game.log.all();
    let said = "Input.pressed: game.input has no action of that name; add it there";
    assert!(log.iter().any(|line| line.contains(said)), "{log:#?}");
}

#[test]
fn controls_are_changed_while_the_game_runs() {
    let game = game(SCRIPT);
    let data = game.data();
    with_engine(&game.options(&data), |engine| {
        engine.frame(&mut ()).expect("a frame");
        game.write("game.input", &CONTROLS.replace("Space", "Enter"));
        assert_eq!(game.compile(), [""; 0], "it is right");
        engine.reload(&mut ()).expect("there is memory");
        engine.do_input(key(KeyCode::Enter, true)).expect("there is memory");
        engine.frame(&mut ()).expect("a frame");
        assert!(engine.world().input().expect("it is there").pressed(id32!("jump")));
    })
    .expect("it boots");
}

/// Records the player.
fn recorded(game: &Game) -> Vec<u8> {
    let data = game.data();
    let options = EngineOptions { is_recorded: true, ..game.options(&data) };
    with_engine(&options, |engine| {
        play(engine).expect("it runs");
        engine.recording().expect("there is memory").expect("it was recorded").to_vec()
    })
    .expect("it boots")
}

/// Plays a recording back, and returns where the hub is at its end and what was different.
fn replayed(game: &Game, bytes: &[u8], threads: u32) -> (f32, Option<ReplayDifference>) {
    let data = game.data();
    let options =
        EngineOptions { replay: Some(bytes), threads: Some(threads), ..game.options(&data) };
    with_engine(&options, |engine| {
        // Nobody looks at the keyboard.
        engine.do_input(key(KeyCode::KeyA, true)).expect("there is memory");
        let mut frames = 0;
        while !engine.is_over() {
            engine.frame(&mut ()).expect("a frame");
            frames += 1;
        }
        assert_eq!(frames, 31, "as many as were recorded, and one that finds the end");
        assert!(engine.replay_error().is_none(), "it is whole");
        (hub(engine), engine.replay_difference())
    })
    .expect("it boots")
}

#[test]
fn a_replay_is_the_same_with_any_number_of_threads_and_a_difference_is_named() {
    let game = game(SCRIPT);
    let bytes = recorded(&game);
    for threads in [1, 2, 4] {
        let (x, difference) = replayed(&game, &bytes, threads);
        assert!((x - 10.0 / 60.0).abs() < 1e-4, "{threads} threads: {x}");
        assert_eq!(difference, None, "{threads} threads");
    }
    // The player walks twice as fast as when it was recorded.
    game.write("main.lua", &SCRIPT.replace("* step", "* step * 2"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    let (_, difference) = replayed(&game, &bytes, 2);
    assert_eq!(difference, Some(ReplayDifference { frame: 10, subsystem: "transforms" }));
}

#[test]
fn a_recording_that_is_cut_off_or_damaged_ends_the_game_and_says_why() {
    let game = game(SCRIPT);
    let (bytes, data) = (recorded(&game), game.data());
    let played = |bytes: &[u8]| {
        let options = EngineOptions { replay: Some(bytes), ..game.options(&data) };
        with_engine(&options, |engine| {
            while !engine.is_over() {
                engine.frame(&mut ()).expect("a frame");
            }
            engine.replay_error().map(ToString::to_string)
        })
    };
    assert_eq!(played(&bytes).expect("it boots"), None, "whole");
    let cut = played(&bytes[..bytes.len() / 2]).expect("it boots");
    assert!(cut.is_some_and(|why| why.contains("byte")), "the offset is named");
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    assert!(played(&damaged).expect("it boots").is_some(), "a bit is wrong");
    let refused = played(&bytes[..7]).expect_err("there is no header");
    assert!(matches!(refused, EngineError::Recording(_)), "{refused}");
}
