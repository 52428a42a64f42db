//! Tests that run the built `loligo`.

mod convert;
mod record;
mod replay;
mod support;
