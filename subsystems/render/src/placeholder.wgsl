// What is drawn in place of what is missing.

struct Frame {
    view_projection: mat4x4<f32>,
    inverse_view_projection: mat4x4<f32>,
    sun_view_projection: mat4x4<f32>,
    eye: vec4<f32>,
    sun_direction: vec4<f32>,
    sun_color: vec4<f32>,
    sky_color: vec4<f32>,
    ground_color: vec4<f32>,
    fog: vec4<f32>,
    window: vec4<f32>,
    numbers: vec4<u32>,
    light_bins: vec4<f32>,
    sun_maps: array<mat4x4<f32>, 4>,
    sun_parts: array<vec4<f32>, 4>,
    sun_metres: vec4<f32>,
}

struct Instance { x: vec4<f32>, y: vec4<f32>, z: vec4<f32> }

struct Material { base_color: vec4<f32>, surface: vec4<f32>, extra: vec4<f32> }

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var color_texture: texture_2d<f32>;
@group(1) @binding(2) var color_sampler: sampler;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) light: f32,
}

fn placed(instance: Instance, position: vec3<f32>) -> vec3<f32> {
    let point = vec4(position, 1.0);
    return vec3(dot(instance.x, point), dot(instance.y, point), dot(instance.z, point));
}

@vertex
fn vs_main(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @builtin(instance_index) index: u32,
) -> Varying {
    let at = placed(instances[index], position);
    let up = normalize(placed(instances[index], position + normal) - at).y;
    return Varying(frame.view_projection * vec4(at, 1.0), uv, 0.75 + 0.25 * up);
}

@vertex
fn vs_full_screen(@builtin(vertex_index) index: u32) -> Varying {
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0;
    return Varying(vec4(corner, 1.0, 1.0), corner, 1.0);
}

@vertex
fn vs_shadow(
    @location(0) position: vec3<f32>,
    @builtin(instance_index) index: u32,
) -> @builtin(position) vec4<f32> {
    return frame.sun_view_projection * vec4(placed(instances[index], position), 1.0);
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    let color = textureSample(color_texture, color_sampler, in.uv) * material.base_color;
    return vec4(color.rgb * in.light, color.a);
}
