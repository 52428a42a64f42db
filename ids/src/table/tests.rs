//! Tables against a naive model, at their limits, and misused.

mod any_memory;
mod bound;
mod check;
mod copies;
mod images;
mod limits;
mod model;
mod panics;
#[cfg(feature = "serde")]
mod serialized;
mod small_world;
mod stale;
mod tags;
mod views;
mod walk;
