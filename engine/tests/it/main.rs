//! All integration tests, linked once.

mod animation;
mod base;
mod batches;
mod conformance;
mod debug_draw;
mod drawers;
mod events;
mod first_game;
mod frames;
mod golden;
mod graphs;
mod levels;
mod lights;
mod listening;
mod memory;
mod packages;
#[path = "../../../subsystems/monitor/tests/it/packets.rs"]
mod packets;
mod pages;
mod panorama;
mod parameters;
mod pictures;
mod playing;
mod promises;
mod reference;
mod samples;
mod saving;
mod scripts;
mod skins;
mod socket;
mod spawning;
mod subscribing;
mod support;
mod tools;
mod tracing;
mod views;
