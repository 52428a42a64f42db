//! Meshes of glTF files.

use glam::Vec3;
use loligo_render::MeshResource;

use super::meshes::volume;
use super::{Place, aligned};

/// The corners of a tetrahedron of the volume 1/6, and its triangles.
const CORNERS: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const TRIANGLES: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];

/// Returns positions, then indices.
pub(super) fn buffer() -> Vec<u8> {
    let mut bytes: Vec<u8> =
        CORNERS.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend(TRIANGLES.iter().flat_map(|index| index.to_le_bytes()));
    bytes
}

/// Returns the text of a file with a buffer that `buffer` describes, and nodes.
pub(super) fn text(buffer: &str, nodes: &str) -> String {
    format!(
        r#"{{
  "asset": {{ "version": "2.0" }},
  "scene": 0,
  "scenes": [ {{ "nodes": [ 0 ] }} ],
  "nodes": [ {nodes} ],
  "meshes": [ {{ "name": "solid", "primitives": [ {{ "attributes": {{ "POSITION": 0 }}, "indices": 1 }} ] }} ],
  "accessors": [
    {{ "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0,0,0], "max": [1,1,1] }},
    {{ "bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR" }}
  ],
  "bufferViews": [
    {{ "buffer": 0, "byteOffset": 0, "byteLength": 48 }},
    {{ "buffer": 0, "byteOffset": 48, "byteLength": 24 }}
  ],
  "buffers": [ {{ "byteLength": 72 {buffer} }} ]
}}"#
    )
}

/// Returns a binary file.
pub(super) fn glb(nodes: &str) -> Vec<u8> {
    let mut json = text("", nodes).into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let buffer = buffer();
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    let whole = 12 + 8 + json.len() + 8 + buffer.len();
    bytes.extend((whole as u32).to_le_bytes());
    for (kind, part) in [(b"JSON", &json), (b"BIN\0", &buffer)] {
        bytes.extend((part.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(part);
    }
    bytes
}

const NODES: &str = r#"
    { "name": "root", "translation": [ 10, 0, 0 ], "children": [ 1, 2 ] },
    { "name": "large", "mesh": 0, "scale": [ 2, 2, 2 ] },
    { "name": "mirrored", "mesh": 0, "scale": [ -1, 1, 1 ], "translation": [ 0, 5, 0 ] }"#;

fn check(place: &Place, wanted: f32, bounds: [[f32; 3]; 2]) {
    aligned(&place.payload("mesh", "a"), |bytes| {
        let mesh = MeshResource::open(bytes).expect("it was just compiled");
        mesh.validate();
        let found = volume(&mesh);
        assert!((found - wanted).abs() < 1e-4, "{found} is not {wanted}");
        assert_eq!(mesh.bounds(), bounds, "the box around it");
        for triangle in mesh.indices().as_chunks::<3>().0 {
            let corner = |at: usize| &mesh.vertices()[triangle[at] as usize];
            let at = |at: usize| Vec3::from_array(corner(at).position);
            let front = (at(1) - at(0)).cross(at(2) - at(0));
            assert!(front.dot(Vec3::from_array(corner(0).normal)) > 0.0, "flat, and outwards");
        }
    });
}

#[test]
fn binary_text_and_separate_files_give_the_same() {
    let base64 = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/\
                  AAACAAEAAAABAAMAAAADAAIAAQACAAMA";
    let inside =
        text(&format!(r#", "uri": "data:application/octet-stream;base64,{base64}""#), NODES);
    let apart = text(r#", "uri": "the%20buffer.bin""#, NODES);
    let place = Place::with(&[("m/a.glb", &glb(NODES))]);
    let bounds = [[9.0, 0.0, 0.0], [12.0, 6.0, 2.0]];
    place.write("a.mesh", b"file = \"m/a.glb\"");
    check(&place, 9.0 / 6.0, bounds);
    place.write("a.mesh", b"file = \"m/inside.gltf\"");
    place.write("m/inside.gltf", inside.as_bytes());
    check(&place, 9.0 / 6.0, bounds);
    place.write("a.mesh", b"file = \"m/apart.gltf\"");
    place.write("m/apart.gltf", apart.as_bytes());
    let fault = place.fault();
    assert!(
        fault.starts_with(
            "m/apart.gltf: its buffer is in `m/the buffer.bin`, which is not there; add"
        ),
        "{fault}"
    );
    place.write("m/the buffer.bin", &buffer());
    check(&place, 9.0 / 6.0, bounds);
    let mut other = buffer();
    other[..4].copy_from_slice(&(-1.0_f32).to_le_bytes());
    place.write("m/the buffer.bin", &other);
    assert_eq!(place.compile().changed.len(), 1, "the buffer is known as a part of it");
}

#[test]
fn nodes_and_meshes_are_found_by_name() {
    let place = Place::with(&[("a.glb", &glb(NODES))]);
    place.write("a.mesh", b"file = \"a.glb\" node = \"root\"");
    check(&place, 9.0 / 6.0, [[-1.0, 0.0, 0.0], [2.0, 6.0, 2.0]]);
    place.write("a.mesh", b"file = \"a.glb\" node = \"mirrored\" scale = 2");
    check(&place, 8.0 / 6.0, [[0.0; 3], [2.0; 3]]);
    place.write("a.mesh", b"file = \"a.glb\" mesh = \"solid\" offset = [ 1 0 0 ]");
    check(&place, 1.0 / 6.0, [[1.0, 0.0, 0.0], [2.0, 1.0, 1.0]]);
    place.write("a.mesh", b"file = \"a.glb\"\n mesh = \"sold\"");
    assert_eq!(place.fault(), "a.mesh:2:9: `a.glb` has no mesh `sold`; name one of solid");
    place.write("a.mesh", b"file = \"a.glb\"\n node = \"base\"");
    let wanted = "a.mesh:2:9: `a.glb` has no node `base`; name one of root, large, mirrored";
    assert_eq!(place.fault(), wanted);
}

#[test]
fn what_is_wrong_with_a_model_is_told_with_its_file() {
    let ring = r#"{ "mesh": 0, "children": [ 1 ] }, { "children": [ 0 ] }"#;
    let twice = r#"{ "children": [ 1, 1 ] }, { "children": [ 2, 2 ] }, { "mesh": 0 }"#;
    let good = text(r#", "uri": "b.bin""#, r#"{ "mesh": 0 }"#);
    let cases: Vec<(String, &str)> = vec![
        (text(r#", "uri": "b.bin""#, ring), "in a ring"),
        (text(r#", "uri": "b.bin""#, twice), "or in several"),
        (
            good.replace("\"count\": 4", "\"count\": 4000000000"),
            "accessor 0 has 4000000000 elements",
        ),
        (good.replace("\"count\": 12", "\"count\": 11"), "11 indices make no triangles"),
        (
            good.replace("\"byteLength\": 24", "\"byteLength\": 99"),
            "accessor 1 begins beyond its buffer",
        ),
        (
            good.replace("\"byteLength\": 72", "\"byteLength\": 73"),
            "is to have 73 bytes, and has 72",
        ),
        (good.replace("VEC3", "VEC2"), "Positions are not of 3 numbers each"),
        (
            good.replace("\"indices\": 1", "\"indices\": 1, \"mode\": 1"),
            "of Lines and not of triangles",
        ),
        (
            good.replace("\"indices\": 1", "\"indices\": 7"),
            "no whole glTF: meshes[0].primitives[0].indices",
        ),
        (good.replace("\"scene\": 0,", "\"scene\" 0,"), "the text is no glTF: expected `:`"),
        (good.replace("\"2.0\"", "\"1.0\""), "the file is of glTF 1.0"),
        (
            good.replace("\"POSITION\": 0", "\"POSITION\": 2"),
            "is of accessor 2, which is not there",
        ),
        ("glTF\u{1}".to_owned(), "the file is damaged"),
        (String::new(), "the text is no glTF"),
    ];
    for (text, wanted) in cases {
        let place = Place::with(&[("a.gltf", text.as_bytes()), ("b.bin", &buffer())]);
        place.write("a.mesh", b"file = \"a.gltf\"");
        let fault = place.fault();
        assert!(fault.starts_with("a.gltf:") && fault.contains(wanted), "{fault}\nnot: {wanted}");
        assert!(fault.contains("; export"), "it says what to do: {fault}");
    }
    let place = Place::with(&[("a.gltf", b"{\n  \"asset\" 1 }"), ("a.mesh", b"file = \"a.gltf\"")]);
    let fault = place.fault();
    assert!(fault.starts_with("a.gltf:2:11: the text is no glTF"), "{fault}");
}
