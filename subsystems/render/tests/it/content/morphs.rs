//! Targets of glTF files: names, weights, and what each does to a vertex.

use loligo_ids::IdString32;
use loligo_render::{MeshResource, MeshVertex, morph_vertices};

use super::{Place, aligned};

/// A triangle with two targets, and what of the file may be wrong.
struct File {
    mesh: &'static str,
    primitive: &'static str,
    accessors: &'static str,
    targets: [[f32; 3]; 6],
}

const MESH: &str = r#", "weights": [ 0.5, 0 ], "extras": { "targetNames": [ "up", "out" ] }"#;
const PRIMITIVE: &str =
    r#""NORMAL": 1 }, "targets": [ { "POSITION": 2 }, { "POSITION": 3, "NORMAL": 1 } ]"#;
/// The first target is of one vertex alone, by a sparse accessor.
const ACCESSORS: &str = r#"
    { "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [0,2,0],
      "sparse": { "count": 1, "indices": { "bufferView": 3, "componentType": 5121 }, "values": { "bufferView": 4 } } },
    { "bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,1] }"#;

impl Default for File {
    fn default() -> Self {
        let out = [[0.0, 0.0, 1.0], [0.0; 3], [0.0, 0.0, 3.0]];
        let [a, b, c] = out;
        let targets = [[0.0, 2.0, 0.0], a, b, c, [0.0; 3], [0.0; 3]];
        Self { mesh: MESH, primitive: PRIMITIVE, accessors: ACCESSORS, targets }
    }
}

impl File {
    fn place(&self) -> Place {
        let numbers = |all: &[[f32; 3]]| -> Vec<u8> {
            all.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
        };
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let parts = [
            numbers(&corners),
            numbers(&[[0.0, 0.0, 1.0]; 3]),
            numbers(&self.targets[1..4]),
            vec![2, 0, 0, 0],
            numbers(&self.targets[..1]),
        ];
        let (mut bytes, mut views) = (Vec::new(), Vec::new());
        for part in parts {
            views.push(format!(
                r#"{{ "buffer": 0, "byteOffset": {}, "byteLength": {} }}"#,
                bytes.len(),
                part.len()
            ));
            bytes.extend(part);
        }
        let (views, length) = (views.join(", "), bytes.len());
        let Self { mesh, primitive, accessors, .. } = self;
        let text = format!(
            r#"{{
  "asset": {{ "version": "2.0" }}, "scene": 0, "scenes": [ {{ "nodes": [ 0 ] }} ],
  "nodes": [ {{ "name": "face", "mesh": 0, "scale": [ 2, 2, 2 ] }} ],
  "meshes": [ {{ "primitives": [ {{ "attributes": {{ "POSITION": 0, {primitive} }} ] {mesh} }} ],
  "accessors": [
    {{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,0] }},
    {{ "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3" }}, {accessors}
  ],
  "bufferViews": [ {views} ],
  "buffers": [ {{ "byteLength": {length}, "uri": "a.bin" }} ]
}}"#
        );
        let place = Place::with(&[("a.gltf", text.as_bytes()), ("a.bin", &bytes)]);
        place.write("a.mesh", b"file = \"a.gltf\"");
        place
    }
}

/// Returns the vertices with weights by the names of targets.
fn moved(mesh: &MeshResource<'_>, weights: &[(&str, f32)]) -> Vec<MeshVertex> {
    let morph = mesh.morph();
    let mut above = vec![0.0; morph.targets.len()];
    for (name, weight) in weights {
        let at = morph.target(IdString32::new(name)).expect("it has it");
        above[at] = weight - morph.weights[at];
    }
    let mut moved = mesh.vertices().to_vec();
    morph_vertices(mesh.vertices(), &morph, &above, &mut moved);
    moved
}

#[test]
fn targets_have_names_and_move_their_vertices() {
    let place = File::default().place();
    aligned(&place.payload("mesh", "a"), |bytes| {
        let mesh = MeshResource::open(bytes).expect("it was just compiled");
        mesh.validate();
        assert_eq!(mesh.morph().weights, [0.5, 0.0]);
        assert_eq!(mesh.morph().deltas.len(), 1 + 3, "of the first target one vertex alone");
        let rest: Vec<_> = mesh.vertices().iter().map(|vertex| vertex.position).collect();
        // Twice as large, and half of `up` at the third.
        assert_eq!(rest, [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
        assert_eq!(moved(&mesh, &[("up", 0.0)])[2].position, [0.0, 2.0, 0.0]);
        assert_eq!(moved(&mesh, &[("up", 1.0)])[2].position, [0.0, 6.0, 0.0]);
        let out = moved(&mesh, &[("out", 0.5)]);
        assert_eq!(out[0].position, [0.0, 0.0, 1.0], "half of its way, twice as large");
        assert_eq!(out[0].normal, [0.0, 0.0, 1.0], "the same direction, of length 1");
        let [low, high] = mesh.bounds();
        assert_eq!((low, high), ([0.0; 3], [2.0, 6.0, 6.0]), "wherever weights up to 1 move them");
        let [x, y, z, radius] = mesh.sphere();
        let far = moved(&mesh, &[("up", 1.0), ("out", 1.0)]);
        for vertex in far {
            let way = glam::Vec3::from(vertex.position) - glam::Vec3::new(x, y, z);
            assert!(way.length() <= radius, "{vertex:?} is in the sphere");
        }
    });
    place.write("a.mesh", b"file = \"a.gltf\" scale = 0.5");
    aligned(&place.payload("mesh", "a"), |bytes| {
        let mesh = MeshResource::open(bytes).expect("it was just compiled");
        assert_eq!(moved(&mesh, &[("up", 1.0)])[2].position, [0.0, 3.0, 0.0], "half as large");
    });
}

#[test]
fn a_flat_mesh_stays_flat_and_targets_without_names_have_numbers() {
    let primitive = r#""TEXCOORD_9": 1 }, "targets": [ { "POSITION": 2 }, { "POSITION": 3 } ]"#;
    let file = File { mesh: "", primitive, ..File::default() };
    aligned(&file.place().payload("mesh", "a"), |bytes| {
        let mesh = MeshResource::open(bytes).expect("it was just compiled");
        let out = moved(&mesh, &[("1", 1.0)]);
        let [a, b, c] = [0, 1, 2].map(|at| glam::Vec3::from(out[at].position));
        let normal = (b - a).cross(c - a).normalize();
        for vertex in &out {
            let own = glam::Vec3::from(vertex.normal);
            assert!(own.distance(normal) < 1.0e-5, "{vertex:?}, and not {normal}");
        }
    });
}

#[test]
fn what_is_wrong_with_targets_is_said() {
    let far = |at: usize| {
        let mut targets = File::default().targets;
        targets[at] = [f32::INFINITY; 3];
        File { targets, ..File::default() }
    };
    let few = ACCESSORS.replace(
        r#""count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]"#,
        r#""count": 2, "type": "VEC3""#,
    );
    let beyond = ACCESSORS
        .replace(r#""componentType": 5126, "count": 3"#, r#""componentType": 5126, "count": 2"#);
    let [few, beyond] = [few, beyond].map(|text| &*text.leak());
    let cases = [
        (far(2), "a target moves vertex 1"),
        (
            File { mesh: r#", "extras": { "targetNames": [ "up", "up" ] }"#, ..File::default() },
            "its target `up` comes twice",
        ),
        (File { accessors: few, ..File::default() }, "a target is not of three numbers for 3"),
        (File { accessors: beyond, ..File::default() }, "replaces element 2, beyond its end"),
    ];
    for (file, said) in cases {
        let fault = file.place().fault();
        assert!(fault.contains("a.gltf") && fault.contains(said), "{fault}\nnot: {said}");
    }
    let place = File::default().place();
    place.write(
        "a.mesh",
        b"file = \"a.gltf\" lods = [ { share = 0.2 } { share = 0.1 file = \"a.gltf\" } ]",
    );
    let fault = place.fault();
    assert!(fault.contains("a mesh that bones or targets move has one level"), "{fault}");
    place.write("a.mesh", b"file = \"a.gltf\" occluder = {}");
    let fault = place.fault();
    assert!(fault.contains("a mesh that bones or targets move is no occluder"), "{fault}");
}
