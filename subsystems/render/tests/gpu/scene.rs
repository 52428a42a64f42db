//! A small scene: a square for each material, side by side.

use glam::{Affine3A, Mat4, Vec3};
use loligo_allocators::{
    Allocator, FailingAllocator, FillAllocator, HeapAllocator, PageAllocator, Refusals,
};
use loligo_gpu::Gpu;
use loligo_render::gpu::{
    FULLSCREEN, FrameData, GpuOptions, GpuRenderError, GpuRenderer, GpuSums, MaterialData, SeenView,
};
use loligo_render::{
    DisplayList, Draw, FrameDescription, Geometry, IndirectArgs, ItemSorter, Recorded,
    RenderContext, Transform,
};

pub(crate) const FRAME: &str = r#"
targets = { depth = { format = "depth32f" } }
passes = [
    {
        name = "main"
        color = [ "window" ]
        depth = "depth"
        clear = { color = [ 0 0 1 1 ] depth = 1 }
        layers = [ { name = "opaque" order = "by_state" } { name = "sky" order = "by_state" } ]
    }
]
"#;

/// Its base color, and nothing else; over the whole screen where there are no vertices.
pub(crate) const FLAT: &str = "
struct Frame { view_projection: mat4x4<f32> }
struct Instance { x: vec4<f32>, y: vec4<f32>, z: vec4<f32> }
struct Material { base_color: vec4<f32>, surface: vec4<f32>, extra: vec4<f32> }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(1) @binding(0) var<uniform> material: Material;
@vertex fn vs_main(@location(0) at: vec3<f32>, @builtin(instance_index) number: u32) -> @builtin(position) vec4<f32> {
    let instance = instances[number];
    let point = vec4(at, 1.0);
    return frame.view_projection * vec4(dot(instance.x, point), dot(instance.y, point), dot(instance.z, point), 1.0);
}
@fragment fn fs_main() -> @location(0) vec4<f32> { return material.base_color; }
";

/// The same for what has no vertices.
pub(crate) const SCREEN: &str = "
struct Material { base_color: vec4<f32>, surface: vec4<f32>, extra: vec4<f32> }
@group(1) @binding(0) var<uniform> material: Material;
@vertex fn vs_main(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32(number & 1u) * 4.0 - 1.0, f32(number & 2u) * 2.0 - 1.0, 1.0, 1.0);
}
@fragment fn fs_main() -> @location(0) vec4<f32> { return material.base_color; }
";

pub(crate) const SIZE: usize = 16;

/// Runs `test` with a separate allocator, and asserts that all of its memory is freed.
pub(crate) fn with_memory<R>(test: impl FnOnce(&dyn Allocator) -> R) -> R {
    refusing(Refusals::None, test).0
}

/// The same with memory that refuses; returns how many requests were made of it, too.
fn refusing<R>(refusals: Refusals, test: impl FnOnce(&dyn Allocator) -> R) -> (R, u64) {
    let pages = PageAllocator::new("test pages");
    let heap = HeapAllocator::new_in("test heap", &pages);
    let filled = FillAllocator::new_in("test fill", &heap);
    let memory = FailingAllocator::new_in("test memory", refusals, &filled);
    let outcome = test(&memory);
    assert_eq!(memory.stats().live, 0, "blocks were never given back");
    (outcome, memory.requests())
}

/// Opens a graphics card, or prints why there is none.
pub(crate) fn gpu() -> Option<Gpu> {
    match Gpu::try_new(&loligo_gpu::GpuOptions::default()) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            println!("nothing is tested: {error}");
            None
        }
    }
}

/// Makes a renderer for small scenes.
pub(crate) fn renderer<'a>(
    gpu: Gpu,
    memory: &'a dyn Allocator,
) -> Result<GpuRenderer<'a>, GpuRenderError> {
    let options = GpuOptions { vertices_max: 4_096, indices_max: 4_096 };
    let mut renderer = GpuRenderer::try_new_in(gpu, &options, memory)?;
    renderer.try_set_shader(0, "flat.shader", FLAT)?;
    renderer.try_set_shader(1, "screen.shader", SCREEN)?;
    Ok(renderer)
}

pub(crate) fn color(color: [f32; 3], shader: u32) -> MaterialData {
    let [r, g, b] = color;
    MaterialData { base_color: [r, g, b, 1.0], shader, ..MaterialData::default() }
}

/// Uploads a square of 1 m in the x y plane that looks along z.
pub(crate) fn square(renderer: &mut GpuRenderer<'_>) -> Result<Geometry, GpuRenderError> {
    let corner = |x: f32, y: f32| [x, y, 0.0, 0.0, 0.0, 1.0, x + 0.5, 0.5 - y];
    let corners = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
    renderer.try_set_mesh(0, bytemuck::cast_slice(&corners), &[0, 1, 2, 0, 2, 3])
}

/// Two squares, one above the other.
pub(crate) fn places() -> [Transform; 2] {
    [0.5, -0.5].map(|y| Affine3A::from_translation(Vec3::new(0.0, y, 0.0)).into())
}

/// Looks along -z at 2 by 2 metres.
pub(crate) fn data() -> FrameData {
    let view_projection = Mat4::from_scale(Vec3::new(1.0, 1.0, 0.1)).to_cols_array_2d();
    FrameData { view_projection, ..FrameData::default() }
}

/// Draws the squares with materials 0 and 1, and one with material 2 in the background; returns the
/// picture.
pub(crate) fn draw(
    renderer: &mut GpuRenderer<'_>,
    geometry: Geometry,
    instances: &[u32],
    memory: &dyn Allocator,
) -> Result<(GpuSums, Vec<u8>), GpuRenderError> {
    let draw = |(state, instance): (u32, &u32)| (state, IndirectArgs::new(geometry, *instance, 1));
    let draws: Vec<_> = (0..).zip(instances).map(draw).collect();
    draw_all(renderer, &draws, memory)
}

/// As [`draw`], with records of any number of instances and the material of each.
pub(crate) fn draw_all(
    renderer: &mut GpuRenderer<'_>,
    draws: &[(u32, IndirectArgs)],
    memory: &dyn Allocator,
) -> Result<(GpuSums, Vec<u8>), GpuRenderError> {
    let frame: FrameDescription<'_> = match FrameDescription::try_read_in(FRAME.as_bytes(), memory)
    {
        Ok(frame) => frame,
        Err(loligo_render::FrameError::Memory(error)) => return Err(error.into()),
        Err(error) => panic!("{error}"),
    };
    if renderer.window() != [SIZE as u32; 2] {
        renderer.try_set_frame(&frame, [SIZE as u32; 2])?;
    }
    let keys = |layer: &str| frame.layer(layer).expect("the frame has it").keys();
    let mut context: RenderContext<'_> = RenderContext::new_in(memory);
    for (state, args) in draws.iter().copied() {
        context.try_draw(keys("opaque").key(state, 0, 1.0), Draw { state, args })?;
    }
    context.try_job(keys("sky").key(0, 0, 0.0), FULLSCREEN, &2_u32.to_ne_bytes())?;
    let mut sorter: ItemSorter<'_> = ItemSorter::new_in(memory);
    let contexts = [context];
    let mut list: DisplayList<'_> = DisplayList::new_in(memory);
    list.try_append(sorter.try_merge(&contexts)?, &contexts)?;
    let recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };
    let sums = renderer.try_draw(&[SeenView::new(data())], [&places(), &[]], &recorded)?;
    let mut pixels = vec![0; SIZE * SIZE * 4];
    renderer.try_read_window(&mut pixels)?;
    Ok((sums, pixels))
}

/// Returns a pixel, from the left above on.
pub(crate) fn pixel(pixels: &[u8], x: usize, y: usize) -> [u8; 3] {
    let at = (y * SIZE + x) * 4;
    [pixels[at], pixels[at + 1], pixels[at + 2]]
}

#[test]
fn squares_are_where_their_instances_are() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        for (number, material) in [
            (0, color([1.0, 0.0, 0.0], 0)),
            (1, color([0.0, 1.0, 0.0], 0)),
            (2, color([1.0, 1.0, 1.0], 1)),
        ] {
            renderer.try_set_material(number, &material).expect("a device");
        }
        let geometry = square(&mut renderer).expect("it fits");
        let (sums, pixels) = draw(&mut renderer, geometry, &[0, 1], memory).expect("it is drawn");
        assert_eq!(pixel(&pixels, 8, 4), [255, 0, 0], "the upper square");
        assert_eq!(pixel(&pixels, 8, 12), [0, 255, 0], "the lower one");
        assert_eq!(pixel(&pixels, 1, 8), [255, 255, 255], "what lies behind");
        assert_eq!((sums.draws, sums.records, sums.transforms), (3, 2, 2), "{sums:?}");
        let (sums, again) = draw(&mut renderer, geometry, &[0, 1], memory).expect("it is drawn");
        assert_eq!(sums.transforms, 0, "nothing has moved");
        assert_eq!(again, pixels, "the same picture");
    });
}

#[test]
fn every_shortage_is_an_error_and_leaves_nothing_behind() {
    let Some(first) = gpu() else { return };
    drop(first);
    let run = |number: u64| {
        refusing(Refusals::From(number), |memory| -> Result<(), GpuRenderError> {
            let gpu = gpu().expect("it was there a moment ago");
            let mut renderer = renderer(gpu, memory)?;
            for number in 0..3_u32 {
                renderer.try_set_material(number, &color([1.0; 3], number / 2))?;
            }
            let geometry = square(&mut renderer)?;
            draw(&mut renderer, geometry, &[0, 1], memory).map(drop)
        })
    };
    let mut refused = 0;
    for number in 0..200 {
        match run(number) {
            (Ok(()), requests) if requests <= number => {
                assert!(refused > 10, "only {refused} of {requests} requests were needed");
                return;
            }
            (Ok(()), requests) => panic!("{requests} requests, and none after {number} was needed"),
            (Err(GpuRenderError::Memory(_) | GpuRenderError::Full { .. }), _) => refused += 1,
            (Err(error), _) => panic!("all from request {number} on were refused: {error}"),
        }
    }
    panic!("200 requests were refused and no end");
}
