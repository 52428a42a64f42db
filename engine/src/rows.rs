//! The engine's own subsystems that join by a row, as those of games do. A subsystem is added here:
//! no other file of the engine knows which there are.

use loligo_animation::BoneLine;
use loligo_containers::Event;
use loligo_debug_draw::DrawLine;
use loligo_interface::{SubsystemRow, Wire};
use loligo_physics::BodyLine;

/// The rows, in the order in which they are stepped.
pub(crate) const OWN_ROWS: [SubsystemRow; 3] =
    [loligo_animation::ROW, loligo_physics::ROW, loligo_debug_draw::ROW];

/// What the events of one of them mean to another.
pub(crate) const OWN_WIRES: [Wire; 2] = [
    Wire {
        from: BoneLine::TYPE,
        to: |event, commands| match event.get() {
            Some(BoneLine { from, to, color }) => {
                commands.send(DrawLine { from, to, color, seconds: 0.0 })
            }
            None => Ok(()),
        },
    },
    Wire {
        from: BodyLine::TYPE,
        to: |event, commands| match event.get() {
            Some(BodyLine { from, to, color }) => {
                commands.send(DrawLine { from, to, color, seconds: 0.0 })
            }
            None => Ok(()),
        },
    },
];

/// Registers the compilers of the resource types that they have.
#[cfg(feature = "compile")]
pub(crate) fn register_compilers(compilers: &mut loligo_compiler::Compilers) {
    loligo_animation::compile::register(compilers);
    loligo_physics::compile::register(compilers);
}

/// Returns the compilers of the components that they have.
#[cfg(feature = "compile")]
pub(crate) fn components() -> Vec<loligo_entities::compile::SharedComponentCompiler> {
    let mut all = loligo_animation::compile::components();
    all.extend(loligo_physics::compile::components());
    all
}
