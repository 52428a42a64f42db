//! Frames that are no larger than one before allocate nothing.

use glam::Vec3;
use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_render::{
    DisplayList, FrameDescription, ItemSorter, Light, Mesh, Recorded, RenderContext, RenderHandle,
    RenderWorld, StateRecorder, StateStream, Trace, Transform, View, play,
};

use crate::frame_text::FRAME;
use crate::memory::with_memory;

/// Everything that lives from frame to frame.
struct Renderer<'a> {
    recorder: StateRecorder<'a>,
    world: RenderWorld<'a>,
    frame: FrameDescription<'a>,
    contexts: [RenderContext<'a>; 3],
    visible: Array<'a, u32>,
    sorter: ItemSorter<'a>,
    parts: [DisplayList<'a>; 2],
    list: DisplayList<'a>,
    /// The stream that the other side holds.
    held: Option<StateStream<'a>>,
}

/// Text that is counted and thrown away.
struct Counted(usize);

impl core::fmt::Write for Counted {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

impl<'a> Renderer<'a> {
    fn new(memory: &'a dyn Allocator) -> Self {
        Self {
            recorder: StateRecorder::new_in(0, 1_000, memory),
            world: RenderWorld::new_in(0, 1_000, memory),
            frame: FrameDescription::try_read_in(FRAME.as_bytes(), memory).expect("it is right"),
            contexts: [(); 3].map(|()| RenderContext::new_in(memory)),
            visible: Array::new_in(memory),
            sorter: ItemSorter::new_in(memory),
            parts: [(); 2].map(|()| DisplayList::new_in(memory)),
            list: DisplayList::new_in(memory),
            held: None,
        }
    }

    /// Makes a frame; returns how long its text is.
    fn frame(&mut self) -> usize {
        let stream = self.recorder.finish();
        self.world.try_apply(&stream).expect("it is whole");
        if let Some(done) = self.held.replace(stream) {
            self.recorder.recycle(done);
        }
        let view = View::new(
            look_at_mat4(Vec3::new(0.0, 20.0, 60.0), Vec3::ZERO, Vec3::Y),
            perspective(1.0, 1.5, 0.5, 200.0),
        );
        let rows = self.world.mesh_count();
        let share = rows.div_ceil(self.contexts.len()).max(1);
        for (number, context) in self.contexts.iter_mut().enumerate() {
            context.clear();
            self.visible.clear();
            let range = (number * share).min(rows)..((number + 1) * share).min(rows);
            self.world.try_cull(&view, range, &mut self.visible).expect("memory");
            self.world.try_draw(&self.visible, &view, &self.frame, context).expect("memory");
            context.try_job(0, 3, b"a mark").expect("memory");
        }
        let sorted = self.sorter.try_merge(&self.contexts).expect("memory");
        self.list.clear();
        let halves = sorted.split_at(sorted.len() / 2);
        for (part, items) in self.parts.iter_mut().zip([halves.0, halves.1]) {
            part.clear();
            part.try_append(items, &self.contexts).expect("memory");
            self.list.try_append_list(part).expect("memory");
        }
        let mut text = Counted(0);
        let mut trace = Trace::new(&self.frame, &mut text);
        let recorded: Recorded =
            Recorded { frame: &self.frame, list: &self.list, contexts: &self.contexts };
        play(&recorded, &mut trace).and_then(|()| trace.finish()).expect("it takes all");
        text.0
    }
}

#[test]
fn frames_after_the_first_few_allocate_nothing() {
    with_memory(|memory, requests| {
        let mut renderer = Renderer::new(memory);
        let mut meshes: Vec<RenderHandle> = Vec::new();
        let mesh = |at: u32| Mesh {
            transform: Transform {
                rows: [
                    [1.0, 0.0, 0.0, (at % 20) as f32],
                    [0.0, 1.0, 0.0, 0.0],
                    [0.0, 0.0, 1.0, (at / 20) as f32],
                ],
            },
            sphere: [0.0, 0.0, 0.0, 1.0],
            state: at % 5,
            layer: at % 4,
            ..Mesh::default()
        };
        for at in 0..600 {
            meshes.push(renderer.recorder.create_mesh(&mesh(at)).expect("there is room"));
        }
        let light = renderer.recorder.create_light(&Light::default()).expect("there is room");
        let (mut warm, mut first) = (0, 0);
        for frame in 0..40_u32 {
            // Some go and as many come, some move.
            for at in 0..30 {
                let place = (frame * 30 + at) as usize % meshes.len();
                renderer.recorder.destroy(meshes[place]).expect("it is alive");
                meshes[place] = renderer.recorder.create_mesh(&mesh(place as u32)).expect("room");
            }
            for handle in &meshes {
                renderer.recorder.set_transform(*handle, &Transform::IDENTITY).expect("alive");
            }
            renderer.recorder.set_light(light, &Light::default()).expect("alive");
            let bytes = renderer.frame();
            assert!(bytes > 1_000, "a frame of {bytes} bytes of text draws something");
            match frame {
                0 => first = requests(),
                10 => warm = requests(),
                _ => {}
            }
        }
        assert!(first > 0, "the first frame needs memory");
        assert_eq!(requests(), warm, "requests after the 40th frame and after the 11th");
    });
}
