//! Settings, collision shapes, ragdolls, fields and tables of effects: opened or refused, and used as far as they are
//! right; sources compiled or refused.

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::{BlobBytes, Endian};
use loligo_ids::{IdString32, IdString64};
use loligo_physics::compile::{compile_field, compile_impacts, compile_settings};
use loligo_physics::{
    BONES_MAX, Collision, CollisionPart, Field, FieldQuery, FieldScratch, Fields, Geometry,
    ImpactKind, ImpactTable, NO_BONE, Ragdoll, Settings,
};

/// Names that inputs have.
const NAMES: [&str; 4] = ["crate", "ground", "wood", "stone"];

/// Reads an input, whose first byte says what it is.
pub fn read(bytes: &[u8], memory: &dyn Allocator) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let materials = ["wood", "stone"].map(String::from);
    let compiled = match kind {
        0 => compile_settings(bytes, Endian::NATIVE),
        1 => compile_field(bytes, Endian::NATIVE),
        2 => compile_impacts(bytes, &materials, Endian::NATIVE),
        _ => Ok(bytes.to_vec()),
    };
    let is_source = *kind < 3;
    let bytes = match compiled {
        Ok(bytes) => bytes,
        Err(error) => {
            assert!(!error.reason.is_empty() && !error.remedy.is_empty(), "{error:?}");
            return;
        }
    };
    let bytes = BlobBytes::try_copy(&bytes, memory).expect("an input is short");
    let is_opened = match kind % 4 {
        0 => Settings::open(&bytes).map(|settings| use_settings(&settings)).is_ok(),
        1 => Field::open(&bytes).map(|field| use_field(&field, memory)).is_ok(),
        2 => ImpactTable::open(&bytes).map(|table| use_table(&table)).is_ok(),
        _ => Collision::open(&bytes).map(|collision| use_collision(&collision)).is_ok(),
    };
    assert!(is_opened || !is_source, "what is compiled can be opened");
}

/// Opens a ragdoll, and reads all of it.
pub fn ragdoll(bytes: &[u8], memory: &dyn Allocator) {
    let bytes = BlobBytes::try_copy(bytes, memory).expect("an input is short");
    let Ok(doll) = Ragdoll::open(&bytes) else { return };
    let bones = doll.bones();
    assert!((1..=BONES_MAX).contains(&bones.len()), "{doll:?}");
    for (at, bone) in bones.iter().enumerate() {
        assert_eq!(doll.find(bone.name), Some(at), "each has another name");
        assert!(bone.parent == NO_BONE || (bone.parent as usize) < at, "{bone:?}");
        assert!(bone.limits.iter().all(|limit| limit.is_finite()), "{bone:?}");
        let part = doll.shape(at);
        let is_hollow =
            matches!(part.geometry, Geometry::Mesh { .. } | Geometry::HeightField { .. });
        assert!(!is_hollow, "a bone moves by itself: {part:?}");
        use_part(&part);
    }
}

fn use_settings(settings: &Settings<'_>) {
    for name in NAMES.map(IdString32::new) {
        let _ = settings.actor(name);
        let surfaces = [settings.surface(name), settings.shape(name).map(|shape| shape.surface)];
        for surface in surfaces.into_iter().flatten() {
            assert!(surface.friction >= 0.0 && surface.density > 0.0, "{surface:?}");
        }
        if let Some(filter) = settings.filter(name) {
            assert_eq!(filter.groups.count_ones(), 1, "{filter:?}");
        }
    }
}

fn use_field(field: &Field<'_>, memory: &dyn Allocator) {
    let mut fields = Fields::new(memory);
    let name = IdString64::new("field");
    if fields.define(name, field).is_err() {
        return;
    }
    let Ok(mut scratch) = FieldScratch::try_new(memory) else { return };
    let Ok(_) = fields.add(name, Vec3::X, Quat::from_rotation_y(1.0), u32::MAX, 0.0) else {
        return;
    };
    let places = [Vec3::ZERO, Vec3::ONE, Vec3::splat(9.0), Vec3::splat(-50.0), Vec3::splat(1.0e9)];
    let mut out = [Vec3::NAN; 5];
    let query = FieldQuery::at(&places, 0.5);
    fields.query(&query, &mut out, &mut scratch);
    for (at, strength) in out.iter().enumerate() {
        assert!(strength.is_finite(), "{strength}");
        let one = fields.one(&query, at);
        assert_eq!(strength.to_array().map(f32::to_bits), one.to_array().map(f32::to_bits));
    }
}

fn use_table(table: &ImpactTable<'_>) {
    for kind in [ImpactKind::Impact, ImpactKind::Footstep, ImpactKind::Slide] {
        for (at, a) in NAMES.map(IdString32::new).into_iter().enumerate() {
            for b in NAMES[at..].iter().map(|name| IdString32::new(name)) {
                for amount in [0.0, 2.5, 1.0e9] {
                    let found = table.find(kind, [a, b], amount);
                    assert_eq!(found, table.find(kind, [b, a], amount), "in either order");
                    assert!(found.is_none_or(|found| found.strength.is_finite()), "{found:?}");
                }
            }
        }
    }
}

fn use_collision(collision: &Collision<'_>) {
    collision.parts().for_each(|part| use_part(&part));
}

fn use_part(part: &CollisionPart<'_>) {
    assert!(
        part.position.is_finite() && (part.rotation.length() - 1.0).abs() < 0.01,
        "{part:?}"
    );
    match part.geometry {
        Geometry::Box { half } => assert!(half.min_element() > 0.0, "{half}"),
        Geometry::Sphere { radius } => assert!(radius > 0.0, "{radius}"),
        Geometry::Capsule { half_height, radius } => {
            assert!(half_height >= 0.0 && radius > 0.0, "{half_height} {radius}");
        }
        Geometry::Convex { points } => assert!(points.len() >= 4, "{points:?}"),
        Geometry::Mesh { vertices, triangles } => {
            let is_there = |corner: &u32| (*corner as usize) < vertices.len();
            assert!(triangles.as_flattened().iter().all(is_there), "{triangles:?}");
        }
        Geometry::HeightField { rows, columns, heights, .. } => {
            assert_eq!(heights.len(), (rows * columns) as usize);
        }
    }
}

/// Returns inputs to begin with: the target, a name, and the bytes.
pub fn seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let with = |kind: u8, bytes: &[u8]| [&[kind][..], bytes].concat();
    let materials = ["wood", "stone"].map(String::from);
    let settings = compile_settings(SETTINGS, Endian::NATIVE).expect("it is right");
    let field = compile_field(FIELD, Endian::NATIVE).expect("it is right");
    let table = compile_impacts(IMPACTS, &materials, Endian::NATIVE).expect("it is right");
    vec![
        ("physics_blobs", "settings_source", with(0, SETTINGS)),
        ("physics_blobs", "field_source", with(1, FIELD)),
        ("physics_blobs", "impacts_source", with(2, IMPACTS)),
        ("physics_blobs", "settings", with(4, &settings)),
        ("physics_blobs", "field", with(5, &field)),
        ("physics_blobs", "impacts", with(6, &table)),
    ]
}

/// Files of a project: shapes of all forms, and a ragdoll.
pub const SOURCES: [(&str, &[u8]); 3] = [
    ("game.physics", SETTINGS),
    (
        "all.collision",
        b"settings = \"game\" shapes = [
        { template = \"crate\" box = [ 1 2 3 ] } { template = \"crate\" sphere = 1 }
        { template = \"crate\" capsule = { radius = 0.5 height = 2 } }
        { template = \"crate\" convex = { points = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 1 0 ] [ 0 0 1 ] ] } }
        { template = \"crate\" mesh = { vertices = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 0 1 ] ] triangles = [ [ 0 1 2 ] ] } }
        { template = \"crate\" heights = { size = [ 9 1 9 ] rows = [ [ 0 1 ] [ 1 0 ] ] } } ]",
    ),
    (
        "doll.ragdoll",
        b"settings = \"game\" actor = \"crate\" bones = {
        hips = { shape = { template = \"crate\" box = [ 1 1 1 ] } }
        head = { parent = \"hips\" joint = \"hinge\" limits = [ -20 20 ] shape = { template = \"crate\" sphere = 1 } }
        arm = { parent = \"hips\" limits = [ -40 90 ] rest = [ 0 0 0.6 0.8 ] shape = {
            template = \"crate\" convex = { points = [ [ 0 0 0 ] [ 1 0 0 ] [ 0 1 0 ] [ 0 0 1 ] ] } } } }",
    ),
];

const SETTINGS: &[u8] = b"groups = { crate = { meets = \"*\" } ground = { meets = [ \"crate\" ] } }
materials = { wood = { friction = 0.6 density = 600 } stone = {} }
shapes = { crate = { material = \"wood\" group = \"crate\" trigger = true } }
actors = { crate = { kind = \"dynamic\" mass = 4 asleep = true } }";

const FIELD: &[u8] = b"parameters = { size = 0.5 } region = { sphere = 12 } seconds = 2
strength = [ \"sin(x * size + time)\" \"age * mass / (1 + distance)\" \"vx * vy - vz\" ]";

const IMPACTS: &[u8] = b"rows = [
{ kind = \"impact\" materials = [ \"wood\" \"stone\" ] least = 2 effect = \"a\" strength = [ [ 2 0.1 ] [ 9 1 ] ] }
{ kind = \"slide\" materials = [ \"*\" \"wood\" ] effect = \"b\" strength = 0.5 }
{ kind = \"impact\" materials = [ \"*\" \"*\" ] } ]";
