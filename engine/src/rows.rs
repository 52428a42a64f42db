//! The engine's own subsystems that join by a row, as those of games do. A subsystem is added here:
//! no other file of the engine knows which there are.

use loligo_interface::SubsystemRow;

/// The rows, in the order in which they are stepped.
pub(crate) const OWN_ROWS: [SubsystemRow; 1] = [loligo_debug_draw::ROW];
