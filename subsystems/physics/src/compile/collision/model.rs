//! Points and triangles of a source, or of a node of a model.

use std::format;
use std::string::String;
use std::vec::Vec;

use glam::{Mat4, Vec3};
use loligo_compiler::{CompileError, Property, PropertyValue};
use loligo_formats::GltfFile;
use loligo_formats::gltf::{Node, mesh::Mode};

use super::cook::{cook_convex, cook_mesh, weld_of};
use super::draft::{CollisionDraft, DraftShape};
use crate::collision::{CONVEX, MESH, MESH_MAX, has_volume};
use crate::ranges::PLACE;

/// Where points are welded, in metres.
const WELDS: core::ops::RangeInclusive<f32> = 0.0..=1.0e3;

/// Reads a convex shape.
pub(super) fn read_convex(
    draft: &mut CollisionDraft,
    shape: &mut DraftShape,
    form: &Property,
    file: Option<&GltfFile>,
) -> Result<(), CompileError> {
    form.allow(&["node", "points", "weld"])?;
    let points = match (form.get("node"), form.get("points")) {
        (Some(node), None) => read_node(node, file)?.0,
        (None, Some(points)) => read_points(points)?,
        _ => return Err(either(form, "points")),
    };
    let weld = form.number_or("weld", WELDS, weld_of(&points))?;
    let points = cook_convex(&points, weld);
    if !has_volume(&points) {
        let reason = format!("its {} points are all in one plane, or nearly", points.len());
        return Err(form.error(reason, "add one off the plane, or use a `mesh`"));
    }
    shape.form = CONVEX;
    (shape.points, shape.triangles) = draft.add(&points, &[]);
    Ok(())
}

/// Reads a mesh.
pub(super) fn read_mesh(
    draft: &mut CollisionDraft,
    shape: &mut DraftShape,
    form: &Property,
    file: Option<&GltfFile>,
) -> Result<(), CompileError> {
    form.allow(&["node", "vertices", "triangles", "weld"])?;
    let (points, triangles) = match (form.get("node"), form.get("vertices")) {
        (Some(node), None) => read_node(node, file)?,
        (None, Some(vertices)) => {
            let points = read_points(vertices)?;
            let triangles = form.need("triangles", "add `triangles = [ [ 0 1 2 ] ]`")?;
            let triangles = read_triangles(triangles, points.len())?;
            (points, triangles)
        }
        _ => return Err(either(form, "vertices")),
    };
    let weld = form.number_or("weld", WELDS, weld_of(&points))?;
    let cooked = cook_mesh(&points, &triangles, weld);
    if cooked.triangles.is_empty() {
        let reason = format!("none of its {} triangles has an area", triangles.len());
        return Err(form.error(reason, "give it larger ones, or a smaller `weld`"));
    }
    shape.form = MESH;
    (shape.points, shape.triangles) = draft.add(&cooked.points, &cooked.triangles);
    Ok(())
}

fn either(form: &Property, numbers: &str) -> CompileError {
    let reason = format!("a form is of a `node` or of `{numbers}`");
    form.error(reason, "give it one of both")
}

fn read_points(list: &Property) -> Result<Vec<Vec3>, CompileError> {
    let items = list.items()?;
    check_count(list, "points", items.len())?;
    items.iter().map(|item| Ok(Vec3::from_array(item.numbers(PLACE)?))).collect()
}

fn read_triangles(list: &Property, points: usize) -> Result<Vec<[u32; 3]>, CompileError> {
    let items = list.items()?;
    check_count(list, "triangles", items.len())?;
    let corner = |item: &Property| match *item.value() {
        PropertyValue::Number(number)
            if number >= 0.0 && number < points as f64 && number == libm::trunc(number) =>
        {
            Ok(number as u32)
        }
        _ => {
            let remedy =
                format!("write the index of a vertex, from 0 to {}", points.saturating_sub(1));
            Err(item.error("there is no such corner", remedy))
        }
    };
    let triangle = |item: &Property| match item.items()? {
        [a, b, c] => Ok([corner(a)?, corner(b)?, corner(c)?]),
        _ => Err(item.expected("three corners", "write `[ 0 1 2 ]`")),
    };
    items.iter().map(triangle).collect()
}

fn check_count(list: &Property, what: &str, count: usize) -> Result<(), CompileError> {
    match count {
        0..=MESH_MAX => Ok(()),
        _ => {
            let reason = format!("there are {count} {what}");
            Err(list.error(reason, format!("{MESH_MAX} are possible; make several shapes")))
        }
    }
}

/// Reads points and triangles of the node of a name and of those below it, as seen from the node: so a
/// mesh that is drawn and its collision fit where their nodes are the same, or in the same place.
fn read_node(
    named: &Property,
    file: Option<&GltfFile>,
) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), CompileError> {
    let name = named.string()?;
    let Some(file) = file else {
        let reason = format!("there is no file that the node `{name}` is in");
        return Err(named.error(reason, "add `file = \"models/crate.glb\"` to the source"));
    };
    let (line, column) = named.place();
    let nodes = || file.document().nodes();
    let Some(node) = nodes().find(|node| node.name() == Some(name)) else {
        let names: Vec<String> = nodes().filter_map(|node| node.name().map(String::from)).collect();
        return Err(file.unnamed("node", name, &names).at(line, column));
    };
    let inverse = Mat4::from_cols_array_2d(&node.transform().matrix()).inverse();
    // What is flat has no inverse, and no own space to look from.
    let space = if inverse.is_finite() { inverse } else { Mat4::IDENTITY };
    let mut parts = (Vec::new(), Vec::new());
    file.walk(core::iter::once(node), space, &mut |node, space| {
        read_mesh_of(file, node, space, &mut parts)
    })?;
    if parts.1.is_empty() {
        let reason = format!("the node `{name}` has no triangles");
        return Err(named.error(reason, "name a node with a mesh"));
    }
    Ok(parts)
}

fn read_mesh_of(
    file: &GltfFile,
    node: &Node<'_>,
    space: Mat4,
    (points, triangles): &mut (Vec<Vec3>, Vec<[u32; 3]>),
) -> Result<(), CompileError> {
    let Some(mesh) = node.mesh() else { return Ok(()) };
    for primitive in mesh.primitives().filter(|primitive| primitive.mode() == Mode::Triangles) {
        let Some(accessor) = primitive.get(&loligo_formats::gltf::Semantic::Positions) else {
            return Err(file.wrong("a primitive has no positions"));
        };
        let view = file.view(&accessor)?;
        let first = points.len();
        for at in 0..view.len() {
            let point = space.transform_point3(Vec3::from_array(view.numbers(at)));
            if !point.to_array().iter().all(|number| PLACE.contains(number)) {
                let reason = format!(
                    "the mesh of node {} has a point that is not a number, or too far",
                    node.index()
                );
                return Err(file.wrong(&reason));
            }
            points.push(point);
        }
        let indices = match primitive.indices() {
            Some(accessor) => {
                file.view(&accessor)?.indices().map_err(|reason| file.wrong(&reason))?
            }
            None => (0..view.len() as u32).collect(),
        };
        if indices.iter().any(|index| *index as usize >= view.len()) {
            return Err(file.wrong("a triangle has a corner that is not there"));
        }
        let corners = indices.as_chunks::<3>().0;
        triangles.extend(corners.iter().map(|corners| corners.map(|at| at + first as u32)));
        if points.len() > MESH_MAX || triangles.len() > MESH_MAX {
            let reason =
                format!("it has {} points and {} triangles", points.len(), triangles.len());
            let remedy = format!("{MESH_MAX} are possible; make it simpler");
            return Err(CompileError::new(reason, remedy));
        }
    }
    Ok(())
}
