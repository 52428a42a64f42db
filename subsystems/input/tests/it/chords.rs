//! Controls that are held together.

use loligo_platform::{KeyCode, MouseButton, MouseMotion};

use crate::memory::with_memory;
use crate::player::{DOWN, PRESSED, Player, RELEASED, UP};

#[test]
fn a_chord_hides_its_last_key_alone() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::KeyS, true).frame().expect("crouch", PRESSED).expect("save", UP);
        player.key(KeyCode::KeyS, false).frame().expect("crouch", RELEASED);
        player.key(KeyCode::ControlLeft, true).key(KeyCode::KeyS, true).frame();
        player.expect("save", PRESSED).expect("crouch", UP);
    });
}

#[test]
fn it_ends_with_any_of_its_keys() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::ControlLeft, true).key(KeyCode::KeyS, true).frame();
        player.key(KeyCode::ControlLeft, false).frame();
        player.expect("save", RELEASED).expect("crouch", UP);
        player.key(KeyCode::KeyS, false).frame().expect("crouch", UP).expect("save", UP);
    });
}

#[test]
fn the_order_counts() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::KeyS, true).key(KeyCode::ControlLeft, true).frame();
        player.expect("crouch", PRESSED).expect("save", UP);
        player.frame().expect("crouch", DOWN);
        player.key(KeyCode::KeyS, false).key(KeyCode::KeyS, true).frame();
        player.expect("save", PRESSED).expect("crouch", RELEASED);
    });
}

#[test]
fn a_motion_is_part_of_a_chord() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        let motion = MouseMotion { delta: [4.0, 0.0], position: [0.0; 2] };
        player.event(motion).frame().expect_value("turn", 2.0).expect_value("orbit", 0.0);
        player.mouse(MouseButton::Right, true).event(motion).frame();
        player.expect_value("turn", 0.0).expect_value("orbit", 4.0);
        player.mouse(MouseButton::Right, false).event(motion).frame().expect_value("turn", 2.0);
    });
}

#[test]
fn plus_is_a_key() {
    with_memory(|memory| {
        let text = r#"contexts = { view = { actions = { in = "'Control'+'+'" } } }"#;
        assert!(loligo_input::compile::compile(text.as_bytes()).is_err(), "it has a side");
        let text = r#"contexts = { view = { actions = { in = "ControlLeft+'+'" } } }"#;
        let mut player = Player::with(text, memory);
        player.key(KeyCode::ControlLeft, true).symbol(KeyCode::BracketRight, '+', true).frame();
        player.expect("in", PRESSED);
    });
}
