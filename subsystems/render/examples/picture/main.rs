//! A courtyard of 10 000 stones, columns, leaves and cubes, drawn with the graphics card and saved
//! as a picture.
//!
//! ```sh
//! cargo run --release -p loligo-render --features gpu --example picture -- --out courtyard.png
//! cargo run --release -p loligo-render --features gpu --example picture -- --out courtyard.png --size 1920x1080 --frames 100
//! ```
#![forbid(unsafe_code)]

mod scene;
mod shapes;
mod stone;

use core::error::Error;
use std::fs::File;
use std::process::ExitCode;
use std::time::Instant;

use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec3};
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::Array;
use loligo_gpu::Gpu;
use loligo_render::gpu::{FULLSCREEN, FrameData, GpuRenderer, GpuSums, SeenView, SunShadow};
use loligo_render::{
    DisplayList, FrameDescription, FrameLights, ItemSorter, Recorded, RenderContext, RenderWorld,
    View,
};

const FRAME: &str = include_str!("../../core/standard.frame");

const HELP: &str = "Draws a courtyard with the graphics card and saves it as PNG.

usage: picture --out FILE.png [--size WIDTHxHEIGHT] [--frames N] [--eye X,Y,Z] [--at X,Y,Z]

  --out FILE.png       where the picture goes
  --size 1280x720      how large it is
  --frames 1           how many frames are drawn; the median of their times is printed
  --eye -6.5,4.2,15    where the camera is, in metres
  --at 1.5,4.4,-2      where it looks

example: picture --out courtyard.png --size 1920x1080
";

/// What was asked for.
struct Wanted {
    out: String,
    size: [u32; 2],
    frames: u32,
    eye: Vec3,
    at: Vec3,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let Some(wanted) = read(&arguments) else {
        eprint!("{HELP}");
        return ExitCode::from(2);
    };
    match draw(&wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("picture: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read(arguments: &[String]) -> Option<Wanted> {
    let mut wanted = Wanted {
        out: String::new(),
        size: [1280, 720],
        frames: 1,
        eye: Vec3::new(-6.5, 4.2, 15.0),
        at: Vec3::new(1.5, 4.4, -2.0),
    };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return None };
        match name.as_str() {
            "--out" => wanted.out.clone_from(value),
            "--size" => {
                let (width, height) = value.split_once('x')?;
                wanted.size = [width.parse().ok()?, height.parse().ok()?];
            }
            "--eye" => wanted.eye = place(value)?,
            "--at" => wanted.at = place(value)?,
            "--frames" => wanted.frames = value.parse().ok()?,
            _ => return None,
        }
    }
    let is_sound = !wanted.out.is_empty() && wanted.size.iter().all(|pixels| *pixels > 0);
    is_sound.then_some(wanted)
}

fn place(text: &str) -> Option<Vec3> {
    let parts: Vec<f32> = text.split(',').map_while(|part| part.parse().ok()).collect();
    let place = <[f32; 3]>::try_from(parts).ok().map(Vec3::from_array)?;
    place.is_finite().then_some(place)
}

/// Where the camera is, and how it projects.
fn camera(wanted: &Wanted) -> (Mat4, Mat4) {
    let [width, height] = wanted.size;
    let view = look_at_mat4(wanted.eye, wanted.at, Vec3::Y);
    (view, perspective(1.05, width as f32 / height as f32, 0.1, 300.0))
}

/// Returns what shaders see, and how the sun sees the scene.
fn lit(view: Mat4, projection: Mat4) -> (FrameData, SunShadow) {
    let mut data = FrameData::default();
    scene::light(&mut data);
    data.set_camera(view, projection);
    let towards_sun = Vec3::from_slice(&data.sun_direction[..3]);
    let shadow = SunShadow::new(towards_sun, Vec3::new(0.0, 4.0, 0.0), 34.0, 60.0, 2048);
    data.set_shadow(&shadow);
    (data, shadow)
}

fn draw(wanted: &Wanted) -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("picture", &pages);
    let memory: &dyn Allocator = &heap;
    let frame = FrameDescription::try_read_in(FRAME.as_bytes(), memory)?;
    let gpu = Gpu::try_new(&loligo_gpu::GpuOptions::default())?;
    println!("{}, {}, by {}", gpu.info().name, gpu.info().driver, gpu.info().interface);
    let mut renderer = GpuRenderer::try_new_in(gpu, &Default::default(), memory)?;
    renderer.try_set_frame(&frame, wanted.size)?;
    scene::upload(&mut renderer)?;
    let opaque = frame.layer("opaque").ok_or("the frame has no layer `opaque`")?;
    let mut recorder = scene::recorder(memory);
    scene::record(&renderer, opaque.name_number.into(), &mut recorder)?;
    let mut world = RenderWorld::new_in(0, scene::OBJECTS_MAX, memory);
    world.try_apply(&recorder.finish())?;

    let (view, projection) = camera(wanted);
    let (data, shadow) = lit(view, projection);
    let (view, view_projection) = (View::new(view, projection), projection * view);
    let mut lights: FrameLights<'_> = FrameLights::new(memory);

    let mut context = RenderContext::new_in(memory);
    let mut visible: Array<'_, u32> = Array::new_in(memory);
    let (mut sorter, mut list) = (ItemSorter::new_in(memory), DisplayList::new_in(memory));
    let (mut sums, mut times) = (GpuSums::default(), Vec::new());
    for _ in 0..wanted.frames.max(1) {
        let start = Instant::now();
        context.clear();
        list.clear();
        for (layer, view) in [("shadow", &shadow.view), ("opaque", &view)] {
            visible.clear();
            world.try_cull(view, 0..world.mesh_count(), &mut visible)?;
            let layer = frame.layer(layer).ok_or("the frame has not all layers")?;
            world.try_draw_in(&visible, view, &layer, None, &mut context)?;
        }
        for (layer, material) in [("sky", scene::SKY), ("tonemap", scene::TONEMAP)] {
            let keys = frame.layer(layer).ok_or("the frame has not all layers")?.keys();
            context.try_job(keys.key(0, 0, 0.0), FULLSCREEN, &material.to_ne_bytes())?;
        }
        let contexts = core::slice::from_ref(&context);
        list.try_append(sorter.try_merge(contexts)?, contexts)?;
        let recorded = Recorded { frame: &frame, list: &list, contexts };
        let listed = start.elapsed();
        lights.try_choose(world.lights(), &view, view_projection)?;
        let seen = SeenView::new(data).lit_by(&lights);
        sums = renderer.try_draw(&[seen; 2], [world.transforms(), &[]], &recorded)?;
        let ours = start.elapsed();
        renderer.try_wait()?;
        times.push((start.elapsed(), ours, listed));
    }
    println!(
        "{} meshes, {} draws in {} records, recorded in {sums:?}",
        world.mesh_count(),
        list.draws(),
        list.args().len()
    );
    times.sort_unstable();
    let (whole, ours, listed) = times[times.len() / 2];
    println!(
        "median of {} frames: {whole:.2?}; of that {listed:.2?} until the list was made, {:.2?} until it was handed over",
        times.len(),
        ours - listed
    );

    let [width, height] = wanted.size;
    let mut pixels = vec![0; width as usize * height as usize * 4];
    renderer.try_read_window(&mut pixels)?;
    let file = File::create(&wanted.out).map_err(|error| format!("{}: {error}", wanted.out))?;
    loligo_gpu::write_png(file, wanted.size, &pixels)?;
    println!("{}: {width} by {height} pixels", wanted.out);
    Ok(())
}
