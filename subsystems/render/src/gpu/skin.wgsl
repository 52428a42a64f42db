// Moves the vertices of meshes by targets and bones, before the first pass: each group of threads a
// block of 64 vertices.

struct Block {
    source: u32,
    moved: u32,
    count: u32,
    // The first bone of the mesh, or NONE.
    bone: u32,
    // The word that says where the deltas of the block's first vertex begin, or NONE.
    firsts: u32,
    // The word at which the deltas of the mesh begin.
    deltas: u32,
    // The first weight of the mesh.
    weight: u32,
    unused: u32,
}

const NONE: u32 = 0xffffffffu;

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
// Of each mesh with targets where the deltas of each vertex begin, and after them seven words a delta:
// the target, what it adds to the position, to the normal.
@group(0) @binding(4) var<storage, read> morphs: array<u32>;
@group(0) @binding(5) var<storage, read> weights: array<f32>;

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
    let source = 8u * (block.source + lane);
    let moved = 8u * (block.moved + lane);
    var place = vec4(vertices[source], vertices[source + 1u], vertices[source + 2u], 1.0);
    var normal = vec3(vertices[source + 3u], vertices[source + 4u], vertices[source + 5u]);
    if block.firsts != NONE {
        let end = morphs[block.firsts + lane + 1u];
        for (var at = morphs[block.firsts + lane]; at < end; at++) {
            let delta = block.deltas + 7u * at;
            let share = weights[block.weight + morphs[delta]];
            place += vec4(number(delta + 1u), number(delta + 2u), number(delta + 3u), 0.0) * share;
            normal += vec3(number(delta + 4u), number(delta + 5u), number(delta + 6u)) * share;
        }
        normal = normal / max(length(normal), 1e-20);
    }
    var x = vec4(1.0, 0.0, 0.0, 0.0);
    var y = vec4(0.0, 1.0, 0.0, 0.0);
    var z = vec4(0.0, 0.0, 1.0, 0.0);
    if block.bone != NONE {
        let own = skins[block.source + lane];
        let shares = unpack4x8unorm(own.y);
        x = vec4(0.0);
        y = vec4(0.0);
        z = vec4(0.0);
        for (var at = 0u; at < 4u; at++) {
            let bone = bones[block.bone + ((own.x >> (8u * at)) & 0xffu)];
            x += bone.x * shares[at];
            y += bone.y * shares[at];
            z += bone.z * shares[at];
        }
    }
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

fn number(word: u32) -> f32 {
    return bitcast<f32>(morphs[word]);
}
