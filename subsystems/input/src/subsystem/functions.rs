//! What scripts ask of the input.

use loligo_allocators::Allocator;
use loligo_ids::IdString32;
use loligo_interface::SubsystemFunction;
use loligo_script::{ArgumentError, Call, Kind};

use crate::Input;

const TEXT: &[Kind] = &[Kind::Text];
const BOOL: &[Kind] = &[Kind::Bool];
const TWO: &[Kind] = &[Kind::Number, Kind::Number];

pub(super) const FUNCTIONS: [SubsystemFunction; 10] = [
    of("Input.is_down", TEXT, BOOL, "whether an action is held down"),
    of("Input.pressed", TEXT, BOOL, "whether an action was pressed in this frame"),
    of("Input.released", TEXT, BOOL, "whether an action was released in this frame"),
    of(
        "Input.value",
        TEXT,
        &[Kind::Number],
        "the value of an axis, from -1 to 1 for keys and sticks",
    ),
    of("Input.mouse", &[], TWO, "where the cursor is, in pixels from the left upper corner"),
    of("Input.mouse_moved", &[], TWO, "how far the mouse was moved in this frame, right and down"),
    of("Input.wheel", &[], TWO, "how many lines the wheel was turned in this frame, right and up"),
    of("Input.text", &[], TEXT, "what was typed in this frame"),
    of("Input.is_context_on", TEXT, BOOL, "whether a context is on"),
    of("Input.set_context", &[Kind::Text, Kind::Bool], &[], "switches a context on or off"),
];

const fn of(
    name: &'static str,
    arguments: &'static [Kind],
    results: &'static [Kind],
    help: &'static str,
) -> SubsystemFunction {
    SubsystemFunction { name, arguments, results, help }
}

pub(super) fn call<A: Allocator + ?Sized>(
    input: &mut Input<'_, A>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    match function {
        0..=2 => {
            let action = action(input, call)?;
            call.return_bool(match function {
                0 => input.is_down(action),
                1 => input.pressed(action),
                _ => input.released(action),
            });
        }
        3 => {
            let name = IdString32::new(call.text(0)?);
            if !input.has_axis(name) {
                return Err(unknown("axis", call));
            }
            call.return_number(input.value(name).into());
        }
        4 => two(input.mouse().position, call),
        5 => two(input.mouse().delta, call),
        6 => two(input.mouse().wheel, call),
        7 => call.return_text(input.text())?,
        8 => {
            let Some(is_on) = input.is_context_active(IdString32::new(call.text(0)?)) else {
                return Err(unknown("context", call));
            };
            call.return_bool(is_on);
        }
        _ => {
            let (name, is_on) = (IdString32::new(call.text(0)?), call.bool(1));
            if !input.set_context(name, is_on) {
                return Err(unknown("context", call));
            }
        }
    }
    Ok(())
}

/// Returns the action of the first argument, which must be in the mapping.
fn action<A: Allocator + ?Sized>(
    input: &Input<'_, A>,
    call: &mut Call<'_>,
) -> Result<IdString32, ArgumentError> {
    let name = IdString32::new(call.text(0)?);
    if input.has_action(name) { Ok(name) } else { Err(unknown("action", call)) }
}

fn unknown(what: &str, call: &mut Call<'_>) -> ArgumentError {
    call.refuse(format_args!("game.input has no {what} of that name; add it there"))
}

fn two([first, second]: [f32; 2], call: &mut Call<'_>) {
    call.return_number(first.into());
    call.return_number(second.into());
}
