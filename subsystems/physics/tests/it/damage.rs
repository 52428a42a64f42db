//! Damaged resources are refused, or harmless: each byte can be any other, and any can be missing.

use glam::{Quat, Vec3};
use loligo_containers::BlobBytes;
use loligo_ids::{IdString32, IdString64};
use loligo_physics::{
    Collision, DataError, Field, FieldQuery, FieldScratch, Fields, Geometry, ImpactKind,
    ImpactTable, Ragdoll, Settings,
};

use crate::collision::{SOURCE, project_of};
use crate::fields::{SOURCES, field_bytes};
use crate::impacts::table_bytes;
use crate::memory::with_memory;
use crate::settings::{GAME, settings_bytes};

/// Opens bytes with every bit pattern of some, and cuts; `open` uses what it could open.
fn spoil(whole: &[u8], open: impl Fn(&[u8]) -> Result<(), DataError>) {
    let (mut refused, mut used) = (0, 0);
    let try_bytes = |bytes: &[u8]| {
        with_memory(|memory| open(&BlobBytes::try_copy(bytes, memory).expect("memory")))
    };
    try_bytes(whole).expect("it is whole");
    for at in 0..whole.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut spoiled = whole.to_vec();
            spoiled[at] ^= change;
            match try_bytes(&spoiled) {
                Ok(()) => used += 1,
                Err(error) => {
                    assert!(error.to_string().ends_with("; recompile it"), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100 && used > 100, "{refused} were refused, {used} used");
    for length in 0..whole.len() {
        assert!(try_bytes(&whole[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn each_byte_of_settings_can_be_any_other() {
    spoil(&settings_bytes(GAME), |bytes| {
        let settings = Settings::open(bytes)?;
        for name in ["ground", "crate", "floor", "stone", "wood", "lift"].map(IdString32::new) {
            let _ = (settings.filter(name), settings.actor(name));
            for surface in [settings.surface(name), settings.shape(name).map(|of| of.surface)] {
                let is_right = surface.is_none_or(|of| of.friction >= 0.0 && of.density > 0.0);
                assert!(is_right, "{surface:?}");
            }
        }
        for (at, group) in settings.groups().iter().enumerate() {
            for other in 0..settings.groups().len() {
                let meets = |a: u32, b: usize| a >> b & 1;
                let back = settings.groups()[other].meets;
                assert_eq!(meets(group.meets, other), meets(back, at), "{at} and {other}");
            }
        }
        Ok(())
    });
}

#[test]
fn each_byte_of_collision_shapes_can_be_any_other() {
    let project = project_of(SOURCE);
    project.compile().expect("it is right");
    spoil(&project.payload("collision", "all"), |bytes| {
        for part in Collision::open(bytes)?.parts() {
            assert!(part.position.is_finite() && (part.rotation.length() - 1.0).abs() < 0.01);
            match part.geometry {
                Geometry::Box { half } => assert!(half.min_element() > 0.0, "{half}"),
                Geometry::Sphere { radius } => assert!(radius > 0.0, "{radius}"),
                Geometry::Capsule { half_height, radius } => {
                    assert!(radius > 0.0 && half_height >= 0.0, "{radius} {half_height}");
                }
                Geometry::Convex { points } => assert!(points.len() >= 4, "{points:?}"),
                Geometry::Mesh { vertices, triangles } => {
                    let is_there = |corner: &u32| (*corner as usize) < vertices.len();
                    assert!(triangles.iter().flatten().all(is_there), "{triangles:?}");
                }
                Geometry::HeightField { rows, columns, heights, .. } => {
                    assert_eq!(heights.len(), (rows * columns) as usize);
                    assert!(heights.iter().all(|height| height.is_finite()));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn each_byte_of_a_ragdoll_can_be_any_other() {
    spoil(&crate::dolls::payload(), |bytes| {
        let doll = Ragdoll::open(bytes)?;
        for (at, bone) in doll.bones().iter().enumerate() {
            assert!(doll.find(bone.name) == Some(at), "each of another name");
            assert!(bone.parent == loligo_physics::NO_BONE || (bone.parent as usize) < at);
            assert!(doll.shape(at).position.is_finite());
        }
        Ok(())
    });
}

#[test]
fn each_byte_of_a_field_can_be_any_other() {
    spoil(&field_bytes(SOURCES[4].1), |bytes| {
        let field = Field::open(bytes)?;
        with_memory(|memory| {
            let mut fields = Fields::new(memory);
            let name = IdString64::new("a");
            fields.define(name, &field).expect("memory");
            fields.add(name, Vec3::X, Quat::IDENTITY, u32::MAX, 0.0).expect("it is defined");
            let mut scratch = FieldScratch::try_new(memory).expect("memory");
            let mut out = [Vec3::NAN; 5];
            let places = [Vec3::ZERO, Vec3::ONE, Vec3::Y, Vec3::splat(9.0), Vec3::splat(-50.0)];
            fields.query(&FieldQuery::at(&places, 0.5), &mut out, &mut scratch);
            assert!(out.iter().all(|strength| strength.is_finite()), "{out:?}");
        });
        Ok(())
    });
}

#[test]
fn each_byte_of_a_table_of_effects_can_be_any_other() {
    spoil(&table_bytes(crate::impacts::SOURCE), |bytes| {
        let table = ImpactTable::open(bytes)?;
        for kind in [ImpactKind::Impact, ImpactKind::Footstep, ImpactKind::Slide] {
            for (a, b) in [("wood", "stone"), ("ice", "ice"), ("stone", "ice"), ("a", "b")] {
                for amount in [0.0, 1.0, 2.5, 4.0, 1.0e9] {
                    let pair = [a, b].map(IdString32::new);
                    let found = table.find(kind, pair, amount);
                    let is_right = found.is_none_or(|impact| impact.strength.is_finite());
                    assert!(is_right, "{found:?}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn damage_is_named() {
    let settings = settings_bytes(GAME);
    let replaced = |whole: &[u8], from: &[u8], to: &[u8]| {
        let at = whole.windows(from.len()).position(|part| part == from).expect("it is there");
        let mut spoiled = whole.to_vec();
        spoiled[at..at + to.len()].copy_from_slice(to);
        spoiled
    };
    let friction = replaced(&settings, &0.8_f32.to_ne_bytes(), &f32::NAN.to_ne_bytes());
    let error = crate::project::aligned(&friction, |bytes| Settings::open(bytes).expect_err("NaN"));
    let expected = "no compiled physics: `materials` must be of numbers in their ranges, and is ";
    assert!(error.to_string().starts_with(expected), "{error}");
    let meets = replaced(&settings, &6_u32.to_ne_bytes(), &2_u32.to_ne_bytes());
    let error =
        crate::project::aligned(&meets, |bytes| Settings::open(bytes).expect_err("one way"));
    assert!(error.to_string().contains("`groups` must be to meet those that meet them"), "{error}");
}
