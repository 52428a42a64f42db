//! The mouse and its wheel.

use loligo_input::Mouse;
use loligo_platform::{MouseMotion, MouseWheel};

use crate::memory::with_memory;
use crate::player::{BOTH, Player, UP};

#[test]
fn motion_is_that_of_the_frame() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        for delta in [[1.0, 2.0], [3.0, -1.0]] {
            player.event(MouseMotion { delta, position: [delta[0], 9.0] });
        }
        player.event(MouseWheel { lines: [0.0, -2.0] }).frame().expect_value("turn", 2.0);
        let mouse = Mouse { position: [3.0, 9.0], delta: [4.0, 1.0], wheel: [0.0, -2.0] };
        assert_eq!(player.input.mouse(), mouse);
        player.expect_value("zoom", -2.0).expect("next", UP);
        player.frame().expect_value("turn", 0.0);
        let mouse = Mouse { position: [3.0, 9.0], ..Mouse::default() };
        assert_eq!(player.input.mouse(), mouse);
    });
}

#[test]
fn a_turn_of_the_wheel_is_a_press() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.event(MouseWheel { lines: [0.0, 1.0] }).frame().expect("next", BOTH);
        player.frame().expect("next", UP);
        player.event(MouseWheel { lines: [0.0, -1.0] }).frame().expect("next", UP);
    });
}

#[test]
fn without_focus_the_cursor_alone_is_followed() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.focus(false).event(MouseMotion { delta: [1.0; 2], position: [5.0; 2] }).frame();
        let mouse = Mouse { position: [5.0; 2], ..Mouse::default() };
        assert_eq!(player.input.mouse(), mouse);
        player.focus(true);
        player.event(MouseMotion { delta: [f32::NAN, 1.0], position: [f32::INFINITY; 2] });
        player.event(MouseWheel { lines: [f32::NAN; 2] }).frame();
        assert_eq!(player.input.mouse(), mouse, "what is no number is not taken");
        player.event(MouseMotion { delta: [f32::MAX; 2], position: [0.0; 2] });
        player.event(MouseMotion { delta: [f32::MAX; 2], position: [0.0; 2] }).frame();
        assert!(player.input.mouse().delta[0].is_finite(), "{:?}", player.input.mouse());
    });
}
