//! Keys and buttons.

use loligo_ids::id32;
use loligo_platform::{KeyCode, KeyInput, KeySymbol, MouseButton, TextInput};

use crate::memory::with_memory;
use crate::player::{BOTH, DOWN, PRESSED, Player, RELEASED, UP};

#[test]
fn an_action_is_pressed_down_and_released() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.frame().expect("jump", UP);
        player.key(KeyCode::Space, true).frame().expect("jump", PRESSED);
        player.frame().expect("jump", DOWN);
        player.key(KeyCode::Space, false).frame().expect("jump", RELEASED);
        player.frame().expect("jump", UP);
    });
}

#[test]
fn what_is_pressed_and_released_in_a_frame_is_both() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::Space, true).key(KeyCode::Space, false).frame().expect("jump", BOTH);
        player.frame().expect("jump", UP);
        player.key(KeyCode::Space, true).frame();
        player.key(KeyCode::Space, false).key(KeyCode::Space, true).frame();
        player.expect("jump", [true, true, true]);
    });
}

#[test]
fn a_repeated_key_is_no_press() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        let (code, symbol) = (KeyCode::Space, KeySymbol::NONE);
        let repeat = KeyInput { code, is_pressed: true, is_repeat: true, symbol };
        player.event(repeat).frame().expect("jump", UP);
        player.key(code, true).frame().expect("jump", PRESSED);
        player.event(repeat).frame().expect("jump", DOWN);
        player.key(code, true).frame().expect("jump", DOWN);
        player.key(code, false).frame().expect("jump", RELEASED);
    });
}

#[test]
fn an_action_is_up_when_all_of_its_keys_are() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::Space, true).frame().expect("jump", PRESSED);
        player.key(KeyCode::KeyJ, true).frame().expect("jump", DOWN);
        player.key(KeyCode::Space, false).frame().expect("jump", DOWN);
        player.key(KeyCode::KeyJ, false).frame().expect("jump", RELEASED);
    });
}

#[test]
fn opposite_keys_cancel_and_two_of_a_side_are_one() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::KeyD, true).frame().expect_value("move_x", 1.0);
        player.key(KeyCode::ArrowRight, true).frame().expect_value("move_x", 1.0);
        player.key(KeyCode::KeyA, true).frame().expect_value("move_x", 0.0);
        player.key(KeyCode::KeyD, false).frame().expect_value("move_x", 0.0);
        player.key(KeyCode::ArrowRight, false).frame().expect_value("move_x", -1.0);
        player.key(KeyCode::KeyA, false).frame().expect_value("move_x", 0.0);
    });
}

#[test]
fn without_focus_everything_is_up_and_stays_so() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.key(KeyCode::Space, true).key(KeyCode::KeyD, true).mouse(MouseButton::Left, true);
        player.frame().expect("jump", PRESSED).expect("fire", PRESSED);
        player.focus(false).key(KeyCode::KeyJ, true).event(TextInput { character: 'x' }).frame();
        player.expect("jump", RELEASED).expect("fire", RELEASED).expect_value("move_x", 0.0);
        assert_eq!(player.input.text(), "", "nothing is typed into another window");
        // The key is still held, and is released while the window has the keyboard.
        player.focus(true).frame().expect("jump", UP);
        player.key(KeyCode::Space, false).frame().expect("jump", UP);
        player.key(KeyCode::Space, true).frame().expect("jump", PRESSED);
    });
}

#[test]
fn a_symbol_is_the_key_that_types_it() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.symbol(KeyCode::KeyA, 'q', true).frame().expect("quit", PRESSED);
        player.expect_value("move_x", -1.0);
        // The layout has changed meanwhile: the key by its place is the same.
        player.symbol(KeyCode::KeyA, 'a', false).frame().expect("quit", RELEASED);
        player.symbol(KeyCode::KeyQ, 'a', true).frame().expect("quit", UP);
        // A key without a place.
        player.symbol(KeyCode::Unidentified, 'Q', true).frame().expect("quit", PRESSED);
        player.symbol(KeyCode::KeyX, 'q', true).frame().expect("quit", DOWN);
        player.symbol(KeyCode::Unidentified, 'q', false).frame().expect("quit", DOWN);
        player.symbol(KeyCode::KeyX, 'q', false).frame().expect("quit", RELEASED);
        player.key(KeyCode::Unidentified, true).frame().expect("quit", UP);
    });
}

#[test]
fn text_is_that_of_the_frame() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        for character in ['a', 'ß', '猫'] {
            player.event(TextInput { character });
        }
        player.frame();
        assert_eq!(player.input.text(), "aß猫");
        player.frame();
        assert_eq!(player.input.text(), "");
    });
}

#[test]
fn unknown_names_are_never_down() {
    with_memory(|memory| {
        let player = Player::new(memory);
        assert!(player.input.has_action(id32!("jump")) && player.input.has_axis(id32!("turn")));
        assert!(!player.input.has_action(id32!("turn")) && !player.input.has_axis(id32!("jump")));
        assert!(!player.input.is_down(id32!("jmup")));
        assert_eq!(player.input.value(id32!("jump")), 0.0);
        assert_eq!(player.input.is_context_active(id32!("menu")), Some(false));
        assert_eq!(player.input.is_context_active(id32!("manu")), None);
    });
}
