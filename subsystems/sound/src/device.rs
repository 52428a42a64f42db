//! Devices: a mixer on the thread that feeds the machine's loudspeakers, or silence where there are none.
//!
//! ```text
//! game's thread            audio thread                        device's callback
//! Control --- commands --> DevicePlayer: mixer, other rates --- FramesOut --> samples
//!         <--- events ----
//! WavesIn --- waves ----->
//!         <--- waves that were removed, to be freed
//! ```
//!
//! Nobody waits for another. The callback copies frames; the audio thread renders ahead of it, allocates nothing
//! and takes no lock while a device plays; waves are allocated and freed by the thread of the game alone.
//!
//! What opens devices is an [`AudioDevices`]: `SystemDevices` with the feature `device`, by `cpal`, or one of a
//! test.

mod converter;
mod frames;
mod opened;
mod player;
mod switch;
#[cfg(feature = "device")]
mod system;
mod wave_link;

pub use frames::FramesOut;
pub use opened::{AudioDevice, AudioDevices, DeviceError};
pub use player::DevicePlayer;
pub use switch::{DeviceStats, DeviceSwitch};
#[cfg(feature = "device")]
pub use system::SystemDevices;
pub use wave_link::{WavesIn, WavesOut, wave_link};
