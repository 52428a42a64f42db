//! Meshes of glTF files that bones move.

use glam::{Affine3A, Vec3};
use loligo_ids::IdString64;
use loligo_render::{MeshResource, MeshVertex, Transform, skin_vertices};

use super::{Place, aligned};

/// A triangle whose corners are moved by two bones, and what of the file may be wrong.
pub(super) struct File {
    joints: [[u8; 4]; 3],
    weights: [[f32; 4]; 3],
    /// The nodes of the bones.
    bones: &'static str,
    /// The attributes of the primitive besides its positions.
    attributes: &'static str,
    /// More nodes of the scene.
    others: &'static str,
}

const BONES: &str = r#"{ "name": "hip", "children": [ 2 ] }, { "name": "knee" }"#;
const ATTRIBUTES: &str = r#", "JOINTS_0": 1, "WEIGHTS_0": 2"#;

impl Default for File {
    fn default() -> Self {
        Self {
            joints: [[0, 9, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]],
            weights: [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [3.0, 1.0, 0.0, 0.0]],
            bones: BONES,
            attributes: ATTRIBUTES,
            others: "",
        }
    }
}

impl File {
    pub(super) fn place(&self) -> Place {
        let (text, bytes) = self.sources();
        let place = Place::with(&[("a.gltf", text.as_bytes()), ("a.bin", &bytes)]);
        place.write("a.mesh", b"file = \"a.gltf\"");
        place
    }

    /// Returns the text of the file, and its buffer.
    fn sources(&self) -> (String, Vec<u8>) {
        let mut bytes: Vec<u8> = Vec::new();
        for corner in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0_f32]] {
            bytes.extend(corner.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(self.joints.iter().flatten());
        bytes.extend(self.weights.iter().flatten().flat_map(|number| number.to_le_bytes()));
        // At rest the knee is two metres up, the hip where the mesh is.
        for up in [0.0, -2.0_f32] {
            let matrix = glam::Mat4::from_translation(Vec3::Y * up).to_cols_array();
            bytes.extend(matrix.iter().flat_map(|number| number.to_le_bytes()));
        }
        let Self { bones, attributes, others, .. } = self;
        let length = bytes.len();
        let text = format!(
            r#"{{
  "asset": {{ "version": "2.0" }}, "scene": 0, "scenes": [ {{ "nodes": [ 0, 1 {others} ] }} ],
  "nodes": [
    {{ "name": "body", "mesh": 0, "skin": 0, "translation": [ 50, 0, 0 ] }},
    {bones},
    {{ "name": "hat", "mesh": 1 }}
  ],
  "skins": [ {{ "joints": [ 1, 2 ], "inverseBindMatrices": 3 }} ],
  "meshes": [
    {{ "primitives": [ {{ "attributes": {{ "POSITION": 0 {attributes} }} }} ] }},
    {{ "primitives": [ {{ "attributes": {{ "POSITION": 0 }} }} ] }}
  ],
  "accessors": [
    {{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,0] }},
    {{ "bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4" }},
    {{ "bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4" }},
    {{ "bufferView": 3, "componentType": 5126, "count": 2, "type": "MAT4" }}
  ],
  "bufferViews": [
    {{ "buffer": 0, "byteOffset": 0, "byteLength": 36 }},
    {{ "buffer": 0, "byteOffset": 36, "byteLength": 12 }},
    {{ "buffer": 0, "byteOffset": 48, "byteLength": 48 }},
    {{ "buffer": 0, "byteOffset": 96, "byteLength": 128 }}
  ],
  "buffers": [ {{ "byteLength": {length}, "uri": "a.bin" }} ]
}}"#
        );
        (text, bytes)
    }

    fn fault(self) -> String {
        self.place().fault()
    }
}

fn moved(mesh: &MeshResource<'_>, bones: [Affine3A; 2]) -> Vec<[f32; 3]> {
    let rests = mesh.rests().iter().zip(bones);
    let bones: Vec<Transform> = rests
        .map(|(rest, bone)| {
            let [x, y, z] = rest.rows;
            let matrix = glam::Mat4::from_cols_array_2d(&[x, y, z, [0.0, 0.0, 0.0, 1.0]]);
            (bone * Affine3A::from_mat4(matrix.transpose())).into()
        })
        .collect();
    let mut moved = vec![MeshVertex::default(); mesh.vertices().len()];
    skin_vertices(mesh.vertices(), mesh.skin(), &bones, &mut moved);
    moved.iter().map(|vertex| vertex.position).collect()
}

#[test]
fn bones_have_names_and_move_their_vertices() {
    let at = |y: f32| Affine3A::from_translation(Vec3::Y * y);
    let place = File::default().place();
    aligned(&place.payload("mesh", "a"), |bytes| {
        let mesh = MeshResource::open(bytes).expect("it was just compiled");
        mesh.validate();
        assert_eq!(mesh.bones(), ["hip", "knee"].map(|name| IdString64::new(name).hash()));
        let weights: Vec<_> = mesh.skin().iter().map(|vertex| vertex.weights()).collect();
        assert_eq!(weights, [[255, 0, 0, 0], [255, 0, 0, 0], [191, 64, 0, 0]]);
        assert_eq!(mesh.skin()[0].bones(), [0; 4], "what moves nothing names no bone");
        let rest = moved(&mesh, [at(0.0), at(2.0)]);
        assert_eq!(rest[..2], [[0.0; 3], [1.0, 0.0, 0.0]], "where they are, not where its node is");
        let [_, knee, both] = moved(&mesh, [at(0.0), at(6.0)])[..] else { panic!("three corners") };
        assert_eq!(knee, [1.0, 4.0, 0.0], "the knee is four metres higher");
        assert!((both[1] - 2.0).abs() < 0.02, "a quarter of that: {both:?}");
    });
    // Scaled and moved, it is moved by the same bones.
    place.write("a.mesh", b"file = \"a.gltf\" scale = 2 offset = [ 0 0 1 ]");
    aligned(&place.payload("mesh", "a"), |bytes| {
        let mesh = MeshResource::open(bytes).expect("it was just compiled");
        assert_eq!(mesh.vertices()[1].position, [2.0, 0.0, 1.0]);
        let rest = moved(&mesh, [at(0.0), at(2.0)]);
        assert_eq!(rest[1], [1.0, 0.0, 0.0], "a bone's place is that of the animation");
    });
}

#[test]
fn what_is_wrong_with_a_skin_is_said() {
    let weights = |first: [f32; 4]| {
        let [_, second, third] = File::default().weights;
        File { weights: [first, second, third], ..File::default() }
    };
    let cases = [
        (File { joints: [[7, 0, 0, 0]; 3], ..File::default() }, "bone 7, and there are 2"),
        (weights([0.0; 4]), "are [0.0, 0.0, 0.0, 0.0], which are no shares"),
        (weights([2.0, -1.0, 0.0, 0.0]), "which are no shares"),
        (weights([f32::NAN; 4]), "which are no shares"),
        (
            File { bones: r#"{ "name": "hip" }, { "name": "hip" }"#, ..File::default() },
            "its bone `hip` comes twice",
        ),
        (
            File {
                bones: r#"{ "name": "hip" }, { "rotation": [ 0, 0, 0, 1 ] }"#,
                ..File::default()
            },
            "bone 1 of its skin has no name",
        ),
        (File { attributes: r#", "JOINTS_0": 1"#, ..File::default() }, "has no Weights(0)"),
        (
            File { attributes: r#", "JOINTS_0": 0, "WEIGHTS_0": 2"#, ..File::default() },
            "are not four for each",
        ),
        (
            File {
                attributes: r#", "JOINTS_0": 1, "WEIGHTS_0": 2, "JOINTS_1": 1, "WEIGHTS_1": 2"#,
                ..File::default()
            },
            "more than four bones",
        ),
        (File { others: ", 3", ..File::default() }, "moves some of its triangles and others not"),
    ];
    for (file, said) in cases {
        let fault = file.fault();
        assert!(fault.starts_with("a.gltf: ") || fault.contains("a.gltf"), "{fault}");
        assert!(fault.contains(said), "{fault}\nnot: {said}");
    }
}

/// A digit of the text that is another one leads to what is not there, or is too short.
#[test]
fn numbers_that_lead_elsewhere_are_refused_or_harmless() {
    let (text, bytes) = File::default().sources();
    let place = Place::with(&[("a.bin", &bytes)]);
    let digits = text.char_indices().filter(|(_, letter)| letter.is_ascii_digit());
    let mut files = 0;
    for (at, letter) in digits {
        for other in ["0", "7", "-1", "99999999999"] {
            if other.starts_with(letter) {
                continue;
            }
            let mut changed = text.clone();
            changed.replace_range(at..=at, other);
            place.write(&format!("{files}.gltf"), changed.as_bytes());
            place.write(&format!("{files}.mesh"), format!("file = \"{files}.gltf\"").as_bytes());
            files += 1;
        }
    }
    let report = place.compile();
    assert_eq!(report.compiled + report.errors.len(), files, "each is one or the other");
    assert!(report.errors.len() > files / 3, "{} of {files}", report.errors.len());
    for error in &report.errors {
        let text = error.to_string();
        assert!(!text.contains("panicked") && !error.error.remedy.is_empty(), "{text}");
    }
}
