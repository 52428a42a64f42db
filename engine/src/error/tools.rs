//! What keeps the port for tools from being opened.

use core::error::Error;
use core::fmt;
use core::net::SocketAddr;
use std::io;

use loligo_containers::GrowError;

/// A port for tools cannot be opened.
#[derive(Debug)]
pub enum ToolError {
    /// The address is seen from other machines, which was not asked for.
    BeyondLoopback(SocketAddr),
    /// The system refuses.
    Listen {
        /// The address.
        address: SocketAddr,
        /// What it says.
        error: io::Error,
    },
    /// The system has no random numbers for a token.
    Token(io::Error),
    /// The allocator had no memory.
    Memory(GrowError),
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BeyondLoopback(address) => write!(
                f,
                "tools cannot be served at {address}: other machines would reach it, and a client that has the token can run \
                 scripts; take 127.0.0.1, or set `beyond_loopback`"
            ),
            Self::Listen { address, error } => {
                write!(f, "tools cannot be served at {address}: {error}; port 0 takes a free one")
            }
            Self::Token(error) => write!(
                f,
                "tools cannot be served: the system has no random numbers for a token: {error}; run without the tools, \
                 or set `needs_token` to false"
            ),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for ToolError {}

impl From<GrowError> for ToolError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}
