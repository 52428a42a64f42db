//! Compilers of ragdolls.

use std::string::String;
use std::vec::Vec;

use loligo_compiler::{CompileError, Compiler, Context, Property, build_blob};
use loligo_containers::{BlobBuilder, blob_field};
use loligo_ids::IdString32;

use super::collision::{CollisionDraft, read_file, read_shape, rotation_under};
use super::names::{index_of, members_of};
use super::settings::settings_of;
use crate::collision::{HEIGHTS, MESH};
use crate::component::JointForm;
use crate::ragdoll::{
    BONES_MAX, HAS_LIMITS, HAS_REST, NO_BONE, RAGDOLL_VERSION, RagdollBone, RagdollImage,
};

/// Compiles ragdolls: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `settings` | | the resource of type `physics` that has the templates |
/// | `file` | none | path of a glTF 2.0 file in the project, whose nodes convex shapes name |
/// | `actor` | none | a template of actors in the settings, whose damping bones have |
/// | `bones` | | 1 to 64 bones by their names in the skeleton, each after its parent |
///
/// A bone:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `shape` | | a shape as those of a `collision`, as seen from the bone; no mesh, no heights |
/// | `parent` | none | a bone before it |
/// | `joint` | `"ball"` | `"ball"`, `"hinge"` or `"fixed"` |
/// | `limits` | none | from and to, in degrees: of a hinge, or of a ball around each axis |
/// | `turn` | `[ 0 0 0 1 ]` | how the joint is turned on the bone; a hinge turns around its x axis |
/// | `rest` | as it is held | how the bone is turned on its parent where its angles are 0 |
#[derive(Clone, Copy, Debug, Default)]
pub struct RagdollCompiler;

/// The names of joints, and their numbers.
const JOINTS: [&str; 3] = ["ball", "hinge", "fixed"];
const FORMS: [JointForm; 3] = [JointForm::Ball, JointForm::Hinge, JointForm::Fixed];

/// A bone while it is gathered.
struct DraftBone {
    name: IdString32,
    parent: u32,
    joint: u32,
    flags: u32,
    limits: [f32; 2],
    turn: [f32; 4],
    rest: [f32; 4],
}

impl Compiler for RagdollCompiler {
    fn version(&self) -> u32 {
        RAGDOLL_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        source.allow(&["settings", "file", "actor", "bones"])?;
        let settings = settings_of(context, &source)?;
        let file = source.get("file").map(|file| read_file(context, file)).transpose()?;
        let actor = match source.get("actor") {
            Some(actor) => {
                index_of(actor, "actor", settings.actors.iter().map(String::as_str))?;
                IdString32::new(actor.string()?)
            }
            None => IdString32::from_hash(0),
        };
        let remedy = "add `bones = { hips = { shape = { .. } } }`";
        let bones = source.need("bones", remedy)?;
        let members = members_of(&source, "bones", BONES_MAX)?;
        if members.is_empty() {
            return Err(bones.error("there are no bones", remedy));
        }
        let (mut draft, mut drafts) = (CollisionDraft::default(), Vec::new());
        for (at, member) in members.iter().enumerate() {
            drafts.push(read_bone(member, &members[..at])?);
            context.name(member.key());
            let shape =
                member.need("shape", "give it one: `shape = { template = .. box = .. }`")?;
            read_shape(context, &mut draft, shape, &settings, file.as_ref())?;
            if draft.shapes.last().is_some_and(|shape| [MESH, HEIGHTS].contains(&shape.form)) {
                let reason = "a bone moves by itself, and meshes and heights do not";
                return Err(shape.error(reason, "write `convex`, or another form"));
            }
        }
        build(context, actor, &drafts, &draft)
    }
}

fn read_bone(member: &Property, before: &[Property]) -> Result<DraftBone, CompileError> {
    member.allow(&["shape", "parent", "joint", "limits", "turn", "rest"])?;
    let parent = match member.get("parent") {
        Some(parent) => {
            index_of(parent, "bone before it", before.iter().map(Property::key))? as u32
        }
        None => NO_BONE,
    };
    let joint = member.get("joint").map_or(Ok(0), |joint| joint.word_index(&JOINTS))?;
    let mut bone = DraftBone {
        name: IdString32::new(member.key()),
        parent,
        joint: FORMS[joint] as u32,
        flags: 0,
        limits: [0.0; 2],
        turn: rotation_under(member, "turn")?,
        rest: rotation_under(member, "rest")?,
    };
    if member.get("rest").is_some() {
        bone.flags |= HAS_REST;
    }
    if let Some(limits) = member.get("limits") {
        if FORMS[joint] == JointForm::Fixed {
            return Err(limits.error("a fixed joint has no limits", "remove them"));
        }
        let degrees = limits.numbers::<2>(-180.0..=180.0)?;
        if degrees[0] > degrees[1] {
            return Err(
                limits.error("they are from more to less", "write the smaller number first")
            );
        }
        bone.limits = degrees.map(f32::to_radians);
        bone.flags |= HAS_LIMITS;
    }
    let needs_parent = ["joint", "limits", "rest"].into_iter().find_map(|key| member.get(key));
    match needs_parent {
        Some(key) if parent == NO_BONE => {
            let reason = "a bone without a parent has no joint";
            Err(key.error(reason, "name its `parent`, or remove this"))
        }
        _ => Ok(bone),
    }
}

fn build(
    context: &Context<'_>,
    actor: IdString32,
    bones: &[DraftBone],
    shapes: &CollisionDraft,
) -> Result<Vec<u8>, CompileError> {
    let endian = context.endian();
    build_blob(|memory| {
        let mut builder = BlobBuilder::<RagdollImage>::try_new(endian, memory)?;
        let root = builder.root();
        builder.set(root.at(blob_field!(RagdollImage, actor)), actor);
        let places = builder.array(root.at(blob_field!(RagdollImage, bones)), bones.len())?;
        for (place, bone) in places.iter().zip(bones) {
            builder.set(place.at(blob_field!(RagdollBone, name)), bone.name);
            builder.set(place.at(blob_field!(RagdollBone, parent)), bone.parent);
            builder.set(place.at(blob_field!(RagdollBone, joint)), bone.joint);
            builder.set(place.at(blob_field!(RagdollBone, flags)), bone.flags);
            builder.set(place.at(blob_field!(RagdollBone, limits)), bone.limits);
            builder.set(place.at(blob_field!(RagdollBone, turn)), bone.turn);
            builder.set(place.at(blob_field!(RagdollBone, rest)), bone.rest);
        }
        shapes.write(
            &mut builder,
            root.at(blob_field!(RagdollImage, shapes)),
            root.at(blob_field!(RagdollImage, points)),
            root.at(blob_field!(RagdollImage, triangles)),
            root.at(blob_field!(RagdollImage, heights)),
        )?;
        Ok(builder.finish())
    })
}
