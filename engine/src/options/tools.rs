//! Where tools are served.

use core::net::{Ipv4Addr, SocketAddr};

/// Where a server listens and what it puts up with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolOptions {
    /// The address and the port; port 0 takes one that is free.
    pub address: SocketAddr,
    /// Whether the address may be seen from other machines. A client that reaches the port and has
    /// its token can run scripts.
    pub beyond_loopback: bool,
    /// Whether a tool has to know the token of the port. Without, every user of the machine and every
    /// web page that this machine serves can run scripts.
    pub needs_token: bool,
    /// The longest message that is read, in bytes.
    pub message_bytes_max: usize,
    /// The most bytes that wait for a tool to take them; one that is slower is cut off.
    pub waiting_bytes_max: usize,
    /// The most tools at a time.
    pub tools_max: usize,
}

impl Default for ToolOptions {
    /// A free port of 127.0.0.1, with a token, messages of 1 MiB, 4 MiB that wait, 8 tools.
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            beyond_loopback: false,
            needs_token: true,
            message_bytes_max: 1 << 20,
            waiting_bytes_max: 4 << 20,
            tools_max: 8,
        }
    }
}
