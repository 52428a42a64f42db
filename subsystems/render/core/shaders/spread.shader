// A picture at twice its size and softer: each pixel is the mean of eight reads around it.
// Material: base color tints it and has its opacity, for a layer that is blended; extra.x is how far the reads are away, in
// pixels of the picture (0: one).

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

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    let far = select(material.extra.x, 1.0, material.extra.x == 0.0) / vec2<f32>(textureDimensions(picture));
    let near = far * 0.5;
    let around = at(in.uv + vec2(-far.x, 0.0)) + at(in.uv + vec2(far.x, 0.0))
        + at(in.uv + vec2(0.0, -far.y)) + at(in.uv + vec2(0.0, far.y));
    let corners = at(in.uv - near) + at(in.uv + near)
        + at(in.uv + vec2(near.x, -near.y)) + at(in.uv + vec2(-near.x, near.y));
    return vec4((around + 2.0 * corners) / 12.0 * material.base_color.rgb, material.base_color.a);
}
