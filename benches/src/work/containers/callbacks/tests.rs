//! All contenders make the same calls.

use super::*;

#[test]
fn all_queues_make_the_same_calls() {
    fn sums(mut queue: impl Queue) -> Game {
        let mut game = Game::default();
        fill_and_run(&mut queue, &mut game);
        fill_and_run(&mut queue, &mut game);
        game
    }
    let ours = sums(Ours::new());
    assert!(ours.sums.iter().all(|sum| *sum > 0), "{ours:?}");
    assert_eq!(ours, sums(Vec::<Boxed>::new()));
    assert_eq!(ours, sums(SegQueue::<Boxed>::new()));
    for mut contender in core::iter::once(run().ours).chain(run().peers) {
        assert_eq!(contender.pass().operations, 300_000);
    }
}
