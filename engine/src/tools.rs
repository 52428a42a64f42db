//! A port on which tools talk to a running engine.

use core::fmt::{self, Write as _};
use core::net::SocketAddr;
use core::time::Duration;
use std::io;
use std::net::TcpListener;
use std::string::String;
use std::time::Instant;

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_sjson::{Nest, Options, Style, Value, ValueKind, ValueRef, Writer};

use crate::error::ToolError;
use crate::options::ToolOptions;

mod link;
mod metered;
mod origin;
#[cfg(test)]
mod tests;
mod text;
mod token;

use link::{Link, Received};
use text::Text;
pub use token::ToolToken;

/// The most requests of one tool that are served in one call: a tool that floods the engine waits
/// its turn.
const REQUESTS_MAX: usize = 64;

/// The most connections that are accepted in one call.
const ACCEPTED_MAX: usize = 16;

/// A link without a whole message for so long is closed when all places are taken and another tool
/// wants one.
const SILENCE_MAX: Duration = Duration::from_secs(5);

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

/// A port on which tools talk to a running engine: JSON objects, a line each over TCP or a message
/// each over WebSocket, on the same port ("Our Tool Architecture", Bitsquid blog, 2010-04-23).
///
/// ```text
/// tool     { "id": 7, "type": "script", "code": "return 1 + 2" }
/// engine   { "id": 7, "type": "result", "value": 3 }
/// engine   { "id": 7, "type": "error", "message": "line 1: ..." }      if it cannot be done
/// engine   { "type": "monitor", "value": ... }                         broadcast to all
/// ```
///
/// A request's `type` is needed, its `id` comes back with the answer. Nothing here blocks:
/// [`poll`](Self::poll) once a frame takes what has come and sends what can be sent. Of each
/// connection it reads 64 KiB at most, whatever comes.
///
/// # Who may connect
///
/// Programs of this machine that know the [`token`](Self::token), unless it listens beyond the
/// machine. A WebSocket has the token as the path of its address, `ws://127.0.0.1:PORT/TOKEN`; over
/// TCP it is the member `token` of the first message. So another user of the machine is refused,
/// and a web page, too: of pages also those whose `Origin` is another machine. A connection whose
/// first message is not a JSON object with the token is closed before the second is read.
///
/// All places may be taken by connections that say nothing; one that has sent no whole message for
/// 5 seconds gives its place to the next that comes.
///
/// # Memory
///
/// Messages, answers and what waits are arrays of the allocator passed in, no longer than the
/// options allow. The WebSocket library takes its own from the global heap.
///
/// # Complexity
///
/// A poll is O(tools + bytes that came).
pub struct ToolServer<'a> {
    listener: TcpListener,
    options: ToolOptions,
    token: Option<ToolToken>,
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
    pub fn try_new(options: ToolOptions, memory: &'a dyn Allocator) -> Result<Self, ToolError> {
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
        let random = || ToolToken::try_random().map_err(ToolError::Token);
        let token = options.needs_token.then(random).transpose()?;
        Ok(Self { listener, options, token, memory, links, text, next_tool: 0 })
    }

    /// Returns the token that tools have to know, if they have to.
    #[must_use]
    pub const fn token(&self) -> Option<ToolToken> {
        self.token
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

    /// Takes new tools in, serves requests and sends what waits; returns how many requests there
    /// were.
    ///
    /// `serve` writes one value, the result; or returns why it cannot, and what it had written is
    /// dropped.
    pub fn poll(
        &mut self,
        serve: &mut dyn FnMut(&ToolRequest<'_>, &mut Writer<'_>) -> Result<(), String>,
    ) -> usize {
        self.poll_at(Instant::now(), serve)
    }

    /// As [`poll`](Self::poll), at a time that tests choose.
    fn poll_at(
        &mut self,
        now: Instant,
        serve: &mut dyn FnMut(&ToolRequest<'_>, &mut Writer<'_>) -> Result<(), String>,
    ) -> usize {
        self.accept(now);
        let mut served = 0;
        for link in self.links.as_mut_slice() {
            link.refill();
            for _ in 0..REQUESTS_MAX {
                match link.receive() {
                    Received::Nothing => break,
                    Received::Message { tool, due, text } => {
                        let good = answer((tool, text), due, self.memory, &mut self.text, serve);
                        served += usize::from(good);
                        link.has_spoken(now);
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
    /// [`fmt::Error`] if `body` returns it, or the message does not fit into what may wait; then
    /// nothing was sent.
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
        for link in self.links.as_mut_slice().iter_mut().filter(|link| link.is_admitted()) {
            link.send(&self.text);
            link.flush();
        }
        self.drop_closed();
        Ok(())
    }

    fn accept(&mut self, now: Instant) {
        for _ in 0..ACCEPTED_MAX {
            // A connection that finds no place is dropped, which closes it.
            let Ok((stream, _)) = self.listener.accept() else { return };
            self.free_place(now);
            let options = (&self.options, self.token);
            if self.links.len() < self.options.tools_max
                && let Ok(link) = Link::new(stream, self.next_tool, options, now, self.memory)
            {
                self.next_tool = self.next_tool.wrapping_add(1);
                let _ = self.links.try_push(link);
            }
        }
    }

    /// Closes the link that was silent longest, where all places are taken and it was silent for
    /// too long.
    fn free_place(&mut self, now: Instant) {
        if self.links.len() < self.options.tools_max {
            return;
        }
        let silent =
            self.links.iter().enumerate().filter(|(_, link)| link.silence(now) >= SILENCE_MAX);
        // A tool that only listens keeps its place before one that never sent a valid message.
        if let Some((index, _)) =
            silent.max_by_key(|(_, link)| (!link.is_known(), link.silence(now)))
        {
            self.links.remove(index);
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

/// Writes the answer to a message into `text`; returns whether the message was a JSON object, with
/// the token where it is due.
fn answer(
    (tool, message): (u32, &str),
    due: Option<ToolToken>,
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
    let given = body.get("token").and_then(|token| token.as_str());
    if due.is_some_and(|token| !given.is_some_and(|given| token.matches(given))) {
        let _ = write_error(text, id, NO_TOKEN);
        return false;
    }
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

/// The answer to a tool without the token.
const NO_TOKEN: &str = "the first message needs the port's token as the member `token`; the engine prints it and keeps it in \
     the file `tools` of the data folder";

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
