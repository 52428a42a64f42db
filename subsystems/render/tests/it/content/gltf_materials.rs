//! Materials of glTF files that are written here.

use loligo_render::MaterialResource;
use loligo_resources::ResourceKey;
use png::{BitDepth, ColorType};

use super::textures::png;
use super::{Place, aligned};

/// A file with one material, whose JSON is given, and images 0 to 3 with a sampler.
fn gltf(materials: &str) -> String {
    format!(
        r#"{{ "asset": {{ "version": "2.0" }},
            "images": [ {{ "uri": "wood.png" }}, {{ "uri": "bumps.png" }}, {{ "uri": "rough%20metal.png" }}, {{ "uri": "lit.png" }} ],
            "samplers": [ {{ "wrapS": 10497, "wrapT": 10497 }}, {{ "wrapS": 33071, "wrapT": 33071 }}, {{ "wrapS": 33071, "wrapT": 10497 }} ],
            "textures": [ {{ "source": 0, "sampler": 0 }}, {{ "source": 1 }}, {{ "source": 2 }}, {{ "source": 3 }},
                {{ "source": 0, "sampler": 1 }}, {{ "source": 0, "sampler": 2 }} ],
            "materials": [ {materials} ] }}"#
    )
}

const RGB: (ColorType, BitDepth) = (ColorType::Rgb, BitDepth::Eight);

/// A project with that file in a folder, and its pictures there.
fn place(materials: &str) -> Place {
    let text = gltf(materials);
    let place = Place::with(&[("models/door.gltf", text.as_bytes())]);
    place.write("models/wood.png", &png(1, 1, RGB, &[200, 100, 50]));
    place.write("models/bumps.png", &png(1, 1, RGB, &[128, 128, 255]));
    place.write("models/rough metal.png", &png(1, 1, RGB, &[255, 90, 30]));
    place.write("models/lit.png", &png(1, 1, RGB, &[9, 9, 9]));
    place.write("models/bumps.texture", b"color = \"linear\"");
    place.write("models/rough metal.texture", b"color = \"linear\"");
    place
}

fn material(place: &Place) -> MaterialResource {
    place.write("door.material", b"file = \"models/door.gltf\"");
    aligned(&place.payload("material", "door"), MaterialResource::open).expect("it is whole")
}

const FULL: &str = r#"{ "name": "Wood",
    "pbrMetallicRoughness": { "baseColorFactor": [ 0.5, 0.25, 1, 0.75 ], "metallicFactor": 0.125, "roughnessFactor": 0.375,
        "baseColorTexture": { "index": 0 }, "metallicRoughnessTexture": { "index": 2 } },
    "normalTexture": { "index": 1 }, "occlusionTexture": { "index": 2 }, "emissiveTexture": { "index": 3 },
    "emissiveFactor": [ 0.25, 0.125, 0.5 ], "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true }"#;

#[test]
fn a_material_is_what_the_file_says() {
    let place = place(FULL);
    let found = material(&place);
    let texture = |name: &str| Some(ResourceKey::new("texture", name));
    assert_eq!(found.shader, ResourceKey::new("shader", "core/shaders/standard"));
    let names = ["models/wood", "models/bumps", "models/rough metal", "models/lit"];
    assert_eq!(found.textures, names.map(texture));
    assert_eq!(found.color, [0.5, 0.25, 1.0, 0.75]);
    assert_eq!((found.roughness, found.metallic, found.emission), (0.375, 0.125, 0.5));
    assert_eq!((found.cutout, found.two_sided), (0.25, true));
    assert_eq!(found.layer, loligo_ids::IdString64::new("opaque"));
    // What the source says wins.
    place.write(
        "door.material",
        b"file = \"models/door.gltf\" material = \"Wood\" roughness = 1 texture = \"models/lit\" two_sided = false",
    );
    let own = aligned(&place.payload("material", "door"), MaterialResource::open).expect("whole");
    assert_eq!((own.roughness, own.metallic, own.two_sided), (1.0, 0.125, false));
    assert_eq!(own.textures[0], texture("models/lit"));
}

#[test]
fn defaults_and_modes_are_those_of_the_format() {
    let found = material(&place("{}"));
    assert_eq!((found.roughness, found.metallic, found.color), (1.0, 1.0, [1.0; 4]));
    assert_eq!((found.cutout, found.emission, found.textures), (0.0, 0.0, [None; 4]));
    let found = material(&place(r#"{ "alphaMode": "MASK" }"#));
    assert_eq!(found.cutout, 0.5, "what the format says where the file does not");
    let found = material(&place(r#"{ "alphaMode": "BLEND", "alphaCutoff": 0.25 }"#));
    assert_eq!((found.cutout, found.layer), (0.0, loligo_ids::IdString64::new("glass")));
    // A picture at the edge of which something else is wanted says so.
    let clamped = place(r#"{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 4 } } }"#);
    clamped.write("models/wood.texture", b"wrap = \"clamp\"");
    assert_eq!(material(&clamped).textures[0], Some(ResourceKey::new("texture", "models/wood")));
}

/// A material, and what is said about it.
const UNSUPPORTED: [(&str, &str); 10] = [
    (
        r#"{ "name": "A", "normalTexture": { "index": 1, "scale": 2 } }"#,
        "the material `A` scales its normals by 2; scale them in the picture",
    ),
    (
        r#"{ "name": "A", "emissiveFactor": [ 1, 0, 0 ] }"#,
        "the material `A` shines in [1.0, 0.0, 0.0], which is not the color of its base; give both one color, and the difference to the pictures",
    ),
    (
        r#"{ "name": "A", "emissiveFactor": [ 1, 1, 1 ], "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }"#,
        "the material `A` shines, and has a picture of its color alone; give it a picture of that as well, a white one perhaps",
    ),
    (
        r#"{ "name": "A", "occlusionTexture": { "index": 3 } }"#,
        "the material `A` has occlusion in a separate picture; put occlusion into the red of the picture of roughness and metal, and name it for both",
    ),
    (
        r#"{ "name": "A", "pbrMetallicRoughness": { "metallicRoughnessTexture": { "index": 1 } } }"#,
        "the material `A` has no occlusion, and the red of `models/bumps.png` is not white; make it white, or name the picture as occlusion",
    ),
    (
        r#"{ "name": "A", "normalTexture": { "index": 3 } }"#,
        "the material `A` has numbers in `models/lit`, which is read as colors in sRGB; write `color = \"linear\"` in `models/lit.texture`",
    ),
    (
        r#"{ "name": "A", "emissiveTexture": { "index": 1 } }"#,
        "the material `A` has colors in `models/bumps`, which is linear; write `color = \"srgb\"` in `models/bumps.texture`",
    ),
    (
        r#"{ "name": "A", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0, "texCoord": 1 } } }"#,
        "the material `A` has the places of its `texture` in set 1; use the first places in a texture",
    ),
    (
        r#"{ "name": "A", "pbrMetallicRoughness": { "baseColorTexture": { "index": 4 } } }"#,
        "the material `A` has `models/wood` with the wrap clamp; write `wrap = \"clamp\"` in `models/wood.texture`",
    ),
    (
        r#"{ "name": "A", "pbrMetallicRoughness": { "baseColorTexture": { "index": 5 } } }"#,
        "the material `A` repeats `models/wood` otherwise along rows than along columns; use one of both",
    ),
];

#[test]
fn what_is_not_supported_is_named() {
    let fault = |place: &Place, source: &str| {
        place.write("door.material", source.as_bytes());
        place.fault()
    };
    let named = "file = \"models/door.gltf\"";
    for (materials, wanted) in UNSUPPORTED {
        assert_eq!(fault(&place(materials), named), format!("models/door.gltf: {wanted}"));
    }
    let two = place(r#"{ "name": "A" }, { "name": "B" }"#);
    assert_eq!(
        fault(&two, named),
        "door.material:1:8: `models/door.gltf` has 2 materials; name one: `material = \"Wood\"`"
    );
    assert_eq!(
        fault(&two, "file = \"models/door.gltf\" material = \"C\""),
        "door.material:1:38: `models/door.gltf` has no material `C`; name one of A, B"
    );
    assert_eq!(
        fault(&two, "material = \"C\""),
        "door.material:1:12: a material of a file is named, and no file; name it: `file = \"door.glb\"`"
    );
    let within = r#"{ "asset": { "version": "2.0" }, "images": [ { "uri": "data:image/png;base64,AAAA" } ],
        "textures": [ { "source": 0 } ], "materials": [ { "name": "A", "emissiveTexture": { "index": 0 } } ] }"#;
    two.write("models/door.gltf", within.as_bytes());
    assert_eq!(
        fault(&two, named),
        "models/door.gltf: the material `A` has its `emission_texture` within the file; export pictures as files, PNG"
    );
    two.write(
        "models/door.gltf",
        within.replace("data:image/png;base64,AAAA", "gone.png").as_bytes(),
    );
    assert_eq!(
        fault(&two, named),
        "models/door.gltf: the material `A` names the picture `models/gone.png`, which is not there; add that file to the project"
    );
}
