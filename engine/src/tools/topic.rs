//! What a tool can subscribe to.

use core::time::Duration;

/// The most topics of a server.
pub(crate) const TOPICS_MAX: usize = 16;

/// A topic of a [`ToolServer`](super::ToolServer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolTopic {
    /// Its name: the member `type` of its messages.
    pub name: &'static str,
    /// The time between two of its messages, at least.
    pub interval: Duration,
    /// Why nobody can subscribe to it in this run, and what to do; nothing if they can.
    pub missing: Option<&'static str>,
}
