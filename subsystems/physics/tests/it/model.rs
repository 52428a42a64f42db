//! Small glTF files and pictures, made by hand.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Returns the text of a file with two nodes: `hull`, moved and twice as large, and `frame`, which has no
/// mesh but a child with the same one.
pub(crate) fn model(points: &[[f32; 3]], triangles: &[[u16; 3]]) -> String {
    let mut bytes: Vec<u8> =
        points.as_flattened().iter().flat_map(|float| float.to_le_bytes()).collect();
    let split = bytes.len();
    bytes.extend(triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes()));
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "scenes": [ {{ "nodes": [ 0, 1 ] }} ],
        "nodes": [
            {{ "name": "hull", "mesh": 0, "translation": [ 5, 0, 0 ], "scale": [ 2, 2, 2 ] }},
            {{ "name": "frame", "children": [ 2 ] }},
            {{ "name": "pane", "mesh": 0, "translation": [ 0, 1, 0 ] }},
            {{ "name": "empty" }}
        ],
        "meshes": [ {{ "primitives": [ {{ "attributes": {{ "POSITION": 0 }}, "indices": 1 }} ] }} ],
        "accessors": [
            {{ "bufferView": 0, "componentType": 5126, "count": {}, "type": "VEC3",
               "min": [ -9, -9, -9 ], "max": [ 9, 9, 9 ] }},
            {{ "bufferView": 1, "componentType": 5123, "count": {}, "type": "SCALAR" }}
        ],
        "bufferViews": [
            {{ "buffer": 0, "byteOffset": 0, "byteLength": {split} }},
            {{ "buffer": 0, "byteOffset": {split}, "byteLength": {} }}
        ],
        "buffers": [ {{ "byteLength": {}, "uri": "data:;base64,{}" }} ] }}"#,
        points.len(),
        3 * triangles.len(),
        bytes.len() - split,
        bytes.len(),
        STANDARD.encode(&bytes),
    )
}

/// Returns a grey picture as PNG.
pub(crate) fn picture(width: u32, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, pixels.len() as u32 / width);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(pixels).expect("pixels");
    writer.finish().expect("an end");
    bytes
}
