//! Collision shapes through a project: forms by hand, of models and of pictures.

use glam::{Quat, Vec3};
use loligo_ids::IdString32;
use loligo_physics::{Collision, Geometry};

use crate::model::{model, picture};
use crate::project::{TestProject, aligned};
use crate::settings::GAME;

/// The corners of a unit cube, one of them twice, and some of its triangles, one of them without an area.
const POINTS: [[f32; 3]; 9] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 0.0, 0.000_01],
];
const TRIANGLES: [[u16; 3]; 5] = [[0, 1, 2], [8, 3, 1], [4, 5, 6], [7, 3, 2], [0, 8, 1]];

/// A source with every form.
pub(crate) const SOURCE: &str = r#"
settings = "game"
file = "cube.gltf"
shapes = [
    { template = "crate" box = [ 1 2 3 ] position = [ 0 1 0 ] rotation = [ 0 2 0 0 ] name = "lid" }
    { template = "crate" sphere = 0.5 }
    { template = "crate" capsule = { radius = 0.25 height = 2 } }
    { template = "crate" convex = { points = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 1 0 ] [ 0 0 1 ] [ 0 0 1 ] ] } }
    { template = "crate" convex = { node = "hull" } }
    { template = "floor" mesh = { vertices = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 0 1 ] ] triangles = [ [ 0 1 2 ] [ 1 1 2 ] ] } }
    { template = "floor" mesh = { node = "frame" weld = 0.001 } }
    { template = "floor" heights = { size = [ 10 2 20 ] rows = [ [ 0 1 ] [ 2 3 ] [ 4 5 ] ] } }
    { template = "floor" heights = { size = [ 10 4 10 ] picture = "hills.png" } }
]
"#;

/// Makes a project of a source.
pub(crate) fn project_of(source: &str) -> TestProject {
    let model = model(&POINTS, &TRIANGLES);
    let hills = picture(3, &[0, 255, 51, 102, 153, 204]);
    TestProject::new(&[
        ("game.physics", GAME.as_bytes()),
        ("cube.gltf", model.as_bytes()),
        ("hills.png", &hills),
        ("all.collision", source.as_bytes()),
    ])
}

#[test]
fn each_form_is_read_back() {
    let project = project_of(SOURCE);
    project.compile().expect("it is right");
    aligned(&project.payload("collision", "all"), |bytes| {
        let collision = Collision::open(bytes).expect("it is whole");
        assert_eq!(collision.len(), 9);
        let parts: Vec<_> = collision.parts().collect();
        let lid = parts[0];
        assert_eq!(lid.template, IdString32::new("crate"));
        assert_eq!((lid.position, lid.rotation), (Vec3::Y, Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)));
        assert_eq!(lid.geometry, Geometry::Box { half: Vec3::new(0.5, 1.0, 1.5) });
        assert_eq!(collision.find(IdString32::new("lid")), Some(0));
        assert_eq!(collision.find(IdString32::new("lit")), None);
        assert_eq!(parts[1].geometry, Geometry::Sphere { radius: 0.5 });
        assert_eq!(parts[2].geometry, Geometry::Capsule { half_height: 0.75, radius: 0.25 });
        let Geometry::Convex { points } = parts[3].geometry else { panic!("{:?}", parts[3]) };
        assert_eq!(points.len(), 4, "one came twice: {points:?}");
        let Geometry::Convex { points } = parts[4].geometry else { panic!("{:?}", parts[4]) };
        assert_eq!(points, &POINTS[..8], "the node's own space");
        let Geometry::Mesh { vertices, triangles } = parts[5].geometry else { panic!() };
        assert_eq!((vertices.len(), triangles), (3, &[[0, 1, 2]][..]));
        let Geometry::Mesh { vertices, triangles } = parts[6].geometry else { panic!() };
        assert_eq!((vertices.len(), triangles.len()), (8, 4), "{vertices:?} {triangles:?}");
        assert_eq!(vertices[0], [0.0, 1.0, 0.0], "the child is one metre up");
        let size = Vec3::new(10.0, 2.0, 20.0);
        let heights = &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(parts[7].geometry, Geometry::HeightField { rows: 3, columns: 2, heights, size });
        let Geometry::HeightField { rows, columns, heights, .. } = parts[8].geometry else {
            panic!()
        };
        assert_eq!((rows, columns), (2, 3));
        let expected = [0.0, 1.0, 0.2, 0.4, 0.6, 0.8];
        assert!(heights.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1.0e-6), "{heights:?}");
    });
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let one =
        |shape: &str| format!("settings = \"game\"\nfile = \"cube.gltf\"\nshapes = [ {shape} ]");
    let crate_of = |form: &str| one(&format!("{{ template = \"crate\" {form} }}"));
    let cases = [
        (
            one("{ template = \"crat\" sphere = 1 }"),
            "all.collision:3:25: there is no shape template `crat`; is `crate` meant?",
        ),
        (crate_of("sphere = 0"), "0 is not in the range"),
        (
            crate_of("sphere = 1 box = [ 1 1 1 ]"),
            "a shape has one form; give it one of `box`, `sphere`",
        ),
        (crate_of("sfere = 1"), "the key `sfere` means nothing here; is `sphere` meant?"),
        (
            crate_of("capsule = { radius = 1 height = 1.5 }"),
            "a capsule of radius 1 is higher than 2; make it higher, or write `sphere`",
        ),
        (
            crate_of("convex = { points = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 1 0 ] [ 1 1 0 ] ] }"),
            "all in one plane",
        ),
        (
            crate_of("convex = { node = \"hul\" }"),
            "all.collision:3:51: `cube.gltf` has no node `hul`; name one of hull, frame",
        ),
        (crate_of("convex = { node = \"empty\" }"), "the node `empty` has no triangles"),
        (crate_of("convex = {}"), "a form is of a `node` or of `points`; give it one of both"),
        (
            crate_of("mesh = { vertices = [ [ 0 0 0 ] ] triangles = [ [ 0 1 0 ] ] }"),
            "there is no such corner; write the index of a vertex, from 0 to 0",
        ),
        (
            crate_of(
                "mesh = { vertices = [ [ 0 0 0 ] [ 1 0 0 ] [ 2 0 0 ] ] triangles = [ [ 0 1 2 ] ] }",
            ),
            "none of its 1 triangles has an area",
        ),
        (
            crate_of("heights = { size = [ 1 1 1 ] rows = [ [ 0 0 ] [ 0 ] ] }"),
            "a row has 1 heights, and the first 2",
        ),
        (
            crate_of("heights = { size = [ 1 1 1 ] rows = [ [ 0 0 ] ] }"),
            "there are 1 rows of 2 heights; 2 to 2048 are possible",
        ),
        (
            crate_of("heights = { size = [ 1 1 1 ] picture = \"hill.png\" }"),
            "there is no file `hill.png`",
        ),
        (
            crate_of("heights = { size = [ 1 1 1 ] picture = \"game.physics\" }"),
            "the PNG is damaged",
        ),
        (crate_of("box = [ 1 1 1 ] rotation = [ 0 0 0 0 ]"), "a rotation has a length"),
        (crate_of("box = [ 1 1 1 ] position = [ 0 0 1e30 ]"), "is not in the range"),
        (one(""), "there are 0 shapes; 1 to 1024 are possible"),
        ("settings = \"gam\" shapes = []".to_owned(), "there is no physics `gam`"),
        ("shapes = []".to_owned(), "there is no `settings`; name the game's settings"),
    ];
    for (source, expected) in cases {
        let error = project_of(&source).compile().expect_err(&source);
        assert!(error.contains(expected), "{source}\n{error}");
    }
}

#[test]
fn settings_that_change_compile_the_shapes_again() {
    let project = project_of(SOURCE);
    project.compile().expect("it is right");
    project.write(
        "game.physics",
        GAME.replace("    floor = { material", "    flor = { material").as_bytes(),
    );
    let error = project.compile().expect_err("a template is gone");
    assert!(
        error.contains("all.collision:10:18: there is no shape template `floor`; is `flor` meant?"),
        "{error}"
    );
}

#[test]
fn numbers_of_a_model_that_are_none_are_refused() {
    let mut points = POINTS;
    points[2][1] = f32::NAN;
    let project = project_of(SOURCE);
    project.write("cube.gltf", model(&points, &TRIANGLES).as_bytes());
    let error = project.compile().expect_err("no number");
    assert!(error.contains("has a point that is not a number, or too far"), "{error}");
    project.write("cube.gltf", model(&POINTS, &[[0, 1, 99]]).as_bytes());
    let error = project.compile().expect_err("no corner");
    assert!(error.contains("a triangle has a corner that is not there"), "{error}");
}
