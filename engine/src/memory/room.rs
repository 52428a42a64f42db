//! Whose memory something is in.

use loligo_allocators::SharedRef;

use super::Memory;

/// Whose memory something is in: a place in [`SUBSYSTEMS`](crate::SUBSYSTEMS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Engine,
    Entities,
    Input,
    Monitor,
    Render,
    Resources,
    #[cfg_attr(not(feature = "script"), expect(dead_code, reason = "of scripts"))]
    Script,
    Tasks,
    #[cfg_attr(not(feature = "tool-server"), expect(dead_code, reason = "of the port for tools"))]
    Tools,
}

/// Returns the memory of one of [`SUBSYSTEMS`](crate::SUBSYSTEMS), with which the list of all
/// begins.
pub(crate) fn memory_of<'m>(memory: &Memory<'m>, room: Room) -> SharedRef<'m> {
    memory.at(room as usize)
}
