//! What subsystems of games draw: triangles, meshes, and work of kinds that they bring.

use bytemuck::{AnyBitPattern, NoUninit};
use glam::{Affine3A, Vec3};
use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, Event, EventReader, EventStream};
use loligo_engine::{BackEndChoice, DisabledSubsystems, Engine, EngineOptions, with_engine};
use loligo_gpu::{
    Blend, CardJob, DepthUse, Gpu, GpuError, JobPass, Pipeline, PipelineDescription, Shader,
};
use loligo_ids::{id32, id64};
use loligo_interface::{
    Drawer, Drawing, DrawnVertex, Frame, JobRow, MadeDrawer, MadeJob, MadeSubsystem, Phase,
    Subsystem, SubsystemError, SubsystemMemory, SubsystemRow, Viewpoint,
};

use crate::support::Game;

/// A flag is at a place from now on.
#[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct Planted {
    at: [f32; 3],
}

/// Plants a flag in each frame.
struct Flags<'m> {
    messages: EventStream<'m, SubsystemMemory<'m>>,
}

impl<'m> Subsystem<'m> for Flags<'m> {
    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        if phase == Phase::Pose {
            self.messages.try_push(Planted { at: [frame.number as f32, 1.0, 0.0] })?;
        }
        Ok(())
    }

    fn drawn(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(&mut self.messages)
    }
}

/// Draws what was planted.
struct FlagDrawer<'m> {
    places: Array<'m, Vec3, SubsystemMemory<'m>>,
    cloths: Array<'m, DrawnVertex, SubsystemMemory<'m>>,
}

impl Drawer for FlagDrawer<'_> {
    fn read(&mut self, messages: EventReader<'_>) -> Result<(), SubsystemError> {
        for planted in messages.of::<Planted>() {
            self.places.try_push(planted.at.into())?;
        }
        if self.places.len() == 3 {
            return Err(SubsystemError::Wrong {
                what: "three is a crowd",
                remedy: "plant no more",
            });
        }
        Ok(())
    }

    fn draw(&mut self, view: &Viewpoint, to: &mut dyn Drawing) -> Result<(), SubsystemError> {
        let pixels = if view.is_sun { [512, 512] } else { [640, 360] };
        assert_eq!((view.pixels, view.number), (pixels, view.is_sun.into()), "two views");
        self.cloths.clear();
        for place in &self.places {
            assert!(view.is_sun || view.sees(*place, 0.5), "the camera looks there");
            for corner in [Vec3::ZERO, Vec3::X, Vec3::Y] {
                let position = (*place + corner).to_array();
                self.cloths.try_push(DrawnVertex { position, ..DrawnVertex::default() })?;
            }
        }
        to.triangles(id64!("stone"), Vec3::ZERO, &self.cloths)?;
        to.triangles(id64!("no_such_material"), Vec3::ZERO, &self.cloths)?;
        let poles = self.places.iter().map(|place| Affine3A::from_translation(*place));
        let poles: Vec<Affine3A> = poles.collect();
        to.meshes(id64!("box"), id64!("stone"), &poles)?;
        to.meshes(id64!("no_such_mesh"), id64!("stone"), &poles)?;
        to.job(id64!("sky"), Vec3::ZERO, id32!("wave"), &[7, 8])?;
        to.job(id64!("no_such_layer"), Vec3::ZERO, id32!("wave"), &[9])
    }
}

fn make(memory: SharedRef<'_>) -> Result<MadeSubsystem<'_>, SubsystemError> {
    let flags = Own::new_in(Flags { messages: EventStream::new_in(memory) }, memory)?;
    Ok(own_dyn!(flags => dyn Subsystem<'_> + '_))
}

fn make_drawer(memory: SharedRef<'_>) -> Result<MadeDrawer<'_>, SubsystemError> {
    let drawer = FlagDrawer { places: Array::new_in(memory), cloths: Array::new_in(memory) };
    Ok(own_dyn!(Own::new_in(drawer, memory)? => dyn Drawer + '_))
}

const ROW: SubsystemRow = SubsystemRow::new("flags", make).with_drawer(make_drawer);

/// Returns the lines of a text from the one that has `from` on.
fn after<'t>(text: &'t str, from: &str) -> Vec<&'t str> {
    text.lines().skip_while(|line| !line.contains(from)).collect()
}

#[test]
fn a_subsystem_draws_what_it_sends_to_its_drawer() {
    let game = Game::new(2);
    let data = game.data();
    let runs = [1, 5].map(|threads| {
        let options =
            EngineOptions { threads: Some(threads), subsystems: &[ROW], ..game.options(&data) };
        with_engine(&options, |engine| {
            let texts = (0..4).map(|_| {
                engine.want_text();
                engine.frame(&mut ()).expect("a frame");
                engine.finish().expect("it is drawn");
                engine.text().to_owned()
            });
            let texts: Vec<_> = texts.collect();
            let memory = engine.memory().subsystem("flags").expect("it is in the list");
            assert!(memory.stats().live > 0, "the drawer has its memory from there");
            texts
        })
        .expect("it boots")
    });
    assert_eq!(runs[0], runs[1], "with five threads");
    // Six boxes of the level; the first flag is the next instance.
    let first = after(&runs[0][0], "layer 1 opaque");
    assert!(first.iter().any(|line| line.contains("instances 0..7")), "{first:#?}");
    let triangles = format!("job {:#010x}, 100 bytes", id32!("triangles").hash());
    assert!(first.iter().any(|line| line.contains(&triangles)), "{first:#?}");
    let sky = after(&runs[0][0], "layer 2 sky");
    let wave = format!("job {:#010x}, 2 bytes: 07 08", id32!("wave").hash());
    assert!(sky.iter().any(|line| line.contains(&wave)), "{sky:#?}");
    let shadow = after(&runs[0][0], "layer 0 shadow");
    assert!(shadow.iter().any(|line| line.contains(&triangles)), "it throws one: {shadow:#?}");
    let fourth = after(&runs[0][3], "layer 1 opaque");
    assert!(fourth.iter().any(|line| line.contains("instances 0..10")), "{fourth:#?}");
    assert!(fourth.iter().any(|line| line.contains(", 388 bytes")), "{fourth:#?}");
    assert_ne!(contents(&runs[0][2]), contents(&runs[0][3]), "what is drawn once is in the hash");
    let log = game.log.all();
    let said = log
        .iter()
        .filter(|line| line.contains("subsystem `flags`: three is a crowd; plant no more"));
    assert_eq!(said.count(), 2, "once a run: {log:#?}");
}

fn contents(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains("contents")).collect()
}

#[test]
fn what_nobody_draws_is_dropped() {
    let game = Game::new(2);
    let data = game.data();
    let mut without = DisabledSubsystems::default();
    without.add("render").expect("it is a subsystem");
    let options = EngineOptions { without, subsystems: &[ROW], ..game.options(&data) };
    with_engine(&options, |engine| {
        let live = |engine: &mut Engine<'_, '_>| {
            engine.frame(&mut ()).expect("a frame");
            engine.memory().subsystem("flags").expect("it is in the list").stats().live
        };
        let first = live(engine);
        assert!((0..100).all(|_| live(engine) == first), "nothing grows");
    })
    .expect("it boots");
}

/// Fills the picture with a color, from the left to the column of its data.
struct Wave {
    shader: Shader,
    pipelines: Vec<(u8, Pipeline)>,
    prepared: usize,
}

const SHADER: &str = "
@vertex fn vs_main(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2(f32((number << 1u) & 2u), f32(number & 2u)) * 2.0 - 1.0;
    return vec4(corner, 1.0, 1.0);
}
@fragment fn fs_main() -> @location(0) vec4<f32> { return vec4(0.0, 1.0, 0.0, 1.0); }
";

const FULL_SCREEN: &str = "
@vertex fn vs_full_screen(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2(f32((number << 1u) & 2u), f32(number & 2u)) * 2.0 - 1.0;
    return vec4(corner, 1.0, 1.0);
}
";

impl CardJob for Wave {
    fn prepare(&mut self, _: &Gpu, data: &[u8]) -> Result<(), GpuError> {
        self.prepared += data.len();
        Ok(())
    }

    fn play(&mut self, job: JobPass<'_>) -> Result<(), GpuError> {
        assert!(self.prepared >= 2, "it was made ready");
        assert_eq!(job.data, [7, 8], "what the drawer gave");
        if self.pipelines.iter().all(|(layer, _)| *layer != job.layer) {
            let depth = DepthUse { is_written: false, bias: 0 };
            let pipeline = job.gpu.try_pipeline(&PipelineDescription {
                shader: &self.shader,
                vertex_entry: "vs_main",
                pixel_entry: Some("fs_main"),
                vertices: None,
                culls_backs: false,
                groups: &[job.frame_layout],
                colors: job.colors,
                samples: job.samples,
                blend: Blend::Replace,
                depth: job.has_depth.then_some(depth),
            })?;
            self.pipelines.push((job.layer, pipeline));
        }
        let (_, pipeline) = &self.pipelines[0];
        job.pass.set_pipeline(pipeline);
        job.pass.set_group(0, job.frame);
        job.pass.draw(3);
        Ok(())
    }
}

fn make_wave<'m>(gpu: &Gpu, memory: SharedRef<'m>) -> Result<MadeJob<'m>, SubsystemError> {
    let wrong = SubsystemError::Wrong { what: "the shader is wrong", remedy: "correct it" };
    let shader = gpu.try_shader("wave", SHADER).map_err(|_| wrong)?;
    let wave = Own::new_in(Wave { shader, pipelines: Vec::new(), prepared: 0 }, memory)?;
    Ok(own_dyn!(wave => dyn CardJob + 'm))
}

#[test]
fn work_of_a_kind_that_a_subsystem_brings_is_done_by_the_card() {
    const WITH_JOBS: SubsystemRow = ROW.with_jobs(&[JobRow::new("wave", make_wave)]);
    let game = Game::new(1);
    let plain = std::fs::read_to_string(game.sources().join("plain.shader")).expect("written");
    // In place of the screen's vertices, which its sky has none of.
    game.write("plain.shader", &format!("{plain}{FULL_SCREEN}"));
    assert_eq!(game.compile(), [""; 0], "it is right");
    let data = game.data();
    for (row, is_known) in [(WITH_JOBS, true), (ROW, false)] {
        let options = EngineOptions {
            back_end: BackEndChoice::Auto,
            subsystems: &[row],
            ..game.options(&data)
        };
        with_engine(&options, |engine| {
            engine.want_picture();
            let drawn = engine.frame(&mut ()).and_then(|()| engine.finish());
            if game.log.all().iter().any(|line| line.contains("drawn by nobody")) {
                return println!("there is no driver: {:?}", game.log.all());
            }
            if !is_known {
                let log = game.log.all();
                assert!(drawn.is_err(), "nobody knows the kind");
                let kind = format!("{:#010x}", id32!("wave").hash());
                assert!(log.iter().any(|line| line.contains(&kind)), "{kind}: {log:#?}");
                return;
            }
            drawn.unwrap_or_else(|error| panic!("{error}: {:#?}", game.log.all()));
            let picture = engine.picture();
            let green = picture.chunks_exact(4).filter(|pixel| pixel[..3] == [0, 255, 0]).count();
            assert!(green > 640 * 360 / 2, "the sky is green: {green} pixels");
        })
        .expect("it boots");
    }
}
