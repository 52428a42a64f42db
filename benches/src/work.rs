//! The workloads, each written once: the scoreboard and the criterion groups run the same code.

pub(crate) mod animation;
pub(crate) mod batch;
pub(crate) mod churn;
pub(crate) mod containers;
pub(crate) mod diagnostics;
pub(crate) mod doubling;
pub(crate) mod draws;
pub(crate) mod engine;
pub(crate) mod entities;
pub(crate) mod expressions;
pub(crate) mod frames;
pub(crate) mod growth;
pub(crate) mod ids;
pub(crate) mod mappings;
pub(crate) mod mixed;
pub(crate) mod monitor;
pub(crate) mod offsets;
pub(crate) mod physics;
pub(crate) mod render;
pub(crate) mod scenes;
pub(crate) mod script;
pub(crate) mod sjson;
pub(crate) mod sound;
pub(crate) mod sparse;
pub(crate) mod strided;
pub(crate) mod tasks;
