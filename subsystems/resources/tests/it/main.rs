//! Tests of resources from outside.

mod bundles;
mod loads;
mod made;
mod packed;
mod patches;
mod refusals;
