//! Levels of detail: which triangles of an object a view draws, while a camera walks.

use glam::camera::rh::proj::directx::{orthographic, perspective};
use glam::{Affine3A, Mat4, Vec3};
use loligo_containers::Array;
use loligo_render::{
    FrameDescription, Geometry, Lod, Mesh, Package, RenderContext, RenderWorld, StateRecorder,
    SunShadow, View,
};
use proptest::prelude::*;

use crate::drawn::check;
use crate::memory::with_memory;

const FRAME: &str = "
    views = { sun = { from = \"sun\" } other = {} }
    passes = [
        { name = \"shadow\" view = \"sun\" depth = \"map\" layers = [ { name = \"shadow\" order = \"by_state\" takes = \"all\" } ] }
        { name = \"main\" color = [ \"window\" ] layers = [ { name = \"solid\" order = \"by_state\" } ] }
        { name = \"other\" view = \"other\" color = [ \"window\" ] layers = [ { name = \"solid\" order = \"by_state\" } ] }
    ]
    targets = { map = { format = \"depth32f\" size = [ 64 64 ] } }";

/// The numbers of the views, and of the name of the layer.
const PLAYER: u8 = 0;
const SUN: u8 = 1;
const OTHER: u8 = 2;
const SOLID: u32 = 1;

/// 300 indices of three levels: 180, 90 and 30, of which the last two take over at a half and at a
/// fifth of the picture.
const ALL: Geometry = Geometry { index_count: 300, first_index: 60, base_vertex: 5 };
const LODS: [Lod; 2] = [Lod { share: 0.5, first_index: 180 }, Lod { share: 0.2, first_index: 270 }];
const COUNTS: [u32; 3] = [180, 90, 30];
const HYSTERESIS: f32 = 0.1;

/// A field of view of 90 degrees: at this distance a sphere of one metre has this share.
const fn distance_of(share: f32) -> f32 {
    1.0 / share
}

/// A camera that looks along -z from a distance.
fn camera(z: f32, number: u8) -> View {
    let projection = perspective(core::f32::consts::FRAC_PI_2, 1.5, 0.1, 500.0);
    View::new(Mat4::from_translation(Vec3::new(0.0, 0.0, -z)), projection).numbered(number, 0)
}

fn object(details: u32) -> Mesh {
    Mesh {
        sphere: [0.0, 0.0, 0.0, 1.0],
        geometry: Geometry { index_count: COUNTS[0], ..ALL },
        layer: SOLID,
        details,
        ..Mesh::default()
    }
}

/// A world with levels of the meshes of number 4, and its recorder.
struct Scene<'a> {
    frame: FrameDescription<'a>,
    world: RenderWorld<'a>,
    recorder: StateRecorder<'a>,
    memory: &'a dyn loligo_allocators::Allocator,
}

impl<'a> Scene<'a> {
    fn new(memory: &'a dyn loligo_allocators::Allocator) -> Self {
        let frame = FrameDescription::try_read(FRAME.as_bytes(), memory).expect("it is right");
        let solid = frame.layer("solid").map(|layer| u32::from(layer.name_number));
        assert_eq!(solid, Some(SOLID), "layers are numbered in their order");
        let mut world = RenderWorld::new(0, 99, memory);
        world.try_set_lods(4, ALL, &LODS, HYSTERESIS).expect("there is memory");
        Self { frame, world, recorder: StateRecorder::new(0, 99, memory), memory }
    }

    fn apply(&mut self) {
        let stream = self.recorder.finish();
        self.world.try_apply(&stream).expect("it is whole");
        self.recorder.recycle(stream);
        self.world.try_remember_lods(3).expect("there is memory");
        self.world.validate().expect("it is whole");
    }

    /// Returns the triangles that a view draws of what it sees.
    fn drawn(&self, view: &View) -> Vec<Geometry> {
        let (world, frame) = (&self.world, &self.frame);
        let mut rows: Array<'_, u32> = Array::new_in(self.memory);
        world.try_cull(view, 0..world.mesh_count(), &mut rows).expect("there is memory");
        let mut context: RenderContext = RenderContext::new_in(self.memory);
        world.try_draw(&rows, view, frame, &mut context).expect("there is memory");
        for layer in frame.others_of(view.number) {
            world.try_draw_in(&rows, view, &layer, None, &mut context).expect("there is memory");
        }
        let draw = |package: Package<'_>| match package {
            Package::Draw(draw) => draw.args.geometry(),
            Package::Job(job) => panic!("{job:?}"),
        };
        context.packages().map(|(_, package)| draw(package)).collect()
    }

    /// Returns the level of the one object that a view draws.
    fn level(&self, view: &View) -> usize {
        let drawn = self.drawn(view);
        assert_eq!(drawn.len(), 1, "{drawn:?}");
        let level = COUNTS.iter().position(|count| *count == drawn[0].index_count);
        let level = level.expect("it is one of the levels");
        let first = ALL.first_index + [0, 180, 270][level];
        let Geometry { first_index, base_vertex, .. } = drawn[0];
        assert_eq!((first_index, base_vertex), (first, ALL.base_vertex), "where they are");
        level
    }
}

#[test]
fn a_level_is_chosen_by_the_share_of_the_picture() {
    with_memory(|memory, _| {
        let mut scene = Scene::new(memory);
        scene.recorder.create_mesh(&object(5)).expect("there is room");
        scene.apply();
        let at = |scene: &Scene<'_>, share| scene.level(&camera(distance_of(share), PLAYER));
        assert_eq!([2.0, 0.51, 0.44, 0.17].map(|share| at(&scene, share)), [0, 0, 1, 2]);
        // Another view remembers its own.
        assert_eq!(scene.level(&camera(distance_of(0.9), OTHER)), 0);
        assert_eq!(at(&scene, 0.19), 2);
        // What is far away is as large in a parallel projection.
        let projection = orthographic(-4.0, 4.0, -4.0, 4.0, 0.1, 500.0);
        for z in [5.0, 50.0, 400.0] {
            let view = View::new(Mat4::from_translation(Vec3::new(0.0, 0.0, -z)), projection);
            assert_eq!(scene.level(&view.numbered(OTHER, 0)), 1, "a quarter, {z} m away");
        }
        // Turning a camera changes nothing.
        let far = distance_of(0.199);
        for turn in [-0.7_f32, -0.3, 0.0, 0.3, 0.7] {
            let camera =
                Affine3A::from_rotation_y(turn) * Affine3A::from_translation(Vec3::NEG_Z * far);
            let projection = perspective(core::f32::consts::FRAC_PI_2, 1.5, 0.1, 500.0);
            assert_eq!(scene.level(&View::new(camera.into(), projection)), 2, "{turn}");
        }
    });
}

#[test]
fn a_camera_that_walks_back_and_forth_sees_no_flicker() {
    with_memory(|memory, _| {
        let mut scene = Scene::new(memory);
        scene.recorder.create_mesh(&object(5)).expect("there is room");
        scene.apply();
        let changes = |scene: &Scene<'_>, shares: &[f32]| {
            let levels =
                shares.iter().map(|share| scene.level(&camera(distance_of(*share), PLAYER)));
            let levels: Vec<usize> = levels.collect();
            levels.windows(2).filter(|pair| pair[0] != pair[1]).count()
        };
        // It trembles around a limit by less than the hysteresis, from either side.
        for from in [0.7, 0.3] {
            scene.level(&camera(distance_of(from), PLAYER));
            let trembles: Vec<f32> =
                (0..200).map(|step| if step % 2 == 0 { 0.47 } else { 0.53 }).collect();
            assert_eq!(changes(&scene, &trembles), 0, "from {from}");
        }
        // It walks away and comes back, trembling at each step: a change at each limit each way.
        let walk = (0..400).map(|step| {
            let part = if step < 200 { step } else { 400 - step } as f32 / 200.0;
            (0.9 - 0.8 * part) * if step % 2 == 0 { 0.97 } else { 1.03 }
        });
        let walk: Vec<f32> = walk.collect();
        scene.level(&camera(distance_of(0.9), PLAYER));
        assert_eq!(changes(&scene, &walk), 4);
        // Without hysteresis the same walk flickers: it is what the test would find.
        scene.world.try_set_lods(4, ALL, &LODS, 0.0).expect("there is memory");
        assert!(changes(&scene, &walk) > 8, "the walk trembles around the limits");
    });
}

#[test]
fn a_shadow_has_the_level_that_the_camera_sees() {
    with_memory(|memory, _| {
        let mut scene = Scene::new(memory);
        scene.recorder.create_mesh(&object(5)).expect("there is room");
        scene.apply();
        let shadow = SunShadow::new(Vec3::Y, Vec3::ZERO, 20.0, 50.0, 64).view;
        for share in [0.9, 0.52, 0.48, 0.44, 0.48, 0.52, 0.56, 0.1] {
            let camera = camera(distance_of(share), PLAYER);
            let sun = shadow.numbered(SUN, 0).detailed_as(&camera);
            // In either order: both may be culled at once.
            let (first, second) = match share > 0.5 {
                true => (scene.level(&sun), scene.level(&camera)),
                false => (scene.level(&camera), scene.level(&sun)),
            };
            assert_eq!(first, second, "{share}");
        }
        let own = scene.level(&shadow.numbered(SUN, 0));
        assert_eq!(
            (own, scene.level(&camera(distance_of(0.9), PLAYER))),
            (2, 0),
            "by itself it differs"
        );
    });
}

#[test]
fn what_an_object_remembers_goes_with_it() {
    with_memory(|memory, _| {
        let mut scene = Scene::new(memory);
        let first = scene.recorder.create_mesh(&object(0)).expect("there is room");
        let second = scene.recorder.create_mesh(&object(5)).expect("there is room");
        scene.apply();
        let drawn = |scene: &Scene<'_>, share| -> Vec<u32> {
            let drawn = scene.drawn(&camera(distance_of(share), PLAYER));
            drawn.iter().map(|geometry| geometry.index_count).collect()
        };
        assert_eq!(drawn(&scene, 0.3), [180, 90], "the first has one level");
        // Just above the limit it stays coarse, also after it took the row of the other.
        assert_eq!(drawn(&scene, 0.52), [180, 90]);
        scene.recorder.destroy(first).expect("it is alive");
        scene.apply();
        assert_eq!(drawn(&scene, 0.52), [90]);
        // Another shape has no memory of the old one.
        let geometry = Geometry { index_count: COUNTS[0], ..ALL };
        scene.recorder.set_shape(second, geometry, [0.0, 0.0, 0.0, 1.0], 5).expect("it is alive");
        scene.apply();
        assert_eq!(drawn(&scene, 0.52), [180]);
        // Levels that are not there are as good as none; one without triangles is not drawn.
        scene.recorder.set_shape(second, geometry, [0.0, 0.0, 0.0, 1.0], 77).expect("it is alive");
        scene.apply();
        assert_eq!(drawn(&scene, 0.1), [180]);
        let nothing = [Lod { share: 0.5, first_index: 300 }];
        scene.world.try_set_lods(76, ALL, &nothing, 0.0).expect("there is memory");
        assert_eq!((drawn(&scene, 0.6), drawn(&scene, 0.4)), (vec![180], vec![]));
        scene.world.try_set_lods(76, ALL, &[], 0.0).expect("there is memory");
        assert_eq!(drawn(&scene, 0.4), [180]);
    });
}

#[test]
fn sizes_in_any_order_choose_a_level_whose_limits_they_are_near() {
    let sizes = prop::collection::vec(0.05..1.5_f32, 1..40);
    check(&(sizes, 0.0..0.5_f32), |(sizes, hysteresis)| {
        with_memory(|memory, _| {
            let mut scene = Scene::new(memory);
            scene.world.try_set_lods(4, ALL, &LODS, hysteresis).expect("there is memory");
            scene.recorder.create_mesh(&object(5)).expect("there is room");
            scene.apply();
            for size in &sizes {
                let camera = camera(distance_of(*size), PLAYER);
                let level = scene.level(&camera);
                prop_assert_eq!(scene.level(&camera), level, "choosing again changes nothing");
                let limits = [f32::INFINITY, 0.5, 0.2, 0.0];
                let (above, below) = (limits[level], limits[level + 1]);
                let (above, below) = (above * (1.001 + hysteresis), below * (0.999 - hysteresis));
                prop_assert!(*size < above && *size >= below, "{} is level {}", size, level);
            }
            Ok(())
        })
    });
}
