//! A port on which tools talk to a running engine.

use core::error::Error;
use core::fmt::{self, Write as _};
use core::net::{Ipv4Addr, SocketAddr};
use std::io;
use std::net::TcpListener;
use std::string::String;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_sjson::{Nest, Options, Style, Value, ValueKind, ValueRef, Writer};

mod link;
mod origin;
#[cfg(test)]
mod tests;
mod text;

use link::{Link, Received};
use text::Text;

/// The most requests of one tool that are served in one call: a tool that floods the engine waits its turn.
const REQUESTS_MAX: usize = 64;

/// Where a server listens and what it puts up with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolOptions {
    /// The address and the port; port 0 takes one that is free.
    pub address: SocketAddr,
    /// Whether the address may be seen from other machines. Whoever reaches the port can run scripts.
    pub beyond_loopback: bool,
    /// The longest message that is read, in bytes.
    pub message_bytes_max: usize,
    /// The most bytes that wait for a tool to take them; one that is slower is cut off.
    pub waiting_bytes_max: usize,
    /// The most tools at a time.
    pub tools_max: usize,
}

impl Default for ToolOptions {
    /// A free port of 127.0.0.1, messages of 1 MiB, 4 MiB that wait, 8 tools.
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            beyond_loopback: false,
            message_bytes_max: 1 << 20,
            waiting_bytes_max: 4 << 20,
            tools_max: 8,
        }
    }
}

/// What a tool asks for.
#[derive(Clone, Copy)]
pub struct ToolRequest<'r> {
    /// Which tool: a number that no other has or had.
    pub tool: u32,
    /// The member `type`.
    pub kind: &'r str,
    /// All members.
    pub body: ValueRef<'r>,
}

impl fmt::Debug for ToolRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, kind, body: _ } = self;
        f.debug_struct("ToolRequest")
            .field("tool", tool)
            .field("kind", kind)
            .finish_non_exhaustive()
    }
}

/// A port on which tools talk to a running engine: JSON objects, a line each over TCP or a message each over
/// WebSocket, on the same port ("Our Tool Architecture", Bitsquid blog, 2010-04-23).
///
/// ```text
/// tool     { "id": 7, "type": "script", "code": "return 1 + 2" }
/// engine   { "id": 7, "type": "result", "value": 3 }
/// engine   { "id": 7, "type": "error", "message": "line 1: ..." }      if it cannot be done
/// engine   { "type": "monitor", "value": ... }                         broadcast to all
/// ```
///
/// A request's `type` is needed, its `id` comes back with the answer. Nothing here blocks: [`poll`](Self::poll) once
/// a frame takes what has come and sends what can be sent.
///
/// # Who may connect
///
/// Programs of this machine, unless it is told to listen beyond. A web page of somebody else's, opened in a browser of this
/// machine, may not: a WebSocket is refused where its `Origin` is none of this machine's, and a connection whose
/// first message is no JSON object, as that of any HTTP request is, is closed before the second is read.
///
/// # Memory
///
/// Messages, answers and what waits are arrays of the allocator passed in, no longer than the options allow.
/// The WebSocket library takes its own from the global heap.
///
/// # Complexity
///
/// A poll is O(tools + bytes that came).
pub struct ToolServer<'a> {
    listener: TcpListener,
    options: ToolOptions,
    memory: &'a dyn Allocator,
    links: Array<'a, Link<'a>>,
    /// The answer that is being written.
    text: Text<'a>,
    next_tool: u32,
}

impl<'a> ToolServer<'a> {
    /// Opens the port.
    ///
    /// # Errors
    ///
    /// [`ToolError`] if the address may not be used or is in use, or there is no memory.
    pub fn try_new_in(options: ToolOptions, memory: &'a dyn Allocator) -> Result<Self, ToolError> {
        let address = options.address;
        if !options.beyond_loopback && !address.ip().is_loopback() {
            return Err(ToolError::BeyondLoopback(address));
        }
        let listen = || {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let listener = listen().map_err(|error| ToolError::Listen { address, error })?;
        let links = Array::try_with_capacity_in(options.tools_max, memory)?;
        let text = Text::new_in(options.waiting_bytes_max, memory);
        Ok(Self { listener, options, memory, links, text, next_tool: 0 })
    }

    /// Returns where it listens, with the port that was taken.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Returns how many tools are connected.
    #[must_use]
    pub fn tools(&self) -> usize {
        self.links.len()
    }

    /// Takes new tools in, serves requests and sends what waits; returns how many requests there were.
    ///
    /// `serve` writes one value, the result; or returns why it cannot, and what it had written is dropped.
    pub fn poll(
        &mut self,
        serve: &mut dyn FnMut(&ToolRequest<'_>, &mut Writer<'_>) -> Result<(), String>,
    ) -> usize {
        self.accept();
        let mut served = 0;
        for link in self.links.as_mut_slice() {
            for _ in 0..REQUESTS_MAX {
                match link.receive() {
                    Received::Nothing => break,
                    Received::Message(message) => {
                        let good = answer(message, self.memory, &mut self.text, serve);
                        served += usize::from(good);
                        link.sent_back(&self.text, good);
                    }
                    Received::Refused(why) => {
                        self.text.clear();
                        // One that does not fit was cut off above.
                        let _ = write_error(&mut self.text, None, &why);
                        link.last_words(&self.text);
                    }
                }
            }
            link.flush();
        }
        self.drop_closed();
        served
    }

    /// Sends a value of some type to every tool.
    ///
    /// # Errors
    ///
    /// [`fmt::Error`] if `body` returns it, or the message does not fit into what may wait; then nothing was sent.
    pub fn broadcast(
        &mut self,
        kind: &str,
        body: &mut dyn FnMut(&mut Writer<'_>) -> fmt::Result,
    ) -> fmt::Result {
        self.text.clear();
        let mut writer = Writer::new(Style::JSON_COMPACT, &mut self.text);
        writer.start(Nest::Object)?;
        writer.key("type")?;
        writer.string(kind)?;
        writer.key("value")?;
        body(&mut writer)?;
        writer.end(Nest::Object)?;
        writer.finish()?;
        for link in self.links.as_mut_slice() {
            link.send(&self.text);
            link.flush();
        }
        self.drop_closed();
        Ok(())
    }

    fn accept(&mut self) {
        // What cannot be taken in is dropped, which closes it.
        while let Ok((stream, _)) = self.listener.accept() {
            if self.links.len() < self.options.tools_max
                && let Ok(link) = Link::new(stream, self.next_tool, &self.options, self.memory)
            {
                self.next_tool += 1;
                let _ = self.links.try_push(link);
            }
        }
    }

    fn drop_closed(&mut self) {
        let mut index = 0;
        while index < self.links.len() {
            if self.links[index].is_closed() {
                self.links.remove(index);
            } else {
                index += 1;
            }
        }
    }
}

impl fmt::Debug for ToolServer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolServer").field("tools", &self.tools()).finish_non_exhaustive()
    }
}

/// Writes the answer to a message into `text`, and tells whether the message was a JSON object.
fn answer(
    (tool, message): (u32, &str),
    memory: &dyn Allocator,
    text: &mut Text<'_>,
    serve: &mut dyn FnMut(&ToolRequest<'_>, &mut Writer<'_>) -> Result<(), String>,
) -> bool {
    text.clear();
    // What does not fit is dropped as a whole by the text, so writing cannot fail half-way unseen.
    let value = match Value::try_parse_in(message.as_bytes(), &Options::JSON, memory) {
        Ok(value) if value.root().kind() == ValueKind::Object => value,
        Ok(_) => {
            let _ = write_error(text, None, "expected a JSON object as the message");
            return false;
        }
        Err(error) => {
            let mut why = Text::new_in(1024, memory);
            let _ = write!(why, "the message is no JSON: {error}");
            let _ = write_error(text, None, why.as_str());
            return false;
        }
    };
    let body = value.root();
    let id = body.get("id").and_then(|id| id.as_i64());
    let Some(kind) = body.get("type").and_then(|kind| kind.as_str()) else {
        let _ = write_error(text, id, "expected a string as the member `type`");
        return true;
    };
    let request = ToolRequest { tool, kind, body };
    let refused = write_result(text, id, |writer| serve(&request, writer));
    if let Err(why) = refused {
        text.clear();
        let _ = write_error(text, id, &why);
    }
    true
}

fn write_result(
    text: &mut Text<'_>,
    id: Option<i64>,
    serve: impl FnOnce(&mut Writer<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let too_long = |_| String::from("the answer is too long for the connection: ask for less");
    let mut writer = Writer::new(Style::JSON_COMPACT, text);
    start(&mut writer, id, "result").map_err(too_long)?;
    writer.key("value").map_err(too_long)?;
    serve(&mut writer)?;
    writer.end(Nest::Object).map_err(too_long)?;
    writer.finish().map_err(too_long)
}

fn write_error(text: &mut Text<'_>, id: Option<i64>, why: &str) -> fmt::Result {
    let mut writer = Writer::new(Style::JSON_COMPACT, text);
    start(&mut writer, id, "error")?;
    writer.key("message")?;
    writer.string(why)?;
    writer.end(Nest::Object)?;
    writer.finish()
}

fn start(writer: &mut Writer<'_>, id: Option<i64>, kind: &str) -> fmt::Result {
    writer.start(Nest::Object)?;
    if let Some(id) = id {
        writer.key("id")?;
        writer.i64(id)?;
    }
    writer.key("type")?;
    writer.string(kind)
}

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
    /// The allocator had no memory.
    Memory(GrowError),
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BeyondLoopback(address) => write!(
                f,
                "tools cannot be served at {address}: other machines would reach it, and whoever does can run \
                 scripts; take 127.0.0.1, or set `beyond_loopback`"
            ),
            Self::Listen { address, error } => {
                write!(f, "tools cannot be served at {address}: {error}; port 0 takes a free one")
            }
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
