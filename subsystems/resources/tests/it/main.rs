//! Tests of resources from outside.

mod loads;
mod made;
mod refusals;
