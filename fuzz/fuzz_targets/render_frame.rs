//! Frame descriptions from any bytes: refused at a place in the text, or read, and then played as
//! text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loligo_fuzz::limited;
use loligo_render::{
    DisplayList, Draw, FrameDescription, FrameError, ItemSorter, Recorded, RenderContext, Trace,
    play,
};

fuzz_target!(|text: &[u8]| limited::within(1 << 22, |memory| {
    let frame: FrameDescription = match FrameDescription::try_read_in(text, memory) {
        Ok(frame) => frame,
        Err(FrameError::Invalid { line, column, .. }) => {
            let lines = text.split(|byte| *byte == b'\n').count();
            return assert!(
                (1..=lines).contains(&(line as usize)) && column > 0,
                "{line}:{column}"
            );
        }
        Err(_) => return,
    };
    let mut context: RenderContext = RenderContext::new_in(memory);
    for layer in frame.layers() {
        context.try_draw(layer.keys().key(3, 4, 5.0), Draw::default()).expect("there is memory");
    }
    let contexts = [context];
    let mut sorter: ItemSorter = ItemSorter::new_in(memory);
    let mut list: DisplayList = DisplayList::new_in(memory);
    let sorted = sorter.try_merge(&contexts).expect("there is memory");
    list.try_append(sorted, &contexts).expect("there is memory");
    let mut written = String::new();
    let recorded: Recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };
    play(&recorded, &mut Trace::new(&frame, &mut written)).expect("a string takes all");
    assert_eq!(written.matches("\n  layer ").count(), frame.layers().len(), "{written}");
}));
