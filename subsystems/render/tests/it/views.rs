//! Views of a frame, and the stages that they see.

use glam::Mat4;
use glam::camera::rh::proj::directx::perspective;
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_render::{
    FrameDescription, LayerTakes, Light, Mesh, Package, RenderContext, RenderWorld, StateRecorder,
    Transform, View, ViewFrom, layer_on, part_of,
};

use crate::memory::with_memory;

/// Two players side by side, and a map of another stage.
const SPLIT: &str = r#"
targets = {
    shadow = { format = "depth32f" size = [ 512 256 ] }
    hdr = { format = "rgba16f" scale = 0.5 }
}
views = {
    player = { rectangle = [ 0 0 0.5 1 ] }
    right = { rectangle = [ 0.5 0 0.5 1 ] }
    map = { stage = 3 rectangle = [ 0.4 0 0.2 0.2 ] }
    sun = { from = "sun" around = "right" reach = [ 0 0.25 ] }
    moon = { from = "sun" around = "map" }
}
passes = [
    {
        name = "shadow" view = "sun" depth = "shadow"
        layers = [ { name = "shadow" order = "by_state" takes = "all" } ]
    }
    {
        name = "left" color = [ "hdr" ]
        layers = [ { name = "glass" order = "back_to_front" } { name = "solid" order = "by_state" } ]
    }
    {
        name = "right" view = "right" color = [ "hdr" ]
        layers = [ { name = "solid" order = "front_to_back" } ]
    }
    {
        name = "map" view = "map" color = [ "window" ]
        layers = [ { name = "solid" order = "by_state" } { name = "signs" order = "by_state" } ]
    }
]
"#;

fn frame(memory: &dyn Allocator) -> FrameDescription<'_> {
    FrameDescription::try_read_in(SPLIT.as_bytes(), memory).expect("it is right")
}

#[test]
fn a_view_is_what_the_text_says() {
    with_memory(|memory, _| {
        let frame = frame(memory);
        let views: Vec<_> = frame
            .views()
            .map(|view| (view.name, view.from, view.around, view.stage, view.rectangle[0]))
            .collect();
        assert_eq!(
            views,
            [
                ("player", ViewFrom::Camera, 0, 0, 0.0),
                ("right", ViewFrom::Camera, 1, 0, 0.5),
                ("map", ViewFrom::Camera, 2, 3, 0.4),
                ("sun", ViewFrom::Sun, 1, 0, 0.0),
                ("moon", ViewFrom::Sun, 2, 3, 0.0),
            ]
        );
        let reaches: Vec<_> = frame.views().map(|view| view.reach[1]).collect();
        assert_eq!(reaches, [1.0, 1.0, 1.0, 0.25, 1.0]);
        let passes: Vec<_> = frame.passes().map(|pass| pass.view).collect();
        assert_eq!(passes, [3, 0, 1, 2]);
        let pixels: Vec<_> = (0..5).map(|view| frame.pixels_of(view, [800, 600])).collect();
        let (half, whole) = ([400, 300], [800, 600]);
        assert_eq!(pixels, [half, half, whole, [512, 256], whole], "no pass draws the last");
        assert_eq!(frame.view_name(4), "moon");
        assert_eq!(frame.view_name(5), "");
    });
}

#[test]
fn layers_of_one_name_are_one_for_each_view() {
    with_memory(|memory, _| {
        let frame = frame(memory);
        let names: Vec<_> = frame.layer_names().collect();
        assert_eq!(names, ["shadow", "glass", "solid", "signs"]);
        let layers: Vec<_> = frame.layers().collect();
        let keys = |view: u8| frame.keys_of(view).to_vec();
        let of = |number: usize| Some(layers[number].keys());
        assert_eq!(keys(0), [None, of(1), of(2), None]);
        assert_eq!(keys(1), [None, None, of(3), None]);
        assert_eq!(keys(2), [None, None, of(4), of(5)]);
        assert_eq!(keys(3), [None; 4], "what takes all has nothing that belongs to it");
        assert!(keys(5).is_empty(), "there is no such view");
        let all: Vec<_> = frame.others_of(3).map(|layer| layer.number).collect();
        assert_eq!(all, [0]);
        assert_eq!(frame.others_of(0).count(), 0);
        assert_eq!(frame.view_of(&layers[4]), Some(2));
    });
}

#[test]
fn parts_cover_every_pixel_once() {
    for pixels in [1, 2, 3, 101, 1920] {
        for parts in [1, 2, 3, 7] {
            let mut next = 0;
            for part in 0..parts {
                let (start, size) = (part as f32 / parts as f32, 1.0 / parts as f32);
                let [left, top, width, height] = part_of([start, 0.0, size, 1.0], [pixels, 9]);
                assert_eq!((top, height), (0, 9));
                assert!(width > 0 && left + width <= pixels, "{left} {width} of {pixels}");
                if pixels >= parts {
                    assert_eq!(left, next, "part {part} of {parts} of {pixels}");
                    next = left + width;
                }
            }
            assert!(pixels < parts || next == pixels);
        }
    }
    assert_eq!(part_of([f32::NAN, 2.0, -1.0, f32::INFINITY], [10, 10]), [0, 9, 1, 1]);
}

/// The same objects three times: as they are, all with one material, and those of a layer with
/// another.
const STYLED: &str = r#"
passes = [ {
    name = "main" color = [ "window" ]
    layers = [
        { name = "solid" order = "by_state" }
        { name = "lines" order = "by_state" takes = "all" material = "lines" }
        { name = "sky" takes = "picture" material = "sky" }
    ]
} {
    name = "over" color = [ "window" ]
    layers = [ { name = "glass" order = "back_to_front" material = "fog" } ]
} ]
"#;

#[test]
fn a_layer_draws_with_its_material() {
    with_memory(|memory, _| {
        let frame: FrameDescription =
            FrameDescription::try_read_in(STYLED.as_bytes(), memory).expect("it is right");
        let layers: Vec<_> =
            frame.layers().map(|layer| (layer.name, layer.takes, layer.material)).collect();
        assert_eq!(
            layers,
            [
                ("solid", LayerTakes::Own, None),
                ("lines", LayerTakes::All, Some("lines")),
                ("sky", LayerTakes::Picture, Some("sky")),
                ("glass", LayerTakes::Own, Some("fog")),
            ]
        );
        let keys: Vec<_> = frame.keys_of(0).iter().map(Option::is_some).collect();
        assert_eq!(keys, [true, false, false, false], "the others draw otherwise");
        let others: Vec<_> = frame.others_of(0).map(|layer| layer.name).collect();
        assert_eq!(others, ["lines", "glass"], "and the picture draws no object");

        let mut recorder: StateRecorder = StateRecorder::new_in(0, 99, memory);
        let mut world: RenderWorld = RenderWorld::new_in(0, 99, memory);
        let (solid, glass) = (0, 3);
        for (state, layer) in
            [(1, layer_on(0, solid)), (2, layer_on(0, glass)), (3, layer_on(1, glass))]
        {
            recorder.create_mesh(&Mesh { state, ..mesh(layer) }).expect("there is room");
        }
        world.try_apply(&recorder.finish()).expect("it is whole");
        let camera = View::new(Mat4::IDENTITY, perspective(1.0, 1.0, 0.1, 50.0));
        let drawn = |name: &str, state: Option<u32>| -> Vec<(u32, u32)> {
            let mut context: RenderContext = RenderContext::new_in(memory);
            let layer = frame.layer(name).expect("it is there");
            let view = camera.numbered(0, 0);
            world.try_draw_in(&[0, 1, 2], &view, &layer, state, &mut context).expect("memory");
            let draw = |package: Package<'_>| match package {
                Package::Draw(draw) => (draw.args.first_instance, draw.state),
                Package::Job(_) => unreachable!("there are none"),
            };
            context.packages().map(|(_, package)| draw(package)).collect()
        };
        assert_eq!(drawn("lines", Some(9)), [(0, 9), (1, 9)], "all on the stage, with one");
        assert_eq!(drawn("glass", Some(8)), [(1, 8)], "those of the layer, with another");
        assert_eq!(drawn("glass", None), [(1, 2)], "without it, with their own");
    });
}

/// Makes a mesh in front of the camera.
fn mesh(layer: u32) -> Mesh {
    let rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -5.0]];
    let transform = Transform { rows };
    Mesh { transform, sphere: [0.0, 0.0, 0.0, 1.0], layer, ..Mesh::default() }
}

#[test]
fn a_view_sees_its_stage_and_nothing_else() {
    with_memory(|memory, _| {
        let frame = frame(memory);
        let mut recorder: StateRecorder = StateRecorder::new_in(0, 99, memory);
        let mut world: RenderWorld = RenderWorld::new_in(0, 99, memory);
        let (glass, solid, signs) = (1, 2, 3);
        let layers = [
            layer_on(0, glass),
            layer_on(0, solid),
            layer_on(3, solid),
            layer_on(3, signs),
            layer_on(2, solid),
            u32::MAX,
        ];
        for layer in layers {
            recorder.create_mesh(&mesh(layer)).expect("there is room");
        }
        let light = |intensity| Light { intensity, ..Light::default() };
        let lamp = recorder.create_light(&light(1.0)).expect("there is room");
        recorder.create_light_on(3, &light(2.0)).expect("there is room");
        world.try_apply(&recorder.finish()).expect("it is whole");

        let camera = View::new(Mat4::IDENTITY, perspective(1.0, 1.0, 0.1, 50.0));
        let mut rows: Array<'_, u32> = Array::new_in(memory);
        world.try_cull(&camera, 0..world.mesh_count(), &mut rows).expect("memory");
        assert_eq!(rows.len(), layers.len(), "culling knows no stages");
        let drawn = |view: u8, stage: u8| -> Vec<u32> {
            let mut context: RenderContext = RenderContext::new_in(memory);
            let view = camera.numbered(view, stage);
            world.try_draw(&rows, &view, &frame, &mut context).expect("memory");
            instances(&context)
        };
        assert_eq!(drawn(0, 0), [0, 1]);
        assert_eq!(drawn(1, 0), [1], "the right player sees no glass");
        assert_eq!(drawn(2, 3), [2, 3]);
        assert_eq!(drawn(2, 0), [1], "the same view of another stage");
        assert_eq!(drawn(3, 0), [0_u32; 0], "the sun has no layer of theirs");
        let mut context: RenderContext = RenderContext::new_in(memory);
        let shadow = frame.others_of(3).next().expect("there is one");
        let sun = camera.numbered(3, 0);
        world.try_draw_in(&rows, &sun, &shadow, None, &mut context).expect("memory");
        assert_eq!(instances(&context), [0, 1], "what is on another stage throws no shadow");

        let lights = |world: &RenderWorld<'_>, stage| -> Vec<f32> {
            world.lights_on(stage).map(|light| light.intensity).collect()
        };
        assert_eq!((lights(&world, 0), lights(&world, 3)), (vec![1.0], vec![2.0]));
        recorder.set_light_on(lamp, 3, &light(4.0)).expect("it is alive");
        world.try_apply(&recorder.finish()).expect("it is whole");
        assert_eq!((lights(&world, 0), lights(&world, 3)), (vec![], vec![4.0, 2.0]));
        recorder.destroy(lamp).expect("it is alive");
        world.try_apply(&recorder.finish()).expect("it is whole");
        assert_eq!(lights(&world, 3), [2.0]);
        world.validate().expect("it is whole");
    });
}

/// Returns the rows of what was queued.
fn instances(context: &RenderContext<'_>) -> Vec<u32> {
    let draws = context.packages().map(|(_, package)| match package {
        Package::Draw(draw) => draw.args.first_instance,
        Package::Job(job) => panic!("{job:?}"),
    });
    draws.collect()
}
