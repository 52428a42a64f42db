//! Tests that run the built `loligo`.

mod advise;
mod compile;
mod content;
mod convert;
mod hostile;
mod record;
mod replay;
mod run;
mod sjson;
mod support;
