//! The engine's own subsystems that join by a row, as those of games do. A subsystem is added here:
//! no other file of the engine knows which there are.

use loligo_animation::BoneLine;
use loligo_containers::Event;
use loligo_debug_draw::DrawLine;
use loligo_interface::{SubsystemRow, Wire};

/// The rows, in the order in which they are stepped.
pub(crate) const OWN_ROWS: [SubsystemRow; 2] = [loligo_animation::ROW, loligo_debug_draw::ROW];

/// What the events of one of them mean to another.
pub(crate) const OWN_WIRES: [Wire; 1] = [Wire {
    from: BoneLine::TYPE,
    to: |event, commands| match event.get() {
        Some(BoneLine { from, to, color }) => {
            commands.send(DrawLine { from, to, color, seconds: 0.0 })
        }
        None => Ok(()),
    },
}];

/// Registers the compilers of the resource types that they have.
#[cfg(feature = "compile")]
pub(crate) fn register_compilers(compilers: &mut loligo_compiler::Compilers) {
    loligo_animation::compile::register(compilers);
}

/// Returns the compilers of the components that they have.
#[cfg(feature = "compile")]
pub(crate) fn components() -> Vec<loligo_entities::compile::SharedComponentCompiler> {
    loligo_animation::compile::components()
}
