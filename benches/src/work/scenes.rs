//! A hundred thousand meshes on their way from culling to a list, and a thousand lights that are
//! chosen and put into tiles.

use core::hint::black_box;
use core::ops::Range;
use std::time::Instant;

use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec3};
use loligo_containers::Array;
use loligo_render::{
    DisplayList, FrameDescription, FrameLights, Geometry, ItemSorter, Light, Mesh, RenderContext,
    RenderWorld, StateRecorder, View,
};
use loligo_tasks::{Settings, Tasks, Worker};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;

/// The meshes of a world.
const MESHES: usize = 100_000;

/// The materials that they have.
const STATES: u32 = 200;

/// The pieces that they are cut into, as the engine does.
const PIECES: usize = 8;

/// The lights of a hall.
const LIGHTS: usize = 1_000;

/// Times that a pass chooses among them.
const CHOICES: u64 = 20;

const FRAME: &str = "targets = {} passes = [ { name = \"main\" color = [ \"window\" ] \
    clear = { color = [ 0 0 0 1 ] } layers = [ { name = \"opaque\" order = \"by_state\" } ] } ]";

/// A world, and what a frame of it is made in.
struct Scene {
    world: RenderWorld<'static, Heap>,
    frame: FrameDescription<'static, Heap>,
    view: View,
    visible: Vec<Array<'static, u32, Heap>>,
    contexts: Vec<RenderContext<'static, Heap>>,
    sorter: ItemSorter<'static, Heap>,
    lists: Vec<DisplayList<'static, Heap>>,
    list: DisplayList<'static, Heap>,
}

impl Scene {
    /// Makes cubes on a sphere around the camera, of which about a tenth are seen.
    fn new() -> Self {
        let frame: FrameDescription<'static, Heap> =
            FrameDescription::try_read_in(FRAME.as_bytes(), &HEAP).expect("it is right");
        let layer = frame.layer("opaque").expect("the frame has it").name_number.into();
        let mut recorder: StateRecorder<'static, Heap> =
            StateRecorder::new_in(0, MESHES as u32, &HEAP);
        let mut random = Random::new(3);
        for number in 0..MESHES as u32 {
            let mut part = || random.below(2_001) as f32 * 0.001 - 1.0;
            let at = Vec3::new(part(), part(), part()).normalize_or(Vec3::X) * 100.0;
            let geometry = Geometry { index_count: 36, first_index: 0, base_vertex: 0 };
            let mesh = Mesh {
                geometry,
                sphere: [0.0, 0.0, 0.0, 0.9],
                transform: glam::Affine3A::from_translation(at).into(),
                state: number % STATES,
                layer,
                flags: 0,
                details: 0,
            };
            recorder.create_mesh(&mesh).expect("there is memory");
        }
        let mut world = RenderWorld::new_in(0, MESHES as u32, &HEAP);
        world.try_apply(&recorder.finish()).expect("there is memory");
        Self {
            world,
            frame,
            view: View::new(Mat4::IDENTITY, perspective(1.0, 1.6, 0.5, 300.0)),
            visible: (0..PIECES).map(|_| Array::new_in(&HEAP)).collect(),
            contexts: (0..PIECES).map(|_| RenderContext::new_in(&HEAP)).collect(),
            sorter: ItemSorter::new_in(&HEAP),
            lists: (0..PIECES).map(|_| DisplayList::new_in(&HEAP)).collect(),
            list: DisplayList::new_in(&HEAP),
        }
    }

    /// Culls, fills contexts, sorts, and makes the list.
    fn pass(&mut self, worker: &Worker<'_>) {
        let Self { world, frame, view, visible, contexts, sorter, lists, list } = self;
        let both: &mut Vec<_> = &mut visible.iter_mut().zip(contexts.iter_mut()).collect();
        let culled = worker.parallel_for_each_mut(&"cull and fill", both, 1, |first, pieces| {
            for (piece, (rows, context)) in (first..).zip(pieces) {
                rows.clear();
                context.clear();
                world.try_cull(view, range_of(piece, MESHES), rows).expect("there is memory");
                world.try_draw(rows, view, frame, context).expect("there is memory");
            }
        });
        culled.expect("nothing panics");
        let items = sorter.try_merge(&*contexts).expect("there is memory");
        let contexts = &**contexts;
        let listed = worker.parallel_for_each_mut(&"list", lists, 1, |first, pieces| {
            for (piece, list) in (first..).zip(pieces) {
                list.clear();
                let range = range_of(piece, items.len());
                list.try_append(&items[range], contexts).expect("there is memory");
            }
        });
        listed.expect("nothing panics");
        list.clear();
        for piece in &*lists {
            list.try_append_list(piece).expect("there is memory");
        }
        black_box(list);
    }
}

fn range_of(piece: usize, rows: usize) -> Range<usize> {
    piece * rows / PIECES..(piece + 1) * rows / PIECES
}

/// A world whose frame is made by `THREADS` threads.
pub(crate) fn many<const THREADS: u32>() -> Contender {
    let settings = Settings { workers: Some(THREADS - 1), ..Settings::default() };
    let Ok(mut tasks) = Tasks::<Heap>::try_new_in(&settings, &HEAP) else {
        unreachable!("there is memory for a table")
    };
    let mut scene = Scene::new();
    Contender::new("loligo", move || {
        tasks.run(|main| {
            let ns = match THREADS {
                1 => clock::time(|| scene.pass(main)),
                _ => {
                    let from = Instant::now();
                    scene.pass(main);
                    from.elapsed().as_nanos() as u64
                }
            };
            let drawn = scene.list.draws();
            assert!(drawn as usize > MESHES / 50, "{drawn} are seen");
            Pass { ns, operations: 1 }
        })
    })
}

/// A thousand lamps in a hall, all of which are seen.
pub(crate) fn lights() -> Contender {
    let mut random = Random::new(5);
    let lamps: Vec<Light> = (0..LIGHTS)
        .map(|_| {
            let mut part = |size: f32| (random.below(1_000) as f32 * 0.001 - 0.5) * size;
            let position = [part(40.0), part(20.0), part(100.0)];
            Light { position, range: 6.0, color: [1.0; 3], intensity: 1.0 }
        })
        .collect();
    let view = look_at_mat4(Vec3::new(0.0, 0.0, 80.0), Vec3::ZERO, Vec3::Y);
    let projection = perspective(1.0, 1.6, 0.5, 300.0);
    let (view, both) = (View::new(view, projection), projection * view);
    let mut lights: FrameLights<'static, Heap> = FrameLights::new_in(&HEAP);
    Contender::new("FrameLights", move || {
        let ns = clock::time(|| {
            for _ in 0..CHOICES {
                let chosen = lights.try_choose(black_box(&lamps), &view, both);
                chosen.expect("there is memory");
                black_box(lights.grid());
            }
        });
        assert!(lights.as_slice().len() > LIGHTS * 9 / 10, "{lights:?}");
        Pass { ns, operations: CHOICES }
    })
}
