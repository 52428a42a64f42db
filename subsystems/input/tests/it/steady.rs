//! Frames that are like one before allocate nothing.

use loligo_allocators::{Allocator, FailingAllocator, HeapAllocator, PageAllocator, Refusals};
use loligo_containers::EventStream;
use loligo_input::Input;
use loligo_platform::{
    KeyCode, KeyInput, KeySymbol, MouseMotion, PadAxis, PadAxisInput, TextInput,
};

use crate::player::{MAPPING, compiled};

#[test]
fn a_frame_like_the_one_before_allocates_nothing() {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    let memory = FailingAllocator::new_in("test memory", Refusals::None, &heap);
    {
        let memory: &dyn Allocator = &memory;
        let mut input = Input::new(memory);
        input.load(&compiled(MAPPING, memory)).expect("it was compiled");
        let mut events = EventStream::new(memory);
        let mut frame = |number: u32| {
            events.clear();
            let is_pressed = number.is_multiple_of(2);
            for code in [KeyCode::KeyD, KeyCode::ControlLeft, KeyCode::KeyS, KeyCode::Space] {
                let symbol = KeySymbol::from_char('q');
                events.push(KeyInput { code, is_pressed, is_repeat: false, symbol });
            }
            events.push(MouseMotion { delta: [1.0; 2], position: [1.0; 2] });
            events.push(TextInput { character: '猫' });
            let value = if is_pressed { 0.9 } else { -0.9 };
            events.push(PadAxisInput { pad: 0, axis: PadAxis::LeftX, value });
            input.begin_frame();
            input.apply(events.reader()).expect("there is memory");
        };
        (0..4).for_each(&mut frame);
        let before = memory.stats();
        (4..1_000).for_each(&mut frame);
        assert_eq!(memory.stats(), before);
    }
    assert_eq!(memory.stats().live, 0, "blocks were never freed");
}
