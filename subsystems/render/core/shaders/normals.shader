// Which way surfaces look, as colors: red to the right, green up, blue to the back. For a layer of a frame whose `material`
// draws all that is in it, to find what is wrong with a mesh.

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

struct Instance {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) normal: vec3<f32>,
}

@vertex
fn vs_main(
    @location(0) at: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @builtin(instance_index) number: u32,
) -> Varying {
    let instance = instances[number];
    let point = vec4(at, 1.0);
    let world = vec3(dot(instance.x, point), dot(instance.y, point), dot(instance.z, point));
    let turned = vec3(dot(instance.x.xyz, normal), dot(instance.y.xyz, normal), dot(instance.z.xyz, normal));
    return Varying(frame.view_projection * vec4(world, 1.0), turned);
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    return vec4(normalize(in.normal) * 0.5 + 0.5, 1.0);
}
