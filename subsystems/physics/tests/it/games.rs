//! Games that run at the same time.

use loligo_interface::Subsystem;

use crate::play::{CRATE, FLOOR, Play, play_with};

#[test]
fn worlds_know_nothing_of_each_other() {
    play_with(&[], |memory, project| {
        let run = |number: usize, play: &mut Play<'_>| {
            if number == 0 {
                play.spawn(FLOOR);
            }
            if number.is_multiple_of(7) {
                play.spawn(CRATE);
            }
            play.update(3);
        };
        let mut alone = Play::new(memory, project);
        (0..30).for_each(|number| run(number, &mut alone));
        // Another one has other things in it, and is stepped in between.
        let (mut one, mut other) = (Play::new(memory, project), Play::new(memory, project));
        for number in 0..30 {
            run(number, &mut one);
            other.spawn(&CRATE.replace("0 3 0", "0 9 0"));
            other.update(2);
        }
        assert!(one.saved() == alone.saved(), "it is as it would be alone");
        assert_ne!(one.physics.state_hash(), other.physics.state_hash());
    });
}
