//! Tests that run the built `loligo`.

mod advise;
mod animation;
mod browser;
mod bundle;
mod cache;
mod check;
mod closed_pipes;
mod compile;
mod content;
mod convert;
mod export;
mod fleet;
#[path = "../../../../subsystems/animation/tests/it/gltf_model.rs"]
mod gltf_model;
mod hostile;
mod inspect;
mod names;
mod new;
#[path = "../../../../subsystems/monitor/tests/it/packets.rs"]
mod packets;
mod project;
mod record;
mod replay;
mod replay_threads;
mod run;
mod saves;
mod show;
mod sjson;
mod sound;
mod support;
mod texture_budget;
mod tracing;
