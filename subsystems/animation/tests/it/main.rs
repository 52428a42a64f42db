//! Animation from outside: clips within their bound, any time by any way, damage, blends and bent limbs
//! with known solutions.

mod blending;
mod clips;
mod damage;
mod gltf;
mod gltf_model;
mod kinematics;
mod machine_cache;
mod machine_model;
mod machine_rig;
mod machines;
#[path = "../../../expressions/tests/it/memory.rs"]
mod memory;
mod mocap;
mod motion;
mod packed;
mod playing;
mod rig;
#[path = "../../../sjson/src/test_drawn.rs"]
mod test_drawn;
mod walker;

// The modules of the example, which name each other.
#[path = "../../examples/walker/body.rs"]
mod body;
#[path = "../../examples/walker/file.rs"]
mod file;
#[path = "../../examples/walker/gait.rs"]
mod gait;
#[path = "../../examples/walker/mesh.rs"]
mod mesh;
#[path = "../../examples/walker/picture.rs"]
mod picture;
