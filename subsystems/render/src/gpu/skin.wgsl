// Moves the vertices of meshes by bones, before the first pass: each group of threads a block of 64 vertices.

struct Block {
    source: u32,
    moved: u32,
    count: u32,
    bone: u32,
}

struct Bone {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// Eight floats a vertex: position, normal, place in the texture.
@group(0) @binding(0) var<storage, read_write> vertices: array<f32>;
// Four bones a vertex, and how much each moves it, a byte each.
@group(0) @binding(1) var<storage, read> skins: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> bones: array<Bone>;
@group(0) @binding(3) var<storage, read> blocks: array<Block>;

@compute @workgroup_size(64)
fn skin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = blocks[group.y * groups.x + group.x];
    if lane >= block.count {
        return;
    }
    let own = skins[block.source + lane];
    let weights = unpack4x8unorm(own.y);
    var x = vec4(0.0);
    var y = vec4(0.0);
    var z = vec4(0.0);
    for (var at = 0u; at < 4u; at++) {
        let bone = bones[block.bone + ((own.x >> (8u * at)) & 0xffu)];
        x += bone.x * weights[at];
        y += bone.y * weights[at];
        z += bone.z * weights[at];
    }
    let source = 8u * (block.source + lane);
    let moved = 8u * (block.moved + lane);
    let place = vec4(vertices[source], vertices[source + 1u], vertices[source + 2u], 1.0);
    let normal = vec3(vertices[source + 3u], vertices[source + 4u], vertices[source + 5u]);
    let turned = vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    let length = max(length(turned), 1e-20);
    vertices[moved] = dot(x, place);
    vertices[moved + 1u] = dot(y, place);
    vertices[moved + 2u] = dot(z, place);
    vertices[moved + 3u] = turned.x / length;
    vertices[moved + 4u] = turned.y / length;
    vertices[moved + 5u] = turned.z / length;
    vertices[moved + 6u] = vertices[source + 6u];
    vertices[moved + 7u] = vertices[source + 7u];
}
