//! The built-in shaders and frame: what is in the shadow is darker, and the sky is blue.

use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_render::gpu::{
    FULLSCREEN, FrameData, GpuOptions, GpuRenderError, GpuRenderer, MaterialData, SeenView,
    SunShadow,
};
use loligo_render::{
    DisplayList, Draw, FrameDescription, IndirectArgs, ItemSorter, Recorded, RenderContext,
    Transform,
};

use crate::scene::{SIZE, gpu, pixel, square, with_memory};

const FRAME: &str = include_str!("../../core/standard.frame");
const SHADERS: [(&str, &str); 3] = [
    ("standard", include_str!("../../core/shaders/standard.shader")),
    ("sky", include_str!("../../core/shaders/sky.shader")),
    ("tonemap", include_str!("../../core/shaders/tonemap.shader")),
];

/// Draws a floor and, over its right half, a roof that the camera does not see.
fn picture(
    renderer: &mut GpuRenderer<'_>,
    memory: &dyn Allocator,
) -> Result<Vec<u8>, GpuRenderError> {
    let frame: FrameDescription<'_> =
        FrameDescription::try_read_in(FRAME.as_bytes(), memory).expect("it is right");
    renderer.try_set_frame(&frame, [SIZE as u32; 2])?;
    for (number, (name, text)) in (0..).zip(SHADERS) {
        renderer.try_set_shader(number, name, text)?;
        let material = MaterialData { shader: number, ..MaterialData::default() };
        renderer.try_set_material(number, &material)?;
    }
    let geometry = square(renderer)?;
    let flat = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    let place = |size: f32, at: Vec3| -> Transform {
        Affine3A::from_scale_rotation_translation(Vec3::splat(size), flat, at).into()
    };
    let transforms = [place(200.0, Vec3::ZERO), place(20.0, Vec3::new(10.0, 12.0, 0.0))];
    let keys = |layer: &str| frame.layer(layer).expect("the frame has it").keys();
    let mut context: RenderContext<'_> = RenderContext::new_in(memory);
    for (layer, instance) in [("shadow", 1), ("opaque", 0)] {
        let args = IndirectArgs::new(geometry, instance, 1);
        context.try_draw(keys(layer).key(0, 0, 1.0), Draw { state: 0, args })?;
    }
    for (layer, material) in [("sky", 1_u32), ("tonemap", 2)] {
        context.try_job(keys(layer).key(0, 0, 0.0), FULLSCREEN, &material.to_ne_bytes())?;
    }
    let mut sorter: ItemSorter<'_> = ItemSorter::new_in(memory);
    let contexts = [context];
    let mut list: DisplayList<'_> = DisplayList::new_in(memory);
    list.try_append(sorter.try_merge(&contexts)?, &contexts)?;

    let mut data = FrameData::default();
    data.set_camera(
        look_at_mat4(Vec3::new(0.0, 6.0, 9.0), Vec3::new(0.0, 3.0, 0.0), Vec3::Y),
        perspective(1.4, 1.0, 0.1, 300.0),
    );
    data.set_sun(Vec3::Y, [3.0, 2.8, 2.5]);
    data.sky_color = [0.05, 0.2, 0.9, 0.0];
    data.set_shadow(&SunShadow::new(Vec3::Y, Vec3::ZERO, 30.0, 60.0, 2_048));
    let recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };
    renderer.try_draw(&[SeenView::new(data); 2], [&transforms, &[]], &recorded)?;
    let mut pixels = vec![0; SIZE * SIZE * 4];
    renderer.try_read_window(&mut pixels)?;
    Ok(pixels)
}

#[test]
fn the_sun_throws_shadows_under_a_blue_sky() {
    let Some(gpu) = gpu() else { return };
    with_memory(|memory| {
        let options = GpuOptions { vertices_max: 4_096, indices_max: 4_096 };
        let mut renderer = GpuRenderer::try_new_in(gpu, &options, memory).expect("a device");
        let pixels = picture(&mut renderer, memory).expect("it is drawn");
        let sum = |[r, g, b]: [u8; 3]| u32::from(r) + u32::from(g) + u32::from(b);
        let (lit, dark) = (pixel(&pixels, 5, 12), pixel(&pixels, 10, 12));
        assert!(sum(lit) > sum(dark) + 90, "in the sun {lit:?}, in the shadow {dark:?}");
        let [r, _, b] = pixel(&pixels, 8, 0);
        assert!(b > r + 20, "red {r} and blue {b} of the sky");
    });
}
