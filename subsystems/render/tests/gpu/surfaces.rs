//! What the built-in shader makes of a material's textures, cutouts, backs and lamps: a square that
//! fills the picture.

use core::f32::consts::{FRAC_PI_2, PI};

use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use glam::{Affine3A, Mat4, Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_render::gpu::{
    FULLSCREEN, FrameData, GpuOptions, GpuRenderError, GpuRenderer, MaterialData, SeenView,
    SunShadow, TextureData,
};
use loligo_render::{
    DisplayList, Draw, FrameDescription, FrameLights, IndirectArgs, ItemSorter, LIGHT_BINS,
    LIGHT_TILES, Light, Recorded, RenderContext, TexturePacking, TextureWrap, Transform, View,
};

use crate::scene::{SIZE, gpu, pixel, square, with_memory};

const FRAME: &str = include_str!("../../core/standard.frame");
const STANDARD: &str = include_str!("../../core/shaders/standard.shader");
const TONEMAP: &str = include_str!("../../core/shaders/tonemap.shader");

/// What is drawn.
struct Scene<'s> {
    material: MaterialData,
    /// Two pixels each, side by side, by their numbers.
    textures: &'s [[[u8; 4]; 2]],
    wrap: TextureWrap,
    towards_sun: Vec3,
    sun: f32,
    /// Light from all around.
    around: f32,
    lights: &'s [Light],
    /// Whether shaders go through all lights for each pixel.
    is_grid_full: bool,
    /// Draws the material's shadow onto a white wall in place of the square.
    is_shadow: bool,
    turn: Quat,
}

impl Default for Scene<'_> {
    fn default() -> Self {
        Self {
            material: MaterialData::default(),
            textures: &[],
            wrap: TextureWrap::Clamp,
            towards_sun: Vec3::Z,
            sun: 0.0,
            around: 0.0,
            lights: &[],
            is_grid_full: false,
            is_shadow: false,
            turn: Quat::IDENTITY,
        }
    }
}

impl Scene<'_> {
    /// Returns the picture: the square's left is left.
    fn picture(&self, memory: &dyn Allocator) -> Result<Vec<u8>, GpuRenderError> {
        self.drawn(memory, &|_| Ok(()))
    }

    /// Returns the picture with one more texture.
    fn with_texture(
        &self,
        number: u32,
        texture: &TextureData<'_>,
        memory: &dyn Allocator,
    ) -> Result<Vec<u8>, GpuRenderError> {
        self.drawn(memory, &|renderer| renderer.try_set_texture(number, texture))
    }

    fn drawn(
        &self,
        memory: &dyn Allocator,
        prepare: &dyn Fn(&mut GpuRenderer<'_>) -> Result<(), GpuRenderError>,
    ) -> Result<Vec<u8>, GpuRenderError> {
        let gpu = gpu().expect("it was there a moment ago");
        let options = GpuOptions { vertices_max: 4_096, indices_max: 4_096 };
        let mut renderer: GpuRenderer<'_> = GpuRenderer::try_new_in(gpu, &options, memory)?;
        let frame: FrameDescription<'_> =
            FrameDescription::try_read_in(FRAME.as_bytes(), memory).expect("it is right");
        renderer.try_set_frame(&frame, [SIZE as u32; 2])?;
        renderer.try_set_shader(0, "standard", STANDARD)?;
        renderer.try_set_shader(1, "tonemap", TONEMAP)?;
        for (number, pixels) in (0..).zip(self.textures) {
            let (data, wrap) = (pixels.as_flattened(), self.wrap);
            let (pixels, packing) = ([2, 1], TexturePacking::Plain);
            let data = TextureData { pixels, is_srgb: false, levels: 1, wrap, packing, data };
            renderer.try_set_texture(number, &data)?;
        }
        prepare(&mut renderer)?;
        let white = MaterialData { casts_shadow: false, ..MaterialData::default() };
        let tonemap = MaterialData { shader: 1, ..white };
        for (number, material) in [(0, &self.material), (1, &white), (2, &tonemap)] {
            renderer.try_set_material(number, material)?;
        }
        let geometry = square(&mut renderer)?;
        let at =
            |z: f32| Affine3A::from_rotation_translation(self.turn, Vec3::new(0.0, 0.0, z)).into();
        let transforms: [Transform; 2] = [at(0.0), at(2.0)];
        let keys = |layer: &str| frame.layer(layer).expect("the frame has it").keys();
        let mut context: RenderContext<'_> = RenderContext::new_in(memory);
        let args = |instance| IndirectArgs::new(geometry, instance, 1);
        let seen = u32::from(self.is_shadow);
        context.try_draw(keys("opaque").key(seen, 0, 1.0), Draw { state: seen, args: args(0) })?;
        if self.is_shadow {
            context.try_draw(keys("shadow").key(0, 0, 1.0), Draw { state: 0, args: args(1) })?;
        }
        context.try_job(keys("tonemap").key(0, 0, 0.0), FULLSCREEN, &2_u32.to_ne_bytes())?;
        let mut sorter: ItemSorter<'_> = ItemSorter::new_in(memory);
        let contexts = [context];
        let mut list: DisplayList<'_> = DisplayList::new_in(memory);
        list.try_append(sorter.try_merge(&contexts)?, &contexts)?;
        let recorded = Recorded { frame: &frame, list: &list, contexts: &contexts };

        let (view, projection) = camera();
        let mut lights: FrameLights<'_> = FrameLights::new(memory);
        lights.try_choose(self.lights, &View::new(view, projection), projection * view)?;
        let full = full_grid(lights.as_slice().len());
        let mut seen = SeenView::new(self.data()).lit_by(&lights);
        if self.is_grid_full {
            seen.light_grid = &full;
        }
        renderer.try_draw(&[seen; 2], [&transforms, &[]], &recorded)?;
        let mut pixels = vec![0; SIZE * SIZE * 4];
        renderer.try_read_window(&mut pixels)?;
        Ok(pixels)
    }

    fn data(&self) -> FrameData {
        let (view, projection) = camera();
        let mut data = FrameData::default();
        data.set_camera(view, projection);
        data.set_sun(self.towards_sun, [self.sun; 3]);
        data.set_shadow(&SunShadow::new(self.towards_sun, Vec3::ZERO, 2.0, 5.0, 256));
        data.sky_color = [self.around; 4];
        data.ground_color = [self.around; 4];
        data
    }

    /// Returns how bright the left and the right half are.
    fn halves(&self, memory: &dyn Allocator) -> [u32; 2] {
        let pixels = self.picture(memory).expect("it is drawn");
        [SIZE / 4, SIZE * 3 / 4].map(|x| pixel(&pixels, x, SIZE / 2).map(u32::from).iter().sum())
    }
}

/// Sees a square of a metre at the origin, and nothing else.
fn camera() -> (Mat4, Mat4) {
    let view = look_at_mat4(Vec3::new(0.0, 0.0, 0.5), Vec3::ZERO, Vec3::Y);
    (view, perspective(FRAC_PI_2, 1.0, 0.1, 10.0))
}

/// Returns a grid by which every pixel is reached by all lights.
fn full_grid(lights: usize) -> Vec<u32> {
    let last = (lights as u32).saturating_sub(1);
    let mut words = vec![last << 16; LIGHT_BINS];
    words.resize(LIGHT_BINS + lights.div_ceil(32) * LIGHT_TILES[0] * LIGHT_TILES[1], u32::MAX);
    words
}

/// Where there is a card.
fn with_card(test: impl FnOnce(&dyn Allocator)) {
    if gpu().is_some() {
        with_memory(test);
    }
}

const WHITE: [u8; 4] = [255; 4];
const BLACK: [u8; 4] = [0, 0, 0, 255];
const CLEAR: [u8; 4] = [255, 255, 255, 0];

#[test]
fn normals_turn_to_the_sides_that_the_texture_names() {
    with_card(|memory| {
        let textures = [None, Some(0), None, None];
        let material = MaterialData { textures, ..MaterialData::default() };
        let lit = |pixels: [[u8; 4]; 2], towards_sun: Vec3| {
            let sun = 1.0;
            Scene { material, textures: &[pixels], towards_sun, sun, ..Scene::default() }
                .halves(memory)
        };
        let (left, right) = ([38, 128, 218, 255], [218, 128, 218, 255]);
        let (up, down) = ([128, 218, 218, 255], [128, 38, 218, 255]);
        let straight = [128, 128, 255, 255];
        let from_right = Vec3::new(1.0, 0.0, 1.0);
        let from_above = Vec3::new(0.0, 1.0, 1.0);
        for (sun, away, towards) in [(from_right, left, right), (from_above, down, up)] {
            let [dark, even] = lit([away, straight], sun);
            let [_, bright] = lit([straight, towards], sun);
            assert!(dark + 60 < even && even + 20 < bright, "{dark}, {even}, {bright}: {sun}");
        }
        let plain = Scene { sun: 1.0, towards_sun: from_right, ..Scene::default() };
        assert_eq!(lit([straight; 2], from_right), plain.halves(memory), "none is straight");
    });
}

#[test]
fn surfaces_hide_light_and_what_shines_is_seen_in_the_dark() {
    with_card(|memory| {
        let bound = |which: usize, emission: f32| {
            let mut textures = [None; 4];
            textures[which] = Some(0);
            MaterialData { textures, emission, ..MaterialData::default() }
        };
        let textures = &[[WHITE, BLACK]];
        let hidden = Scene { material: bound(2, 0.0), textures, around: 1.0, ..Scene::default() };
        let [open, closed] = hidden.halves(memory);
        assert!(open > 300 && closed < 30, "light from around: {open}, {closed}");
        let shining = Scene { material: bound(3, 1.0), textures, ..Scene::default() };
        let [bright, dark] = shining.halves(memory);
        assert!(bright > 300 && dark < 30, "in the dark: {bright}, {dark}");
        let none = Scene { material: bound(3, 0.0), textures, ..Scene::default() };
        assert!(none.halves(memory)[0] < 30, "times nothing");
        // Green is roughness, blue is metal: polished metal throws the sky back, not its color.
        let textures = &[[[255, 255, 0, 255], [255, 0, 255, 255]]];
        let base_color = [0.1, 0.1, 0.1, 1.0];
        let material = MaterialData { base_color, metallic: 1.0, ..bound(2, 0.0) };
        let towards_sun = Vec3::Z;
        let [dull, metal] =
            Scene { material, textures, sun: 1.0, towards_sun, ..Scene::default() }.halves(memory);
        assert!(dull.abs_diff(metal) > 30, "dull {dull}, metal {metal}");
    });
}

#[test]
fn cutouts_have_holes_and_so_have_their_shadows() {
    with_card(|memory| {
        let textures = [Some(0), None, None, None];
        let cut = MaterialData { textures, cutout: 0.5, ..MaterialData::default() };
        let whole = MaterialData { cutout: 0.0, ..cut };
        let scene = |material, is_shadow| Scene {
            material,
            textures: &[[WHITE, CLEAR]],
            around: 0.3,
            sun: 1.0,
            is_shadow,
            ..Scene::default()
        };
        let [full, hole] = scene(cut, false).halves(memory);
        assert!(full > 300 && hole < 30, "{full}, {hole}");
        let [full, other] = scene(whole, false).halves(memory);
        let is_even = full.abs_diff(other) < 12;
        assert!(is_even, "opacity alone is no hole in a layer of opaque things: {full}, {other}");
        let [dark, bright] = scene(cut, true).halves(memory);
        assert!(dark + 60 < bright, "in the shadow {dark}, below the hole {bright}");
        let [dark, other] = scene(whole, true).halves(memory);
        assert!(dark.abs_diff(other) < 9, "in the shadow of all of it: {dark}, {other}");
    });
}

#[test]
fn backs_are_seen_where_the_material_says_so_and_are_lit() {
    with_card(|memory| {
        let turn = Quat::from_rotation_y(PI);
        let seen = |two_sided| {
            let material = MaterialData { two_sided, ..MaterialData::default() };
            Scene { material, sun: 1.0, turn, ..Scene::default() }.halves(memory)
        };
        assert!(seen(false)[0] < 30, "one side: {:?}", seen(false));
        let front = Scene { sun: 1.0, ..Scene::default() }.halves(memory);
        assert_eq!(seen(true), front, "a back is lit as a front is");
    });
}

#[test]
fn textures_go_on_as_they_say() {
    with_card(|memory| {
        // Tiles of half a metre, whose left half is white: the square shows those from -1 to 1.
        let textures = [Some(0), None, None, None];
        let extra = [0.5, 0.0, 0.0, 0.0];
        let material = MaterialData { textures, extra, ..MaterialData::default() };
        let row = |wrap| {
            let scene = Scene {
                material,
                textures: &[[WHITE, BLACK]],
                wrap,
                around: 1.0,
                ..Scene::default()
            };
            let pixels = scene.picture(memory).expect("it is drawn");
            // Quarters of the square, each in its middle: some of the white next to it is there, too.
            [0, 1, 2, 3].map(|at| pixel(&pixels, SIZE * (2 * at + 1) / 8, SIZE / 2)[0] > 180)
        };
        assert_eq!(row(TextureWrap::Repeat), [true, false, true, false]);
        assert_eq!(row(TextureWrap::Clamp), [true, true, true, false]);
        assert_eq!(row(TextureWrap::Mirror), [false, true, true, false]);
    });
}

#[test]
fn the_grid_of_lights_leaves_none_out_that_is_seen() {
    with_card(|memory| {
        let mut seed = 0x9e37_79b9_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 24) as f32
        };
        let lights: Vec<Light> = (0..300)
            .map(|_| Light {
                position: [random() - 0.5, random() - 0.5, random() * 0.1],
                range: 0.05 + 0.1 * random(),
                color: [random(), random(), random()],
                intensity: 0.2,
            })
            .collect();
        let picture = |is_grid_full| {
            Scene { lights: &lights, is_grid_full, ..Scene::default() }
                .picture(memory)
                .expect("it is drawn")
        };
        let (chosen, all) = (picture(false), picture(true));
        let lit = all.chunks(4).filter(|pixel| pixel[..3].iter().any(|part| *part > 30)).count();
        assert!(lit > SIZE * SIZE / 2, "{lit} pixels are lit");
        let far = chosen.iter().zip(&all).map(|(one, other)| one.abs_diff(*other)).max();
        // Sums of the same numbers.
        assert!(far <= Some(1), "{far:?}");
    });
}

#[test]
fn blocks_look_as_their_pixels_do() {
    with_card(|memory| {
        let textures = [Some(9), None, None, None];
        let material = MaterialData { textures, ..MaterialData::default() };
        let scene = Scene { material, around: 1.0, ..Scene::default() };
        let pixels: Vec<u8> =
            (0..16).flat_map(|at| if at % 4 < 2 { WHITE } else { BLACK }).collect();
        for (packing, format) in [
            (TexturePacking::Plain, None),
            (TexturePacking::Colors, Some(texpresso::Format::Bc1)),
            (TexturePacking::ColorsAndOpacity, Some(texpresso::Format::Bc3)),
            (TexturePacking::Normals, Some(texpresso::Format::Bc5)),
        ] {
            let mut data = pixels.clone();
            if let Some(format) = format {
                data = vec![0; format.compressed_size(4, 4)];
                format.compress(&pixels, 4, 4, texpresso::Params::default(), &mut data);
            }
            let pixels = [4, 4];
            let (is_srgb, levels, wrap) = (true, 1, TextureWrap::Clamp);
            let texture = TextureData { pixels, is_srgb, levels, wrap, packing, data: &data };
            let picture = scene.with_texture(9, &texture, memory).expect("it is drawn");
            let [red, ..] = pixel(&picture, SIZE / 4, SIZE / 2);
            let [black, ..] = pixel(&picture, SIZE * 3 / 4, SIZE / 2);
            assert!(red > 200 && black < 60, "{packing:?}: {red}, {black}");
        }
        // Blocks of one color each, of which the card reads the second as the first, in sRGB.
        let one = |part: u16| {
            let parts = [part, part, part, u16::MAX].map(u16::to_le_bytes);
            [&[0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], parts.as_flattened()].concat()
        };
        let data = [one(u16::MAX), one(0)].concat();
        let (packing, is_srgb, levels, wrap) = (TexturePacking::Astc, true, 1, TextureWrap::Clamp);
        let texture = TextureData { pixels: [8, 4], is_srgb, levels, wrap, packing, data: &data };
        let picture = scene.with_texture(9, &texture, memory).expect("it is drawn");
        let [red, ..] = pixel(&picture, SIZE / 4, SIZE / 2);
        let [black, ..] = pixel(&picture, SIZE * 3 / 4, SIZE / 2);
        assert!(red > 200 && black < 60, "{packing:?}: {red}, {black}");
    });
}
