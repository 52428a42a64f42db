// A sky from a picture of all directions: the middle is ahead, -z, the right half goes on to the right, the top is up.
// Drawn over the whole screen where nothing is nearer.
// Material: the base color multiplies the picture; extra.x turns it, in radians to the left; extra.y brightens it (0: as it is).

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

struct Material {
    base_color: vec4<f32>,
    surface: vec4<f32>,
    extra: vec4<f32>,
    textures: vec4<u32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var color_texture: texture_2d<f32>;
@group(1) @binding(2) var color_sampler: sampler;

const PI: f32 = 3.14159265;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) clip: vec2<f32>,
}

@vertex
fn vs_main(@builtin(vertex_index) number: u32) -> Varying {
    // One triangle that covers the screen, as far away as can be.
    let corner = vec2(f32((number << 1u) & 2u), f32(number & 2u)) * 2.0 - 1.0;
    return Varying(vec4(corner, 1.0, 1.0), corner);
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    let far = frame.inverse_view_projection * vec4(in.clip, 1.0, 1.0);
    let direction = normalize(far.xyz / far.w - frame.eye.xyz);
    let angle = atan2(direction.x, -direction.z) + material.extra.x;
    let half_row = 0.5 / f32(textureDimensions(color_texture).y);
    // The sampler repeats both ways: the highest row must not mix with the lowest.
    let down = clamp(acos(clamp(direction.y, -1.0, 1.0)) / PI, half_row, 1.0 - half_row);
    let place = vec2(angle / (2.0 * PI) + 0.5, down);
    // Where the picture ends, opposite its middle, its place leaps by 1 and does not go on by as much.
    var right = dpdx(place);
    var below = dpdy(place);
    right.x -= round(right.x);
    below.x -= round(below.x);
    let texel = textureSampleGrad(color_texture, color_sampler, place, right, below);
    let brightness = select(material.extra.y, 1.0, material.extra.y == 0.0);
    return vec4(material.base_color.rgb * texel.rgb * brightness, 1.0);
}
