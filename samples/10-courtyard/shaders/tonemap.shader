// Brings the light of the scene to what a screen can show: exposure, a curve that bends like film, a little darker towards the
// corners.
// Material: base color tints the picture; extra.x is the exposure (0: one).

struct Material {
    base_color: vec4<f32>,
    surface: vec4<f32>,
    extra: vec4<f32>,
}

@group(1) @binding(0) var<uniform> material: Material;
@group(2) @binding(0) var scene: texture_2d<f32>;
@group(2) @binding(1) var scene_sampler: sampler;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vs_main(@builtin(vertex_index) number: u32) -> Varying {
    let corner = vec2(f32((number << 1u) & 2u), f32(number & 2u));
    return Varying(vec4(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0), corner);
}

// The curve that Krzysztof Narkowicz fitted to ACES in 2015.
fn film(light: vec3<f32>) -> vec3<f32> {
    return saturate((light * (2.51 * light + 0.03)) / (light * (2.43 * light + 0.59) + 0.14));
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    let exposure = select(material.extra.x, 1.0, material.extra.x == 0.0);
    let light = textureSampleLevel(scene, scene_sampler, in.uv, 0.0).rgb * material.base_color.rgb;
    let away = in.uv - 0.5;
    let corners = 1.0 - 0.35 * dot(away, away) * 2.0;
    // Half a step of noise, or the sky would show bands.
    let grain = fract(52.9829189 * fract(dot(in.position.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return vec4(film(light * exposure * corners) + grain / 255.0, 1.0);
}
