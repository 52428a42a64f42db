//! Bytes that were changed: refused, or whole.

use loligo_render::{MaterialResource, MeshResource, ShaderResource, TextureResource};
use proptest::prelude::*;

use super::textures::png;
use super::{Place, aligned, compiled, models, skins};

/// Opens bytes as whatever they may be, and checks what is accepted.
fn open_all(bytes: &[u8]) {
    aligned(bytes, |bytes| {
        if let Ok(mesh) = MeshResource::open(bytes) {
            mesh.validate();
        }
        if let Ok(texture) = TextureResource::open(bytes) {
            texture.validate();
        }
        if let Ok(material) = MaterialResource::open(bytes) {
            material.validate();
        }
        if let Ok(shader) = ShaderResource::open(bytes) {
            assert!(shader.text.len() <= bytes.len(), "it lies within the bytes");
        }
    });
}

/// Returns a payload of each type.
fn payloads() -> Vec<Vec<u8>> {
    let shader = "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(0.0); }
        @fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }";
    let place = Place::with(&[("s.shader", shader.as_bytes()), ("m.material", b"shader = \"s\"")]);
    let grey = (png::ColorType::Grayscale, png::BitDepth::Eight);
    place.write("t.png", &png(3, 5, grey, &[9; 15]));
    vec![
        compiled("a.mesh", "shape = \"box\""),
        skins::File::default().place().payload("mesh", "a"),
        place.payload("texture", "t"),
        place.payload("material", "m"),
        place.payload("shader", "s"),
    ]
}

/// Every length of every payload, and every byte of the numbers at its head set to some values: all
/// that can be wrong with an offset or a length.
#[test]
fn readers_refuse_what_was_cut_or_changed() {
    for payload in payloads() {
        for end in 0..payload.len() {
            aligned(&payload[..end], |bytes| {
                assert!(MeshResource::open(bytes).is_err(), "{end} bytes");
                assert!(TextureResource::open(bytes).is_err(), "{end} bytes");
                assert!(MaterialResource::open(bytes).is_err(), "{end} bytes");
                assert!(ShaderResource::open(bytes).is_err(), "{end} bytes");
            });
        }
        for at in 0..payload.len().min(200) {
            for value in [0, 1, 3, 0x7F, 0x80, 0xFF] {
                let mut changed = payload.clone();
                changed[at] = value;
                open_all(&changed);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn readers_take_nothing_that_is_not_whole(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        for mut payload in payloads() {
            for (at, value) in &changes {
                let at = at.index(payload.len());
                payload[at] = *value;
            }
            open_all(&payload);
        }
    }
}

/// A picture or a model that was cut or changed anywhere is compiled, or refused with its file and
/// what to do.
#[test]
fn compilers_tell_what_was_cut_or_changed() {
    let rgb = (png::ColorType::Rgb, png::BitDepth::Eight);
    let samples: Vec<u8> = (0..=255).cycle().take(3 * 16 * 16).collect();
    let picture = png(16, 16, rgb, &samples);
    let nodes = r#"{ "name": "root", "mesh": 0, "children": [ 1 ] }, { "mesh": 0, "rotation": [ 0, 0, 1, 0 ] }"#;
    let model = models::glb(nodes);
    let place = Place::with(&[]);
    let mut files = 0;
    for (end, whole, source) in [("png", &picture, None), ("glb", &model, Some("mesh"))] {
        let mut add = |bytes: &[u8]| {
            place.write(&format!("{files}.{end}"), bytes);
            if let Some(type_name) = source {
                let text = format!("file = \"{files}.{end}\"");
                place.write(&format!("{files}.{type_name}"), text.as_bytes());
            }
            files += 1;
        };
        for at in (0..whole.len()).step_by(3) {
            add(&whole[..at]);
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            changed[(at * 7 + 5) % whole.len()] = 0xFF;
            add(&changed);
        }
    }
    let report = place.compile();
    assert_eq!(report.compiled + report.errors.len(), files, "each is one or the other");
    assert!(report.errors.len() > files / 3, "{} of {files}", report.errors.len());
    for error in &report.errors {
        let text = error.to_string();
        assert!(!text.contains("panicked"), "{text}");
        assert!(error.error.file.contains(['.']) && !error.error.remedy.is_empty(), "{text}");
    }
}

/// A header that reports a picture of 256 megabytes in a file of some bytes.
#[test]
fn a_picture_that_claims_more_than_it_can_hold_is_refused() {
    let mut picture = png(1, 1, (png::ColorType::Rgba, png::BitDepth::Eight), &[1, 2, 3, 4]);
    picture[16..24].copy_from_slice(&[0, 0, 0x1F, 0xFF, 0, 0, 0x1F, 0xFF]);
    let sum = crc(&picture[12..29]);
    picture[29..33].copy_from_slice(&sum.to_be_bytes());
    let fault = Place::with(&[("a.png", &picture)]).fault();
    assert!(
        fault.starts_with("a.png: the PNG is cut: 8191 by 8191 pixels cannot be in "),
        "{fault}"
    );
    picture[16] = 0x7F;
    let sum = crc(&picture[12..29]);
    picture[29..33].copy_from_slice(&sum.to_be_bytes());
    let fault = Place::with(&[("a.png", &picture)]).fault();
    assert!(fault.contains("make its sides 8192 at the most"), "{fault}");
}

/// The checksum of PNG.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 }
        })
    })
}
