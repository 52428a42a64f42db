//! Rendering under the suite for subsystems: contexts, sorting, lists, descriptions, both sides of
//! state reflection, and whole frames as text.

use core::convert::Infallible;

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_render::{
    DisplayList, Draw, FrameDescription, Geometry, IndirectArgs, ItemSorter, Light, Mesh, Recorded,
    RenderContext, RenderWorld, StateRecorder, Trace, Transform, View, play,
};
use loligo_tests::Violation;
use loligo_tests::conformance::{Watch, Watched};

use crate::subsystems::conforms;

const FRAME: &str = r#"
targets = { hdr = { format = "rgba16f" } depth = { format = "depth32f" } }
passes = [
    { name = "scene" color = [ "hdr" ] depth = "depth" layers = [ { name = "opaque" order = "by_state" } ] }
    { name = "tonemap" color = [ "window" ] reads = [ "hdr" ] }
]
"#;

/// Makes something that takes no memory yet.
fn made<'w, S, V: core::fmt::Debug>(
    watch: &'w Watch<'_>,
    make: impl Fn(&'w dyn Allocator) -> S,
    state: impl Fn(&S) -> V + 'w,
) -> Result<Watched<'w, S>, Violation> {
    watch.make(|memory| Ok::<_, Infallible>(make(memory)), state)
}

fn draws(count: u32) -> impl Iterator<Item = (u64, Draw)> {
    (0..count).map(|at| {
        let mesh = Geometry { index_count: 3, first_index: at / 8, base_vertex: 0 };
        (
            u64::from(at * 7 % 64),
            Draw { state: at * 7 % 64 / 8, args: IndirectArgs::new(mesh, at, 1) },
        )
    })
}

#[test]
fn contexts_sorting_and_lists_conform() {
    conforms(|watch| {
        let state = |context: &RenderContext<'_>| format!("{context:?}");
        let mut context = made(watch, RenderContext::new_in, state)?.claiming(RenderContext::bytes);
        for (at, (key, draw)) in draws(150).enumerate() {
            context.call(|context| context.try_draw(key, draw))?;
            if at % 16 == 0 {
                context.call(|context| context.try_job(key, 1, &[7; 21]))?;
            }
        }
        let contexts = core::slice::from_ref(&*context);
        let state = |sorter: &ItemSorter<'_>| sorter.items().to_vec();
        let mut sorter = made(watch, ItemSorter::new_in, state)?.claiming(ItemSorter::bytes);
        sorter.call(|sorter| sorter.try_merge(contexts).map(drop))?;
        let state = |list: &DisplayList<'_>| format!("{list:?}");
        let make = |memory| DisplayList::new_in(memory);
        let mut part = made(watch, make, state)?.claiming(DisplayList::bytes);
        let mut whole = made(watch, make, state)?.claiming(DisplayList::bytes);
        for items in sorter.items().chunks(50) {
            part.change(DisplayList::clear)?;
            part.call(|part| part.try_append(items, contexts))?;
            whole.call(|whole| whole.try_append_list(&part))?;
        }
        Ok(())
    });
}

#[test]
fn descriptions_conform() {
    conforms(|watch| {
        let read = |memory| {
            let read = FrameDescription::try_read_in(FRAME.as_bytes(), memory);
            read.map_err(|error| error.to_string())
        };
        let state = |frame: &FrameDescription<'_>| format!("{frame:?}");
        let frame = watch.make(read, state)?;
        assert_eq!(frame.layer("opaque").map(|layer| layer.pass), Some(0));
        Ok(())
    });
}

#[test]
fn both_sides_of_state_reflection_conform() {
    conforms(|watch| {
        let state = |recorder: &StateRecorder<'_>| (recorder.len(), recorder.waiting());
        let mut recorder = made(watch, |memory| StateRecorder::new_in(0, 200, memory), state)?;
        let state = |world: &RenderWorld<'_>| {
            let handles: Vec<_> = (0..world.mesh_count()).map(|row| world.mesh_at(row)).collect();
            (handles, world.transforms().to_vec(), world.lights().to_vec())
        };
        let mut world = made(watch, |memory| RenderWorld::new_in(0, 200, memory), state)?
            .claiming(RenderWorld::bytes);
        let mut handles = Vec::new();
        for frame in 0..4_u32 {
            for _ in 0..20 {
                handles.push(recorder.call(|recorder| recorder.create_mesh(&Mesh::default()))?);
            }
            recorder.call(|recorder| recorder.create_light(&Light::default()))?;
            let place = Transform { rows: [[frame as f32; 4]; 3] };
            recorder.call(|recorder| recorder.set_transform(handles[0], &place))?;
            recorder.call(|recorder| recorder.destroy(handles[frame as usize * 20 + 3]))?;
            let mut stream = Some(recorder.change(StateRecorder::finish)?);
            world.call(|world| stream.as_ref().map_or(Ok(()), |stream| world.try_apply(stream)))?;
            recorder
                .change(|recorder| stream.take().into_iter().for_each(|s| recorder.recycle(s)))?;
        }
        let read = |memory| {
            let read = FrameDescription::try_read_in(FRAME.as_bytes(), memory);
            read.map_err(|error| error.to_string())
        };
        let frame = watch.make(read, |frame: &FrameDescription<'_>| frame.layers().len())?;
        let view = View::new(glam::Mat4::IDENTITY, glam::Mat4::IDENTITY);
        let mut rows = made(watch, Array::<u32>::new_in, |rows| rows.to_vec())?;
        let all = 0..world.mesh_count();
        rows.call(|rows| world.try_cull(&view, all.clone(), rows))?;
        let state = |context: &RenderContext<'_>| context.len();
        let mut context = made(watch, RenderContext::new_in, state)?;
        context.call(|context| world.try_draw(&rows, &view, &frame, context))
    });
}

/// Text that is appended to bytes.
struct Sink<'s, 'a>(&'s mut Array<'a, u8>);

impl core::fmt::Write for Sink<'_, '_> {
    fn write_str(&mut self, piece: &str) -> core::fmt::Result {
        self.0.try_extend_from_slice(piece.as_bytes()).map_err(|_| core::fmt::Error)
    }
}

/// Writes a frame, or leaves the text as it was.
fn write(text: &mut Array<'_, u8>, recorded: &Recorded<'_, '_>) -> Result<(), core::fmt::Error> {
    let before = text.len();
    let mut sink = Sink(text);
    let mut trace = Trace::new(recorded.frame, &mut sink);
    let written = play(recorded, &mut trace).and_then(|()| trace.finish());
    if written.is_err() {
        text.truncate(before);
    }
    written
}

#[test]
fn frames_as_text_conform() {
    conforms(|watch| {
        let state = |recorder: &StateRecorder<'_>| recorder.len();
        let mut recorder = made(watch, |memory| StateRecorder::new_in(0, 200, memory), state)?;
        let state = |world: &RenderWorld<'_>| world.mesh_count();
        let mut world = made(watch, |memory| RenderWorld::new_in(0, 200, memory), state)?;
        let read = |memory| {
            let read = FrameDescription::try_read_in(FRAME.as_bytes(), memory);
            read.map_err(|error| error.to_string())
        };
        let frame = watch.make(read, |frame: &FrameDescription<'_>| frame.layers().len())?;
        let state = |context: &RenderContext<'_>| context.len();
        let mut context = made(watch, RenderContext::new_in, state)?;
        let mut sorter =
            made(watch, ItemSorter::new_in, |sorter: &ItemSorter<'_>| sorter.items().to_vec())?;
        let mut list =
            made(watch, DisplayList::new_in, |list: &DisplayList<'_>| format!("{list:?}"))?;
        let mut rows = made(watch, Array::<u32>::new_in, |rows| rows.to_vec())?;
        let mut text = made(watch, Array::<u8>::new_in, |text| text.to_vec())?
            .claiming(|text: &Array<'_, u8>| text.capacity());
        let view = View::new(glam::Mat4::IDENTITY, glam::Mat4::IDENTITY);
        for number in 1..4_u32 {
            let geometry = Geometry { index_count: 36, first_index: 36 * number, base_vertex: 0 };
            let mesh = Mesh { geometry, sphere: [0.0, 0.0, 0.5, 1.0], ..Mesh::default() };
            for _ in 0..10 {
                recorder.call(|recorder| recorder.create_mesh(&mesh).map(drop))?;
            }
            let stream = recorder.change(StateRecorder::finish)?;
            world.call(|world| world.try_apply(&stream))?;
            let mut stream = Some(stream);
            recorder
                .change(|recorder| stream.take().into_iter().for_each(|s| recorder.recycle(s)))?;
            rows.change(|rows| rows.clear())?;
            let all = 0..world.mesh_count();
            rows.call(|rows| world.try_cull(&view, all.clone(), rows))?;
            context.change(RenderContext::clear)?;
            context.call(|context| world.try_draw(&rows, &view, &frame, context))?;
            let contexts = core::slice::from_ref(&*context);
            sorter.call(|sorter| sorter.try_merge(contexts).map(drop))?;
            list.change(DisplayList::clear)?;
            list.call(|list| list.try_append(sorter.items(), contexts))?;
            let recorded = Recorded { frame: &frame, list: &list, contexts };
            text.call(|text| write(text, &recorded))?;
        }
        let shown = core::str::from_utf8(&text).unwrap_or_default();
        assert!(shown.contains("instances 30"), "the third frame has all:\n{shown}");
        Ok(())
    });
}
