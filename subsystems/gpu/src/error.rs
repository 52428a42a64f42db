//! What can go wrong.

use core::error::Error;
use core::fmt;
use std::string::{String, ToString};

use crate::scope::{Kept, scope};

/// What wgpu or a driver says. The text is of the global heap, made and freed in the
/// [scope](crate::set_scope).
pub struct Message(Kept<String>);

impl Message {
    /// Writes down what something says, without line breaks.
    pub(crate) fn new(what: &dyn fmt::Display) -> Self {
        Self(Kept::new(scope(|| {
            let text = what.to_string();
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let mut joined = String::from(lines.next().unwrap_or("without a reason"));
            for line in lines {
                joined.push_str(if joined.ends_with([':', ',', ';']) { " " } else { ": " });
                joined.push_str(line);
            }
            joined
        })))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A shader's text is wrong. It is written as `FILE:LINE:COLUMN: MESSAGE`.
#[derive(Debug)]
pub struct ShaderError {
    pub(crate) name: Message,
    /// The line, from 1 on; 0 where nobody knows.
    pub line: u32,
    /// The column in characters, from 1 on; 0 where nobody knows.
    pub column: u32,
    pub(crate) message: Message,
}

impl ShaderError {
    /// Returns the name that the shader was given: of its file, as a rule.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        self.message.as_str()
    }
}

impl fmt::Display for ShaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, line, column, message } = self;
        match line {
            0 => write!(f, "{name}: {message}"),
            _ => write!(f, "{name}:{line}:{column}: {message}"),
        }
    }
}

impl Error for ShaderError {}

/// Why the graphics card did not do what it was asked for. Nothing has changed, save for commands
/// that were submitted.
#[derive(Debug)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no driver.
    NoDriver {
        /// What was looked for and not found.
        why: Message,
    },
    /// There is a graphics card, but it lacks something that this crate needs.
    Lacks {
        /// Which one.
        adapter: Message,
        /// What it has not.
        what: &'static str,
    },
    /// The driver did not hand out a device.
    Device {
        /// Which one.
        adapter: Message,
        /// What it said.
        why: Message,
    },
    /// Nothing can be shown in a window.
    Surface {
        /// What was said.
        why: Message,
    },
    /// A shader is wrong.
    Shader(ShaderError),
    /// Something is larger than it may be.
    Size {
        /// What.
        what: &'static str,
        /// How large it would be.
        wanted: u64,
        /// How large it may be.
        limit: u64,
    },
    /// There is no memory left on the graphics card.
    Memory {
        /// For what.
        what: Message,
    },
    /// wgpu refuses a description or a command.
    Refused {
        /// What was to be made or done.
        what: Message,
        /// What is wrong with it.
        why: Message,
    },
    /// The graphics card is gone, or hangs: all that was made is lost.
    Lost {
        /// What it was asked for.
        what: &'static str,
        /// What was said.
        why: Message,
    },
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver { why } => write!(
                f,
                "no Vulkan driver was found ({why}); install one (on Debian mesa-vulkan-drivers, which can do without a \
                 graphics card), or use the text back end"
            ),
            Self::Lacks { adapter, what } => {
                write!(
                    f,
                    "the graphics card {adapter} has no {what}; use another one, or its newest driver"
                )
            }
            Self::Device { adapter, why } => {
                write!(
                    f,
                    "the driver of {adapter} gave no device: {why}; is another program holding it?"
                )
            }
            Self::Surface { why } => {
                write!(
                    f,
                    "the window cannot be drawn into: {why}; is its display still there? Without a window pictures are \
                     drawn all the same"
                )
            }
            Self::Shader(error) => error.fmt(f),
            Self::Size { what, wanted, limit } => {
                write!(f, "{what}: {wanted} where at most {limit} are possible")
            }
            Self::Memory { what } => {
                write!(
                    f,
                    "{what}: the graphics card has no memory left; use smaller targets or textures"
                )
            }
            Self::Refused { what, why } => write!(f, "{what}: {why}"),
            Self::Lost { what, why } => {
                write!(
                    f,
                    "{what}: the graphics card is lost: {why}; make a new device and everything again"
                )
            }
        }
    }
}

impl Error for GpuError {}

impl From<ShaderError> for GpuError {
    fn from(error: ShaderError) -> Self {
        Self::Shader(error)
    }
}
