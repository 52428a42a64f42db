//! Ten thousand draws of a frame on their way to the graphics card: by our renderer, by the same
//! calls of wgpu, and by wgpu with a call for each draw.

use core::fmt;

use loligo_gpu::{AdapterChoice, Gpu, GpuOptions};
use loligo_render::gpu::{FrameData, GpuRenderer, MaterialData, SeenView};
use loligo_render::{
    Command, DisplayList, Draw, FrameDescription, IndirectArgs, ItemSorter, Recorded,
    RenderContext, Transform,
};

use crate::clock;
use crate::memory::{HEAP, Heap};
use crate::outcome::Reading;
use crate::random::Random;
use crate::work::draws::raw::{Calls, Raw};

mod raw;

/// The draws of a frame.
pub(crate) const DRAWS: u32 = 10_000;

/// Their states.
const STATES: u32 = 200;

/// Figures, and the rounds that each is made of.
///
/// A figure is the difference of two times that are several times as large. What disturbs a round
/// only adds to it: of each time the least of a figure's rounds is taken, and then the difference.
const FIGURES: u32 = 25;
const ROUNDS: u32 = 60;

/// In one round of many a call for each draw is measured as well, which only the note has.
const EACH: u32 = 10;

/// Rounds that warm up.
const WARM_UP: u32 = 5;

/// Pixels on a side of what is drawn into: what a driver does with them is not measured.
const SIDE: u32 = 16;

/// What the calls of wgpu end in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    /// Nothing: wgpu checks and records them, and no driver is called.
    Noop,
    /// The driver of the machine, if it has one.
    Fast,
}

/// How draws come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// By state: those of equal state are one call.
    Folded,
    /// From back to front, so that neighbours differ in state and nothing is folded.
    Unfolded,
}

/// Everything of a draw but what is in its records: it is as small as can be, and seen nowhere.
const SHADER: &str = "
struct Frame { view_projection: mat4x4<f32> }
struct Instance { x: vec4<f32>, y: vec4<f32>, z: vec4<f32> }
struct Light { place: vec4<f32>, color: vec4<f32> }
struct Material { base_color: vec4<f32>, surface: vec4<f32>, extra: vec4<f32> }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(0) @binding(2) var<storage, read> lights: array<Light>;
@group(1) @binding(0) var<uniform> material: Material;
@vertex fn vs_main(@location(0) at: vec3<f32>, @builtin(instance_index) number: u32) -> @builtin(position) vec4<f32> {
    return vec4(2.0 + abs(at.x) + abs(instances[number].x.x), 2.0, 0.5, 1.0);
}
@fragment fn fs_main() -> @location(0) vec4<f32> { return material.base_color; }
";

/// A triangle: position, normal and texture coordinates of each corner.
const CORNERS: [[f32; 8]; 3] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0],
];

/// Measures the time per draw that our renderer adds to the same calls of wgpu.
///
/// No driver is called for the figures: its time is some ten times ours, it draws on other threads
/// meanwhile, and our figure would be what is left of the difference. The note has the times with
/// the machine's driver, too.
pub(crate) fn beyond_wgpu(order: Order) -> Reading {
    let Some(times) = all_times(order, Driver::Noop, FIGURES) else {
        return Reading::Unmeasured("no device, not even one that draws nothing".into());
    };
    let figures = times.ours.iter().zip(&times.same).map(|(ours, same)| ours - same).collect();
    let mut note = format!("a draw without a driver: {times}; {} calls", times.calls);
    if let Some(times) = all_times(order, Driver::Fast, 3) {
        note += &format!("; with this machine's: {times}");
    }
    Reading::Alone { figures, note: Some(note) }
}

/// The nanoseconds of a draw, a figure after the other.
#[derive(Default)]
struct Times {
    ours: Vec<f64>,
    /// wgpu with the same calls.
    same: Vec<f64>,
    /// wgpu with a call for each draw.
    each: Vec<f64>,
    calls: usize,
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ours, same, each] = [&self.ours, &self.same, &self.each].map(|times| median(times));
        write!(f, "ours {ours:.1}, wgpu {same:.1}, a call each {each:.1} ns")
    }
}

/// Measures all three; `None` if there is no such device.
fn all_times(order: Order, driver: Driver, figures: u32) -> Option<Times> {
    let adapter = match driver {
        Driver::Noop => AdapterChoice::Noop,
        Driver::Fast => AdapterChoice::Fast,
    };
    let gpu = Gpu::try_new(&GpuOptions { adapter, ..GpuOptions::default() }).ok()?;
    let mut ours = Ours::new(gpu, order);
    let raw = Raw::new(driver, &ours.recorded_calls())?;
    for _ in 0..WARM_UP {
        ours.pass();
        raw.pass(Calls::Same);
    }
    let mut times = Times { calls: ours.calls(), ..Times::default() };
    for _ in 0..figures {
        let mut least = [u64::MAX; 3];
        let mut note = |which: usize, ns: u64| least[which] = ns.min(least[which]);
        for round in 0..ROUNDS {
            // The order changes with the rounds.
            if round % 2 == 0 {
                note(0, ours.pass());
                note(1, raw.pass(Calls::Same));
            } else {
                note(1, raw.pass(Calls::Same));
                note(0, ours.pass());
            }
            if round % EACH == 0 {
                note(2, raw.pass(Calls::OneEach));
            }
        }
        let [ours, same, each] = least.map(|ns| ns as f64 / f64::from(DRAWS));
        times.ours.push(ours);
        times.same.push(same);
        times.each.push(each);
    }
    Some(times)
}

fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The calls of wgpu that a renderer recorded.
pub(crate) struct RecordedCalls {
    /// The state, the first record and how many of each call.
    pub(crate) calls: Vec<[u32; 3]>,
    pub(crate) records: Vec<u8>,
}

/// Our renderer, and a frame for it.
struct Ours {
    renderer: GpuRenderer<'static, Heap>,
    frame: FrameDescription<'static, Heap>,
    list: DisplayList<'static, Heap>,
    contexts: [RenderContext<'static, Heap>; 1],
    transforms: Vec<Transform>,
}

impl Ours {
    fn new(gpu: Gpu, order: Order) -> Self {
        let name = match order {
            Order::Folded => "by_state",
            Order::Unfolded => "back_to_front",
        };
        let text = format!(
            "passes = [ {{ name = \"main\" color = [ \"window\" ] clear = {{ color = [ 0 0 0 1 ] }} \
             layers = [ {{ name = \"all\" order = \"{name}\" }} ] }} ]"
        );
        let Ok(frame) = FrameDescription::try_read_in(text.as_bytes(), &HEAP) else {
            unreachable!("the description is right")
        };
        let mut renderer = GpuRenderer::try_new_in(gpu, &Default::default(), &HEAP).expect("room");
        renderer.try_set_frame(&frame, [SIDE; 2]).expect("small targets");
        renderer.try_set_shader(0, "draw.shader", SHADER).expect("it is right");
        for state in 0..STATES {
            renderer.try_set_material(state, &MaterialData::default()).expect("a small one");
        }
        let corners = CORNERS.as_flattened();
        let corners: &[u8] = bytemuck::cast_slice(corners);
        let geometry = renderer.try_set_mesh(0, corners, &[0, 1, 2]).expect("a small one");
        let mut random = Random::new(23);
        let keys = frame.layer("all").expect("it has one").keys();
        let mut context = RenderContext::new_in(&HEAP);
        for number in 0..DRAWS {
            let (state, depth) = (random.below(STATES), 1.0 + random.below(100_000) as f32 * 0.01);
            let args = IndirectArgs::new(geometry, number, 1);
            let draw = Draw { state, args };
            context.try_draw(keys.key(state, 0, depth), draw).expect("there is memory");
        }
        let contexts = [context];
        let mut sorter = ItemSorter::new_in(&HEAP);
        let mut list = DisplayList::new_in(&HEAP);
        let sorted = sorter.try_merge(&contexts).expect("there is memory");
        list.try_append(sorted, &contexts).expect("there is memory");
        let transforms = vec![glam::Affine3A::IDENTITY.into(); DRAWS as usize];
        Self { renderer, frame, list, contexts, transforms }
    }

    fn recorded_calls(&self) -> RecordedCalls {
        let calls = self.list.commands().iter().filter_map(|command| match command {
            Command::Draws { state, first, count } => Some([*state, *first, *count]),
            _ => None,
        });
        let records = bytemuck::cast_slice(self.list.args()).to_vec();
        RecordedCalls { calls: calls.collect(), records }
    }

    fn calls(&self) -> usize {
        self.recorded_calls().calls.len()
    }

    /// Draws the frame, and waits outside of the clock until the card is done.
    fn pass(&mut self) -> u64 {
        let Self { renderer, frame, list, contexts, transforms } = self;
        let ns = clock::time(|| {
            let recorded = Recorded { frame, list, contexts };
            renderer
                .try_draw(&[SeenView::new(FrameData::default())], [transforms, &[]], &recorded)
                .expect("drawn");
        });
        renderer.try_wait().expect("the card answers");
        ns
    }
}
