//! All contenders see the same events.

use crossbeam_queue::{ArrayQueue, SegQueue};
use loligo_containers::EventReader;

use super::frame::one_frame;
use super::*;
use crate::outcome::Reading;

#[test]
fn all_queues_see_the_same_events() {
    let expected = one_frame(&mut ours());
    assert_eq!(expected.last, EVENTS / 5 - 1);
    assert!(expected.slept > 0 && expected.force[2] > 0.0 && expected.speed > 0.0, "{expected:?}");
    assert_eq!(one_frame(&mut SegQueue::<Any>::new()), expected);
    assert_eq!(one_frame(&mut ArrayQueue::<Any>::new(EVENTS as usize)), expected);
    #[cfg(feature = "peers-all")]
    assert_eq!(one_frame(&mut messages::Messages::default()), expected);
}

#[test]
fn a_stream_and_a_vector_are_read_alike() {
    let events = drawn(3, 1_000);
    let stream = stream_of(&events);
    let mut expected = Seen::default();
    events.iter().for_each(|event| expected.any(event));
    assert_eq!(Seen::of(stream.reader()), expected);
    assert_eq!(EventReader::open(stream.as_bytes()).map(Seen::of), Ok(expected));
}

#[test]
fn contenders_count_what_they_do() {
    for race in
        [append_one(), append_batch(), visit(), visit_checked(), merge(), merge_time(), frame()]
    {
        for mut contender in core::iter::once(race.ours).chain(race.peers) {
            let operations = contender.pass().operations;
            assert!(operations == 300_000 || operations == 200_000, "{}", contender.name());
        }
    }
}

#[test]
fn the_bytes_are_counted() {
    assert_eq!((size_of::<Collision>(), size_of::<Any>()), (40, 44));
    let Reading::Alone { figures, .. } = bytes() else { panic!("it is one figure") };
    assert!((0.5..0.7).contains(&figures[0]), "{figures:?}");
}
