//! Pictures that are drawn and read back.

use loligo_allocators::Arming;
use loligo_gpu::{
    Blend, Bound, Buffer, BufferUse, ColorTarget, Format, Gpu, GpuError, PassTargets,
    PipelineDescription, Slot, TextureDescription, VertexAttribute, VertexLayout,
};

use crate::{GUARD, gpu};

/// A square for each instance, moved by its place in the array.
const SQUARES: &str = "
@group(0) @binding(0) var<storage, read> places: array<vec4<f32>>;
struct Out { @builtin(position) at: vec4<f32>, @location(0) color: vec3<f32> }
@vertex fn vs_main(@location(0) at: vec2<f32>, @builtin(instance_index) number: u32) -> Out {
    let place = places[number];
    return Out(vec4(at * 0.5 + place.xy, 0.0, 1.0), vec3(place.z, place.w, 0.0));
}
@fragment fn fs_main(in: Out) -> @location(0) vec4<f32> { return vec4(in.color, 1.0); }
";

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

fn made(gpu: &Gpu, name: &str, what_for: BufferUse, data: &[u8]) -> Result<Buffer, GpuError> {
    let buffer = gpu.try_buffer(name, what_for, data.len() as u64)?;
    gpu.try_write_buffer(&buffer, 0, data)?;
    Ok(buffer)
}

/// Draws four quarters of a picture: those of instances 1 and 3 by two records of one indirect
/// draw.
fn quarters(gpu: &Gpu, pixels: &mut [u8]) -> Result<(), GpuError> {
    let description = TextureDescription {
        name: "picture",
        pixels: [16, 16],
        levels: 1,
        samples: 1,
        format: Format::Rgba8,
        is_target: true,
    };
    let texture = gpu.try_texture(&description)?;
    // Red, green, yellow and black, from the left above on.
    let places = [
        [-0.5, 0.5, 1.0, 0.0],
        [0.5, 0.5, 0.0, 1.0],
        [-0.5, -0.5, 1.0, 1.0],
        [0.5, -0.5, 0.0, 0.0],
    ];
    let places = made(gpu, "places", BufferUse::Storage, &floats(places.as_flattened()))?;
    let corners = [-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0];
    let corners = made(gpu, "corners", BufferUse::Vertices, &floats(&corners))?;
    let indices = made(gpu, "indices", BufferUse::Indices, &words(&[0, 1, 2, 0, 2, 3]))?;
    let records = [[6, 1, 0, 0, 1], [6, 1, 0, 0, 3]];
    let records = made(gpu, "records", BufferUse::Indirect, &words(records.as_flattened()))?;
    let layout = gpu.try_bind_layout("places", &[Slot::Storage])?;
    let group = gpu.try_bind_group("places", &layout, &[Bound::Buffer(&places)])?;
    let shader = gpu.try_shader("squares.wgsl", SQUARES)?;
    assert!(shader.has_entry("vs_main") && !shader.has_entry("main"), "{shader:?}");
    let pipeline = gpu.try_pipeline(&PipelineDescription {
        shader: &shader,
        vertex_entry: "vs_main",
        pixel_entry: Some("fs_main"),
        vertices: Some(VertexLayout {
            stride: 8,
            attributes: &[VertexAttribute { floats: 2, offset: 0 }],
        }),
        culls_backs: true,
        groups: &[&layout],
        colors: &[Format::Rgba8],
        samples: 1,
        blend: Blend::Replace,
        depth: None,
    })?;
    let mut encoder = gpu.encoder();
    let blue = ColorTarget { texture: &texture, resolved: None, clear: Some([0.0, 0.0, 1.0, 1.0]) };
    let mut pass =
        encoder.begin_pass(&PassTargets { name: "quarters", colors: &[blue], depth: None });
    pass.set_pipeline(&pipeline);
    pass.set_group(0, &group);
    pass.set_mesh_buffers(&corners, &indices);
    pass.draw_indirect(&records, 0, 2);
    drop(pass);
    gpu.try_submit(encoder)?;
    gpu.try_read_texture(&texture, pixels)
}

#[test]
fn records_of_one_draw_begin_at_any_instance() {
    let Some(gpu) = gpu() else { return };
    let mut pixels = [0; 16 * 16 * 4];
    quarters(&gpu, &mut pixels).expect("it can be drawn");
    let pixel = |x: usize, y: usize| &pixels[(y * 16 + x) * 4..][..4];
    assert_eq!(pixel(4, 4), [0, 0, 255, 255], "instance 0 is of no record");
    assert_eq!(pixel(12, 4), [0, 255, 0, 255], "instance 1, above on the right");
    assert_eq!(pixel(4, 12), [0, 0, 255, 255], "instance 2 is of no record");
    assert_eq!(pixel(12, 12), [0, 0, 0, 255], "instance 3, below on the right");
}

#[test]
fn all_calls_and_drops_go_through_the_hook() {
    let Some(gpu) = gpu() else { return };
    let description = TextureDescription {
        name: "target",
        pixels: [8, 8],
        levels: 1,
        samples: 1,
        format: Format::Rgba8,
        is_target: true,
    };
    let before = GUARD.violations();
    GUARD.armed_with(Arming::new().count_only(), || {
        let texture = gpu.try_texture(&description).expect("a small one");
        let shader = gpu.try_shader("squares.wgsl", SQUARES).expect("it is right");
        let wrong = gpu.try_shader("wrong.wgsl", "fn").expect_err("it ends too early");
        let buffer = gpu.try_buffer("b", BufferUse::Uniform, 64).expect("a small one");
        gpu.try_write_buffer(&buffer, 0, &[1; 64]).expect("it fits");
        let mut encoder = gpu.encoder();
        let target = ColorTarget { texture: &texture, resolved: None, clear: Some([1.0; 4]) };
        drop(encoder.begin_pass(&PassTargets { name: "p", colors: &[target], depth: None }));
        gpu.try_submit(encoder).expect("it is right");
        let mut pixels = [0; 256];
        gpu.try_read_texture(&texture, &mut pixels).expect("it is as large");
        assert_eq!(pixels, [255; 256], "white");
        drop((shader, wrong, buffer, texture));
    });
    let after = GUARD.violations();
    assert_eq!(
        (after.allocations, after.frees),
        (before.allocations, before.frees),
        "allocations and frees outside of the hook"
    );
}
