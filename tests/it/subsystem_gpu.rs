//! The renderer that draws with a graphics card, under the suite for subsystems, where there is a
//! driver.

use loligo_allocators::Allocator;
use loligo_gpu::Gpu;
use loligo_render::gpu::{
    FrameData, GpuOptions, GpuRenderError, GpuRenderer, MaterialData, SeenView, TextureData,
};
use loligo_render::{
    DisplayList, Draw, FrameDescription, Geometry, IndirectArgs, ItemSorter, Light, Recorded,
    RenderContext, TexturePacking, TextureWrap, Transform,
};
use loligo_tests::Violation;
use loligo_tests::conformance::{self, Watch};

/// Bytes of memory for one run.
const BYTES: usize = 1 << 20;

const SIDE: u32 = 8;

const FRAME: &str = r#"
passes = [ {
    name = "main" color = [ "window" ] clear = { color = [ 0 0 1 1 ] }
    layers = [ { name = "opaque" order = "by_state" } ]
} ]
"#;

const FLAT: &str = "
struct Frame { view_projection: mat4x4<f32> }
struct Instance { x: vec4<f32>, y: vec4<f32>, z: vec4<f32> }
struct Material { base_color: vec4<f32>, surface: vec4<f32>, extra: vec4<f32> }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(1) @binding(0) var<uniform> material: Material;
@vertex fn vs_main(@location(0) at: vec3<f32>, @builtin(instance_index) number: u32) -> @builtin(position) vec4<f32> {
    let instance = instances[number];
    return vec4(at.x + instance.x.w, at.y, 0.5, 1.0);
}
@fragment fn fs_main() -> @location(0) vec4<f32> { return material.base_color; }
";

/// A triangle over the whole window.
const CORNERS: [[f32; 8]; 3] = [
    [-1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    [3.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    [-1.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
];

/// A card for each renderer, since that keeps it.
fn gpu() -> Option<Gpu> {
    Gpu::try_new(&loligo_gpu::GpuOptions::default()).map_err(|error| println!("{error}")).ok()
}

/// What of a renderer may not change when something is refused: where the mesh is, and the window.
fn state(renderer: &GpuRenderer<'_>) -> (Option<Geometry>, [u32; 2]) {
    (renderer.geometry(0), renderer.window())
}

fn make(memory: &dyn Allocator) -> Result<GpuRenderer<'_>, GpuRenderError> {
    let gpu = gpu().expect("it was there a moment ago");
    GpuRenderer::try_new_in(gpu, &GpuOptions { vertices_max: 256, indices_max: 256 }, memory)
}

/// Draws the triangle, and returns the window's first pixel.
fn draw(
    renderer: &mut GpuRenderer<'_>,
    frame: &FrameDescription<'_>,
    contexts: &[RenderContext<'_>],
    list: &DisplayList<'_>,
) -> Result<[u8; 3], GpuRenderError> {
    let recorded = Recorded { frame, list, contexts };
    let light = Light { range: 1.0, intensity: 1.0, ..Light::default() };
    let places = [Transform::default(); 40];
    let view = SeenView { lights: &[light], ..SeenView::new(FrameData::default()) };
    renderer.try_draw(&[view], [&places, &[]], &recorded)?;
    let mut pixels = [0; (SIDE * SIDE * 4) as usize];
    renderer.try_read_window(&mut pixels)?;
    Ok([pixels[0], pixels[1], pixels[2]])
}

fn used(watch: &Watch<'_>) -> Result<(), Violation> {
    let mut renderer = watch.make(make, state)?;
    renderer.call(|renderer| renderer.try_set_shader(0, "flat.shader", FLAT))?;
    let pixels = TextureData {
        pixels: [1, 1],
        is_srgb: false,
        levels: 1,
        wrap: TextureWrap::Clamp,
        packing: TexturePacking::Plain,
        data: &[255; 4],
    };
    renderer.call(|renderer| renderer.try_set_texture(0, &pixels))?;
    for (number, base_color) in [(0, [1.0, 0.0, 0.0, 1.0]), (40, [0.0, 1.0, 0.0, 1.0])] {
        let material = MaterialData {
            base_color,
            textures: [Some(0), None, None, Some(0)],
            ..MaterialData::default()
        };
        renderer.call(|renderer| renderer.try_set_material(number, &material))?;
    }
    let corners = bytemuck::cast_slice(&CORNERS);
    let geometry = renderer.call(|renderer| renderer.try_set_mesh(0, corners, &[0, 1, 2]))?;
    let read = |memory| {
        let read = FrameDescription::try_read_in(FRAME.as_bytes(), memory);
        read.map_err(|error| error.to_string())
    };
    let frame = watch.make(read, |frame: &FrameDescription<'_>| frame.layers().len())?;
    renderer.call(|renderer| renderer.try_set_frame(&frame, [SIDE; 2]))?;
    for (number, expected) in [(0, [255, 0, 0]), (40, [0, 255, 0])] {
        // Drawing uses other memory, so none of its requests is refused.
        let pages = loligo_allocators::PageAllocator::new("pages");
        let heap = loligo_allocators::HeapAllocator::new_in("heap", &pages);
        let mut context: RenderContext<'_> = RenderContext::new_in(&heap);
        let key = frame.layer("opaque").expect("the frame has it").keys().key(number, 0, 1.0);
        let drawn = Draw { state: number, args: IndirectArgs::new(geometry, 3, 1) };
        context.try_draw(key, drawn).expect("there is memory");
        let contexts = [context];
        let mut sorter: ItemSorter<'_> = ItemSorter::new_in(&heap);
        let mut list: DisplayList<'_> = DisplayList::new_in(&heap);
        let sorted = sorter.try_merge(&contexts).expect("there is memory");
        list.try_append(sorted, &contexts).expect("there is memory");
        let pixel = renderer.call(|renderer| draw(renderer, &frame, &contexts, &list))?;
        assert_eq!(pixel, expected, "material {number}");
    }
    Ok(())
}

#[test]
fn a_renderer_on_a_graphics_card_conforms() {
    if gpu().is_none() {
        return println!("nothing is tested: there is no driver");
    }
    let outcomes = conformance::subsystem_outcomes(BYTES, used);
    let failed: Vec<_> = outcomes.iter().filter(|outcome| outcome.result.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!(
        outcomes.len(),
        6,
        "every check was made but that of the global heap, which drivers use"
    );
}
