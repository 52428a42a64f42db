//! A courtyard of crates and lamps, recorded on one thread, culled by jobs on others, and written
//! as text: what a machine without a graphics driver can show.
//!
//! ```sh
//! cargo run -p loligo-render --example frame_as_text
//! cargo run -p loligo-render --example frame_as_text -- FRAME.sjson
//! ```
#![forbid(unsafe_code)]

use core::error::Error;
use std::process::ExitCode;
use std::thread;

use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use glam::{Affine3A, Vec3};
use loligo_allocators::{Allocator, PageAllocator};
use loligo_containers::Array;
use loligo_render::{
    DisplayList, FrameDescription, Geometry, ItemSorter, Light, Mesh, Recorded, RenderContext,
    RenderWorld, StateRecorder, Trace, View, play,
};

type Shared<'a> = dyn Allocator + Sync + 'a;

const FRAME: &str = r#"targets = {
    hdr = { format = "rgba16f" }
    depth = { format = "depth32f" }
}
passes = [
    {
        name = "scene"
        color = [ "hdr" ]
        depth = "depth"
        clear = { color = [ 0.1 0.15 0.3 1 ] depth = 1 }
        layers = [
            { name = "opaque" order = "by_state" }
            { name = "glass" order = "back_to_front" }
        ]
    }
    { name = "tonemap" color = [ "window" ] reads = [ "hdr" ] layers = [ { name = "screen" order = "by_state" } ] }
]
"#;

const CRATE: Geometry = Geometry { index_count: 36, first_index: 0, base_vertex: 0 };
const PANE: Geometry = Geometry { index_count: 6, first_index: 36, base_vertex: 24 };

/// The job that brings the scene to the window.
const TONEMAP: u32 = 1;

fn main() -> ExitCode {
    let text = match std::env::args().nth(1) {
        None => Ok(FRAME.to_owned()),
        Some(file) => std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}")),
    };
    match text.map_err(Into::into).and_then(|text| draw(&text)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn draw(text: &str) -> Result<String, Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let memory: &Shared<'_> = &pages;
    let frame = FrameDescription::try_read_in(text.as_bytes(), memory);
    let frame = frame.map_err(|error| error.to_string())?;

    // The main thread: a yard of 20 by 20 crates, and a row of panes.
    let mut recorder = StateRecorder::new_in(0, 1_024, memory);
    for at in 0..410_u16 {
        let is_pane = at >= 400;
        let x = f32::from(at % 20) * 2.0 - 20.0;
        let z = if is_pane { 0.1 * x } else { f32::from(at / 20) * -2.0 };
        recorder.create_mesh(&Mesh {
            transform: Affine3A::from_translation(Vec3::new(x, 0.5, z)).into(),
            sphere: [0.0, 0.0, 0.0, 0.9],
            geometry: if is_pane { PANE } else { CRATE },
            state: if is_pane { 7 } else { u32::from(at / 200) },
            layer: u32::from(is_pane),
            flags: 0,
            details: 0,
        })?;
    }
    recorder.create_light(&Light { position: [0.0, 9.0, 0.0], range: 30.0, ..Light::default() })?;

    // The render thread: two jobs cull and queue.
    let mut world = RenderWorld::new_in(0, 1_024, memory);
    world.try_apply(&recorder.finish())?;
    let view = View::new(
        look_at_mat4(Vec3::new(0.0, 3.0, 8.0), Vec3::new(0.0, 0.0, -10.0), Vec3::Y),
        perspective(0.9, 16.0 / 9.0, 0.1, 30.0),
    );
    let mut contexts = [RenderContext::new_in(memory), RenderContext::new_in(memory)];
    let half = world.mesh_count() / 2;
    let (world, view, frame) = (&world, &view, &frame);
    thread::scope(|scope| {
        for (context, rows) in contexts.iter_mut().zip([0..half, half..world.mesh_count()]) {
            scope.spawn(move || {
                let mut visible = Array::new_in(memory);
                world.try_cull(view, rows, &mut visible).expect("there are pages");
                world.try_draw(&visible, view, frame, context).expect("there are pages");
            });
        }
    });
    if let Some(screen) = frame.layer("screen") {
        contexts[0].try_job(screen.keys().key(0, 0, 0.0), TONEMAP, &1.5_f32.to_le_bytes())?;
    }

    let mut sorter = ItemSorter::new_in(memory);
    let sorted = sorter.try_merge(&contexts)?;
    let mut list: DisplayList<'_, Shared<'_>> = DisplayList::new_in(memory);
    list.try_append(sorted, &contexts)?;
    let mut written = format!("{} of {} meshes are seen\n", list.draws(), world.mesh_count());
    let mut trace = Trace::new(frame, &mut written);
    play(&Recorded { frame, list: &list, contexts: &contexts }, &mut trace)?;
    trace.finish()?;
    Ok(written)
}
