//! A port on which tools talk to a running engine.

use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::io;
use std::net::TcpListener;
use std::string::String;
use std::time::Instant;

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_sjson::{Nest, Style, Writer};

use crate::error::ToolError;
use crate::options::ToolOptions;

mod answer;
mod client;
mod link;
mod metered;
mod origin;
mod request;
mod subscriptions;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod topic;

use answer::{Asked, Serve, answer, write_error};
use client::Client;
use link::{Link, Received};
pub use request::ToolRequest;
use text::Text;
pub use token::ToolToken;
use topic::TOPICS_MAX;
pub use topic::ToolTopic;

/// The most requests of one tool that are served in one call: a tool that floods the engine waits
/// its turn.
const REQUESTS_MAX: usize = 64;

/// The most connections that are accepted in one call.
const ACCEPTED_MAX: usize = 16;

/// A link without a whole message for so long is closed when all places are taken and another tool
/// wants one.
const SILENCE_MAX: Duration = Duration::from_secs(5);

/// A port on which tools talk to a running engine: JSON objects, a line each over TCP or a message
/// each over WebSocket, on the same port ("Our Tool Architecture", Bitsquid blog, 2010-04-23).
///
/// ```text
/// tool     { "id": 7, "type": "script", "code": "return 1 + 2" }
/// engine   { "id": 7, "type": "result", "value": 3 }
/// engine   { "id": 7, "type": "error", "message": "line 1: ..." }      if it cannot be done
/// engine   { "type": "monitor", "value": ... }                         broadcast to all
/// tool     { "id": 8, "type": "subscribe", "topics": ["log"], "messages_a_second": 20 }
/// engine   { "id": 8, "type": "result", "value": { "topics": [ .. ], "messages_a_second": 20, .. } }
/// engine   { "type": "log", "left_out": 0, "value": ... }              as it comes
/// tool     { "id": 9, "type": "unsubscribe", "topics": ["log"] }       all topics, where none is named
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
/// # Subscriptions
///
/// What a tool has subscribed to is sent by [`publish`](Self::publish), up to a bound of messages and
/// bytes a second for each tool, which the answer states. What exceeds the bound is left out and
/// counted in `left_out`, and so is what would wait for a tool that has not read what came before:
/// a tool that reads nothing costs a poll one call of the system, and never more memory than one
/// round of messages.
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
    clients: Array<'a, Client<'a>>,
    topics: Array<'a, ToolTopic>,
    /// The answer or the message that is being written.
    text: Text<'a>,
    /// The value of the message.
    value: Text<'a>,
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
        let clients = Array::try_with_capacity_in(options.tools_max, memory)?;
        let topics = Array::new_in(memory);
        let [text, value] = [(); 2].map(|()| Text::new_in(options.waiting_bytes_max, memory));
        let random = || ToolToken::try_random().map_err(ToolError::Token);
        let token = options.needs_token.then(random).transpose()?;
        let next_tool = 0;
        Ok(Self { listener, options, token, memory, clients, topics, text, value, next_tool })
    }

    /// Sets the topics that tools can subscribe to.
    ///
    /// # Errors
    ///
    /// [`ToolError`] if there is no memory.
    ///
    /// # Panics
    ///
    /// If they are more than 16, or a tool is connected.
    pub fn set_topics(&mut self, topics: &[ToolTopic]) -> Result<(), ToolError> {
        assert!(topics.len() <= TOPICS_MAX, "{} topics are more than {TOPICS_MAX}", topics.len());
        assert!(self.clients.is_empty(), "{} tools are connected", self.clients.len());
        self.topics = Array::try_from_slice(topics, self.memory)?;
        Ok(())
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
        self.clients.len()
    }

    /// Accepts new tools, serves requests and sends what waits; returns how many requests there
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

    /// Returns `true` if any tool has subscribed to a topic.
    #[must_use]
    pub fn has_subscribers(&self, topic: &str) -> bool {
        let place = self.topics.iter().position(|of| of.name == topic);
        place.is_some_and(|place| self.clients.iter().any(|client| client.subscriptions.has(place)))
    }

    /// Begins a round of messages: a tool that has not read all that was sent before is sent none
    /// until the next round.
    pub fn begin_round(&mut self) {
        let Self { clients, .. } = self;
        clients.as_mut_slice().iter_mut().for_each(Client::begin_round);
    }

    /// Sends a message of a topic to the tools that have subscribed to it; returns `true` if any was
    /// sent it. `body` writes its value, and is called only if a tool can be sent more.
    ///
    /// # Errors
    ///
    /// [`fmt::Error`] if `body` returns it, or the message does not fit into what may wait; then it is
    /// counted as left out.
    pub fn publish(
        &mut self,
        topic: &str,
        body: &mut dyn FnMut(&mut Writer<'_>) -> fmt::Result,
    ) -> fmt::Result {
        self.publish_at(Instant::now(), topic, body)
    }

    /// As [`publish`](Self::publish), at a time that tests choose.
    fn publish_at(
        &mut self,
        now: Instant,
        topic: &str,
        body: &mut dyn FnMut(&mut Writer<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let Self { clients, topics, text, value, .. } = self;
        let Some(place) = topics.iter().position(|of| of.name == topic) else { return Ok(()) };
        let clients = clients.as_mut_slice();
        let written = match clients.iter().any(|client| client.can_take_topic(place, now)) {
            true => write_value(value, body).map(|()| Some(value.as_str())),
            false => Ok(None),
        };
        let subscribers = clients.iter_mut().filter(|client| client.subscriptions.has(place));
        for client in subscribers {
            match written {
                Ok(Some(value)) => client.publish((place, topic), value, text, now),
                _ => client.subscriptions.count_left_out(place),
            }
        }
        let written = written.map(drop);
        self.drop_closed();
        written
    }

    /// As [`poll`](Self::poll), at a time that tests choose.
    fn poll_at(&mut self, now: Instant, serve: &mut Serve<'_>) -> usize {
        self.accept(now);
        let mut served = 0;
        for Client { link, subscriptions, .. } in self.clients.as_mut_slice() {
            link.refill();
            for _ in 0..REQUESTS_MAX {
                match link.receive() {
                    Received::Nothing => break,
                    Received::Message { tool, due, text } => {
                        let asked = Asked { tool, message: text, due };
                        let own = (&*self.topics, &mut *subscriptions);
                        let good = answer(&asked, own, self.memory, &mut self.text, serve);
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
        let links = self.clients.as_mut_slice().iter_mut().map(|client| &mut client.link);
        for link in links.filter(|link| link.is_admitted()) {
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
            if self.clients.len() < self.options.tools_max
                && let Ok(link) = Link::new(stream, self.next_tool, options, now, self.memory)
            {
                self.next_tool = self.next_tool.wrapping_add(1);
                let _ = self.clients.try_push(Client::new(link));
            }
        }
    }

    /// Closes the link that was silent longest, where all places are taken and it was silent for
    /// too long.
    fn free_place(&mut self, now: Instant) {
        if self.clients.len() < self.options.tools_max {
            return;
        }
        let links = self.clients.iter().map(|client| &client.link).enumerate();
        let silent = links.filter(|(_, link)| link.silence(now) >= SILENCE_MAX);
        // A tool that only listens keeps its place before one that never sent a valid message.
        if let Some((index, _)) =
            silent.max_by_key(|(_, link)| (!link.is_known(), link.silence(now)))
        {
            self.clients.remove(index);
        }
    }

    fn drop_closed(&mut self) {
        let mut index = 0;
        while index < self.clients.len() {
            if self.clients[index].link.is_closed() {
                self.clients.remove(index);
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

/// Writes the value of a message.
fn write_value(
    value: &mut Text<'_>,
    body: &mut dyn FnMut(&mut Writer<'_>) -> fmt::Result,
) -> fmt::Result {
    value.clear();
    let mut writer = Writer::new(Style::JSON_COMPACT, value);
    body(&mut writer)?;
    writer.finish()
}
