//! How a frame is drawn: packets go to the render thread and come back.

mod back_end;
mod drawers;
mod drawn_view;
mod game_window;
mod link;
mod packet;
mod packet_exchange;
mod renderer;
mod skins;
mod texture_table;

pub(crate) use back_end::BackEnd;
pub(crate) use game_window::{GameWindow, WindowSetup};
pub(crate) use link::Link;
pub use packet::Drawn;
pub(crate) use packet::{Packet, Scene, Wanted};
pub(crate) use packet_exchange::PacketExchange;
pub(crate) use renderer::Renderer;
