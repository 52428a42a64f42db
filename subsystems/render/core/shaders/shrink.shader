// A picture at half its size: each pixel is the mean of sixteen, by four reads between pixels.
// Material: base color tints it; extra.x is how much single bright pixels count less (0: not), which would flicker.

struct Material {
    base_color: vec4<f32>,
    surface: vec4<f32>,
    extra: vec4<f32>,
    textures: vec4<u32>,
}

@group(1) @binding(0) var<uniform> material: Material;
@group(2) @binding(0) var picture: texture_2d<f32>;
@group(2) @binding(1) var picture_sampler: sampler;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vs_main(@builtin(vertex_index) number: u32) -> Varying {
    let corner = vec2(f32((number << 1u) & 2u), f32(number & 2u));
    return Varying(vec4(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0), corner);
}

fn at(uv: vec2<f32>) -> vec3<f32> {
    return textureSampleLevel(picture, picture_sampler, uv, 0.0).rgb;
}

fn weighed(uv: vec2<f32>) -> vec4<f32> {
    // What is not finite would spread over the whole picture.
    let light = clamp(at(uv), vec3(0.0), vec3(60000.0));
    let weight = 1.0 / (1.0 + material.extra.x * max(light.r, max(light.g, light.b)));
    return vec4(light * weight, weight);
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    let pixel = 1.0 / vec2<f32>(textureDimensions(picture));
    let sum = weighed(in.uv + vec2(-1.0, -1.0) * pixel) + weighed(in.uv + vec2(1.0, -1.0) * pixel)
        + weighed(in.uv + vec2(-1.0, 1.0) * pixel) + weighed(in.uv + vec2(1.0, 1.0) * pixel);
    return vec4(sum.rgb / sum.a * material.base_color.rgb, 1.0);
}
