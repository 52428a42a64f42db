//! What shaders see: the layout that the crate states is what its data have, what the built-in
//! shaders declare, and what the page `docs/reference/shaders.md` says. `LOLIGO_WRITE=1` writes the
//! page.

use core::mem::offset_of;
use std::fs;
use std::path::PathBuf;

use loligo_render::gpu::{FrameData, VERTEX_BYTES};
use loligo_render::{InstanceParameters, Light, MeshVertex, ShaderResource, Transform};
use naga::{AddressSpace, Module, TypeInner};

use crate::content::Place;

const LAYOUT: &str = include_str!("../../src/gpu/LAYOUT.md");

/// What the page says before the layout.
const BEGINNING: &str = "# What shaders see

Generated from `subsystems/render/src/gpu/LAYOUT.md`: `LOLIGO_WRITE=1 cargo test -p loligo-render --test it layout`. A
`.shader` is checked when it is compiled, with line and column; in a game that runs with `--watch` it is seen as soon as it
is saved. The built-in ones are a beginning: `loligo core core/shaders/standard.shader` ([built-in resources](core.md)).

";

/// And after it.
const END: &str = r#"
## From a material

| key of the `.material` | in the shader |
|---|---|
| `color` | `material.base_color` |
| `roughness`, `metallic`, `emission` | `material.surface.x`, `.y`, `.z` |
| `custom` | `material.extra`, whose meaning is the shader's |
| `texture` | `color_texture`, read with `color_sampler` |
| `target` | `color_texture` is that target of the frame |
| `normal_texture`, `surface_texture`, `emission_texture` | `normal_texture` and so on, with the same sampler; bits of `material.textures.x` say which there are |
| `cutout` | `material.surface.w`; the entry points for cutouts are run for it |
| `two_sided` | whether `fs_main` is run for backs; `@builtin(front_facing)` says which it is |
| `layer` | the [layer](frame.md) that it is drawn in, and so the pass and what that reads |
| `casts_shadow` | whether `vs_shadow` is run for it |

## A shader of your own

Stripes, of the width `custom = [ 0.2 0 0 0 ]`, lit by the sun alone:

```wgsl
EXAMPLE```
"#;

/// A shader that is whole.
const EXAMPLE: &str = "struct Frame {
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
struct Instance { x: vec4<f32>, y: vec4<f32>, z: vec4<f32> }
struct Material { base_color: vec4<f32>, surface: vec4<f32>, extra: vec4<f32>, textures: vec4<u32> }

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(1) @binding(0) var<uniform> material: Material;

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
}

@vertex
fn vs_main(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @builtin(instance_index) number: u32,
) -> Varying {
    let instance = instances[number];
    let point = vec4(position, 1.0);
    let world = vec3(dot(instance.x, point), dot(instance.y, point), dot(instance.z, point));
    // Right for a scale that is the same along all axes.
    let turned = vec3(dot(instance.x.xyz, normal), dot(instance.y.xyz, normal), dot(instance.z.xyz, normal));
    return Varying(frame.view_projection * vec4(world, 1.0), world, normalize(turned));
}

@fragment
fn fs_main(in: Varying) -> @location(0) vec4<f32> {
    let stripe = select(0.4, 1.0, fract(in.world.y / material.extra.x) < 0.5);
    let sun = max(dot(normalize(in.normal), frame.sun_direction.xyz), 0.0) * frame.sun_color.rgb;
    return vec4(material.base_color.rgb * stripe * (sun + frame.sky_color.rgb), 1.0);
}
";

fn page() -> String {
    let (_, layout) = LAYOUT.split_once("\n\n").expect("a heading");
    // In the docs of the crate that is a link to a type; a game says it in its frame.
    let layout = layout.replace("a [`FULLSCREEN`] job", "a layer that takes the picture");
    let layout = layout.replace("A [`FULLSCREEN`] job", "A layer that takes the picture");
    format!("{BEGINNING}{layout}{}", END.replace("EXAMPLE", EXAMPLE))
}

#[test]
fn the_page_is_the_layout() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/shaders.md");
    let wanted = page();
    if std::env::var_os("LOLIGO_WRITE").is_some() {
        fs::write(&file, &wanted).expect("the page may be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "docs/reference/shaders.md is another; LOLIGO_WRITE=1 writes it");
    assert!(!wanted.contains("[`"), "no link to a type is left");
}

/// All that the layout declares, as one module.
fn layout() -> Module {
    let blocks = LAYOUT.split("```wgsl\n").skip(1);
    let text: String = blocks.map(|block| block.split("```").next().unwrap_or_default()).collect();
    naga::front::wgsl::parse_str(&text).expect("LAYOUT.md is right")
}

/// The members of a struct: name and offset; and how many bytes it has.
fn members(module: &Module, name: &str) -> Option<(Vec<(String, usize)>, usize)> {
    let (_, found) = module.types.iter().find(|(_, of)| of.name.as_deref() == Some(name))?;
    let TypeInner::Struct { members, span } = &found.inner else { return None };
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    let members = members.iter().map(|of| (name(&of.name), of.offset as usize));
    Some((members.collect(), *span as usize))
}

/// Name and offset of fields, as `members` has them.
macro_rules! fields {
    ($of:ty: $($field:ident),+) => {
        vec![$((stringify!($field).to_owned(), offset_of!($of, $field))),+]
    };
}

#[test]
fn the_layout_is_that_of_the_data() {
    let layout = layout();
    let frame = fields!(FrameData: view_projection, inverse_view_projection, sun_view_projection, eye,
        sun_direction, sun_color, sky_color, ground_color, fog, window, numbers, light_bins,
        sun_maps, sun_parts, sun_metres);
    assert_eq!(members(&layout, "Frame"), Some((frame, size_of::<FrameData>())));
    let (_, instance) = members(&layout, "Instance").expect("it is stated");
    assert_eq!(instance, size_of::<Transform>());
    let (light, bytes) = members(&layout, "Light").expect("it is stated");
    assert_eq!(bytes, size_of::<Light>());
    assert_eq!((light[0].1, light[1].1), (offset_of!(Light, position), offset_of!(Light, color)));
    let (parameters, _) = members(&layout, "Parameters").expect("it is stated");
    assert_eq!(parameters, fields!(InstanceParameters: color, numbers));
    assert_eq!(VERTEX_BYTES, size_of::<MeshVertex>());
    for (name, bytes) in [
        ("Frame", size_of::<FrameData>()),
        ("Instance", size_of::<Transform>()),
        ("Light", size_of::<Light>()),
        ("Parameters", size_of::<InstanceParameters>()),
        ("Material", members(&layout, "Material").expect("it is stated").1),
    ] {
        let line = LAYOUT.lines().find(|line| line.starts_with(&format!("struct {name} ")));
        let line = line.expect("it is stated");
        assert!(line.contains(&format!("// {bytes} bytes")), "{line}");
    }
    assert!(LAYOUT.contains(&format!("vertex, {VERTEX_BYTES} bytes")), "the vertex");
    for entry in [ShaderResource::VERTEX, ShaderResource::FRAGMENT, ShaderResource::SHADOW] {
        assert!(LAYOUT.contains(&format!("\n| `{entry}` |")), "`{entry}` is in the table");
    }
}

/// What a module binds: group and number, and what kind of thing.
fn bindings(module: &Module) -> Vec<((u32, u32), String)> {
    let globals = module.global_variables.iter().filter_map(|(_, of)| {
        let place = of.binding.as_ref()?;
        let ty = &module.types[of.ty];
        let what = match (&of.space, &ty.inner) {
            (AddressSpace::Handle, TypeInner::Image { class, dim, .. }) => {
                format!("{dim:?} {class:?}")
            }
            (AddressSpace::Handle, inner) => format!("{inner:?}"),
            (space, TypeInner::Array { base, .. }) => {
                format!("{space:?} of {:?}", module.types[*base].name)
            }
            (space, _) => format!("{space:?} {:?}", ty.name),
        };
        Some(((place.group, place.binding), what))
    });
    globals.collect()
}

#[test]
fn the_built_in_shaders_declare_what_the_layout_says() {
    let layout = layout();
    let bound = bindings(&layout);
    let core = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("core/shaders");
    let mut checked = 0;
    let mut texts = vec![("the example".to_owned(), EXAMPLE.to_owned())];
    for entry in fs::read_dir(core).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        texts.push((path.display().to_string(), fs::read_to_string(&path).expect("a text")));
    }
    for (path, text) in texts {
        let module = naga::front::wgsl::parse_str(&text).expect("it is a shader");
        for name in ["Frame", "Instance", "Light", "Parameters", "Material"] {
            if let Some(own) = members(&module, name) {
                assert_eq!(Some(own), members(&layout, name), "{path}: `{name}`");
                checked += 1;
            }
        }
        for ((group, number), what) in bindings(&module) {
            if group != 2 {
                let stated = bound.iter().find(|(place, _)| *place == (group, number));
                assert_eq!(stated.map(|(_, what)| what), Some(&what), "{path}: {group}, {number}");
                checked += 1;
            } else {
                // Pairs of a target and its sampler.
                assert_eq!(number % 2 == 1, what.starts_with("Sampler"), "{path}: {number} {what}");
            }
        }
    }
    assert!(checked > 15, "{checked} were compared");
}

#[test]
fn the_example_of_the_page_is_compiled() {
    let place = Place::with(&[
        ("stripes.shader", EXAMPLE.as_bytes()),
        ("stripes.material", b"shader = \"stripes\" custom = [ 0.2 0 0 0 ]"),
    ]);
    let report = place.compile();
    assert_eq!((report.errors, report.compiled), (vec![], 2));
}

#[test]
fn all_built_in_resources_are_compiled() {
    let place = Place::with(&[(
        "all.package",
        b"frame = [ \"core/*\" ] shader = [ \"core/shaders/*\" ] material = [ \"core/materials/*\" ]
            mesh = [ \"core/meshes/*\" ]",
    )]);
    let report = place.compile();
    assert_eq!(report.errors, vec![]);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("core");
    let mut files = 0;
    let mut waiting = vec![folder];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(at).expect("it can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { waiting.push(path) } else { files += 1 }
        }
    }
    assert_eq!(report.compiled, files + 1, "each file is registered, and the package names it");
}
