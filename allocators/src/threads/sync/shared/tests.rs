//! Tests of the turn.

use std::format;

use super::Turn;

#[test]
fn a_turn_is_held_until_it_ends() {
    let turn = Turn::new();
    let held = || format!("{:?}", turn.lock).contains("held: true");
    for _ in 0..2 {
        assert!(!held(), "no thread has it");
        let taken = turn.take();
        assert!(held(), "taken");
        drop(taken);
    }
    assert!(!held(), "released");
}
