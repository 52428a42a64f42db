//! Frames as text, compared with what was looked at and kept.

use loligo_allocators::Allocator;
use loligo_render::{
    DisplayList, Draw, FrameDescription, Geometry, IndirectArgs, ItemSorter, Order, Recorded,
    RenderContext, TargetFormat, TargetSize, Trace, play,
};

use crate::memory::with_memory;

pub(crate) const FRAME: &str = r#"
// A sun's shadow, the scene, and what brings it to the window.
targets = {
    shadow = { format = "depth32f" size = [ 2048 2048 ] }
    hdr = { format = "rgba16f" }
    depth = { format = "depth32f" scale = 1 }
    half = { format = "rgba16f" scale = 0.5 }
}
views = {
    sun = { from = "sun" }
    map = { from = "camera" stage = 1 rectangle = [ 0.75 0 0.25 0.25 ] }
}
passes = [
    {
        name = "shadow"
        view = "sun"
        depth = "shadow"
        clear = { depth = 1 }
        layers = [ { name = "casters" order = "by_state" takes = "all" } ]
    }
    {
        name = "scene"
        color = [ "hdr" ]
        depth = "depth"
        reads = [ "shadow" ]
        clear = { color = [ 0.1 0.2 0.4 1 ] depth = 1 }
        layers = [
            { name = "opaque" order = "front_to_back" }
            { name = "glass" order = "back_to_front" }
        ]
    }
    { name = "bloom" color = [ "half" ] reads = [ "hdr" ] }
    {
        name = "tonemap"
        color = [ "window" ]
        reads = [ "hdr" "half" ]
        layers = [ { name = "screen" order = "by_state" } ]
    }
]
"#;

fn frame(memory: &dyn Allocator) -> FrameDescription<'_> {
    FrameDescription::try_read_in(FRAME.as_bytes(), memory).expect("it is right")
}

#[test]
fn a_description_is_what_its_text_says() {
    with_memory(|memory, _| {
        let frame = frame(memory);
        let targets: Vec<_> =
            frame.targets().map(|target| (target.name, target.format, target.size)).collect();
        assert_eq!(
            targets,
            [
                ("window", None, TargetSize::Scale(1.0)),
                ("shadow", Some(TargetFormat::Depth32F), TargetSize::Pixels([2048, 2048])),
                ("hdr", Some(TargetFormat::Rgba16F), TargetSize::Scale(1.0)),
                ("depth", Some(TargetFormat::Depth32F), TargetSize::Scale(1.0)),
                ("half", Some(TargetFormat::Rgba16F), TargetSize::Scale(0.5)),
            ]
        );
        assert_eq!(targets[4].2.pixels([1921, 1]), [960, 1], "half a window, a pixel at least");
        let layers: Vec<_> = frame
            .layers()
            .map(|layer| (layer.number, layer.name, layer.pass, layer.order))
            .collect();
        assert_eq!(
            layers,
            [
                (0, "casters", 0, Order::ByState),
                (1, "opaque", 1, Order::FrontToBack),
                (2, "glass", 1, Order::BackToFront),
                (3, "screen", 3, Order::ByState),
            ]
        );
        for layer in frame.layers() {
            assert_eq!(frame.layer(layer.name), Some(layer));
            assert_eq!(layer.name_number, layer.number, "no name comes twice");
        }
        let passes: Vec<_> =
            frame.passes().map(|pass| (pass.colors.to_vec(), pass.depth)).collect();
        assert_eq!(
            passes,
            [(vec![], Some(1)), (vec![2], Some(3)), (vec![4], None), (vec![0], None)]
        );
    });
}

/// Fills two contexts as two jobs would.
fn contexts<'a>(frame: &FrameDescription<'_>, memory: &'a dyn Allocator) -> [RenderContext<'a>; 2] {
    let [crate_, lamp] = [
        Geometry { index_count: 36, first_index: 0, base_vertex: 0 },
        Geometry { index_count: 240, first_index: 36, base_vertex: 24 },
    ];
    let keys = |name| frame.layer(name).expect("it is there").keys();
    let mut contexts = [RenderContext::new_in(memory), RenderContext::new_in(memory)];
    for instance in 0..6_u32 {
        let (mesh, state) = if instance < 4 { (crate_, 1) } else { (lamp, 2) };
        let args = IndirectArgs::new(mesh, instance, 1);
        let context = &mut contexts[instance as usize / 3];
        let metres = 10.0 - instance as f32;
        for (layer, state) in [("casters", 8), ("opaque", state)] {
            context
                .try_draw(keys(layer).key(state, mesh.first_index, metres), Draw { state, args })
                .expect("memory");
        }
    }
    let glass = |instance| Draw { state: 5, args: IndirectArgs::new(crate_, instance, 1) };
    contexts[0].try_draw(keys("glass").key(5, 0, 2.0), glass(6)).expect("memory");
    contexts[1].try_draw(keys("glass").key(5, 0, 9.0), glass(7)).expect("memory");
    contexts[1].try_draw(keys("glass").key(5, 0, 1.0), glass(8)).expect("memory");
    contexts[0]
        .try_job(keys("screen").key(0, 0, 0.0), 0xB100, b"bloom and tonemap")
        .expect("memory");
    contexts
}

#[test]
fn a_frame_is_the_text_that_was_kept() {
    with_memory(|memory, _| {
        let frame = frame(memory);
        let contexts = contexts(&frame, memory);
        let mut sorter: ItemSorter = ItemSorter::new_in(memory);
        let mut list: DisplayList = DisplayList::new_in(memory);
        list.try_append(sorter.try_merge(&contexts).expect("memory"), &contexts).expect("memory");
        let mut text = String::new();
        let mut trace = Trace::new(&frame, &mut text);
        let recorded: Recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };
        play(&recorded, &mut trace).expect("a string takes all");
        trace.finish().expect("a string takes all");
        assert_eq!(text, include_str!("frame_text.txt"));
    });
}

#[test]
#[should_panic(expected = "Some(Layer(200)) is of no pass")]
fn a_layer_of_another_description_is_a_broken_contract() {
    let pages = loligo_allocators::PageAllocator::new("pages");
    let memory: &dyn Allocator = &pages;
    let frame = frame(memory);
    let mut context: RenderContext = RenderContext::new_in(memory);
    context.try_draw(200 << 56, Draw::default()).expect("memory");
    let contexts = [context];
    let mut sorter: ItemSorter = ItemSorter::new_in(memory);
    let mut list: DisplayList = DisplayList::new_in(memory);
    list.try_append(sorter.try_merge(&contexts).expect("memory"), &contexts).expect("memory");
    let mut text = String::new();
    let recorded: Recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };
    _ = play(&recorded, &mut Trace::new(&frame, &mut text));
}
