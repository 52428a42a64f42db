//! How the main thread reaches the renderer: not at all, in place, or on another thread.

use super::packet::Packet;
use super::packet_exchange::PacketExchange;
use crate::error::RenderError;
use crate::memory::SharedAllocator;

/// Draws a packet in place.
type Draw<'e, 'm> = dyn FnMut(&mut Packet<'m, SharedAllocator<'m>>) + 'e;

/// The way to the renderer.
pub(crate) enum Link<'e, 'm> {
    /// Rendering is left out.
    None,
    /// The main thread renders itself.
    InPlace(&'e mut Draw<'e, 'm>),
    /// Another thread does.
    Threaded(&'e PacketExchange<'m>),
}

impl<'m> Link<'_, 'm> {
    /// Hands a frame over, and returns the one that was drawn last: the same where it is drawn in
    /// place.
    pub(crate) fn exchange(
        &mut self,
        mut packet: Packet<'m, SharedAllocator<'m>>,
    ) -> Result<Option<Packet<'m, SharedAllocator<'m>>>, RenderError> {
        match self {
            Self::None => Ok(Some(packet)),
            Self::InPlace(draw) => {
                draw(&mut packet);
                Ok(Some(packet))
            }
            Self::Threaded(handover) => handover.exchange(packet),
        }
    }

    /// Waits until nothing is under way, and returns what was drawn last and not taken back.
    pub(crate) fn wait(&self) -> Option<Packet<'m, SharedAllocator<'m>>> {
        match self {
            Self::None | Self::InPlace(_) => None,
            Self::Threaded(handover) => handover.wait(),
        }
    }

    /// Returns `true` if anybody renders.
    pub(crate) const fn is_drawn(&self) -> bool {
        !matches!(self, Self::None)
    }
}
