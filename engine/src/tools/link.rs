//! One tool's connection: which of the two protocols it speaks, and what waits on either side.

use core::time::Duration;
use std::format;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::string::String;
use std::time::Instant;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use tungstenite::handshake::server::ServerHandshake;
use tungstenite::handshake::{HandshakeError, MidHandshake};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, Utf8Bytes, WebSocket};

use super::metered::Metered;
use super::origin::OriginCheck;
use super::text::Text;
use super::token::ToolToken;
use crate::options::ToolOptions;

/// How much is read at once.
const READ_BYTES: usize = 4096;

type Handshake = ServerHandshake<Metered, OriginCheck>;

/// A connection.
pub(super) struct Link<'a> {
    tool: u32,
    wire: Wire<'a>,
    message_bytes_max: usize,
    waiting_bytes_max: usize,
    /// The token that the tool has to know, if it has to.
    token: Option<ToolToken>,
    /// Whether a message has come that was a JSON object, with the token where one is needed.
    is_known: bool,
    /// When the last whole message came; when it connected, before the first.
    heard: Instant,
    /// The message that was received last, while it is a WebSocket's.
    message: Utf8Bytes,
    memory: &'a dyn Allocator,
}

/// What a connection speaks.
enum Wire<'a> {
    /// Nothing so far.
    New(Metered),
    Lines(Lines<'a>),
    Shaking(MidHandshake<Handshake>),
    Web(WebSocket<Metered>),
    Closed,
}

/// A message a line.
struct Lines<'a> {
    stream: Metered,
    /// What has come.
    incoming: Array<'a, u8>,
    /// Where the message that was received last begins, and where the next one does.
    begin: usize,
    end: usize,
    /// Up to where no other line ends.
    searched: usize,
    /// What is to go, and how much of it has gone.
    outgoing: Array<'a, u8>,
    gone: usize,
    /// Whether it is closed once all has gone.
    is_last: bool,
}

/// What came in.
pub(super) enum Received<'m> {
    Nothing,
    /// A message of a tool, and the token that it must have, if it must.
    Message {
        tool: u32,
        due: Option<ToolToken>,
        text: &'m str,
    },
    /// What cannot be read on from.
    Refused(String),
}

impl<'a> Link<'a> {
    pub(super) fn new(
        stream: TcpStream,
        tool: u32,
        (options, token): (&ToolOptions, Option<ToolToken>),
        now: Instant,
        memory: &'a dyn Allocator,
    ) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        // Answers are small and the tool waits for them.
        stream.set_nodelay(true)?;
        Ok(Self {
            tool,
            wire: Wire::New(Metered::new(stream)),
            message_bytes_max: options.message_bytes_max,
            waiting_bytes_max: options.waiting_bytes_max,
            token,
            is_known: false,
            heard: now,
            message: Utf8Bytes::default(),
            memory,
        })
    }

    pub(super) const fn is_closed(&self) -> bool {
        matches!(self.wire, Wire::Closed)
    }

    /// Returns how long no whole message has come.
    pub(super) fn silence(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.heard)
    }

    /// Returns `true` if the tool has sent a message that was understood.
    pub(super) const fn is_known(&self) -> bool {
        self.is_known
    }

    /// Notes that a whole message has come.
    pub(super) const fn has_spoken(&mut self, now: Instant) {
        self.heard = now;
    }

    /// Returns the token that the next message must have: the first of a link of lines. A WebSocket
    /// had it in its address.
    fn token_due(&self) -> Option<ToolToken> {
        self.token.filter(|_| !self.is_known && matches!(self.wire, Wire::Lines(_)))
    }

    /// Returns `true` if the tool may hear what is sent to all.
    pub(super) fn is_admitted(&self) -> bool {
        self.token_due().is_none()
    }

    /// Lets as many bytes be read as one poll may.
    pub(super) fn refill(&mut self) {
        match &mut self.wire {
            Wire::New(stream) => stream.refill(),
            Wire::Lines(lines) => lines.stream.refill(),
            Wire::Shaking(middle) => middle.get_mut().get_mut().refill(),
            Wire::Web(socket) => socket.get_mut().refill(),
            Wire::Closed => {}
        }
    }

    /// Returns the next message that has come.
    pub(super) fn receive(&mut self) -> Received<'_> {
        self.settle();
        let due = self.token_due();
        let received = match &mut self.wire {
            Wire::New(_) | Wire::Shaking(_) | Wire::Closed => return Received::Nothing,
            Wire::Lines(lines) if lines.is_last => return Received::Nothing,
            Wire::Lines(lines) => lines.next(self.message_bytes_max),
            Wire::Web(socket) => next(socket, &mut self.message, self.message_bytes_max),
        };
        match received {
            Next::Nothing => Received::Nothing,
            Next::Refused(why) => Received::Refused(why),
            Next::Closed => {
                self.wire = Wire::Closed;
                Received::Nothing
            }
            Next::Message => {
                let text = match &self.wire {
                    Wire::Lines(lines) => lines.message(),
                    _ => Ok(self.message.as_str()),
                };
                match text {
                    Ok(text) => Received::Message { tool: self.tool, due, text },
                    Err(_) => Received::Refused("a message is no UTF-8".into()),
                }
            }
        }
    }

    /// Sends the answer to a message; one that was the first and not even an object ends the
    /// connection.
    pub(super) fn sent_back(&mut self, answer: &Text<'_>, good: bool) {
        self.is_known |= good;
        if self.is_known {
            self.send(answer);
        } else {
            self.last_words(answer);
        }
    }

    /// Puts a message among those that wait; where they are too many, the tool is cut off.
    pub(super) fn send(&mut self, text: &Text<'_>) {
        let text = text.as_str();
        let sent = match &mut self.wire {
            Wire::New(_) | Wire::Shaking(_) | Wire::Closed => true,
            Wire::Lines(lines) => lines.send(text, self.waiting_bytes_max),
            Wire::Web(socket) => is_alive(socket.write(Message::text(text))),
        };
        if !sent {
            self.wire = Wire::Closed;
        }
    }

    /// Sends a message and closes the connection after it.
    pub(super) fn last_words(&mut self, text: &Text<'_>) {
        self.send(text);
        match &mut self.wire {
            Wire::Lines(lines) => lines.is_last = true,
            Wire::Web(socket) => {
                // What cannot be sent at once is not waited for.
                let _ = socket.close(None);
                let _ = socket.flush();
                self.wire = Wire::Closed;
            }
            _ => {}
        }
    }

    /// Returns the most bytes that wait for the tool.
    pub(super) const fn waiting_bytes_max(&self) -> usize {
        self.waiting_bytes_max
    }

    /// Sends what waits, as far as the tool reads it; returns `true` if nothing waits any more.
    pub(super) fn flush(&mut self) -> bool {
        let (is_alive, is_empty) = match &mut self.wire {
            Wire::New(_) | Wire::Shaking(_) | Wire::Closed => (true, true),
            Wire::Lines(lines) => (lines.flush(), lines.outgoing.is_empty()),
            Wire::Web(socket) => {
                let flushed = socket.flush();
                let is_empty = flushed.is_ok();
                (is_alive(flushed), is_empty)
            }
        };
        if !is_alive {
            self.wire = Wire::Closed;
        }
        is_empty
    }

    /// Finds out what a connection speaks, and goes on with its handshake.
    fn settle(&mut self) {
        self.wire = match core::mem::replace(&mut self.wire, Wire::Closed) {
            Wire::New(stream) => match first_byte(stream.stream()) {
                Some(Ok(b'G')) => {
                    let limit = self.message_bytes_max;
                    let config = WebSocketConfig::default()
                        .read_buffer_size(READ_BYTES)
                        .write_buffer_size(0)
                        .max_write_buffer_size(self.waiting_bytes_max)
                        .max_message_size(Some(limit))
                        .max_frame_size(Some(limit));
                    let check = OriginCheck { token: self.token };
                    shaken(ServerHandshake::start(stream, check, Some(config)).handshake())
                }
                Some(Ok(_)) => Wire::Lines(Lines::new(stream, self.memory)),
                Some(Err(_)) => Wire::Closed,
                None => Wire::New(stream),
            },
            Wire::Shaking(middle) => shaken(middle.handshake()),
            settled => settled,
        };
    }
}

/// Returns the first byte of a connection, which is left there; `None` where none has come.
fn first_byte(stream: &TcpStream) -> Option<io::Result<u8>> {
    let mut byte = [0];
    match stream.peek(&mut byte) {
        Ok(0) => Some(Err(ErrorKind::UnexpectedEof.into())),
        Ok(_) => Some(Ok(byte[0])),
        Err(error) if is_later(&error) => None,
        Err(error) => Some(Err(error)),
    }
}

fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn shaken<'a>(result: Result<WebSocket<Metered>, HandshakeError<Handshake>>) -> Wire<'a> {
    match result {
        Ok(socket) => Wire::Web(socket),
        Err(HandshakeError::Interrupted(middle)) => Wire::Shaking(middle),
        Err(HandshakeError::Failure(_)) => Wire::Closed,
    }
}

/// Whether a connection can go on after this; having to wait is not a fault.
fn is_alive(result: tungstenite::Result<()>) -> bool {
    match result {
        Ok(()) => true,
        Err(tungstenite::Error::Io(error)) => is_later(&error),
        Err(_) => false,
    }
}

/// What a wire has.
enum Next {
    Nothing,
    Message,
    Refused(String),
    Closed,
}

fn too_long(bytes_max: usize) -> Next {
    Next::Refused(format!("a message is longer than {bytes_max} bytes"))
}

/// Reads the next text message of a WebSocket.
fn next(socket: &mut WebSocket<Metered>, message: &mut Utf8Bytes, bytes_max: usize) -> Next {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => {
                *message = text;
                return Next::Message;
            }
            Ok(Message::Binary(_)) => return Next::Refused("a message is binary, not text".into()),
            // Pings are answered, and a close is, by the library.
            Ok(_) => {}
            Err(tungstenite::Error::Io(error)) if is_later(&error) => return Next::Nothing,
            Err(tungstenite::Error::Capacity(_)) => return too_long(bytes_max),
            Err(_) => return Next::Closed,
        }
    }
}

impl<'a> Lines<'a> {
    const fn new(stream: Metered, memory: &'a dyn Allocator) -> Self {
        Self {
            stream,
            incoming: Array::new_in(memory),
            begin: 0,
            end: 0,
            searched: 0,
            outgoing: Array::new_in(memory),
            gone: 0,
            is_last: false,
        }
    }

    fn next(&mut self, bytes_max: usize) -> Next {
        self.begin = self.end;
        loop {
            let fresh = &self.incoming[self.searched..];
            if let Some(at) = fresh.iter().position(|&byte| byte == b'\n') {
                self.end = self.searched + at + 1;
                self.searched = self.end;
                return Next::Message;
            }
            self.drop_read();
            self.searched = self.incoming.len();
            if self.searched > bytes_max {
                return too_long(bytes_max);
            }
            let mut bytes = [0; READ_BYTES];
            match self.stream.read(&mut bytes) {
                Ok(0) => {
                    // A tool that says no more may still want its answers.
                    self.is_last = true;
                    return Next::Nothing;
                }
                Ok(read) => {
                    if self.incoming.try_extend_from_slice(&bytes[..read]).is_err() {
                        return Next::Refused("the engine has no memory for the message".into());
                    }
                }
                Err(error) if is_later(&error) => return Next::Nothing,
                Err(_) => return Next::Closed,
            }
        }
    }

    /// Takes away the messages that were read.
    fn drop_read(&mut self) {
        let len = self.incoming.len();
        self.incoming.as_mut_slice().copy_within(self.begin..len, 0);
        self.incoming.truncate(len - self.begin);
        (self.begin, self.end) = (0, 0);
    }

    fn message(&self) -> Result<&str, core::str::Utf8Error> {
        core::str::from_utf8(&self.incoming[self.begin..self.end - 1])
    }

    /// Returns `true` if the message could be put with those that wait.
    fn send(&mut self, text: &str, bytes_max: usize) -> bool {
        let waiting = self.outgoing.len() - self.gone;
        waiting + text.len() < bytes_max && self.put(text).is_ok()
    }

    fn put(&mut self, text: &str) -> Result<(), GrowError> {
        self.outgoing.try_reserve(text.len() + 1)?;
        self.outgoing.try_extend_from_slice(text.as_bytes())?;
        self.outgoing.try_push(b'\n')
    }

    /// Removes what has left, so that a tool that never reads all of it makes nothing grow. Half of
    /// it at least goes, so that a byte is moved once on average.
    fn drop_sent(&mut self) {
        let len = self.outgoing.len();
        if self.gone >= len - self.gone {
            self.outgoing.as_mut_slice().copy_within(self.gone..len, 0);
            self.outgoing.truncate(len - self.gone);
            self.gone = 0;
        }
    }

    /// Sends, and returns whether the connection goes on.
    fn flush(&mut self) -> bool {
        while self.gone < self.outgoing.len() {
            match self.stream.write(&self.outgoing[self.gone..]) {
                Ok(0) => return false,
                Ok(sent) => self.gone += sent,
                Err(error) => {
                    self.drop_sent();
                    return is_later(&error);
                }
            }
        }
        self.outgoing.clear();
        self.gone = 0;
        !self.is_last
    }
}
