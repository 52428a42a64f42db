//! Shapes.

use core::f32::consts::{FRAC_PI_4, FRAC_PI_6, PI};

use glam::Vec3;
use loligo_render::MeshResource;

use super::{Place, aligned, compiled};

/// Returns the volume that triangles enclose: positive where their fronts look outwards.
pub(super) fn volume(mesh: &MeshResource<'_>) -> f32 {
    let [a, b, c] = [0, 1, 2].map(|corner| {
        mesh.indices().iter().skip(corner).step_by(3).map(|index| position(mesh, *index))
    });
    a.zip(b).zip(c).map(|((a, b), c)| a.dot(b.cross(c)) / 6.0).sum()
}

fn position(mesh: &MeshResource<'_>, index: u32) -> Vec3 {
    Vec3::from_array(mesh.vertices()[index as usize].position)
}

/// Compiles a shape, checks what holds for all, and calls `check` with it.
fn with(source: &str, check: impl FnOnce(&MeshResource<'_>)) {
    aligned(&compiled("a.mesh", source), |bytes| {
        let mesh = MeshResource::open(bytes).expect("it was just compiled");
        mesh.validate();
        let [x, y, z, radius] = mesh.sphere();
        let [low, high] = mesh.bounds().map(Vec3::from_array);
        for vertex in mesh.vertices() {
            let at = Vec3::from_array(vertex.position);
            assert!(at.distance(Vec3::new(x, y, z)) <= radius, "{source}: {vertex:?}");
            assert!(at.cmpge(low).all() && at.cmple(high).all(), "{source}: {vertex:?}");
            let length = Vec3::from_array(vertex.normal).length();
            assert!((length - 1.0).abs() < 1e-5, "{source}: {vertex:?}");
        }
        for triangle in mesh.indices().as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| position(&mesh, index));
            let front = (b - a).cross(c - a);
            for index in triangle {
                let normal = Vec3::from_array(mesh.vertices()[*index as usize].normal);
                assert!(front.dot(normal) > 0.0, "{source}: {triangle:?} looks to {front}");
            }
        }
        check(&mesh);
    });
}

#[test]
fn shapes_enclose_what_they_should_and_look_outwards() {
    let shapes = [
        ("shape = \"box\"", 1.0, [1.0, 1.0, 1.0]),
        ("shape = \"box\" size = [ 1 2 3 ]", 6.0, [1.0, 2.0, 3.0]),
        ("shape = \"box\" size = [ 1 2 3 ] scale = 2 offset = [ 5 6 7 ]", 48.0, [2.0, 4.0, 6.0]),
        ("shape = \"cylinder\" segments = 512", FRAC_PI_4, [1.0, 1.0, 1.0]),
        (
            "shape = \"cylinder\" segments = 512 radius = 1 radius_top = 0 height = 3",
            PI,
            [2.0, 3.0, 2.0],
        ),
        ("shape = \"cylinder\" segments = 4 radius = 1 radius_top = 2", 4.6667, [4.0, 1.0, 4.0]),
        ("shape = \"sphere\" segments = 512 rings = 256", FRAC_PI_6, [1.0, 1.0, 1.0]),
        ("shape = \"sphere\" radius = 2 segments = 4 rings = 2", 10.6667, [4.0, 4.0, 4.0]),
    ];
    for (source, wanted, size) in shapes {
        with(source, |mesh| {
            let [low, high] = mesh.bounds().map(Vec3::from_array);
            // Seen from the middle, so that an offset costs no digits.
            let found = volume(mesh);
            assert!((found - wanted).abs() < 2e-3 * wanted, "{source}: {found}, not {wanted}");
            assert!((high - low).distance(Vec3::from_array(size)) < 1e-4, "{source}: {low} {high}");
        });
    }
}

#[test]
fn planes_look_up_and_textures_are_repeated() {
    with("shape = \"plane\" size = [ 4 2 ] segments = 3 uv_scale = [ 8 4 ]", |mesh| {
        assert_eq!((mesh.vertices().len(), mesh.indices().len()), (16, 54));
        assert_eq!(mesh.bounds(), [[-2.0, 0.0, -1.0], [2.0, 0.0, 1.0]]);
        let corner = mesh.vertices().last().expect("there are some");
        assert_eq!((corner.position, corner.uv), ([2.0, 0.0, 1.0], [8.0, 4.0]));
        assert!(mesh.vertices().iter().all(|vertex| vertex.normal == [0.0, 1.0, 0.0]));
    });
}

#[test]
fn what_is_wrong_with_a_mesh_has_its_place() {
    let fault = |source: &str| Place::with(&[("a.mesh", source.as_bytes())]).fault();
    let is = |text: String, wanted: &str| assert_eq!(text, wanted);
    is(
        fault("scale = 2"),
        "a.mesh:1:1: a mesh is of a file or a shape, one of both; write `file = \"door.glb\"` or `shape = \"box\"`",
    );
    is(
        fault("shape = \"box\"\nradius = 2"),
        "a.mesh:2:10: `radius` means nothing to the shape `box`; its keys are size",
    );
    is(
        fault("shape = \"ball\""),
        "a.mesh:1:9: \"ball\" means nothing here; the values are \"box\", \"plane\", \"cylinder\", \"sphere\"",
    );
    is(
        fault("shape = \"sphere\" rings = 1"),
        "a.mesh:1:26: 1 is not in the range; write a number from 2 to 512",
    );
    is(fault("shape = \"sphere\" rings = 2.5"), "a.mesh:1:26: 2.5 is no whole number; write 2");
    is(
        fault("file = \"door.glb\""),
        "a.mesh:1:8: there is no file `door.glb`; give its path from the project's folder on",
    );
}

#[test]
fn coarser_levels_come_after_the_finest() {
    let source = "shape = \"sphere\" segments = 24 rings = 12 scale = 2 lod_hysteresis = 0.2
        lods = [
            { share = 0.3 shape = \"sphere\" segments = 6 rings = 3 }
            { share = 0.1 shape = \"box\" size = [ 0.8 0.8 0.8 ] }
            { share = 0.01 }
        ]";
    with(source, |mesh| {
        let counts = [24 * 11 * 6, 6 * 2 * 6, 36];
        assert_eq!(mesh.indices().len(), counts[0]);
        assert_eq!(mesh.all_indices().len(), counts.iter().sum::<usize>());
        let lods: Vec<(f32, usize)> =
            mesh.lods().iter().map(|lod| (lod.share, lod.first_index as usize)).collect();
        let [first, second, third] = [counts[0], counts[0] + counts[1], mesh.all_indices().len()];
        assert_eq!(lods, [(0.3, first), (0.1, second), (0.01, third)]);
        assert_eq!(mesh.hysteresis(), 0.2);
        let cube = &mesh.all_indices()[second..];
        let far = cube.iter().map(|index| position(mesh, *index).abs().max_element());
        assert!(far.clone().all(|far| (far - 0.8).abs() < 1e-5), "scaled as the mesh is");
    });
    with("shape = \"box\"", |mesh| {
        assert_eq!((mesh.lods().len(), mesh.indices().len()), (0, mesh.all_indices().len()));
    });
}

#[test]
fn what_is_wrong_with_levels_has_its_place() {
    let fault = |levels: &str| {
        let source = format!("shape = \"box\"\nlods = [\n{levels}\n]");
        Place::with(&[("a.mesh", source.as_bytes())]).fault()
    };
    let is = |text: String, wanted: &str| assert_eq!(text, wanted);
    is(
        fault("{ shape = \"box\" }"),
        "a.mesh:3:1: there is no `share`; say where it takes over: `share = 0.2`",
    );
    is(
        fault("{ share = 0.2 }\n{ share = 0.2 shape = \"box\" }"),
        "a.mesh:4:11: the level before takes over at a share that is not above 0.2; sort the levels, the coarsest last",
    );
    is(
        fault("{ share = 0.2 shape = \"box\" scale = 2 }"),
        "a.mesh:3:29: the key `scale` means nothing here; is `share` meant?",
    );
    is(
        fault("{ share = 0 }"),
        "a.mesh:3:11: 0 is not in the range; write a number from 0.0001 to 10",
    );
    is(
        fault("{ share = 0.2 node = \"far\" }"),
        "a.mesh:3:15: the key `node` means nothing here; the keys are share",
    );
}

#[test]
fn an_occluder_is_a_box_in_the_mesh() {
    with("shape = \"sphere\" occluder = { size = [ 0.4 0.5 0.6 ] offset = [ 0 0.1 0 ] }", |mesh| {
        let found = mesh.occluder().map(|corners| corners.map(Vec3::from_array));
        let [low, high] = found.expect("it has one");
        let (size, middle) = (high - low, (high + low) * 0.5);
        assert!((size - Vec3::new(0.4, 0.5, 0.6)).length() < 1e-6, "{size}");
        assert!((middle - Vec3::new(0.0, 0.1, 0.0)).length() < 1e-6, "{middle}");
    });
    with("shape = \"box\" size = [ 2 3 4 ] scale = 2 occluder = {}", |mesh| {
        assert_eq!(mesh.occluder(), Some([[-2.0, -3.0, -4.0], [2.0, 3.0, 4.0]]), "all of it");
    });
    with("shape = \"box\"", |mesh| assert_eq!(mesh.occluder(), None));
    let fault = Place::with(&[("a.mesh", b"shape = \"box\"\noccluder = { radius = 1 }")]).fault();
    assert!(fault.starts_with("a.mesh:2:14: the key `radius` means nothing here"), "{fault}");
}
