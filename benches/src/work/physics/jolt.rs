//! The steps of a pile by Jolt, through its C interface.

use core::ffi::{c_uint, c_void};
use core::hint::black_box;
use core::ptr;
use std::sync::Once;

use glam::Vec3;
use joltc_sys::*;
use loligo_physics::WorldSettings;

use super::scene::{BOXES, DENSITY, FRICTION, HALF, STEPS, STEPS_BEFORE, place};
use crate::clock;
use crate::contender::{Contender, Pass};

/// What does not move, and what does: layers of objects, and of the broad phase.
const FIXED: JPC_ObjectLayer = 0;
const MOVING: JPC_ObjectLayer = 1;

/// The most pairs of bodies and contacts, so that none is left out.
const PAIRS_MAX: c_uint = 1 << 16;
const CONTACTS_MAX: c_uint = 20_480;

/// Bytes for what lasts a step.
const STEP_BYTES: c_uint = 64 << 20;

// The package names none of the libraries of C++.
#[link(name = "stdc++")]
unsafe extern "C" {}

/// Returns the time of a step of Jolt, on this thread.
pub(crate) fn jolt_steps() -> Contender {
    Contender::new("Jolt 5.0", || {
        let mut pile = Pile::new();
        (0..STEPS_BEFORE).for_each(|_| pile.step());
        let ns = clock::time(|| (0..STEPS).for_each(|_| pile.step()));
        black_box(&pile);
        Pass { ns, operations: STEPS }
    })
}

/// A world, and all that it needs as long as it is there.
struct Pile {
    system: *mut JPC_PhysicsSystem,
    layers: *mut JPC_BroadPhaseLayerInterface,
    wide_filter: *mut JPC_ObjectVsBroadPhaseLayerFilter,
    filter: *mut JPC_ObjectLayerPairFilter,
    memory: *mut JPC_TempAllocatorImpl,
    jobs: *mut JPC_JobSystemThreadPool,
}

impl Pile {
    fn new() -> Self {
        static BEGUN: Once = Once::new();
        // SAFETY: once, before anything else of Jolt, in this order, as its guide has it.
        BEGUN.call_once(|| unsafe {
            JPC_RegisterDefaultAllocator();
            JPC_FactoryInit();
            JPC_RegisterTypes();
        });
        // SAFETY: Jolt has begun. The functions take no state, so what they are called with may be null,
        // and what is made here is given back in `drop`. No thread but this one works.
        let pile = unsafe {
            Self {
                system: JPC_PhysicsSystem_new(),
                layers: JPC_BroadPhaseLayerInterface_new(ptr::null(), LAYERS),
                wide_filter: JPC_ObjectVsBroadPhaseLayerFilter_new(ptr::null(), WIDE_FILTER),
                filter: JPC_ObjectLayerPairFilter_new(ptr::null(), FILTER),
                memory: JPC_TempAllocatorImpl_new(STEP_BYTES),
                jobs: JPC_JobSystemThreadPool_new3(
                    JPC_MAX_PHYSICS_JOBS as c_uint,
                    JPC_MAX_PHYSICS_BARRIERS as c_uint,
                    0,
                ),
            }
        };
        let bodies = BOXES as c_uint + 1;
        // SAFETY: all of these were made above and are there as long as the system is.
        unsafe {
            JPC_PhysicsSystem_Init(
                pile.system,
                bodies,
                0,
                PAIRS_MAX,
                CONTACTS_MAX,
                pile.layers,
                pile.wide_filter,
                pile.filter,
            );
        }
        pile.add(shape(Vec3::new(50.0, 0.5, 50.0)), Vec3::new(0.0, -0.5, 0.0), FIXED);
        let cube = shape(Vec3::splat(HALF));
        (0..BOXES).for_each(|at| pile.add(cube, place(at), MOVING));
        pile
    }

    fn add(&self, shape: *mut JPC_Shape, at: Vec3, layer: JPC_ObjectLayer) {
        let (motion, activation) = match layer {
            MOVING => (JPC_MOTION_TYPE_DYNAMIC, JPC_ACTIVATION_ACTIVATE),
            _ => (JPC_MOTION_TYPE_STATIC, JPC_ACTIVATION_DONT_ACTIVATE),
        };
        let settings = JPC_BodyCreationSettings {
            Position: JPC_RVec3 { x: at.x, y: at.y, z: at.z, _w: at.z },
            MotionType: motion,
            ObjectLayer: layer,
            Shape: shape,
            Friction: FRICTION,
            AllowSleeping: false,
            ..JPC_BodyCreationSettings::default()
        };
        // SAFETY: the system has room for all bodies, so it makes one; the shape is one.
        unsafe {
            let bodies = JPC_PhysicsSystem_GetBodyInterface(self.system);
            let body = JPC_BodyInterface_CreateBody(bodies, &raw const settings);
            assert!(!body.is_null(), "there is room for all bodies");
            JPC_BodyInterface_AddBody(bodies, JPC_Body_GetID(body), activation);
        }
    }

    fn step(&mut self) {
        let seconds = WorldSettings::default().step_seconds;
        // SAFETY: all three are there, and nobody else uses them.
        unsafe { JPC_PhysicsSystem_Update(self.system, seconds, 1, self.memory, self.jobs) };
    }
}

impl Drop for Pile {
    fn drop(&mut self) {
        // SAFETY: the system goes first, and then what it was made with.
        unsafe {
            JPC_PhysicsSystem_delete(self.system);
            JPC_BroadPhaseLayerInterface_delete(self.layers);
            JPC_ObjectVsBroadPhaseLayerFilter_delete(self.wide_filter);
            JPC_ObjectLayerPairFilter_delete(self.filter);
            JPC_JobSystemThreadPool_delete(self.jobs);
            JPC_TempAllocatorImpl_delete(self.memory);
        }
    }
}

/// Returns a box; bodies keep it.
fn shape(half: Vec3) -> *mut JPC_Shape {
    let settings = JPC_BoxShapeSettings {
        HalfExtent: JPC_Vec3 { x: half.x, y: half.y, z: half.z, _w: half.z },
        Density: DENSITY,
        ..JPC_BoxShapeSettings::default()
    };
    let (mut shape, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: both places are written to, or only the one that says what is wrong.
    let is_made =
        unsafe { JPC_BoxShapeSettings_Create(&raw const settings, &mut shape, &mut error) };
    assert!(is_made, "a box is right");
    shape
}

const LAYERS: JPC_BroadPhaseLayerInterfaceFns = JPC_BroadPhaseLayerInterfaceFns {
    GetNumBroadPhaseLayers: Some(layer_count),
    GetBroadPhaseLayer: Some(layer_of),
};

const WIDE_FILTER: JPC_ObjectVsBroadPhaseLayerFilterFns =
    JPC_ObjectVsBroadPhaseLayerFilterFns { ShouldCollide: Some(meets_layer) };

const FILTER: JPC_ObjectLayerPairFilterFns =
    JPC_ObjectLayerPairFilterFns { ShouldCollide: Some(meets) };

// None of these looks at its state.
unsafe extern "C" fn layer_count(_: *const c_void) -> c_uint {
    2
}

unsafe extern "C" fn layer_of(_: *const c_void, layer: JPC_ObjectLayer) -> JPC_BroadPhaseLayer {
    layer as JPC_BroadPhaseLayer
}

unsafe extern "C" fn meets_layer(
    _: *const c_void,
    layer: JPC_ObjectLayer,
    other: JPC_BroadPhaseLayer,
) -> bool {
    layer == MOVING || other == MOVING as JPC_BroadPhaseLayer
}

unsafe extern "C" fn meets(_: *const c_void, one: JPC_ObjectLayer, two: JPC_ObjectLayer) -> bool {
    one == MOVING || two == MOVING
}
