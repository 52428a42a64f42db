//! What is replaced while the game runs, and what is refused.

use loligo_allocators::Allocator;
use loligo_render::gpu::{GpuRenderError, MaterialData, NUMBERS_MAX, TextureData};
use loligo_render::{FrameDescription, TexturePacking, TextureWrap};

use crate::scene::{FLAT, FRAME, color, draw, gpu, pixel, renderer, square, with_memory};

#[test]
fn materials_and_shaders_are_replaced_and_a_wrong_one_leaves_the_old() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        (0..3).for_each(|number| {
            let material = color([0.0, 1.0, 0.0], number / 2);
            renderer.try_set_material(number, &material).expect("a device");
        });
        let geometry = square(&mut renderer).expect("it fits");
        let center = |renderer: &mut _| {
            let (_, pixels) = draw(renderer, geometry, &[0, 1], memory).expect("it is drawn");
            pixel(&pixels, 8, 4)
        };
        assert_eq!(center(&mut renderer), [0, 255, 0]);
        renderer.try_set_material(0, &color([1.0, 0.0, 0.0], 0)).expect("a device");
        assert_eq!(center(&mut renderer), [255, 0, 0], "the material is another one");

        let wrong = FLAT.replace("return material.base_color", "return material.bas_color");
        let error = renderer.try_set_shader(0, "flat.shader", &wrong).expect_err("it is wrong");
        assert!(error.to_string().starts_with("flat.shader:13:68: "), "{error}");
        let other_layout = FLAT.replace("@group(1) @binding(0)", "@group(1) @binding(7)");
        let error = renderer.try_set_shader(0, "flat.shader", &other_layout).expect_err("no slot");
        assert!(error.to_string().starts_with("the shader flat.shader: "), "{error}");
        assert_eq!(center(&mut renderer), [255, 0, 0], "the old shader draws");

        let swapped = FLAT.replace("return material.base_color", "return material.base_color.bgra");
        renderer.try_set_shader(0, "flat.shader", &swapped).expect("it is right");
        assert_eq!(center(&mut renderer), [0, 0, 255], "the shader is another one");
    });
}

/// What was made for one size draws in another, and what was made for other targets does not.
#[test]
fn a_window_of_another_size_and_a_frame_of_other_targets_are_drawn() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        (0..3).for_each(|number| {
            let material = color([0.0, 1.0, 0.0], number / 2);
            renderer.try_set_material(number, &material).expect("a device");
        });
        let geometry = square(&mut renderer).expect("it fits");
        let (_, first) = draw(&mut renderer, geometry, &[0, 1], memory).expect("it is drawn");
        // `draw` makes targets of the picture's size again.
        for text in [FRAME.into(), FRAME.replace("depth32f\"", "depth32f\" samples = 1")] {
            let frame = frame(&text, memory);
            renderer.try_set_frame(&frame, [24, 40]).expect("small targets");
            assert_eq!(renderer.window(), [24, 40]);
            let (_, again) = draw(&mut renderer, geometry, &[0, 1], memory).expect("it is drawn");
            assert_eq!(again, first, "{text}");
        }
        // Without a depth, pipelines that test one do not fit.
        let flat = FRAME.replace("depth = \"depth\"", "").replace("depth = 1", "");
        renderer.try_set_frame(&frame(&flat, memory), [24, 40]).expect("small targets");
        let (_, again) = draw(&mut renderer, geometry, &[0, 1], memory).expect("it is drawn");
        assert_eq!(again, first, "{flat}");
    });
}

fn frame<'a>(text: &str, memory: &'a dyn Allocator) -> FrameDescription<'a> {
    match FrameDescription::try_read_in(text.as_bytes(), memory) {
        Ok(frame) => frame,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn wrong_numbers_and_damaged_data_are_refused() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let mut renderer = renderer(gpu, memory).expect("a device");
        let geometry = square(&mut renderer).expect("it fits");
        let refused = [
            renderer.try_set_material(NUMBERS_MAX, &MaterialData::default()),
            renderer.try_set_material(
                0,
                &MaterialData { textures: [None, Some(9), None, None], ..MaterialData::default() },
            ),
            renderer.try_set_mesh(1, &[0; 33], &[0, 0, 0]).map(drop),
            renderer.try_set_mesh(1, &[0; 32], &[0, 0]).map(drop),
            renderer.try_set_mesh(1, &[0; 32], &[0, 1, 0]).map(drop),
            renderer.try_set_mesh(1, &vec![0; 32 * 5_000], &[0, 0, 0]).map(drop),
            renderer.try_set_texture(
                0,
                &TextureData {
                    pixels: [2, 2],
                    is_srgb: true,
                    levels: 2,
                    wrap: TextureWrap::Repeat,
                    packing: TexturePacking::Plain,
                    data: &[0; 19],
                },
            ),
            renderer.try_set_texture(
                0,
                &TextureData {
                    pixels: [u32::MAX; 2],
                    is_srgb: true,
                    levels: 1,
                    wrap: TextureWrap::Repeat,
                    packing: TexturePacking::Plain,
                    data: &[0; 4],
                },
            ),
            draw(&mut renderer, geometry, &[0, 1], memory).map(drop),
        ];
        let texts = refused.map(|refused| refused.expect_err("it is wrong").to_string());
        for (text, expected) in texts.iter().zip([
            "the number 65536 of a material is none of the 65536 that there can be",
            "there is no texture 9; upload it before something names it",
            "the mesh is damaged: its vertices are no whole number of 32 bytes each (33)",
            "the mesh is damaged: its indices are no whole number of triangles (2)",
            "the mesh is damaged: an index names no vertex (1)",
            "no room for 5000 vertices of a mesh beside those of the others",
            "the texture has 19 bytes of pixels, and by its size and levels should have 20",
            "pixels of a texture each way: 4294967295 where at most 16384 are possible",
            "there is no material 0; upload it before something names it",
        ]) {
            assert!(text.starts_with(expected), "`{text}` where `{expected}` was expected");
        }
        (0..3).for_each(|number| {
            renderer.try_set_material(number, &color([1.0; 3], number / 2)).expect("a device");
        });
        let far = draw(&mut renderer, geometry, &[0, 7], memory).expect_err("there are two");
        assert!(
            matches!(far, GpuRenderError::Record { what: "instances", end: 8, limit: 2, .. }),
            "{far:?}"
        );
        draw(&mut renderer, geometry, &[0, 1], memory).expect("all is as it was");
    });
}
