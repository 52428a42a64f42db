//! Tests that run the built `loligo`.

mod replay;
mod sjson;
mod support;
