// The sky: a gradient from the haze over the horizon to the zenith, the sun's disc and the glow around it. Drawn over the
// whole screen where nothing is nearer.
// Material: base color tints the zenith.

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

fn hashed(cell: vec2<f32>) -> f32 {
    return fract(sin(dot(cell, vec2(127.1, 311.7))) * 43758.5453);
}

fn noise(place: vec2<f32>) -> f32 {
    let cell = floor(place);
    let within = fract(place);
    let smooth_within = within * within * (3.0 - 2.0 * within);
    let low = mix(hashed(cell), hashed(cell + vec2(1.0, 0.0)), smooth_within.x);
    let high = mix(hashed(cell + vec2(0.0, 1.0)), hashed(cell + vec2(1.0, 1.0)), smooth_within.x);
    return mix(low, high, smooth_within.y);
}

// Thin clouds: noise of four sizes.
fn clouds(place: vec2<f32>) -> f32 {
    var sum = 0.0;
    var strength = 0.5;
    var at = place;
    for (var octave = 0; octave < 5; octave++) {
        sum += strength * noise(at);
        at = vec2(at.x * 1.6 - at.y * 1.2, at.x * 1.2 + at.y * 1.6) + 17.3;
        strength *= 0.5;
    }
    return smoothstep(0.48, 0.86, sum);
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    let far = frame.inverse_view_projection * vec4(in.clip, 1.0, 1.0);
    let direction = normalize(far.xyz / far.w - frame.eye.xyz);
    let height = max(direction.y, 0.0);
    let zenith = frame.sky_color.rgb * material.base_color.rgb;
    var color = mix(frame.fog.rgb, zenith, 1.0 - pow(1.0 - height, 3.5));

    let to_sun = frame.sun_direction.xyz;
    let toward = max(dot(direction, to_sun), 0.0);
    if direction.y > 0.02 {
        let place = direction.xz / (direction.y + 0.12) * 1.4 + vec2(frame.eye.w * 0.004, 0.0);
        let cover = clouds(place) * smoothstep(0.02, 0.3, direction.y) * 0.75;
        let lit = frame.sun_color.rgb * (0.28 + 0.35 * pow(toward, 6.0)) + frame.sky_color.rgb * 0.45;
        color = mix(color, lit, cover);
    }
    color += frame.sun_color.rgb * (0.25 * pow(toward, 8.0) + 0.35 * pow(toward, 64.0));
    color += frame.sun_color.rgb * 12.0 * smoothstep(0.9994, 0.9998, toward);
    return vec4(color, 1.0);
}
