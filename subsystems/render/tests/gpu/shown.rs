//! Materials that show what a pass of the frame has drawn.

use glam::Affine3A;
use loligo_allocators::Allocator;
use loligo_ids::IdString64;
use loligo_render::gpu::{GpuRenderError, GpuRenderer, MaterialData, SeenView};
use loligo_render::{
    DisplayList, Draw, FrameDescription, Geometry, IndirectArgs, ItemSorter, Recorded,
    RenderContext, Transform,
};

use crate::scene::{SIZE, data, gpu, pixel, renderer, square, with_memory};

/// A screen that is filled with a color, and a picture in which a square shows it.
const FRAME: &str = r#"
targets = {
    screen = { format = "rgba8" size = [ 4 4 ] }
    far = { format = "r32f" size = [ 4 4 ] }
}
passes = [
    {
        name = "screen" color = [ "screen" ] clear = { color = [ 0 1 0 1 ] }
        layers = [ { name = "small" order = "by_state" } ]
    }
    { name = "far" color = [ "far" ] clear = { color = [ 0 0 0 1 ] } layers = [] }
    {
        name = "main" color = [ "window" ] clear = { color = [ 0 0 1 1 ] }
        layers = [ { name = "opaque" order = "by_state" } ]
    }
]
"#;

/// The color of the texture, and nothing else.
const TEXTURED: &str = "
struct Frame { view_projection: mat4x4<f32> }
struct Instance { x: vec4<f32>, y: vec4<f32>, z: vec4<f32> }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(1) @binding(1) var color_texture: texture_2d<f32>;
@group(1) @binding(2) var color_sampler: sampler;
struct Varying { @builtin(position) position: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn vs_main(@location(0) at: vec3<f32>, @location(2) uv: vec2<f32>) -> Varying {
    return Varying(frame.view_projection * vec4(at, 1.0), uv);
}
@fragment fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    return textureSample(color_texture, color_sampler, in.uv);
}
";

fn shows(target: &str) -> MaterialData {
    MaterialData { target: Some(IdString64::new(target)), shader: 2, ..MaterialData::default() }
}

/// Draws a square in both passes with material 0; returns the color in the middle.
fn middle(
    renderer: &mut GpuRenderer<'_>,
    text: &str,
    geometry: Geometry,
    memory: &dyn Allocator,
) -> Result<[u8; 3], GpuRenderError> {
    let frame: FrameDescription<'_> =
        FrameDescription::try_read_in(text.as_bytes(), memory).expect("it is right");
    renderer.try_set_frame(&frame, [SIZE as u32; 2])?;
    let mut context: RenderContext<'_> = RenderContext::new_in(memory);
    for layer in ["small", "opaque"] {
        let keys = frame.layer(layer).expect("the frame has it").keys();
        let args = IndirectArgs::new(geometry, 0, 1);
        context.try_draw(keys.key(0, 0, 1.0), Draw { state: 0, args })?;
    }
    let contexts = [context];
    let mut sorter: ItemSorter<'_> = ItemSorter::new_in(memory);
    let mut list: DisplayList<'_> = DisplayList::new_in(memory);
    list.try_append(sorter.try_merge(&contexts)?, &contexts)?;
    let recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };
    let place: [Transform; 1] = [Affine3A::IDENTITY.into()];
    renderer.try_draw(&[SeenView::new(data())], [&place, &[]], &recorded)?;
    let mut pixels = vec![0; SIZE * SIZE * 4];
    renderer.try_read_window(&mut pixels)?;
    Ok(pixel(&pixels, SIZE / 2, SIZE / 2))
}

#[test]
fn a_material_shows_a_target_and_not_while_it_is_drawn() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        renderer.try_set_shader(2, "textured.shader", TEXTURED).expect("it is right");
        renderer.try_set_material(0, &shows("screen")).expect("a device");
        let geometry = square(&mut renderer).expect("it fits");
        let look = |renderer: &mut _, text: &str| {
            middle(renderer, text, geometry, memory).expect("it is drawn")
        };
        let (green, red, white) = ([0, 255, 0], [255, 0, 0], [255; 3]);
        // In its own pass it is left out, or the card would refuse the frame.
        assert_eq!(look(&mut renderer, FRAME), green);
        let other = FRAME.replace("[ 0 1 0 1 ]", "[ 1 0 0 1 ]");
        assert_eq!(look(&mut renderer, &other), red, "targets are others");
        let without = FRAME.replace("screen", "scren");
        assert_eq!(look(&mut renderer, &without), white, "no such target");
        renderer.try_set_material(0, &shows("far")).expect("a device");
        assert_eq!(look(&mut renderer, FRAME), white, "its pixels cannot be mixed");
        renderer.try_set_material(0, &shows("screen")).expect("a device");
        assert_eq!(look(&mut renderer, FRAME), green, "the material is another one");
        renderer
            .try_set_material(0, &MaterialData { target: None, ..shows("") })
            .expect("a device");
        assert_eq!(look(&mut renderer, FRAME), white, "it shows nothing any more");
    });
}
