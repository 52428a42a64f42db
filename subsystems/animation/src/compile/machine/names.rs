//! What a machine names: variables, clips and bones.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_compiler::{CompileError, Property, PropertyValue, nearest};
use loligo_ids::{IdString32, IdString64};

use super::draft::{DraftClip, MachineDraft};
use crate::compile::raw_skeleton::RawSkeleton;
use crate::machine::{MIX_MAX, STATES_MAX, VARIABLES_MAX};

/// Returns the number of a name, or an error that names the nearest.
pub(super) fn number_of<'n>(
    named: &Property,
    what: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Result<u16, CompileError> {
    let name = named.string()?;
    let found = names.clone().position(|other| other == name);
    found.map(|found| found as u16).ok_or_else(|| {
        let remedy = match nearest(name, names.clone()) {
            Some(near) => format!("is `{near}` meant?"),
            None => match names.clone().next() {
                Some(first) => format!("the first one is `{first}`"),
                None => "there is none".to_string(),
            },
        };
        named.error(format!("there is no {what} `{name}`"), remedy)
    })
}

/// Returns the members of an object that may be left out, each of another name.
fn members_of<'p>(source: &'p Property, key: &str) -> Result<&'p [Property], CompileError> {
    let Some(object) = source.get(key) else { return Ok(&[]) };
    let members = object.members()?;
    for (at, member) in members.iter().enumerate() {
        if let Some(other) = members[..at].iter().find(|other| is_same(other.key(), member.key())) {
            let reason = format!("`{}` and `{}` have the same hash", other.key(), member.key());
            return Err(member.error(reason, "rename or remove one"));
        }
    }
    Ok(members)
}

/// Returns `true` if two names are hashed to the same.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    IdString32::new(a) == IdString32::new(b)
}

pub(super) fn read_variables(
    draft: &mut MachineDraft,
    source: &Property,
) -> Result<(), CompileError> {
    for member in members_of(source, "variables")? {
        let name = member.key();
        let begins = |part: &str| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_word =
            |part: &str| part.chars().all(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if !name.split('.').all(|part| begins(part) && is_word(part)) {
            let remedy = "use letters, digits and `_`, with dots between: `aim.side`";
            return Err(member.error(format!("`{name}` is no name of a variable"), remedy));
        }
        if name.starts_with("state.") {
            let remedy = "rename it: names that begin with `state.` are those of each state";
            return Err(member.error(format!("`{name}` cannot be declared"), remedy));
        }
        if draft.variables.len() == VARIABLES_MAX {
            let reason = format!("there are more than {VARIABLES_MAX} variables");
            return Err(member.error(reason, "remove some, or divide the machine"));
        }
        let default = member.number(-1.0e9..=1.0e9)?;
        draft.variables.push((name.to_string(), default));
        draft.name(name);
    }
    Ok(())
}

pub(super) fn read_clips(draft: &mut MachineDraft, source: &Property) -> Result<(), CompileError> {
    let clips = source.need("clips", "name the clips: `clips = { walk = \"clips/walk\" }`")?;
    for member in members_of(source, "clips")? {
        let (named, marks) = match member.value() {
            PropertyValue::Object(_) => {
                member.allow(&["clip", "marks"])?;
                let clip = member.need("clip", "name the resource: `clip = \"clips/walk\"`")?;
                (clip, marks_of(member.get("marks"))?)
            }
            _ => (member, Vec::new()),
        };
        let resource = named.string()?.to_string();
        let is_named = |clip: &DraftClip| {
            clip.resource != resource
                && IdString64::new(&clip.resource) == IdString64::new(&resource)
        };
        if resource.is_empty() || draft.clips.iter().any(is_named) {
            let reason = format!("`{resource}` cannot be the name of a clip");
            return Err(named.error(reason, "name a resource of type `clip`"));
        }
        let (name, place) = (member.key().to_string(), named.place());
        draft.name(&resource);
        draft.clips.push(DraftClip { name, resource, place, marks });
    }
    match draft.clips.len() {
        1..=STATES_MAX => Ok(()),
        count => {
            let reason = format!("there are {count} clips");
            Err(clips.error(reason, format!("name 1 to {STATES_MAX}")))
        }
    }
}

/// Reads the marks of a cycle: frames that ascend, but for one place at which it begins again.
fn marks_of(marks: Option<&Property>) -> Result<Vec<f32>, CompileError> {
    let Some(marks) = marks else { return Ok(Vec::new()) };
    let frames = marks.items()?.iter().map(|mark| mark.number(0.0..=65_534.0));
    let frames = frames.collect::<Result<Vec<f32>, _>>()?;
    let after = frames.iter().cycle().skip(1);
    let falls = frames.iter().zip(after).filter(|(mark, next)| mark >= next).count();
    if frames.len() > MIX_MAX {
        let reason = format!("there are {} marks", frames.len());
        return Err(marks.error(reason, format!("{MIX_MAX} at the most are possible")));
    }
    if falls > 1 {
        let remedy =
            "write frames in the order in which they are passed, from any of them on, each once";
        return Err(marks.error("the marks do not go around once", remedy));
    }
    Ok(frames)
}

pub(super) fn read_bones(
    draft: &mut MachineDraft,
    source: &Property,
    skeleton: &RawSkeleton,
) -> Result<(), CompileError> {
    let bones = || skeleton.names.iter().map(String::as_str);
    for member in members_of(source, "masks")? {
        let mut mask = Vec::new();
        for item in member.items()? {
            let (bone, weight) = match item.value() {
                PropertyValue::Object(_) => {
                    item.allow(&["bone", "weight"])?;
                    let bone = item.need("bone", "name the bone: `bone = \"spine\"`")?;
                    (bone, item.number_or("weight", 0.0..=1.0, 1.0)?)
                }
                _ => (item, 1.0),
            };
            number_of(bone, "bone", bones())?;
            draft.name(bone.string()?);
            mask.push((bone.string()?.to_string(), weight));
        }
        draft.masks.push((member.key().to_string(), mask));
    }
    if let Some(root) = source.get("root") {
        let at = number_of(root, "bone", bones())?;
        if skeleton.parent(usize::from(at)).is_some() {
            let reason = format!("the bone `{}` has a parent", skeleton.names[usize::from(at)]);
            return Err(root.error(reason, "name the bone that has none: all others move with it"));
        }
        draft.name(root.string()?);
        draft.root = Some(root.string()?.to_string());
    }
    Ok(())
}
