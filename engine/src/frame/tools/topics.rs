//! What tools can subscribe to.

use core::time::Duration;

use crate::tools::ToolTopic;

/// A topic, and its place among the feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Frames,
    Scopes,
    Log,
    Memory,
    Objects,
    Subsystems,
    Garbage,
    Screen,
}

/// What a run has, of what topics need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Available {
    pub(super) monitor: bool,
    pub(super) recording: bool,
    pub(super) scripts: bool,
    pub(super) renderer: bool,
    /// The thread that encodes pictures.
    #[cfg(feature = "screen")]
    pub(super) thread: bool,
}

impl Topic {
    pub(super) const ALL: [Self; 8] = [
        Self::Frames,
        Self::Scopes,
        Self::Log,
        Self::Memory,
        Self::Objects,
        Self::Subsystems,
        Self::Garbage,
        Self::Screen,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Frames => "frames",
            Self::Scopes => "scopes",
            Self::Log => "log",
            Self::Memory => "memory",
            Self::Objects => "objects",
            Self::Subsystems => "subsystems",
            Self::Garbage => "garbage",
            Self::Screen => "screen",
        }
    }

    /// Returns the time between two messages, at least.
    pub(super) const fn interval(self) -> Duration {
        Duration::from_millis(match self {
            Self::Frames | Self::Log => 50,
            Self::Scopes => 100,
            Self::Screen | Self::Subsystems => 250,
            Self::Memory | Self::Objects => 500,
            Self::Garbage => 1000,
        })
    }

    /// Returns the topic as the server announces it.
    pub(super) const fn entry(self, available: Available) -> ToolTopic {
        ToolTopic { name: self.name(), interval: self.interval(), missing: self.missing(available) }
    }

    /// Returns what keeps a run from having the topic, and what to do.
    const fn missing(self, available: Available) -> Option<&'static str> {
        match self {
            Self::Frames | Self::Scopes if !available.monitor => Some(super::NO_MONITOR),
            Self::Frames | Self::Scopes if !available.recording => Some(
                "scopes are not recorded by this program; build the engine with its feature `recording`",
            ),
            Self::Garbage if !available.scripts => Some(super::NO_SCRIPTS),
            Self::Screen if !cfg!(feature = "screen") => {
                Some("this program writes no pictures; build the engine with its feature `screen`")
            }
            Self::Screen if !available.renderer => {
                Some("the engine runs without the renderer; run without `--without render`")
            }
            #[cfg(feature = "screen")]
            Self::Screen if !available.thread => {
                Some("the system gives no thread to encode pictures on; end other programs")
            }
            _ => None,
        }
    }
}
