//! Names in sources: each once, each known.

use std::collections::BTreeMap;
use std::format;

use loligo_compiler::{CompileError, Property, nearest};
use loligo_ids::IdString32;

/// Returns the error that nothing has a name.
pub(super) fn unknown<'n>(
    named: &Property,
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> CompileError {
    let remedy = match nearest(name, names.clone()) {
        Some(near) => format!("is `{near}` meant?"),
        None => match names.clone().next() {
            Some(first) => format!("the first one is `{first}`"),
            None => format!("there is none; add it to `game.mixer`, or leave the {what} out"),
        },
    };
    named.error(format!("there is no {what} `{name}`"), remedy)
}

/// Returns the members of an object that can be left out: at most `most`, each of another name, and none
/// whose hash is that of another.
pub(super) fn members_of<'p>(
    source: &'p Property,
    key: &str,
    most: usize,
) -> Result<&'p [Property], CompileError> {
    let Some(object) = source.get(key) else { return Ok(&[]) };
    let members = object.members()?;
    if members.len() > most {
        let reason = format!("there are {} `{key}`", members.len());
        return Err(object.error(reason, format!("{most} are possible; merge some")));
    }
    let mut hashes = BTreeMap::new();
    for member in members {
        if member.key().is_empty() {
            return Err(member.error(format!("one of `{key}` has an empty name"), "name it"));
        }
        let hash = IdString32::new(member.key()).hash();
        let Some(other) = hashes.insert(hash, member) else { continue };
        let reason = match other.key() == member.key() {
            true => format!("two of `{key}` are called `{}`", member.key()),
            false => format!("`{}` and `{}` have the same hash", other.key(), member.key()),
        };
        return Err(member.error(reason, "rename or remove one"));
    }
    Ok(members)
}
