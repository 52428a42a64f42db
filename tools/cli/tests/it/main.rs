//! Tests that run the built `loligo`.

mod record;
mod replay;
mod support;
