//! Compilers of components: `actor` and `joint` here, others by tables or in files of theirs.

use std::sync::Arc;
use std::vec::Vec;

use loligo_containers::Array;
use loligo_entities::ComponentType;
use loligo_entities::compile::{
    CompileError, ComponentCompiler, Config, Field, PlainCompiler, PlainField, PlainKind,
    SharedComponentCompiler,
};
use loligo_ids::murmur2_32;

use super::vehicle::VehicleCompiler;
use crate::collision::COLLISION_TYPE;
use crate::component::{ACTOR, FIELD, JOINT, JointForm, JointSource, MOVER, RAGDOLL};
use crate::field::FIELD_TYPE;
use crate::ragdoll::RAGDOLL_TYPE;

/// Returns the compilers of all components.
///
/// # Examples
///
/// ```
/// let components = loligo_physics::compile::components();
/// let names: Vec<_> = components.iter().map(|one| one.name()).collect();
/// assert_eq!(names, ["actor", "joint", "mover", "vehicle", "field", "ragdoll"]);
/// ```
#[must_use]
pub fn components() -> Vec<SharedComponentCompiler> {
    std::vec![
        Arc::new(ACTOR_COMPILER) as SharedComponentCompiler,
        Arc::new(JointCompiler),
        Arc::new(MOVER_COMPILER),
        Arc::new(VehicleCompiler),
        Arc::new(FIELD_COMPILER),
        Arc::new(RAGDOLL_COMPILER),
    ]
}

/// A body: an [`ActorSource`](crate::ActorSource).
const ACTOR_COMPILER: PlainCompiler = PlainCompiler {
    name: "actor",
    component: ACTOR,
    fields: &[
        PlainField {
            key: "collision",
            kind: PlainKind::Resource { type_name: COLLISION_TYPE, is_needed: true },
        },
        PlainField { key: "template", kind: PlainKind::Name },
        PlainField { key: "disabled", kind: PlainKind::Bool(false) },
        PlainField { key: "velocity", kind: PlainKind::Vector([0.0; 3]) },
        PlainField { key: "spin", kind: PlainKind::Vector([0.0; 3]) },
    ],
    known: "collision, template, disabled, velocity, spin",
};

/// A character: a [`MoverSource`](crate::MoverSource).
const MOVER_COMPILER: PlainCompiler = PlainCompiler {
    name: "mover",
    component: MOVER,
    fields: &[
        PlainField { key: "climb", kind: PlainKind::Number(45.0) },
        PlainField { key: "slide", kind: PlainKind::Number(45.0) },
        PlainField { key: "step_height", kind: PlainKind::Number(0.35) },
        PlainField { key: "step_depth", kind: PlainKind::Number(0.15) },
        PlainField { key: "snap", kind: PlainKind::Number(0.25) },
        PlainField { key: "gap", kind: PlainKind::Number(0.02) },
        PlainField { key: "mass", kind: PlainKind::Number(80.0) },
        PlainField { key: "gravity_scale", kind: PlainKind::Number(1.0) },
    ],
    known: "climb, slide, step_height, step_depth, snap, gap, mass, gravity_scale",
};

/// A field of forces: a [`FieldSource`](crate::FieldSource).
const FIELD_COMPILER: PlainCompiler = PlainCompiler {
    name: "field",
    component: FIELD,
    fields: &[PlainField {
        key: "field",
        kind: PlainKind::Resource { type_name: FIELD_TYPE, is_needed: true },
    }],
    known: "field",
};

/// A ragdoll: a [`RagdollSource`](crate::RagdollSource).
const RAGDOLL_COMPILER: PlainCompiler = PlainCompiler {
    name: "ragdoll",
    component: RAGDOLL,
    fields: &[PlainField {
        key: "ragdoll",
        kind: PlainKind::Resource { type_name: RAGDOLL_TYPE, is_needed: true },
    }],
    known: "ragdoll",
};

/// Compiles joints: a [`JointSource`] each.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `kind` | | `"fixed"`, `"hinge"`, `"slider"`, `"ball"` or `"spring"` |
/// | `other` | the parent | the name of another entity of the same resource |
/// | `position`, `rotation` | the origin | the joint as seen from this entity; its axis is x |
/// | `other_position`, `other_rotation` | where it is at first | the same as seen from the other |
/// | `limits` | none | from and to: degrees for a hinge, metres for a slider |
/// | `motor` | none | `speed` or `target`, `stiffness`, `damping`, `force` |
/// | `length`, `stiffness`, `damping` | 0, 100, 1 | of a spring |
/// | `collide` | `false` | whether both actors meet |
#[derive(Clone, Copy, Debug, Default)]
pub struct JointCompiler;

const KEYS: [&str; 12] = [
    "kind",
    "other",
    "position",
    "rotation",
    "other_position",
    "other_rotation",
    "limits",
    "motor",
    "length",
    "stiffness",
    "damping",
    "collide",
];

const KNOWN: &str = "kind, other, position, rotation, other_position, other_rotation, limits, motor, length, stiffness, damping, collide";

impl ComponentCompiler for JointCompiler {
    fn name(&self) -> &'static str {
        "joint"
    }

    fn component(&self) -> ComponentType {
        JOINT
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&KEYS, KNOWN)?;
        let kind = kind_of(&config.need("kind")?)?;
        let mut joint = JointSource { kind: kind as u32, ..JointSource::default() };
        if let Some(other) = config.field("other") {
            let what = "the name of an entity in quotes";
            let name = other.plain_string().filter(|name| !name.is_empty());
            joint.other = murmur2_32(name.ok_or_else(|| other.expected(what))?.as_bytes(), 0);
        }
        joint.position = vector(config, "position")?.unwrap_or_default();
        joint.rotation = turn(config, "rotation")?.unwrap_or(joint.rotation);
        let other = (vector(config, "other_position")?, turn(config, "other_rotation")?);
        if other.0.is_some() || other.1.is_some() {
            joint.flags |= JointSource::HAS_OTHER_FRAME;
            joint.other_position = other.0.unwrap_or_default();
            joint.other_rotation = other.1.unwrap_or(joint.other_rotation);
        }
        if config.field("collide").map_or(Ok(false), |field| field.bool())? {
            joint.flags |= JointSource::COLLIDES;
        }
        read_limits(config, kind, &mut joint)?;
        read_motor(config, kind, &mut joint)?;
        read_spring(config, kind, &mut joint)?;
        Ok(words.try_extend_from_slice(bytemuck::cast_slice(&[joint]))?)
    }
}

fn kind_of<'s>(field: &Field<'_, 's>) -> Result<JointForm, CompileError<'s>> {
    let what = "\"fixed\", \"hinge\", \"slider\", \"ball\" or \"spring\"";
    let name = field.plain_string().ok_or_else(|| field.expected(what))?;
    let found = JointForm::NAMES.iter().position(|known| *known == name);
    found.and_then(|at| JointForm::of(at as u32)).ok_or_else(|| field.expected(what))
}

fn vector<'s>(config: &Config<'_, 's>, key: &str) -> Result<Option<[f32; 3]>, CompileError<'s>> {
    config.field(key).map(|field| field.numbers("`[ x y z ]`")).transpose()
}

/// Reads a rotation, and makes its length 1.
fn turn<'s>(config: &Config<'_, 's>, key: &str) -> Result<Option<[f32; 4]>, CompileError<'s>> {
    let Some(field) = config.field(key) else { return Ok(None) };
    let turn = glam::Quat::from_array(field.numbers("a rotation `[ x y z w ]`")?);
    match turn.length() > 1.0e-3 {
        true => Ok(Some(turn.normalize().to_array())),
        false => Err(field.error("is not a rotation; write `[ 0 0 0 1 ]` for none")),
    }
}

fn read_limits<'s>(
    config: &Config<'_, 's>,
    kind: JointForm,
    joint: &mut JointSource,
) -> Result<(), CompileError<'s>> {
    let Some(limits) = config.field("limits") else { return Ok(()) };
    let [low, high] = limits.numbers("`[ from to ]`")?;
    if low > high {
        return Err(limits.error("is from more to less; write the smaller number first"));
    }
    joint.limits = match kind {
        JointForm::Hinge => {
            if low < -180.0 || high > 180.0 {
                return Err(limits.error("is beyond half a turn; write degrees from -180 to 180"));
            }
            [low.to_radians(), high.to_radians()]
        }
        JointForm::Slider => [low, high],
        _ => return Err(limits.error("is for hinges and sliders; remove it")),
    };
    joint.flags |= JointSource::HAS_LIMITS;
    Ok(())
}

fn read_motor<'s>(
    config: &Config<'_, 's>,
    kind: JointForm,
    joint: &mut JointSource,
) -> Result<(), CompileError<'s>> {
    let Some(motor) = config.field("motor") else { return Ok(()) };
    if !matches!(kind, JointForm::Hinge | JointForm::Slider) {
        return Err(motor.error("is for hinges and sliders; remove it"));
    }
    let what = "an object of speed or target, stiffness, damping, force";
    for (key, value) in motor.entries().ok_or_else(|| motor.expected(what))? {
        let number = value.number()?;
        match key {
            "target" | "speed" => {
                let radians = kind == JointForm::Hinge;
                let number = if radians { number.to_radians() } else { number };
                let has_target = key == "target";
                joint.flags |= if has_target { JointSource::HAS_TARGET } else { 0 };
                *(if has_target { &mut joint.target } else { &mut joint.speed }) = number;
            }
            "stiffness" | "damping" | "force" if number < 0.0 => {
                return Err(value.error("is below 0; write 0 or more"));
            }
            "stiffness" => joint.stiffness = number,
            "damping" => joint.damping = number,
            "force" => joint.force = number,
            _ => {
                return Err(value.error(
                    "is not known here; known are speed, target, stiffness, damping, force",
                ));
            }
        }
    }
    joint.flags |= JointSource::HAS_MOTOR;
    Ok(())
}

fn read_spring<'s>(
    config: &Config<'_, 's>,
    kind: JointForm,
    joint: &mut JointSource,
) -> Result<(), CompileError<'s>> {
    if kind == JointForm::Spring {
        (joint.stiffness, joint.damping) = (100.0, 1.0);
    }
    for key in ["length", "stiffness", "damping"] {
        let Some(field) = config.field(key) else { continue };
        if kind != JointForm::Spring {
            return Err(field.error("is for springs; a motor has its own, under `motor`"));
        }
        let number = field.number()?;
        if number < 0.0 {
            return Err(field.error("is below 0; write 0 or more"));
        }
        *(match key {
            "length" => &mut joint.length,
            "stiffness" => &mut joint.stiffness,
            _ => &mut joint.damping,
        }) = number;
    }
    Ok(())
}
