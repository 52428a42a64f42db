//! Vertices that the graphics card moves by bones are where the processor moves them.

use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_render::gpu::{GpuRenderError, GpuRenderer, SeenView};
use loligo_render::{
    DisplayList, Draw, FrameDescription, Geometry, IndirectArgs, ItemSorter, MOVED_BY_NONE,
    MeshVertex, Morph, MorphDelta, Recorded, RenderContext, SkinVertex, SkinnedMesh, Skinning,
    Transform, morph_vertices, skin_vertices,
};

use crate::scene::{FRAME, SIZE, color, data, gpu, pixel, renderer, with_memory};

/// A strip from left to right: more vertices than a group of threads moves.
const COLUMNS: usize = 50;

fn strip() -> (Vec<MeshVertex>, Vec<SkinVertex>, Vec<u32>) {
    let (mut vertices, mut skin, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for column in 0..=COLUMNS {
        let along = column as f32 / COLUMNS as f32;
        for y in [-0.25, 0.25] {
            let position = [along * 1.6 - 0.8, y, 0.0];
            vertices.push(MeshVertex { position, normal: [0.0, 0.0, 1.0], uv: [along, y] });
            let weight = (along * 255.0) as u8;
            let weights = u32::from_le_bytes([255 - weight, 0, weight, 0]);
            skin.push(SkinVertex { bones: u32::from_le_bytes([0, 0, 1, 0]), weights });
        }
        if column < COLUMNS {
            let at = column as u32 * 2;
            indices.extend([at, at + 2, at + 3, at, at + 3, at + 1]);
        }
    }
    (vertices, skin, indices)
}

fn bones() -> [Transform; 2] {
    let left = Affine3A::from_translation(Vec3::new(0.0, -0.3, 0.0));
    let right =
        Affine3A::from_rotation_translation(Quat::from_rotation_z(0.4), Vec3::new(-0.2, 0.2, 0.0));
    [left.into(), right.into()]
}

/// Draws a geometry where it is.
fn draw(
    renderer: &mut GpuRenderer<'_>,
    geometry: Geometry,
    memory: &dyn Allocator,
) -> Result<Vec<u8>, GpuRenderError> {
    let frame: FrameDescription<'_> =
        FrameDescription::try_read_in(FRAME.as_bytes(), memory).expect("it is right");
    renderer.try_set_frame(&frame, [SIZE as u32; 2])?;
    let keys = frame.layer("opaque").expect("the frame has it").keys();
    let mut context: RenderContext<'_> = RenderContext::new_in(memory);
    let args = IndirectArgs::new(geometry, 0, 1);
    context.try_draw(keys.key(0, 0, 1.0), Draw { state: 0, args })?;
    let contexts = [context];
    let mut sorter: ItemSorter<'_> = ItemSorter::new_in(memory);
    let mut list: DisplayList<'_> = DisplayList::new_in(memory);
    list.try_append(sorter.try_merge(&contexts)?, &contexts)?;
    let recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };
    renderer.try_draw(&[SeenView::new(data())], [&[Transform::IDENTITY], &[]], &recorded)?;
    let mut pixels = vec![0; SIZE * SIZE * 4];
    renderer.try_read_window(&mut pixels)?;
    Ok(pixels)
}

#[test]
fn the_card_moves_vertices_as_the_processor_does() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        renderer.try_set_material(0, &color([0.0, 1.0, 0.0], 0)).expect("a device");
        let (vertices, skin, indices) = strip();
        // In between, so that the skinned mesh is not the first.
        renderer.try_set_mesh(0, bytemuck::cast_slice(&vertices), &indices).expect("it fits");
        let bytes = bytemuck::cast_slice(&vertices);
        let geometry = renderer.try_set_skinned_mesh(1, bytes, &indices, &skin).expect("it fits");
        let mut moved = vertices.clone();
        skin_vertices(&vertices, &skin, &bones(), &mut moved);
        let by_processor =
            renderer.try_set_mesh(2, bytemuck::cast_slice(&moved), &indices).expect("it fits");
        let expected = draw(&mut renderer, by_processor, memory).expect("it is drawn");
        let rest = draw(&mut renderer, geometry, memory).expect("it is drawn");
        assert_ne!(rest, expected, "at rest it is elsewhere");
        assert_eq!(pixel(&rest, 8, 8), [0, 255, 0]);

        // Two of the same mesh, of which the second is moved by the bones after those of the first.
        let still = [Transform::IDENTITY; 2];
        let all: Vec<Transform> = still.into_iter().chain(bones()).collect();
        let count = vertices.len() as u32;
        let first = SkinnedMesh {
            mesh: 1,
            first_vertex: 0,
            vertices: count,
            first_bone: 0,
            first_weight: MOVED_BY_NONE,
        };
        let second = SkinnedMesh { first_vertex: count, first_bone: 2, ..first };
        let meshes = [first, second];
        renderer
            .try_skin(&Skinning { meshes: &meshes, bones: &all, weights: &[] })
            .expect("it is there");
        for (mesh, wanted) in meshes.iter().zip([&rest, &expected]) {
            let base_vertex = (renderer.first_moved() + mesh.first_vertex) as i32;
            let geometry = Geometry { base_vertex, ..geometry };
            let drawn = draw(&mut renderer, geometry, memory).expect("it is drawn");
            assert_eq!(&drawn, wanted, "moved by bones {}", mesh.first_bone);
        }
        assert_eq!(draw(&mut renderer, geometry, memory).expect("it is drawn"), rest);
    });
}

#[test]
fn what_cannot_be_moved_is_an_error_and_all_stays_as_it_was() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        let (vertices, skin, indices) = strip();
        let (bytes, count) = (bytemuck::cast_slice(&vertices), vertices.len() as u32);
        let short = renderer.try_set_skinned_mesh(0, bytes, &indices, &skin[1..]);
        let short = short.expect_err("a vertex has no bones").to_string();
        assert!(short.contains("its skin is not of all its vertices (101)"), "{short}");
        renderer.try_set_mesh(0, bytes, &indices).expect("it fits");
        let mesh = SkinnedMesh {
            mesh: 0,
            first_vertex: 0,
            vertices: count,
            first_bone: 0,
            first_weight: MOVED_BY_NONE,
        };
        let mut said = |mesh: SkinnedMesh, bones: &[Transform]| {
            let skinning = Skinning { meshes: &[mesh], bones, weights: &[] };
            renderer.try_skin(&skinning).expect_err("it is wrong").to_string()
        };
        let bones = bones();
        assert!(said(mesh, &bones).starts_with("mesh 0 is to be moved by bones"), "no skin");
        let nobody = SkinnedMesh { mesh: 7, ..mesh };
        assert!(said(nobody, &bones).starts_with("mesh 7 "), "no mesh");
        let far = SkinnedMesh { first_vertex: 3 << 20, ..mesh };
        let far = said(far, &bones);
        assert!(far.contains("vertices that bones move"), "{far}");
        renderer.try_set_skinned_mesh(1, bytes, &indices, &skin).expect("it fits");
        let mut said = |mesh: SkinnedMesh, bones: &[Transform]| {
            let skinning = Skinning { meshes: &[mesh], bones, weights: &[] };
            renderer.try_skin(&skinning).expect_err("it is wrong").to_string()
        };
        let one = SkinnedMesh { mesh: 1, ..mesh };
        assert!(said(one, &[]).starts_with("mesh 1 "), "no bones");
        assert!(
            said(SkinnedMesh { vertices: 3, ..one }, &bones).starts_with("mesh 1 "),
            "replaced"
        );
        renderer
            .try_skin(&Skinning { meshes: &[one], bones: &bones, weights: &[] })
            .expect("it is right");
    });
}

/// Two targets of the strip: one raises every third vertex, the other moves its right half to the left.
fn targets(vertices: usize) -> (Vec<u32>, Vec<MorphDelta>) {
    let (mut firsts, mut deltas) = (vec![0], Vec::new());
    for vertex in 0..vertices {
        if vertex % 3 == 0 {
            deltas.push(MorphDelta { target: 0, position: [0.0, 0.25, 0.0], normal: [0.0; 3] });
        }
        if vertex > vertices / 2 {
            deltas.push(MorphDelta { target: 1, position: [-0.5, 0.125, 0.0], normal: [0.0; 3] });
        }
        firsts.push(deltas.len() as u32);
    }
    (firsts, deltas)
}

#[test]
fn targets_move_vertices_on_the_card_as_on_the_processor() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        renderer.try_set_material(0, &color([0.0, 1.0, 0.0], 0)).expect("a device");
        let (vertices, skin, indices) = strip();
        let (firsts, deltas) = targets(vertices.len());
        let morph =
            Morph { targets: &[1, 2], weights: &[0.0; 2], firsts: &firsts, deltas: &deltas };
        let bytes = bytemuck::cast_slice(&vertices);
        let (none, count) = (MOVED_BY_NONE, vertices.len() as u32);
        // One with targets alone, so that nothing is in the place of skins; then one with both.
        let plain = renderer.try_set_moved_mesh(0, bytes, &indices, &[], &morph).expect("it fits");
        let first = SkinnedMesh {
            mesh: 0,
            first_vertex: 0,
            vertices: count,
            first_bone: none,
            first_weight: 2,
        };
        let weights = [9.0, 9.0, 0.5, 1.5];
        let skinning = Skinning { meshes: &[first], bones: &[], weights: &weights };
        renderer.try_skin(&skinning).expect("it is there");
        let mut morphed = vertices.clone();
        morph_vertices(&vertices, &morph, &weights[2..], &mut morphed);
        let bytes_of = bytemuck::cast_slice(&morphed);
        let expected = renderer.try_set_mesh(1, bytes_of, &indices).expect("it fits");
        let rest = draw(&mut renderer, plain, memory).expect("it is drawn");
        let expected = draw(&mut renderer, expected, memory).expect("it is drawn");
        assert_ne!(rest, expected, "at rest it is elsewhere");
        let moved = |renderer: &GpuRenderer<'_>, mesh: SkinnedMesh, geometry| {
            let base_vertex = (renderer.first_moved() + mesh.first_vertex) as i32;
            Geometry { base_vertex, ..geometry }
        };
        let own = moved(&renderer, first, plain);
        assert_eq!(draw(&mut renderer, own, memory).expect("it is drawn"), expected);

        let both = renderer.try_set_moved_mesh(2, bytes, &indices, &skin, &morph).expect("it fits");
        let second = SkinnedMesh { mesh: 2, first_vertex: count, first_bone: 0, ..first };
        let meshes = [first, second];
        let skinning = Skinning { meshes: &meshes, bones: &bones(), weights: &weights };
        renderer.try_skin(&skinning).expect("it is there");
        let mut skinned = morphed.clone();
        skin_vertices(&morphed, &skin, &bones(), &mut skinned);
        let bytes_of = bytemuck::cast_slice(&skinned);
        let turned = renderer.try_set_mesh(3, bytes_of, &indices).expect("it fits");
        let turned = draw(&mut renderer, turned, memory).expect("it is drawn");
        let own = moved(&renderer, second, both);
        assert_eq!(draw(&mut renderer, own, memory).expect("it is drawn"), turned);
        let own = moved(&renderer, first, plain);
        assert_eq!(draw(&mut renderer, own, memory).expect("it is drawn"), expected, "as before");
    });
}

#[test]
fn targets_that_are_not_there_are_an_error() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        let (vertices, skin, indices) = strip();
        let (firsts, deltas) = targets(vertices.len());
        let morph =
            Morph { targets: &[1, 2], weights: &[0.0; 2], firsts: &firsts, deltas: &deltas };
        let (bytes, count) = (bytemuck::cast_slice(&vertices), vertices.len() as u32);
        let short = Morph { firsts: &firsts[1..], ..morph };
        let short = renderer.try_set_moved_mesh(0, bytes, &indices, &[], &short);
        let short = short.expect_err("a vertex has no targets").to_string();
        assert!(short.contains("its targets are not of all its vertices"), "{short}");
        renderer.try_set_skinned_mesh(0, bytes, &indices, &skin).expect("it fits");
        renderer.try_set_moved_mesh(1, bytes, &indices, &[], &morph).expect("it fits");
        let none = MOVED_BY_NONE;
        let right = SkinnedMesh {
            mesh: 1,
            first_vertex: 0,
            vertices: count,
            first_bone: none,
            first_weight: 0,
        };
        let mut skin = |mesh: SkinnedMesh, weights: &[f32]| {
            renderer.try_skin(&Skinning { meshes: &[mesh], bones: &bones(), weights })
        };
        let wrong = [
            (SkinnedMesh { mesh: 0, ..right }, 2, "it has no targets"),
            (SkinnedMesh { first_bone: 0, ..right }, 2, "it has no skin"),
            (SkinnedMesh { first_weight: 1, ..right }, 2, "there are too few weights"),
            (SkinnedMesh { first_weight: none, ..right }, 2, "nothing moves it"),
        ];
        for (mesh, count, what) in wrong {
            assert!(skin(mesh, &vec![0.0; count]).is_err(), "{what}");
        }
        skin(right, &[0.0; 2]).expect("it is right");
        // Larger targets, for which the buffer grows while others are in it, and smaller ones again.
        let many: Vec<MorphDelta> =
            deltas.iter().copied().cycle().take(deltas.len() * 300).collect();
        let ends: Vec<u32> = firsts.iter().map(|first| first * 300).collect();
        let large = Morph { firsts: &ends, deltas: &many, ..morph };
        for (number, morph) in [(2, large), (2, morph), (3, large)] {
            renderer.try_set_moved_mesh(number, bytes, &indices, &[], &morph).expect("it fits");
            renderer
                .try_skin(&Skinning { meshes: &[right], bones: &[], weights: &[0.5, 0.5] })
                .expect("it is right");
        }
    });
}
