//! Every interleaving of two threads with a stream between them.

use loligo_allocators::PageAllocator;

use super::{Stream, Supply};
use crate::pipe::loom::explore;

/// Three frames through a ring for two: it is full and empty on the way, and ends.
fn frames_arrive_whole_and_in_order() {
    static MEMORY: PageAllocator = PageAllocator::new("model");
    let stream = Stream::of_length(2, 1, &MEMORY).expect("there is memory");
    let stream = std::boxed::Box::leak(std::boxed::Box::new(stream));
    let (mut input, output) = stream.split();
    let thread = loom::thread::spawn(move || {
        for number in 1..=3 {
            while input.push(&[number]) == 0 {
                loom::thread::yield_now();
            }
        }
        input.finish();
    });
    for number in 0..3 {
        while output.supply(number + 1, 0) == Supply::None {
            loom::thread::yield_now();
        }
        let mut heard = [0.0];
        output.read(0, number as i64, &mut heard);
        assert_eq!(heard[0] * 32_768.0, number as f32 + 1.0, "a frame is there when it is counted");
        output.release(number + 1);
    }
    thread.join().expect("it does not panic");
    assert_eq!(output.frames(), 3, "there are no more");
}

#[test]
fn loom_sound_stream() {
    let model = frames_arrive_whole_and_in_order;
    explore("sound_stream::frames", model, 50, "a frame is there when it is counted");
}
