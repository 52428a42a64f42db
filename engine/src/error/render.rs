//! What keeps a frame from being drawn.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_render::{FrameError, StateError};
use loligo_tasks::WaitError;

/// A frame was not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenderError {
    /// There is no memory.
    Grow(GrowError),
    /// What has changed does not fit what was there.
    State(StateError),
    /// A task that fills contexts has panicked.
    Task(WaitError),
    /// The description of the frame is invalid.
    Frame {
        /// The line, from 1 on.
        line: u32,
        /// The column, from 1 on.
        column: u32,
    },
    /// The back end has failed.
    BackEnd(BackEndError),
    /// The thread that renders has panicked, and has said why.
    Gone,
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grow(error) => error.fmt(f),
            Self::State(error) => error.fmt(f),
            Self::Task(error) => error.fmt(f),
            Self::Frame { line, column } => write!(
                f,
                "the description of the frame is wrong at {line}:{column}; compile it, which says how"
            ),
            Self::BackEnd(error) => error.fmt(f),
            Self::Gone => f.write_str("the thread that renders has stopped; its report says why"),
        }
    }
}

impl Error for RenderError {}

impl From<GrowError> for RenderError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

impl From<StateError> for RenderError {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

impl From<WaitError> for RenderError {
    fn from(error: WaitError) -> Self {
        Self::Task(error)
    }
}

impl From<BackEndError> for RenderError {
    fn from(error: BackEndError) -> Self {
        Self::BackEnd(error)
    }
}

/// Returns where a description is wrong; what compiled it has said how.
pub(crate) fn wrong_frame(error: &FrameError<'_>) -> RenderError {
    match error {
        FrameError::Syntax(error) => {
            RenderError::Frame { line: error.line(), column: error.column() }
        }
        FrameError::Invalid { line, column, .. } => {
            RenderError::Frame { line: *line, column: *column }
        }
        FrameError::Memory(error) => RenderError::Grow(*error),
    }
}

/// The back end has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackEndError {
    /// There was no memory for the text of a frame.
    Text,
    /// The graphics card, or its driver; the log says how.
    Card,
}

impl fmt::Display for BackEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("there is no memory for the text of the frame"),
            Self::Card => f.write_str("the graphics card has failed; the log says how"),
        }
    }
}

impl Error for BackEndError {}
