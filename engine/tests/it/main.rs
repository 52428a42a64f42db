//! All integration tests, linked once.

mod base;
mod batches;
mod conformance;
mod events;
mod first_game;
mod frames;
mod lights;
mod memory;
mod packages;
mod pictures;
mod playing;
mod reference;
mod saving;
mod scripts;
mod socket;
mod spawning;
mod support;
mod tools;
