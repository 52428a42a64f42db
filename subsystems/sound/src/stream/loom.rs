//! Every interleaving of a thread that feeds a stream and one that plays it.

use loligo_allocators::PageAllocator;

use super::{Stream, Supply};
use crate::pipe::loom::prove;

/// Three frames through a ring of two: it is full and empty on the way, and its end is seen.
fn frames_arrive_in_order_and_end() {
    static MEMORY: PageAllocator = PageAllocator::new("model");
    let stream = std::boxed::Box::leak(std::boxed::Box::new(
        Stream::of_length(2, 1, &MEMORY).expect("there is memory"),
    ));
    let (mut input, output) = stream.split();
    let thread = loom::thread::spawn(move || {
        for sample in 1..=3 {
            while input.push(&[sample]) == 0 {
                loom::thread::yield_now();
            }
        }
        input.finish();
    });
    for at in 0..3_u16 {
        while output.supply(u64::from(at) + 1, 0) == Supply::None {
            loom::thread::yield_now();
        }
        let mut sample = [0.0];
        output.read(0, i64::from(at), &mut sample);
        assert_eq!(sample[0] * 32_768.0, f32::from(at + 1), "a frame is there as it was put in");
        output.release(u64::from(at) + 1);
    }
    thread.join().expect("it does not panic");
    assert_eq!(output.frames(), 3, "there are no more, and that is known");
}

#[test]
fn loom_sound_stream() {
    prove("sound_stream::frames", frames_arrive_in_order_and_end, "a frame is there");
}
