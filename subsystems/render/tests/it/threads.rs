//! Two threads and their streams, and jobs that fill contexts and make lists at the same time.

use std::sync::mpsc::channel;
use std::thread;

use glam::Vec3;
use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_at_mat4;
use loligo_allocators::{Allocator, PageAllocator};
use loligo_containers::Array;
use loligo_render::{
    DisplayList, FrameDescription, IndirectArgs, ItemSorter, Mesh, RenderContext, RenderHandle,
    RenderWorld, StateRecorder, StateStream, Transform, View,
};

use crate::frame_text::FRAME;

type Shared<'a> = dyn Allocator + Sync + 'a;

/// Draws a world with the given number of jobs; returns the records of the frame.
fn drawn(
    world: &RenderWorld<'_, Shared<'_>>,
    jobs: usize,
    pages: &PageAllocator,
) -> Vec<IndirectArgs> {
    let memory: &Shared<'_> = pages;
    let frame = FrameDescription::try_read_in(FRAME.as_bytes(), memory).expect("it is right");
    let view = View::new(
        look_at_mat4(Vec3::new(0.0, 30.0, 90.0), Vec3::ZERO, Vec3::Y),
        perspective(1.0, 1.5, 0.5, 200.0),
    );
    let share = world.mesh_count().div_ceil(jobs);
    let mut contexts: Vec<RenderContext<'_, Shared<'_>>> =
        (0..jobs).map(|_| RenderContext::new_in(memory)).collect();
    thread::scope(|scope| {
        for (job, context) in contexts.iter_mut().enumerate() {
            let (view, frame) = (&view, &frame);
            scope.spawn(move || {
                let mut visible: Array<u32, Shared<'_>> = Array::new_in(memory);
                let range = job * share..((job + 1) * share).min(world.mesh_count());
                world.try_cull(view, range, &mut visible).expect("there is memory");
                world.try_draw(&visible, view, frame, context).expect("there is memory");
            });
        }
    });
    let mut sorter = ItemSorter::new_in(memory);
    let sorted = sorter.try_merge(&contexts).expect("there is memory");
    let mut parts: Vec<DisplayList<'_, Shared<'_>>> =
        (0..jobs).map(|_| DisplayList::new_in(memory)).collect();
    thread::scope(|scope| {
        let ranges = sorted.chunks(sorted.len().div_ceil(jobs).max(1));
        for (part, items) in parts.iter_mut().zip(ranges) {
            let contexts = &contexts;
            scope.spawn(move || part.try_append(items, contexts).expect("there is memory"));
        }
    });
    let mut list = DisplayList::new_in(memory);
    parts.iter().for_each(|part| list.try_append_list(part).expect("there is memory"));
    list.validate().expect("it is whole");
    list.args().to_vec()
}

fn record(
    recorder: &mut StateRecorder<'_, Shared<'_>>,
    meshes: &mut Vec<RenderHandle>,
    frame: u32,
) {
    let mesh = |at: u32| Mesh {
        transform: Transform {
            rows: [
                [1.0, 0.0, 0.0, (at % 40) as f32 - 20.0],
                [0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, 1.0, (at / 40) as f32],
            ],
        },
        sphere: [0.0, 0.0, 0.0, 1.0],
        state: at % 3,
        layer: 1,
        ..Mesh::default()
    };
    for at in 0..100 {
        meshes.push(recorder.create_mesh(&mesh(frame * 100 + at)).expect("there is room"));
    }
    if frame > 4 {
        for handle in meshes.drain(..50) {
            recorder.destroy(handle).expect("it is alive");
        }
    }
}

#[test]
fn streams_go_from_thread_to_thread_and_any_number_of_jobs_draws_the_same() {
    let pages = PageAllocator::new("pages");
    {
        let memory: &Shared<'_> = &pages;
        let (send, receive) = channel::<StateStream<'_, Shared<'_>>>();
        let (done, back) = channel();
        let mut recorder = StateRecorder::new_in(0, 4_096, memory);
        let mut world = RenderWorld::new_in(0, 4_096, memory);
        let pages = &pages;
        let world = thread::scope(|scope| {
            let renders = scope.spawn(move || {
                for stream in receive {
                    world.try_apply(&stream).expect("it is the next one");
                    world.validate().expect("it is whole");
                    let [one, four] = [1, 4].map(|jobs| drawn(&world, jobs, pages));
                    assert!(!one.is_empty(), "something is seen");
                    assert_eq!(one, four, "by one job and by four");
                    done.send(stream).expect("the main thread listens");
                }
                world
            });
            let mut meshes = Vec::new();
            for frame in 0..12 {
                record(&mut recorder, &mut meshes, frame);
                send.send(recorder.finish()).expect("the render thread listens");
                // One frame ahead at most.
                if frame > 0 {
                    recorder.recycle(back.recv().expect("it comes back"));
                }
            }
            drop(send);
            let world = renders.join().expect("it ended well");
            recorder.recycle(back.recv().expect("the last one comes back"));
            assert_eq!(world.mesh_count(), meshes.len());
            assert!(meshes.iter().all(|handle| world.mesh(*handle).is_some()), "all are there");
            world
        });
        assert_eq!((recorder.waiting(), recorder.len()), (0, world.mesh_count()));
    }
    assert_eq!(pages.stats().live, 0, "blocks were never given back");
}
