//! Names in sources: each once, each known.

use std::format;
use std::string::{String, ToString};

use loligo_compiler::{CompileError, Property, nearest};
use loligo_ids::IdString32;

/// Returns the index of a name, or an error that names the nearest.
pub(super) fn index_of<'n>(
    named: &Property,
    what: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Result<usize, CompileError> {
    let name = named.string()?;
    names.clone().position(|other| other == name).ok_or_else(|| unknown(named, what, name, names))
}

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
            None => format!("there is none; add a {what} of this name"),
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
    let hash = |member: &Property| IdString32::new(member.key()).hash();
    let mut hashes = std::collections::BTreeMap::new();
    for member in members {
        if member.key().is_empty() {
            return Err(member.error(format!("one of `{key}` has an empty name"), "name it"));
        }
        let Some(other) = hashes.insert(hash(member), member) else { continue };
        let reason = match other.key() == member.key() {
            true => format!("two of `{key}` are called `{}`", member.key()),
            false => format!("`{}` and `{}` have the same hash", other.key(), member.key()),
        };
        return Err(member.error(reason, "rename or remove one"));
    }
    Ok(members)
}

/// Returns the indices of names in the order of their hashes, and for each index its place there.
pub(super) fn hash_order(names: &[String]) -> (std::vec::Vec<usize>, std::vec::Vec<u32>) {
    let mut order: std::vec::Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|at| IdString32::new(&names[*at]).hash());
    let mut places = std::vec![0; names.len()];
    for (place, at) in order.iter().enumerate() {
        places[*at] = place as u32;
    }
    (order, places)
}

/// Returns the names of members.
pub(super) fn keys_of(members: &[Property]) -> std::vec::Vec<String> {
    members.iter().map(|member| member.key().to_string()).collect()
}
