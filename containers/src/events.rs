//! Events that are stored and handled later, and callbacks.

pub(crate) mod callbacks;
pub(crate) mod event_stream;
