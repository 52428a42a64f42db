//! The courtyard: its objects, and where they are.

use core::error::Error;
use std::fs;

use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_render::gpu::{FrameData, GpuRenderer, MaterialData, TextureData};
use loligo_render::{Light, Mesh, StateRecorder, TexturePacking, TextureWrap};

use crate::shapes::{Shape, block, sphere, turned};
use crate::stone::{self, hashed};

/// As many objects as there are, lights included.
pub(crate) const OBJECTS_MAX: u32 = 16_384;
/// Meshes that the picture is filled up to, with cubes of the sculpture.
const MESHES: u32 = 10_000;

/// The numbers of the two materials that cover the screen.
pub(crate) const SKY: u32 = 10;
pub(crate) const TONEMAP: u32 = 11;

/// Numbers of the other materials.
const PAVING: u32 = 0;
const WALL: u32 = 1;
const MARBLE: u32 = 2;
const ROOF: u32 = 3;
const COPPER: u32 = 4;
const TEAL: u32 = 5;
const LEAVES: u32 = 6;
const WOOD: u32 = 7;
const WATER: u32 = 8;
const LAMP: u32 = 9;

/// Numbers of meshes.
const BLOCK: u32 = 0;
const COLUMN: u32 = 1;
const CONE: u32 = 2;
const SPHERE: u32 = 3;
const BASIN: u32 = 4;
const CUBE: u32 = 5;

/// Half the width of the yard.
const HALF: f32 = 16.0;

/// The shaders by number; they are read when the picture is drawn, so that changing one needs no
/// compiler.
const SHADERS: [&str; 3] = ["standard.shader", "sky.shader", "tonemap.shader"];
const SHADER_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/core/shaders/");

/// A late afternoon in summer.
pub(crate) fn light(data: &mut FrameData) {
    data.set_sun(Vec3::new(-0.62, 0.52, -0.36), [4.6, 3.7, 2.6]);
    data.sky_color = [0.30, 0.46, 0.78, 0.0];
    data.ground_color = [0.26, 0.21, 0.16, 0.0];
    data.fog = [0.72, 0.74, 0.80, 0.0035];
}

/// Uploads meshes, textures, shaders and materials.
pub(crate) fn upload<A: Allocator + ?Sized>(renderer: &mut GpuRenderer<'_, A>) -> Done {
    for (number, name) in (0..).zip(SHADERS) {
        let path = format!("{SHADER_FOLDER}{name}");
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        renderer.try_set_shader(number, name, &text)?;
    }
    let column = [[0.62, 0.0], [0.62, 0.05], [0.52, 0.07], [0.47, 0.11], [0.46, 0.5], [0.4, 0.9]];
    let column = [&column[..], &[[0.46, 0.93], [0.62, 0.96], [0.62, 1.0]]].concat();
    let basin = [[1.0, 0.0], [1.0, 0.2], [0.9, 0.24], [0.93, 0.8], [1.05, 0.86], [1.05, 1.0]];
    let shapes: [(u32, Shape); 6] = [
        (BLOCK, block(0.02)),
        (COLUMN, turned(&column, 24)),
        (CONE, turned(&[[1.08, -0.03], [1.08, 0.0], [0.0, 1.0]], 32)),
        (SPHERE, sphere(16, 24)),
        (BASIN, turned(&basin, 40)),
        (CUBE, block(0.08)),
    ];
    for (number, shape) in &shapes {
        let vertices = bytemuck::cast_slice(&shape.vertices);
        renderer.try_set_mesh(*number, vertices, &shape.indices)?;
    }
    let textures = [
        (0, [126, 116, 104], [206, 197, 182], 0.5),
        (1, [164, 138, 104], [226, 204, 166], 0.6),
        (2, [216, 210, 200], [250, 247, 240], 0.15),
        (3, [134, 62, 40], [196, 104, 70], 0.5),
    ];
    for (number, dark, bright, grain) in textures {
        let (levels, data) = stone::texture(number + 1, dark, bright, grain);
        let pixels = [stone::PIXELS; 2];
        renderer.try_set_texture(
            number,
            &TextureData {
                pixels,
                is_srgb: true,
                levels,
                wrap: TextureWrap::Repeat,
                packing: TexturePacking::Plain,
                data: &data,
            },
        )?;
    }
    for (number, material) in (0..).zip(materials()) {
        renderer.try_set_material(number, &material)?;
    }
    Ok(())
}

fn materials() -> [MaterialData; 12] {
    let plain = MaterialData::default();
    let color = |[r, g, b]: [f32; 3]| MaterialData { base_color: [r, g, b, 1.0], ..plain };
    let stone = |texture, metres, differing| MaterialData {
        textures: [Some(texture), None, None, None],
        extra: [metres, differing, 0.0, 0.0],
        ..plain
    };
    [
        MaterialData { roughness: 0.75, ..stone(0, 3.1, 0.34) },
        MaterialData { roughness: 0.9, ..stone(1, 2.3, 0.26) },
        MaterialData { roughness: 0.45, ..stone(2, 1.7, 0.05) },
        MaterialData { roughness: 0.8, ..stone(3, 1.3, 0.1) },
        MaterialData {
            roughness: 0.35,
            metallic: 0.85,
            extra: [0.0, 0.5, 0.0, 0.0],
            ..color([0.95, 0.52, 0.28])
        },
        MaterialData { roughness: 0.4, extra: [0.0, 0.5, 0.0, 0.0], ..color([0.05, 0.42, 0.46]) },
        MaterialData { roughness: 0.9, extra: [0.0, 0.9, 0.0, 0.0], ..color([0.11, 0.24, 0.05]) },
        MaterialData { roughness: 0.95, ..color([0.16, 0.09, 0.05]) },
        MaterialData { roughness: 0.06, ..color([0.03, 0.12, 0.15]) },
        MaterialData { emission: 4.0, casts_shadow: false, ..color([1.0, 0.72, 0.36]) },
        MaterialData { shader: 1, ..color([0.75, 0.92, 1.25]) },
        MaterialData { shader: 2, extra: [0.62, 0.0, 0.0, 0.0], ..plain },
    ]
}

pub(crate) fn recorder<A: Allocator + ?Sized>(memory: &A) -> StateRecorder<'_, A> {
    StateRecorder::new_in(0, OBJECTS_MAX, memory)
}

/// Records what the yard consists of.
pub(crate) fn record<'a, A: Allocator + ?Sized>(
    renderer: &GpuRenderer<'a, A>,
    layer: u32,
    recorder: &mut StateRecorder<'a, A>,
) -> Result<(), Box<dyn Error>> {
    let mut yard = Yard { renderer, layer, recorder, count: 0 };
    yard.paving()?;
    yard.walls()?;
    yard.arcades()?;
    yard.towers()?;
    yard.fountain()?;
    yard.trees()?;
    yard.lamps()?;
    yard.sculpture()
}

struct Yard<'y, 'a, A: Allocator + ?Sized> {
    renderer: &'y GpuRenderer<'a, A>,
    layer: u32,
    recorder: &'y mut StateRecorder<'a, A>,
    count: u32,
}

type Done = Result<(), Box<dyn Error>>;

impl<A: Allocator + ?Sized> Yard<'_, '_, A> {
    /// Puts a mesh somewhere.
    fn put(&mut self, mesh: u32, material: u32, place: Vec3, turn: Quat, size: Vec3) -> Done {
        let geometry = self.renderer.geometry(mesh).ok_or("a mesh was not uploaded")?;
        let transform = Affine3A::from_scale_rotation_translation(size, turn, place).into();
        let sphere = match mesh {
            COLUMN | CONE | BASIN => [0.0, 0.5, 0.0, 1.25],
            _ => [0.0, 0.0, 0.0, 0.87],
        };
        let (state, layer) = (material, self.layer);
        self.recorder.create_mesh(&Mesh {
            transform,
            sphere,
            geometry,
            state,
            layer,
            flags: 0,
            details: 0,
        })?;
        self.count += 1;
        Ok(())
    }

    fn straight(&mut self, mesh: u32, material: u32, place: Vec3, size: Vec3) -> Done {
        self.put(mesh, material, place, Quat::IDENTITY, size)
    }

    fn paving(&mut self) -> Done {
        const STONES: u32 = 52;
        let wide = 2.0 * HALF / STONES as f32;
        for row in 0..STONES {
            for column in 0..STONES {
                // Every second row is shifted sideways by half a stone.
                let shift = 0.5 * (row % 2) as f32;
                let x = (column as f32 + shift) * wide - HALF + 0.25 * wide;
                let z = (row as f32 + 0.5) * wide - HALF;
                let low = hashed(1, column, row);
                let place = Vec3::new(x, -0.15 + 0.03 * low, z);
                let tilt = Quat::from_rotation_x(0.02 * (hashed(2, column, row) - 0.5));
                self.put(BLOCK, PAVING, place, tilt, Vec3::new(wide * 0.96, 0.3, wide * 0.96))?;
            }
        }
        self.straight(BLOCK, WOOD, Vec3::new(0.0, -0.4, 0.0), Vec3::new(60.0, 0.4, 60.0))
    }

    /// Four walls of stones in a running bond, with a gate on the far side.
    fn walls(&mut self) -> Done {
        const ROWS: u32 = 8;
        const STONES: u32 = 24;
        let long = 2.0 * HALF / STONES as f32;
        for side in 0..4_u32 {
            let turn = Quat::from_rotation_y(side as f32 * core::f32::consts::FRAC_PI_2);
            for row in 0..ROWS + 1 {
                for stone in 0..STONES {
                    // The top has gaps: battlements.
                    if row == ROWS && stone % 2 == 0 {
                        continue;
                    }
                    let x = (stone as f32 + 0.5 * (row % 2) as f32 + 0.25) * long - HALF;
                    let is_gate = side == 2 && x.abs() < 2.2 && row < 6;
                    if is_gate {
                        continue;
                    }
                    let rough = hashed(3 + side, stone, row);
                    let place = Vec3::new(x, row as f32 * 0.75 + 0.375, HALF + 0.5 + 0.08 * rough);
                    let size = Vec3::new(long * 0.985, 0.735, 1.1);
                    self.put(BLOCK, WALL, turn * place, turn, size)?;
                }
            }
        }
        Ok(())
    }

    /// Columns along three sides, and beams with a roof over them.
    fn arcades(&mut self) -> Done {
        const COLUMNS: u32 = 9;
        for side in 1..4_u32 {
            let turn = Quat::from_rotation_y(side as f32 * core::f32::consts::FRAC_PI_2);
            for column in 0..COLUMNS {
                let x = (column as f32 / (COLUMNS - 1) as f32 - 0.5) * (2.0 * HALF - 7.0);
                if side == 2 && x.abs() < 1.0 {
                    continue;
                }
                let place = turn * Vec3::new(x, 0.0, HALF - 3.2);
                self.put(COLUMN, MARBLE, place, turn, Vec3::new(0.85, 3.6, 0.85))?;
                let base = place + Vec3::Y * 0.1;
                self.put(BLOCK, MARBLE, base, turn, Vec3::new(1.15, 0.22, 1.15))?;
                let place = turn * Vec3::new(x, 3.75, HALF - 3.2);
                self.put(BLOCK, MARBLE, place, turn, Vec3::new(1.15, 0.3, 1.15))?;
            }
            for part in 0..14_u32 {
                let x = (part as f32 - 6.5) * 1.9;
                let beam = turn * Vec3::new(x, 4.15, HALF - 3.2);
                self.put(BLOCK, WALL, beam, turn, Vec3::new(1.88, 0.5, 0.9))?;
            }
            // Tiles, from the wall down.
            let tilt = turn * Quat::from_rotation_x(0.28);
            for tile in 0..44_u32 {
                for row in 0..6_u32 {
                    let x = (tile as f32 - 21.5) * 0.62;
                    let down = row as f32 * 0.66;
                    let place = Vec3::new(x, 5.55 - down * 0.28, HALF - 0.3 - down);
                    let size = Vec3::new(0.56, 0.12, 0.74);
                    self.put(BLOCK, ROOF, turn * place, tilt, size)?;
                }
            }
        }
        Ok(())
    }

    /// A round tower in each corner.
    fn towers(&mut self) -> Done {
        const STONES: u32 = 18;
        for corner in 0..4_u32 {
            let turn = Quat::from_rotation_y(corner as f32 * core::f32::consts::FRAC_PI_2);
            let foot = turn * Vec3::new(HALF + 0.5, 0.0, HALF + 0.5);
            let rows = [14, 12, 17, 13][corner as usize];
            for row in 0..rows {
                for stone in 0..STONES {
                    let turned = (stone as f32 + 0.5 * (row % 2) as f32) / STONES as f32;
                    let turn = Quat::from_rotation_y(turned * core::f32::consts::TAU);
                    let is_window = row % 5 == 3 && stone % 6 == 0;
                    let depth = if is_window { 2.2 } else { 2.45_f32 };
                    let wobble = 0.06 * hashed(20 + corner, stone, row);
                    let place =
                        foot + turn * Vec3::new(0.0, row as f32 * 0.75 + 0.375, depth + wobble);
                    self.put(BLOCK, WALL, place, turn, Vec3::new(1.02, 0.735, 0.8))?;
                }
            }
            let top = foot + Vec3::Y * (rows as f32 * 0.75);
            self.straight(CONE, ROOF, top, Vec3::new(3.3, 4.4, 3.3))?;
            let tip = top + Vec3::Y * 4.45;
            self.straight(SPHERE, COPPER, tip, Vec3::splat(0.5))?;
        }
        Ok(())
    }

    fn fountain(&mut self) -> Done {
        self.straight(BASIN, MARBLE, Vec3::ZERO, Vec3::new(3.6, 0.9, 3.6))?;
        self.straight(BASIN, WATER, Vec3::Y * 0.05, Vec3::new(3.3, 0.88, 3.3))?;
        self.straight(COLUMN, MARBLE, Vec3::ZERO, Vec3::new(0.9, 2.2, 0.9))?;
        self.straight(BASIN, MARBLE, Vec3::Y * 2.1, Vec3::new(1.3, 0.4, 1.3))?;
        for step in 0..36_u32 {
            let angle = step as f32 / 36.0 * core::f32::consts::TAU;
            let turn = Quat::from_rotation_y(angle);
            let place = turn * Vec3::new(0.0, 0.08, 4.35);
            self.put(BLOCK, MARBLE, place, turn, Vec3::new(0.74, 0.2, 0.8))?;
        }
        Ok(())
    }

    /// Six trees: a trunk, and leaves that are cubes.
    fn trees(&mut self) -> Done {
        let places =
            [(-9.0, -6.5), (9.0, -7.0), (-9.5, 5.0), (9.5, 4.5), (8.2, 11.5), (-3.0, -10.0)];
        for (tree, (x, z)) in (0_u32..).zip(places) {
            let high = 2.2 + 0.8 * hashed(40, tree, 0);
            self.straight(COLUMN, WOOD, Vec3::new(x, 0.0, z), Vec3::new(0.4, high + 0.6, 0.4))?;
            self.straight(BASIN, WALL, Vec3::new(x, 0.0, z), Vec3::new(1.1, 0.35, 1.1))?;
            for leaf in 0..150_u32 {
                let [a, b, c] = [1, 2, 3].map(|part| hashed(50 + tree, leaf, part));
                let tilt = (1.0 - 2.0 * a).acos();
                let turn = b * core::f32::consts::TAU;
                let out = Vec3::new(tilt.sin() * turn.cos(), tilt.cos(), tilt.sin() * turn.sin());
                let radius = 1.55 * c.powf(0.4);
                let place = Vec3::new(x, high + 1.1, z) + out * radius * Vec3::new(1.0, 0.85, 1.0);
                let turn = Quat::from_axis_angle(out, 3.0 * a + b) * Quat::from_rotation_x(c * 3.0);
                self.put(CUBE, LEAVES, place, turn, Vec3::splat(0.34 + 0.24 * b))?;
            }
        }
        Ok(())
    }

    /// Lamps under the arcades.
    fn lamps(&mut self) -> Done {
        for side in 1..4_u32 {
            let turn = Quat::from_rotation_y(side as f32 * core::f32::consts::FRAC_PI_2);
            for lamp in 0..4_u32 {
                let place = turn * Vec3::new((lamp as f32 - 1.5) * 6.25, 3.1, HALF - 1.4);
                self.straight(SPHERE, LAMP, place, Vec3::splat(0.34))?;
                let light = Light {
                    position: place.to_array(),
                    range: 7.0,
                    color: [1.0, 0.62, 0.28],
                    intensity: 9.0,
                };
                self.recorder.create_light(&light)?;
            }
        }
        Ok(())
    }

    /// Cubes that fly around the fountain along a knot, as many as are left.
    fn sculpture(&mut self) -> Done {
        let cubes = MESHES - self.count;
        for cube in 0..cubes {
            let along = cube as f32 / cubes as f32 * core::f32::consts::TAU;
            let (p, q) = (along * 2.0, along * 3.0);
            let ring = 2.35 + 0.95 * q.cos();
            let center = Vec3::new(ring * p.cos(), 6.2 + 1.25 * q.sin(), ring * p.sin());
            let [a, b, c] = [1, 2, 3].map(|part| hashed(70, cube, part));
            let away = Vec3::new(a - 0.5, b - 0.5, c - 0.5) * (0.35 + 0.55 * a * b);
            let turn = Quat::from_euler(glam::EulerRot::XYZ, 6.0 * a, 6.0 * b, 6.0 * c);
            let material = if a + b * 0.5 > 0.62 { COPPER } else { TEAL };
            self.put(CUBE, material, center + away, turn, Vec3::splat(0.06 + 0.13 * c))?;
        }
        Ok(())
    }
}
