//! Materials, shaders and frames.

use loligo_ids::IdString64;
use loligo_render::{MaterialResource, ShaderResource};
use loligo_resources::ResourceKey;

use super::{Place, aligned, compiled};

const SHADER: &str = "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(0.0); }
@fragment fn fs_main() -> @location(0) vec4f { return vec4f(1.0); }
";

const FRAME: &str = r#"passes = [ { name = "main" color = [ "window" ] layers = [ { name = "opaque" order = "by_state" } ] } ]"#;

#[test]
fn a_material_leads_to_its_shader_and_textures() {
    let place = Place::with(&[("s.shader", SHADER.as_bytes()), ("t.texture", b"")]);
    place.write(
        "t.png",
        &super::textures::png(1, 1, (png::ColorType::Grayscale, png::BitDepth::Eight), &[7]),
    );
    place.write("plain.material", b"shader = \"s\"");
    place.write(
        "a.material",
        b"shader = \"s\" texture = \"t\" surface_texture = \"t\" cutout = 0.5 two_sided = true color = [ 1 0.5 0 1 ] roughness = 0.25 metallic = 1 emission = 2
          custom = [ 1 2 3 4 ] casts_shadow = false layer = \"glass\"",
    );
    let material = aligned(&place.payload("material", "a"), MaterialResource::open);
    let texture = Some(ResourceKey::new("texture", "t"));
    let wanted = MaterialResource {
        shader: ResourceKey::new("shader", "s"),
        textures: [texture, None, texture, None],
        color: [1.0, 0.5, 0.0, 1.0],
        roughness: 0.25,
        metallic: 1.0,
        emission: 2.0,
        custom: [1.0, 2.0, 3.0, 4.0],
        cutout: 0.5,
        two_sided: true,
        casts_shadow: false,
        layer: IdString64::new("glass"),
        target: None,
    };
    assert_eq!(material, Ok(wanted));
    place.write("screen.material", b"shader = \"s\" target = \"mirror\"");
    let screen = aligned(&place.payload("material", "screen"), MaterialResource::open);
    assert_eq!(screen.map(|material| material.target), Ok(Some(IdString64::new("mirror"))));
    let plain = aligned(&place.payload("material", "plain"), MaterialResource::open);
    let wanted = MaterialResource {
        textures: [None; 4],
        color: [1.0; 4],
        roughness: 0.8,
        metallic: 0.0,
        emission: 0.0,
        custom: [0.0; 4],
        cutout: 0.0,
        two_sided: false,
        casts_shadow: true,
        layer: IdString64::new("opaque"),
        ..wanted
    };
    assert_eq!(plain, Ok(wanted));
}

#[test]
fn what_is_wrong_with_a_material_has_its_place() {
    let fault = |source: &str| {
        Place::with(&[("s.shader", SHADER.as_bytes()), ("a.material", source.as_bytes())]).fault()
    };
    let is = |text: String, wanted: &str| assert_eq!(text, wanted);
    is(
        fault("roughness = 1"),
        "a.material:1:1: there is no `shader`; name one: `shader = \"shaders/standard\"`",
    );
    is(
        fault("shader = \"s\"\nroughness = 2"),
        "a.material:2:13: 2 is not in the range; write a number from 0 to 1",
    );
    is(
        fault("shader = \"s\" color = [ 1 0 ]"),
        "a.material:1:22: expected 4 numbers, found an array of 2; write `[ 0 0 0 0 ]`",
    );
    is(
        fault("shader = \"s\"\n  texture = \"gone\""),
        "a.material:2:13: there is no resource `gone` of type `texture`; add its source, or name another",
    );
    is(
        fault("shader = \"s\"\n  normal_texture = \"gone\""),
        "a.material:2:20: there is no resource `gone` of type `texture`; add its source, or name another",
    );
    is(
        fault("shader = \"s\" texture = \"s\" target = \"t\""),
        "a.material:1:37: it shows a texture and a target; leave one of both out",
    );
    is(
        fault("shader = \"s\" texture = \"\""),
        "a.material:1:24: the name is empty; name a resource, or leave the key out",
    );
}

#[test]
fn a_shader_is_checked_and_kept() {
    aligned(&compiled("a.shader", SHADER), |bytes| {
        let wanted = ShaderResource { text: SHADER, has_shadow: false };
        assert_eq!(ShaderResource::open(bytes), Ok(wanted));
    });
    let text =
        format!("{SHADER}@vertex fn vs_shadow() -> @builtin(position) vec4f {{ return vec4f(); }}");
    aligned(&compiled("a.shader", &text), |bytes| {
        assert!(ShaderResource::open(bytes).expect("it was just compiled").has_shadow);
    });
}

#[test]
fn what_is_wrong_with_a_shader_has_its_place() {
    let fault = |source: &str| Place::with(&[("a.shader", source.as_bytes())]).fault();
    let starts =
        |text: String, wanted: &str| assert!(text.starts_with(wanted), "{text}\nnot: {wanted}");
    // Columns are characters, of which the comment has some of two bytes.
    starts(
        fault(&format!("{SHADER}/* \u{e4}\u{f6} */ fn f() {{ let x = y; }}")),
        "a.shader:3:27: no definition in scope for identifier: `y`",
    );
    starts(fault(&format!("{SHADER}fn f( {{")), "a.shader:3:7: expected ");
    starts(
        fault(&format!("{SHADER}fn f() -> f32 {{ return 1; }}\nfn g() -> i32 {{ return 1.5; }}")),
        "a.shader:4:",
    );
    starts(
        fault(&SHADER.replace("fs_main", "main")),
        "a.shader: there is no entry point `fs_main`; add `@fragment fn fs_main(..)`",
    );
    starts(fault(""), "a.shader: there is no entry point `vs_main`; add `@vertex fn vs_main(..)`");
    let place = Place::with(&[("a.shader", b"// \xc3\xa4\n\xff")]);
    starts(place.fault(), "a.shader:2:1: this is no UTF-8; save the file as UTF-8");
}

#[test]
fn a_frame_is_checked_and_kept() {
    assert_eq!(compiled("a.frame", FRAME), FRAME.as_bytes());
    let fault = |source: &str| Place::with(&[("a.frame", source.as_bytes())]).fault();
    let wanted =
        "a.frame:1:14: a pass has no `nam`; it has name, view, color, depth, clear, reads, layers";
    assert_eq!(fault("passes = [ { nam = 1 } ]"), wanted);
    let cut = fault("passes = [ ");
    assert!(cut.starts_with("a.frame:1:"), "{cut}");
}
