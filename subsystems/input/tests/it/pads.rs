//! Gamepads.

use loligo_platform::{PadAxis, PadButton, PadConnected, PadDisconnected};

use crate::memory::with_memory;
use crate::player::{DOWN, PRESSED, Player, RELEASED, UP};

#[test]
fn a_dead_zone_is_round_and_rescaled() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.tilt(0, PadAxis::LeftX, 0.2).frame().expect_value("move_x", 0.0);
        player.tilt(0, PadAxis::LeftX, 0.6).frame().expect_value("move_x", 0.5);
        player.tilt(0, PadAxis::LeftX, -1.0).frame().expect_value("move_x", -1.0);
        // A little of x counts where the stick is tilted to y.
        player.tilt(0, PadAxis::LeftX, 0.1).tilt(0, PadAxis::LeftY, 0.995).frame();
        let x = player.input.value(loligo_ids::id32!("move_x"));
        assert!((0.09..0.11).contains(&x), "{x}");
        player.tilt(0, PadAxis::RightX, 0.01).frame().expect_value("turn", 0.01);
        player.tilt(0, PadAxis::LeftTrigger, 0.55).frame().expect_value("gas", 1.0);
        player.tilt(0, PadAxis::LeftTrigger, f32::NAN).frame().expect_value("gas", 0.0);
        player.tilt(0, PadAxis::LeftTrigger, 7.0).frame().expect_value("gas", 2.0);
    });
}

#[test]
fn a_trigger_presses_once() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.tilt(0, PadAxis::RightTrigger, 0.39).frame().expect("fire", UP);
        player.tilt(0, PadAxis::RightTrigger, 0.41).frame().expect("fire", PRESSED);
        player.tilt(0, PadAxis::RightTrigger, 0.35).frame().expect("fire", DOWN);
        player.tilt(0, PadAxis::RightTrigger, 0.45).frame().expect("fire", DOWN);
        player.tilt(0, PadAxis::RightTrigger, 0.3).frame().expect("fire", RELEASED);
        player.tilt(0, PadAxis::LeftX, 0.9).frame().expect("left", UP);
        player.tilt(0, PadAxis::LeftX, -0.9).frame().expect("left", PRESSED);
    });
}

#[test]
fn the_pad_that_is_tilted_most_counts() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.tilt(0, PadAxis::RightX, 0.25).tilt(1, PadAxis::RightX, -0.5).frame();
        player.expect_value("turn", -0.5);
        player.pad(0, PadButton::South, true).pad(1, PadButton::South, true).frame();
        player.expect("jump", PRESSED);
        player.pad(0, PadButton::South, false).frame().expect("jump", DOWN);
        player.pad(1, PadButton::South, false).frame().expect("jump", RELEASED);
        player.tilt(8, PadAxis::RightX, 1.0).pad(8, PadButton::South, true).frame();
        player.expect_value("turn", -0.5).expect("jump", UP);
    });
}

#[test]
fn a_pad_that_is_gone_lets_go() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.event(PadConnected { pad: 1 }).pad(1, PadButton::South, true);
        player.tilt(1, PadAxis::RightTrigger, 1.0).tilt(1, PadAxis::LeftX, 1.0).frame();
        player.expect("jump", PRESSED).expect("fire", PRESSED).expect_value("move_x", 1.0);
        player.event(PadDisconnected { pad: 1 }).frame();
        player.expect("jump", RELEASED).expect("fire", RELEASED).expect_value("move_x", 0.0);
        player.event(PadDisconnected { pad: u16::MAX }).frame().expect("jump", UP);
    });
}

#[test]
fn a_player_has_a_pad() {
    with_memory(|memory| {
        let mut player = Player::new(memory);
        player.pad(0, PadButton::South, true).tilt(0, PadAxis::LeftX, 1.0).frame();
        player.expect("jump", PRESSED);
        player.frame().input.set_pad(Some(1));
        player.expect("jump", RELEASED).expect_value("move_x", 0.0);
        player.pad(0, PadButton::South, false).pad(0, PadButton::South, true).frame();
        player.expect("jump", UP);
        player.pad(1, PadButton::South, true).frame().expect("jump", PRESSED);
    });
}
