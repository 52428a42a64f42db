//! The graphs of the monitor, as scripts make them: each function is a line of the console.

use core::fmt;

use loligo_script::{ArgumentError, Call, Kind};

use super::{Done, ShownText};
use crate::world::World;

pub(super) const NAMES: &[Kind] = &[Kind::Text, Kind::Text];
pub(super) const COLORED: &[Kind] = &[Kind::Text, Kind::Text, Kind::Text];
pub(super) const RANGE: &[Kind] = &[Kind::Text, Kind::Number, Kind::Number];

pub(super) fn make(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    of_one(world, call, "make")
}

pub(super) fn hide(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    of_one(world, call, "hide")
}

pub(super) fn show(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    of_one(world, call, "show")
}

pub(super) fn remove(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    of_one(world, call, "remove")
}

pub(super) fn add(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    of_two(world, call, "add")
}

pub(super) fn add_vector3(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    of_two(world, call, "add_vector3")
}

pub(super) fn add_scope(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    of_two(world, call, "add_scope")
}

pub(super) fn add_colored(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let [graph, value, color] = [name(call, 0)?, name(call, 1)?, name(call, 2)?];
    run(world, call, format_args!("graph add \"{graph}\" \"{value}\" \"{color}\""))
}

pub(super) fn range(world: &mut World<'_>, call: &mut Call<'_>) -> Done {
    let graph = name(call, 0)?;
    let [least, most] = [1, 2].map(|at| call.number(at) as f32);
    run(world, call, format_args!("graph range \"{graph}\" {least} {most}"))
}

fn of_one(world: &mut World<'_>, call: &mut Call<'_>, command: &str) -> Done {
    let graph = name(call, 0)?;
    run(world, call, format_args!("graph {command} \"{graph}\""))
}

fn of_two(world: &mut World<'_>, call: &mut Call<'_>, command: &str) -> Done {
    let [graph, value] = [name(call, 0)?, name(call, 1)?];
    run(world, call, format_args!("graph {command} \"{graph}\" \"{value}\""))
}

/// Returns a name, which can be in quotes.
fn name(call: &mut Call<'_>, argument: usize) -> Result<ShownText, ArgumentError> {
    let text = ShownText::new(call.text(argument)?);
    match text.as_str().contains(['"', '\n']) {
        true => Err(call.refuse(format_args!("`{text}` has a quote; give another name"))),
        false => Ok(text),
    }
}

fn run(world: &mut World<'_>, call: &mut Call<'_>, line: fmt::Arguments<'_>) -> Done {
    let done = world.graph_line(line);
    done.map_err(|error| call.refuse(format_args!("{error}")))
}
