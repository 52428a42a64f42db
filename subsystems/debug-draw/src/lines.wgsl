// Lines of two pixels: six vertices each, made of its ends.
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
struct Line { start: vec3<f32>, color: u32, end: vec3<f32>, space: u32 }
struct Vertex { @builtin(position) place: vec4<f32>, @location(0) color: vec4<f32> }

@group(0) @binding(0) var<uniform> frame: Frame;
@group(1) @binding(0) var<storage, read> lines: array<Line>;

// A line of the picture: its ends are where they are drawn.
const PICTURE: u32 = 1u;

// What is nearer to the eye than this is cut off.
const NEAR: f32 = 0.01;

// Moves `place` along the line to `other` until it is before the eye.
fn clipped(place: vec4<f32>, other: vec4<f32>) -> vec4<f32> {
    if place.w >= NEAR || other.w <= NEAR {
        return place;
    }
    return mix(place, other, (NEAR - place.w) / (other.w - place.w));
}

fn placed(line: Line, place: vec3<f32>) -> vec4<f32> {
    if line.space == PICTURE {
        return vec4(place.xy, 0.0, 1.0);
    }
    return frame.view_projection * vec4(place, 1.0);
}

@vertex fn vs_main(@builtin(vertex_index) number: u32) -> Vertex {
    let line = lines[number / 6u];
    let corner = number % 6u;
    let a = placed(line, line.start);
    let b = placed(line, line.end);
    let from_place = clipped(a, b);
    let to_place = clipped(b, a);
    let is_end = corner == 1u || corner == 2u || corner == 4u;
    let side = select(-1.0, 1.0, corner == 2u || corner >= 4u);
    let along = (to_place.xy / to_place.w - from_place.xy / from_place.w) * frame.window.xy;
    // One that is seen from its end is a square.
    let direction = select(vec2(1.0, 0.0), normalize(along), dot(along, along) > 1e-6);
    let across = vec2(-direction.y, direction.x) * side;
    let place = select(from_place, to_place, is_end);
    // Two pixels wide: one to each side, and the screen is two wide.
    let moved = place.xy + across * frame.window.zw * 2.0 * place.w;
    var vertex: Vertex;
    // Where a pass has depths, it is nearest.
    vertex.place = vec4(moved, 0.0, place.w);
    if from_place.w < NEAR * 0.5 && to_place.w < NEAR * 0.5 {
        // All of it is where nothing is seen.
        vertex.place = vec4(2.0, 2.0, 2.0, 1.0);
    }
    vertex.color = unpack4x8unorm(line.color);
    return vertex;
}

@fragment fn fs_main(vertex: Vertex) -> @location(0) vec4<f32> { return vertex.color; }
