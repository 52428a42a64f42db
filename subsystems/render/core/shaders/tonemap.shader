// Brings the light of the scene to what a screen can show: exposure, a curve that bends like film, smooth edges, a little
// darker towards the corners.
// Material: base color tints the picture; extra.x is the exposure (0: one).

struct Material {
    base_color: vec4<f32>,
    surface: vec4<f32>,
    extra: vec4<f32>,
    textures: vec4<u32>,
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

fn shown(uv: vec2<f32>) -> vec3<f32> {
    let exposure = select(material.extra.x, 1.0, material.extra.x == 0.0);
    let light = textureSampleLevel(scene, scene_sampler, uv, 0.0).rgb;
    return film(light * material.base_color.rgb * exposure);
}

fn brightness(color: vec3<f32>) -> f32 {
    return dot(sqrt(color), vec3(0.299, 0.587, 0.114));
}

// Mixes pixels along an edge, where the four corners around differ in brightness.
fn smoothed(uv: vec2<f32>) -> vec3<f32> {
    let pixel = 1.0 / vec2<f32>(textureDimensions(scene));
    let center = shown(uv);
    let a = brightness(shown(uv + vec2(-0.5, -0.5) * pixel));
    let b = brightness(shown(uv + vec2(0.5, -0.5) * pixel));
    let c = brightness(shown(uv + vec2(-0.5, 0.5) * pixel));
    let d = brightness(shown(uv + vec2(0.5, 0.5) * pixel));
    let low = min(min(a, b), min(c, d));
    let high = max(max(a, b), max(c, d));
    if high - low < max(0.04, high * 0.1) {
        return center;
    }
    // Along the edge: across the way in which brightness grows.
    let across = vec2(c + d - a - b, a + c - b - d);
    let along = clamp(across / (min(abs(across.x), abs(across.y)) + 0.02), vec2(-4.0), vec2(4.0)) * pixel;
    let near = 0.5 * (shown(uv - along / 6.0) + shown(uv + along / 6.0));
    let far = 0.5 * near + 0.25 * (shown(uv - along * 0.5) + shown(uv + along * 0.5));
    let reached = brightness(far);
    return select(far, near, reached < low || reached > high);
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    let away = in.uv - 0.5;
    let corners = 1.0 - 0.5 * dot(away, away);
    // Half a step of noise, or the sky would show bands.
    let grain = fract(52.9829189 * fract(dot(in.position.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return vec4(smoothed(in.uv) * corners + grain / 255.0, 1.0);
}
