//! A render world compared with plain maps on which the same calls were made.

use std::collections::{HashMap, HashSet, VecDeque};

use glam::camera::rh::proj::directx::perspective;
use loligo_allocators::Allocator;
use loligo_ids::IdString32;
use loligo_render::{
    Geometry, InstanceParameters, Light, MESH_HIDDEN, Mesh, MorphWeight, RecordError, RenderHandle,
    RenderWorld, StateRecorder, StateStream, Transform,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::drawn::check;
use crate::memory::with_memory;

/// The most objects of a world in these tests: few, so that indices come again and again.
pub(crate) const LIMIT: u32 = 12;

/// What is done on the main thread, or by the other side. An object is given by its number among
/// all that were ever created.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    CreateMesh(u32),
    CreateLight(u32),
    Destroy(usize),
    Transform(usize, u32),
    Shape(usize, u32),
    Material(usize, u32),
    Flags(usize, bool),
    Light(usize, u32),
    Parameters(usize, u32),
    Finish,
    Apply,
    Recycle,
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (object, value) = (0..40_usize, 0..1_000_u32);
    let step = prop_oneof![
        4 => value.clone().prop_map(Step::CreateMesh),
        2 => value.clone().prop_map(Step::CreateLight),
        3 => object.clone().prop_map(Step::Destroy),
        2 => (object.clone(), value.clone()).prop_map(|(o, v)| Step::Transform(o, v)),
        1 => (object.clone(), value.clone()).prop_map(|(o, v)| Step::Shape(o, v)),
        1 => (object.clone(), value.clone()).prop_map(|(o, v)| Step::Material(o, v)),
        1 => (object.clone(), any::<bool>()).prop_map(|(o, v)| Step::Flags(o, v)),
        1 => (object.clone(), value).prop_map(|(o, v)| Step::Light(o, v)),
        2 => (object, 0..3_u32).prop_map(|(o, v)| Step::Parameters(o, v)),
        2 => Just(Step::Finish),
        2 => Just(Step::Apply),
        2 => Just(Step::Recycle),
    ];
    prop::collection::vec(step, 0..120)
}

fn transform(value: u32) -> Transform {
    let value = value as f32;
    Transform { rows: [[2.0, 0.0, 0.0, value], [0.0, 1.0, 0.5, 3.0], [0.0, 0.0, 1.0, -value]] }
}

fn shape(value: u32) -> (Geometry, [f32; 4]) {
    let geometry = Geometry { index_count: value, first_index: 2 * value, base_vertex: -7 };
    (geometry, [value as f32, 0.5, 0.0, 1.5])
}

fn mesh(value: u32) -> Mesh {
    let (geometry, sphere) = shape(value);
    Mesh {
        transform: transform(value),
        sphere,
        geometry,
        state: value,
        layer: 1,
        flags: 0,
        details: value,
    }
}

/// A target that objects have weights of.
const TARGET: u32 = 7;

fn parameters(value: u32) -> InstanceParameters {
    InstanceParameters { numbers: [value as f32; 4], ..InstanceParameters::NEUTRAL }
}

fn light(value: u32) -> Light {
    Light { intensity: value as f32, ..Light::default() }
}

/// What the objects should be, by the bits of their handles.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    meshes: HashMap<u32, Mesh>,
    lights: HashMap<u32, Light>,
    parameters: HashMap<u32, u32>,
}

/// Both sides, the model of the main side, and the models of the streams that are on their way.
pub(crate) struct Both<'a> {
    pub(crate) recorder: StateRecorder<'a>,
    pub(crate) world: RenderWorld<'a>,
    pub(crate) handles: Vec<RenderHandle>,
    model: Model,
    sent: VecDeque<(StateStream<'a>, Model)>,
    applied: VecDeque<StateStream<'a>>,
    /// The model of the stream that was applied last.
    there: Model,
    /// Indices whose objects are destroyed in streams that have not come back, by stream.
    waiting: VecDeque<HashSet<u32>>,
}

impl<'a> Both<'a> {
    pub(crate) fn new(memory: &'a dyn Allocator) -> Self {
        Self {
            recorder: StateRecorder::new_in(3, LIMIT, memory),
            world: RenderWorld::new_in(3, LIMIT, memory),
            handles: Vec::new(),
            model: Model::default(),
            sent: VecDeque::new(),
            applied: VecDeque::new(),
            there: Model::default(),
            waiting: VecDeque::from([HashSet::new()]),
        }
    }

    pub(crate) fn step(&mut self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::CreateMesh(value) => {
                let created = self.recorder.create_mesh(&mesh(value));
                if let Some(handle) = self.created(created)? {
                    self.model.meshes.insert(handle, mesh(value));
                }
            }
            Step::CreateLight(value) => {
                let created = self.recorder.create_light(&light(value));
                if let Some(handle) = self.created(created)? {
                    self.model.lights.insert(handle, light(value));
                }
            }
            Step::Destroy(object) => {
                let Some(handle) = self.handle(object) else { return Ok(()) };
                let bits = handle.to_bits();
                let was = self.model.meshes.remove(&bits).is_some()
                    || self.model.lights.remove(&bits).is_some();
                prop_assert_eq!(self.recorder.destroy(handle).is_ok(), was);
                if was {
                    self.waiting.back_mut().expect("the frame's").insert(handle.index());
                }
            }
            Step::Finish => {
                self.sent.push_back((self.recorder.finish(), self.model.clone()));
                self.waiting.push_back(HashSet::new());
            }
            Step::Apply => {
                if let Some((stream, model)) = self.sent.pop_front() {
                    let applied = self.world.try_apply(&stream);
                    prop_assert_eq!(applied, Ok(()));
                    self.applied.push_back(stream);
                    self.there = model;
                    self.compare()?;
                }
            }
            Step::Recycle => {
                if let Some(stream) = self.applied.pop_front() {
                    self.recorder.recycle(stream);
                    self.waiting.pop_front();
                }
            }
            _ => self.set(step)?,
        }
        prop_assert_eq!(self.recorder.validate(), Ok(()));
        let waiting = self.waiting.iter().map(HashSet::len).sum::<usize>();
        prop_assert_eq!(self.recorder.waiting(), waiting);
        prop_assert_eq!(self.recorder.len(), self.model.meshes.len() + self.model.lights.len());
        Ok(())
    }

    fn set(&mut self, step: Step) -> Result<(), TestCaseError> {
        let (Step::Transform(object, _)
        | Step::Shape(object, _)
        | Step::Material(object, _)
        | Step::Flags(object, _)
        | Step::Light(object, _)
        | Step::Parameters(object, _)) = step
        else {
            return Ok(());
        };
        let Some(handle) = self.handle(object) else { return Ok(()) };
        let (model, recorder) = (&mut self.model, &mut self.recorder);
        let mesh = model.meshes.get_mut(&handle.to_bits());
        let (told, was) = match step {
            Step::Transform(_, value) => {
                let was = mesh.map(|mesh| mesh.transform = transform(value));
                (recorder.set_transform(handle, &transform(value)), was)
            }
            Step::Shape(_, value) => {
                let (geometry, sphere) = shape(value);
                let was = mesh.map(|mesh| {
                    (mesh.geometry, mesh.sphere, mesh.details) = (geometry, sphere, value)
                });
                (recorder.set_shape(handle, geometry, sphere, value), was)
            }
            Step::Material(_, value) => {
                let was = mesh.map(|mesh| (mesh.state, mesh.layer) = (value, 2));
                (recorder.set_material(handle, value, 2), was)
            }
            Step::Flags(_, hidden) => {
                let flags = u32::from(hidden) * MESH_HIDDEN;
                (recorder.set_flags(handle, flags), mesh.map(|mesh| mesh.flags = flags))
            }
            Step::Light(_, value) => {
                let was = model.lights.get_mut(&handle.to_bits());
                let was = was.map(|was| *was = light(value));
                (recorder.set_light(handle, &light(value)), was)
            }
            Step::Parameters(_, value) => {
                let bits = handle.to_bits();
                let was = mesh.map(|_| {
                    model.parameters.insert(bits, value);
                });
                let weight = MorphWeight { target: TARGET, weight: value as f32 };
                let told = recorder.set_parameters(handle, &parameters(value));
                (told.and_then(|()| recorder.set_weight(handle, weight)), was)
            }
            _ => return Ok(()),
        };
        let handle = handle.to_bits();
        prop_assert_eq!(told.err(), was.is_none().then_some(RecordError::NoObject { handle }));
        Ok(())
    }

    /// Checks a new handle: it never was before, and the other side is done with its index.
    fn created(
        &mut self,
        created: Result<RenderHandle, RecordError>,
    ) -> Result<Option<u32>, TestCaseError> {
        let Ok(handle) = created else {
            let taken = self.recorder.len() + self.recorder.waiting();
            prop_assert_eq!(taken, LIMIT as usize, "{:?}", created);
            return Ok(None);
        };
        prop_assert!(!self.handles.contains(&handle), "{handle:?} comes again");
        let waits = self.waiting.iter().any(|waiting| waiting.contains(&handle.index()));
        prop_assert!(!waits, "the index of {handle:?} is not free yet");
        self.handles.push(handle);
        Ok(Some(handle.to_bits()))
    }

    fn handle(&self, object: usize) -> Option<RenderHandle> {
        self.handles.get(object).copied()
    }

    /// Compares the world with what it should be.
    fn compare(&self) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.world.validate(), Ok(()));
        prop_assert_eq!(self.world.mesh_count(), self.there.meshes.len());
        prop_assert_eq!(self.world.lights().len(), self.there.lights.len());
        for handle in &self.handles {
            let bits = handle.to_bits();
            prop_assert_eq!(self.world.mesh(*handle), self.there.meshes.get(&bits).copied());
            prop_assert_eq!(self.world.light(*handle), self.there.lights.get(&bits).copied());
            if let Some(row) = self.world.mesh_row(*handle) {
                let value = self.there.parameters.get(&bits).copied().unwrap_or_default();
                prop_assert_eq!(self.world.parameters_at(row), parameters(value));
                let weight = self.world.weights_at(row).get(IdString32::from_hash(TARGET));
                let set = self.there.parameters.get(&bits);
                prop_assert_eq!(weight, set.map(|value| *value as f32), "a weight is its own");
                prop_assert_eq!(self.world.mesh_at(row), Some(*handle));
                prop_assert_eq!(self.world.transforms()[row], self.there.meshes[&bits].transform);
            }
        }
        Ok(())
    }
}

#[test]
fn a_world_becomes_what_was_done_on_the_other_side() {
    check(&steps(), |steps| {
        with_memory(|memory, _| {
            let mut both = Both::new(memory);
            for step in steps {
                both.step(step)?;
            }
            for _ in 0..both.sent.len() {
                both.step(Step::Apply)?;
            }
            both.step(Step::Finish)?;
            both.step(Step::Apply)?;
            prop_assert_eq!(&both.there, &both.model);
            Ok(())
        })
    });
}

#[test]
fn hidden_meshes_are_not_seen_and_draws_carry_rows() {
    with_memory(|memory, _| {
        let mut recorder: StateRecorder = StateRecorder::new_in(0, 9, memory);
        let mut world: RenderWorld = RenderWorld::new_in(0, 9, memory);
        let text = r#"passes = [ { name = "p" color = [ "window" ] layers = [ { name = "l" order = "by_state" } ] } ]"#;
        let frame: loligo_render::FrameDescription =
            loligo_render::FrameDescription::try_read_in(text.as_bytes(), memory).expect("right");
        let place = |z| Transform {
            rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, z]],
        };
        let mesh = |z, layer| Mesh {
            transform: place(z),
            sphere: [0.0, 0.0, 0.0, 1.0],
            layer,
            state: 4,
            ..Mesh::default()
        };
        let all = [mesh(-5.0, 0), mesh(-6.0, 0), mesh(5.0, 0), mesh(-7.0, 1)]
            .map(|mesh| recorder.create_mesh(&mesh).expect("there is room"));
        recorder.set_flags(all[0], MESH_HIDDEN).expect("it is alive");
        let refused = recorder.set_flags(all[0], 6).expect_err("there are no such flags");
        assert_eq!(
            refused.to_string(),
            "the flags 0x6 have bits that mean nothing; use MESH_HIDDEN or 0"
        );
        world.try_apply(&recorder.finish()).expect("it is whole");
        let view = loligo_render::View::new(glam::Mat4::IDENTITY, perspective(1.0, 1.0, 0.1, 50.0));
        let mut rows: loligo_containers::Array<u32> = loligo_containers::Array::new_in(memory);
        world.try_cull(&view, 0..world.mesh_count(), &mut rows).expect("memory");
        assert_eq!(rows, [1, 3], "one is hidden and one is behind");
        let mut context: loligo_render::RenderContext =
            loligo_render::RenderContext::new_in(memory);
        world.try_draw(&rows, &view, &frame, &mut context).expect("memory");
        let draws: Vec<_> = context.packages().collect();
        let key = frame.layers().next().expect("there is one").keys().key(4, 0, 6.0);
        assert_eq!(draws.len(), 1, "there is no layer 1: {draws:?}");
        assert_eq!(draws[0].0, key);
        assert!(
            matches!(draws[0].1, loligo_render::Package::Draw(draw) if draw.args.first_instance == 1),
            "{draws:?}"
        );
    });
}
