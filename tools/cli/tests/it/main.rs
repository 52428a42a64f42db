//! Tests that run the built `loligo`.

mod advise;
mod closed_pipes;
mod compile;
mod content;
mod convert;
mod hostile;
mod record;
mod replay;
mod run;
mod sjson;
mod support;
