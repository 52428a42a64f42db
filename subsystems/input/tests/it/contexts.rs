//! Contexts that are switched.

use loligo_ids::id32;
use loligo_platform::{KeyCode, PadAxis, PadButton};

use crate::memory::with_memory;
use crate::player::{MAPPING, PRESSED, Player, RELEASED, UP, compiled};

#[test]
fn the_upper_one_hides_keys_of_the_lower() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.context("menu", true);
        player.key(KeyCode::Space, true).key(KeyCode::KeyJ, true).frame();
        player.expect("confirm", PRESSED).expect("jump", PRESSED);
        player.key(KeyCode::KeyJ, false).frame().expect("jump", RELEASED);
        player.key(KeyCode::KeyD, true).frame().expect_value("pick", 1.0);
        player.expect_value("move_x", 0.0);
    });
}

#[test]
fn nothing_is_pressed_by_a_switch() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::Space, true).frame().expect("jump", PRESSED);
        player.frame().context("menu", true);
        player.expect("jump", RELEASED).expect("confirm", UP);
        player.frame().expect("jump", UP).expect("confirm", UP);
        player.context("menu", false).expect("jump", UP);
        player.frame().expect("jump", UP);
        player.key(KeyCode::Space, false).frame().expect("jump", UP).expect("confirm", UP);
        player.key(KeyCode::Space, true).frame().expect("jump", PRESSED);
    });
}

#[test]
fn one_that_is_switched_off_lets_go() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::KeyD, true).pad(0, PadButton::South, true).frame();
        player.expect_value("move_x", 1.0).expect("jump", PRESSED);
        player.frame().context("play", false);
        player.expect_value("move_x", 0.0).expect("jump", RELEASED);
        player.key(KeyCode::KeyJ, true).frame().expect("jump", UP);
        player.context("play", true).frame().expect("jump", UP).expect_value("move_x", 0.0);
    });
}

#[test]
fn sticks_and_triggers_go_where_the_context_is() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.tilt(0, PadAxis::LeftX, 1.0).tilt(0, PadAxis::RightTrigger, 1.0).frame();
        player.expect_value("move_x", 1.0).expect("fire", PRESSED);
        player.frame().context("menu", true);
        player.expect_value("move_x", 0.0).expect_value("pick", 1.0);
        player.context("menu", false).context("play", false).expect("fire", RELEASED);
        player.frame().context("play", true);
        // The trigger trembles where it is: that is no press.
        player.tilt(0, PadAxis::RightTrigger, 0.9).frame().expect("fire", UP);
        player.expect_value("move_x", 1.0);
        player.tilt(0, PadAxis::RightTrigger, 0.1).tilt(0, PadAxis::RightTrigger, 0.9).frame();
        player.expect("fire", PRESSED);
    });
}

#[test]
fn a_new_mapping_keeps_what_is_on() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.context("menu", true).key(KeyCode::KeyJ, true).frame();
        let other = MAPPING.replace("KeyJ", "KeyK").replace("menu", "pause");
        player.input.load(&compiled(&other, memory)).expect("it was compiled");
        player.input.validate();
        assert_eq!(player.input.is_context_active(id32!("pause")), Some(false), "a new name");
        player.frame().expect("jump", UP);
        player.input.load(&compiled(MAPPING, memory)).expect("it was compiled");
        player.context("menu", true);
        let same = MAPPING.replace("KeyJ", "KeyK");
        player.input.load(&compiled(&same, memory)).expect("it was compiled");
        assert_eq!(player.input.is_context_active(id32!("menu")), Some(true), "as before");
        player.key(KeyCode::KeyK, true).frame().expect("jump", PRESSED);
    });
}
